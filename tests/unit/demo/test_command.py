from __future__ import annotations

import csv
from pathlib import Path

import pytest

import workbench as wb
from workbench.base.errors import WorkbenchError
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.demo import source
from workbench.demo.__main__ import main
from workbench.demo.tables import FLIGHTS, SMALL_TABLES, State, state_of

SOURCES = [source.FLIGHTS, source.AIRLINES, source.AIRPORTS, source.PLANES, source.WEATHER]


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    return wb.connect(tmp_path)


@pytest.mark.parametrize("each", SOURCES, ids=lambda each: each.file)
def test_the_columns_are_those_of_the_file(each: source.Source, tmp_path: Path) -> None:
    with each.extract(tmp_path).open(newline="") as file:
        assert next(csv.reader(file)) == list(each.columns)


def test_a_zipped_file_is_unpacked_next_to_the_others(tmp_path: Path) -> None:
    path = source.FLIGHTS.extract(tmp_path)
    assert path == tmp_path / "flights.csv"
    with path.open() as file:
        assert sum(1 for _ in file) == 1 + 336_776


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(source, "PACKAGE", "no-such-package-of-flights")
    with pytest.raises(WorkbenchError, match=r"no-such-package-of-flights is not installed\. Run: pip install"):
        source.WEATHER.extract(tmp_path)


def test_a_warehouse_fills_step_by_step(catalog: FileSystemCatalog) -> None:
    assert state_of(catalog) is State.ABSENT
    catalog.create_database("nyc")
    assert state_of(catalog) is State.UNFINISHED
    FLIGHTS.create(catalog)
    tables = [each.create(catalog) for each in SMALL_TABLES]
    assert state_of(catalog) is State.UNFINISHED
    tables[-1].write([{"origin": "JFK"}])
    assert state_of(catalog) is State.WHOLE


def test_a_foreign_database_is_not_touched(
    catalog: FileSystemCatalog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog.create_database("nyc")
    catalog.create_table("nyc.flights", {"id": "INT"}).write([{"id": 1}])
    assert state_of(catalog) is State.FOREIGN
    assert main([str(tmp_path), "--fresh"]) == 1
    assert "not this demo's" in capsys.readouterr().err
    assert catalog.get_table("nyc.flights").to_arrow().num_rows == 1


def test_an_unfinished_demo_requires_a_fresh_start(
    catalog: FileSystemCatalog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog.create_database("nyc")
    FLIGHTS.create(catalog)
    assert main([str(tmp_path)]) == 1
    assert "FRESH=1" in capsys.readouterr().err
    assert catalog.list_tables("nyc") == ["flights"]


def test_a_directory_of_other_things_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "letters").mkdir()
    assert main([str(tmp_path)]) == 1
    assert "not a Paimon warehouse" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["letters"]


def test_only_one_to_twelve_months(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--months", "13"])
    assert "13" in capsys.readouterr().err
