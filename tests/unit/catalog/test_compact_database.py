"""All tables of databases are compacted, even if one of them fails."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import workbench as wb
from workbench.base.errors import Cancelled, CorruptFile, DatabaseNotFound, InvalidRequest, InvalidSchema, Unsupported
from workbench.base.progress import Progress, Step
from workbench.catalog.filesystem import FileSystemCatalog

FEW = {"compaction.min.file-num": "2"}
NAMES = ["lake.items", "lake.orders", "shop.items", "shop.orders", "shop.tmp_a"]


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    opened = wb.connect(str(tmp_path / "warehouse"))
    for name in NAMES:
        opened.create_database(name.split(".")[0], exist_ok=True)
        table = opened.create_table(name, {"id": "INT"}, options=FEW)
        for number in range(3):
            table.write([{"id": number}])
    return opened


def kinds(catalog: FileSystemCatalog) -> dict[str, str]:
    return {name: str(catalog.get_table(name).snapshot().commit_kind) for name in NAMES}


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        ({}, NAMES),
        ({"including_databases": "shop"}, ["shop.items", "shop.orders", "shop.tmp_a"]),
        ({"including_databases": "shop|lake", "including_tables": r".*\.orders"}, ["lake.orders", "shop.orders"]),
        ({"excluding_tables": r"shop\.tmp_.*|lake\..*"}, ["shop.items", "shop.orders"]),
        ({"including_tables": "orders"}, []),
    ],
)
def test_tables_by_their_names(catalog: FileSystemCatalog, given: dict[str, str], chosen: list[str]) -> None:
    done = wb.compact_database(catalog, **given)
    assert (list(done.commits), done.failures) == (chosen, {})
    assert [name for name, kind in kinds(catalog).items() if kind == "COMPACT"] == chosen
    assert repr(done) == f"<{len(chosen)} tables checked, {len(chosen)} of them compacted>"
    again = wb.compact_database(catalog, **given)
    assert repr(again) == f"<{len(chosen)} tables checked, 0 of them compacted>"


def test_a_failing_table_does_not_stop_the_others(catalog: FileSystemCatalog, caplog: pytest.LogCaptureFixture) -> None:
    Path(catalog.get_table("lake.orders").location, "schema", "schema-0").write_text("{")
    evolving = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
    catalog.alter_table("shop.items", *(wb.SetOption(*each) for each in {"write-only": "true"}.items()))
    schema = Path(catalog.get_table("shop.items").location, "schema", "schema-1")
    options = ", ".join(f'"{name}": "{text}"' for name, text in evolving.items())
    schema.write_text(schema.read_text().replace('"options": {', f'"options": {{{options}, '))
    with caplog.at_level(logging.WARNING, "workbench"):
        done = wb.compact_database(catalog)
    assert list(done.commits) == ["lake.items", "shop.orders", "shop.tmp_a"]
    assert {name: type(error) for name, error in done.failures.items()} == {
        "lake.orders": CorruptFile,
        "shop.items": Unsupported,
    }
    assert "3 tables checked, 3 of them compacted, 2 failed: lake.orders: Cannot read" in repr(done)
    assert [record.getMessage().split(" could")[0] for record in caplog.records] == ["lake.orders", "shop.items"]


def test_progress_of_each_compaction(catalog: FileSystemCatalog) -> None:
    done = wb.compact_database(catalog, "shop", full=True, partition_idle_time="1 d")
    assert [commit.snapshots for commit in done.commits.values()] == [(), (), ()]
    steps: list[Step] = []
    wb.compact_database(catalog, "shop", partition_idle_time="0 s", progress=Progress(steps.append))
    reported = [each for each in steps if each.label.startswith("Compacting tables")]
    assert (reported[-1].done, reported[-1].total, reported[-1].finished) == (3, 3, True)
    assert kinds(catalog)["shop.items"] == "COMPACT"


def test_nothing_is_started_after_cancel(catalog: FileSystemCatalog) -> None:
    with pytest.raises(DatabaseNotFound, match=r"matches 'shopp'\. Did you mean 'shop'\?"):
        wb.compact_database(catalog, "shopp")
    for given in ({"including_databases": "("}, {"including_tables": "("}, {"excluding_tables": "*"}):
        with pytest.raises(InvalidRequest, match="not a regular expression"):
            wb.compact_database(catalog, **given)
    with pytest.raises(InvalidSchema, match="not a duration"):
        wb.compact_database(catalog, partition_idle_time="soon")
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        wb.compact_database(catalog, progress=progress)
    assert set(kinds(catalog).values()) == {"APPEND"}


def test_a_compaction_that_is_cancelled_ends_all(catalog: FileSystemCatalog) -> None:
    progress = Progress(lambda step: progress.cancel() if step.label == "Compacting lake.orders" else None)
    with pytest.raises(Cancelled):
        wb.compact_database(catalog, progress=progress)
    assert [name for name, kind in kinds(catalog).items() if kind == "COMPACT"] == ["lake.items"]
