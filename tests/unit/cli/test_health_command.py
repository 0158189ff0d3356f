"""``paimon-workbench health``: text, JSON and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import workbench as wb
from tests.support.maintained_tables import clocked
from tests.unit.lens.health.defects import Place, damaged, rows, sorted_runs
from workbench.catalog.connect import register_catalog
from workbench.cli.health import FOUND
from workbench.cli.main import main


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(*clocked(tmp_path / "warehouse"))


def test_a_table_in_poor_condition(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    sorted_runs(place)
    assert main(["health", place.catalog.warehouse]) == FOUND
    assert capsys.readouterr().out.startswith("poor       db.t  1 of 2 buckets has more than 5 sorted runs")
    assert main(["health", place.catalog.warehouse, "db.t"]) == FOUND
    shown = capsys.readouterr().out
    assert "[poor] 1 of 2 buckets has more than 5 sorted runs in a bucket" in shown
    assert "CALL sys.compact(table => 'db.t', compact_strategy => 'full', where =>" in shown
    assert main(["health", place.catalog.warehouse, "--fail-on", "never"]) == 0


def test_a_healthy_warehouse(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.table().write(rows(range(10)))
    assert main(["health", place.catalog.warehouse, "db", "--storage", "--fail-on", "notice", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert (value["condition"], value["total"], value["tables"][0]["table"]) == ("good", 1, "db.t")


def test_a_damaged_table_is_poor(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    damaged(place)
    assert main(["health", place.catalog.warehouse, "db.t", "--json"]) == FOUND
    assert json.loads(capsys.readouterr().out)["findings"][0]["check"] == "damage"


def test_errors(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["health", place.catalog.warehouse, "dd"]) == 1
    assert "Database 'dd' does not exist." in capsys.readouterr().err
    assert main(["health", place.catalog.warehouse, "--option", "x"]) == 1
    assert "key=value" in capsys.readouterr().err


def test_a_catalog_of_any_kind(place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place.table().write(rows(range(10)))
    # A bare word names a catalog of a file, unless a kind is given.
    of_kind = ["--metastore", "shop-service", "--option", "word=${env:SHOP_WORD}"]
    register_catalog("shop-service", lambda options: wb.connect(tmp_path / options["warehouse"]))
    name = "warehouse"
    assert main(["health", name, *of_kind]) == 1
    assert "'SHOP_WORD', which is not set" in capsys.readouterr().err
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SHOP_WORD", "x")
        assert main(["health", name, *of_kind]) == 0
        assert "db.t" in capsys.readouterr().out
        assert main(["health", "-", *of_kind, "--option", f"warehouse={name}"]) == 0
    assert main(["health", name, "--metastore", "shop-servise"]) == 1
    assert "Did you mean 'shop-service'?" in capsys.readouterr().err
