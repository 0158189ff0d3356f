"""Tables that are dropped, renamed or created again while they are open: every use of the old object is refused and
finds neither no rows nor those of another table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.scan.stream.admission import ReadLimits
from workbench.scan.stream.scan import StreamScan
from workbench.table.system.registry import SYSTEM_TABLES
from workbench.table.table import Table

COLUMNS = {"id": "INT NOT NULL", "v": "STRING"}


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    catalog = wb.connect(tmp_path)
    for name in ("db", "other"):
        catalog.create_database(name)
    return catalog


def created(catalog: FileSystemCatalog, columns: Mapping[str, str] = COLUMNS, rows: int = 1, **more: Any) -> Table:
    table = catalog.create_table("db.t", columns, next(iter(columns)), options={"bucket": "1"}, **more)
    if rows:
        table.write([dict.fromkeys(columns, str(number)) | {next(iter(columns)): number} for number in range(rows)])
    return table


def in_use(catalog: FileSystemCatalog) -> Table:
    """A table whose metadata was read, with a tag and a branch."""
    created(catalog).write([{"id": 5, "v": "five"}])
    table = catalog.get_table("db.t")
    table.create_tag("tag", 1)
    table.create_branch("dev", "tag")
    assert table.to_arrow().num_rows == 2
    assert table.at(1).to_arrow().num_rows == 1
    return table


def create_again(catalog: FileSystemCatalog, columns: Mapping[str, str] = COLUMNS, rows: int = 3) -> None:
    catalog.drop_table("db.t")
    created(catalog, columns, rows)


ENDS: dict[str, Callable[[FileSystemCatalog], Any]] = {
    "dropped": lambda catalog: catalog.drop_table("db.t"),
    "renamed": lambda catalog: catalog.rename_table("db.t", "other.t"),
    "database dropped": lambda catalog: catalog.drop_database("db", cascade=True),
    "created again": create_again,
    "created again, empty": lambda catalog: create_again(catalog, rows=0),
    "created again with other columns": lambda catalog: create_again(catalog, {"name": "INT NOT NULL", "x": "STRING"}),
}
READS: dict[str, Callable[[Table], Any]] = {
    "to_arrow": lambda table: table.to_arrow(),
    "to_batches": lambda table: table.to_batches(),
    "count": lambda table: table.scan().count(),
    "plan": lambda table: table.scan(where="id = 1").plan(),
    "changes": lambda table: table.changes(),
    "at snapshot": lambda table: table.at(1).to_arrow(),
    "at tag": lambda table: table.at(tag="tag").to_arrow(),
    "at time": lambda table: table.at(timestamp=4_000_000_000_000).to_arrow(),
    "branch": lambda table: table.branch("dev").to_arrow() and table.at(1).to_arrow(),
    "version": lambda table: table.version,
    "snapshot": lambda table: table.snapshot(1),
    "snapshots": lambda table: table.snapshots(),
    "schemas": lambda table: table.schemas(),
    "tags": lambda table: table.tags(),
    "branches": lambda table: table.branches(),
    "consumers": lambda table: table.consumers(),
}
CHANGES: dict[str, Callable[[Table], Any]] = {
    "sandbox": lambda table: table.sandbox().to_arrow(),
    "write": lambda table: table.write([{"id": 9, "v": "nine"}]),
    "delete": lambda table: table.delete("id = 5"),
    "update": lambda table: table.update({"v": "'x'"}, "id = 5"),
    "truncate": lambda table: table.truncate(),
    "compact": lambda table: table.compact(full=True),
    "analyze": lambda table: table.analyze(),
    "create tag": lambda table: table.create_tag("new"),
    "delete tag": lambda table: table.delete_tag("tag"),
    "create branch": lambda table: table.create_branch("new"),
    "delete branch": lambda table: table.delete_branch("dev"),
    "fast-forward": lambda table: table.fast_forward("dev"),
    "roll back": lambda table: table.rollback_to(1),
    "set consumer": lambda table: table.set_consumer("c", 1),
    "expire snapshots": lambda table: table.expire_snapshots(retain_max=1),
    "expire tags": lambda table: table.expire_tags(),
    "remove orphan files": lambda table: table.remove_orphan_files(),
}


def is_reported(error: wb.WorkbenchError, end: str) -> bool:
    expected = "was created again" if "again" in end else "was dropped while it was in use, or renamed"
    return expected in str(error)


@pytest.mark.parametrize("end", ENDS)
def test_old_tables_are_not_read(end: str, catalog: FileSystemCatalog) -> None:
    table = in_use(catalog)
    pinned = table.at(1)
    ENDS[end](catalog)
    for read in (*READS.values(), lambda _: pinned.to_arrow(), lambda _: pinned.scan().count()):
        with pytest.raises(wb.TableNotFound) as raised:
            read(table)
        assert is_reported(raised.value, end)


@pytest.mark.parametrize("end", ENDS)
def test_old_tables_are_not_changed(end: str, catalog: FileSystemCatalog) -> None:
    table = in_use(catalog)
    ENDS[end](catalog)
    new = catalog.get_table("db.t").to_arrow() if "again" in end else None
    for change in CHANGES.values():
        with pytest.raises((wb.TableNotFound, wb.CommitConflict)) as raised:
            change(table)
        assert is_reported(raised.value, end)
    if new is not None:
        assert catalog.get_table("db.t").to_arrow().equals(new)
    elif end != "database dropped":
        assert "t" not in catalog.list_tables("db")


@pytest.mark.parametrize("end", ["dropped", "created again"])
def test_old_system_tables_are_not_read(end: str, catalog: FileSystemCatalog) -> None:
    in_use(catalog)
    tables = [catalog.open(f"db.t${name}") for name in SYSTEM_TABLES if name != "row_tracking"]
    ENDS[end](catalog)
    for table in tables:
        with pytest.raises(wb.TableNotFound) as raised:
            table.to_arrow()
        assert is_reported(raised.value, end)


@pytest.mark.parametrize("end", ["dropped", "created again"])
def test_writers_that_are_open(end: str, catalog: FileSystemCatalog) -> None:
    table = in_use(catalog)
    with table.writer() as writer:
        writer.write([{"id": 7, "v": "seven"}])
        ENDS[end](catalog)
        with pytest.raises((wb.TableNotFound, wb.CommitConflict)) as raised:
            table.commit(writer.prepare())
    assert is_reported(raised.value, end)
    assert catalog.list_tables("db") == ([] if end == "dropped" else ["t"])


def test_messages_of_a_dropped_table(catalog: FileSystemCatalog) -> None:
    table = in_use(catalog)
    with table.writer() as writer:
        writer.write([{"id": 7, "v": "seven"}])
        messages = writer.prepare()
    catalog.drop_table("db.t")
    with pytest.raises(wb.TableNotFound):
        table.commit(messages)
    assert catalog.list_tables("db") == []


@pytest.mark.parametrize("end", ["deleted", "renamed", "created again"])
def test_old_branches(end: str, catalog: FileSystemCatalog) -> None:
    table = in_use(catalog)
    branch = table.branch("dev")
    assert branch.to_arrow().num_rows == 1
    if end == "renamed":
        table.rename_branch("dev", "new")
    else:
        table.delete_branch("dev")
    if end == "created again":
        # A branch of the same table has its schemas, and thus is the same branch to its readers.
        table.create_branch("dev", "tag")
        assert branch.to_arrow().num_rows == 1
        return
    for read in (lambda: branch.to_arrow(), lambda: branch.tags(), lambda: branch.write([{"id": 1, "v": "x"}])):
        with pytest.raises(wb.TableNotFound, match="branch_dev was dropped"):
            read()
    assert table.to_arrow().num_rows == 2


@pytest.mark.parametrize("end", ["dropped", "created again"])
def test_reads_that_have_begun(end: str, catalog: FileSystemCatalog) -> None:
    table = in_use(catalog)
    scan, batches = table.scan(), table.to_batches()
    ENDS[end](catalog)
    for read in (scan.to_arrow, batches.read_all):
        with pytest.raises(wb.TableNotFound) as raised:
            read()
        assert is_reported(raised.value, end)


def test_empty_tables_are_read(catalog: FileSystemCatalog) -> None:
    table = created(catalog, rows=0)
    assert (table.to_arrow().num_rows, table.scan().count(), table.snapshots(), table.tags()) == (0, 0, [], {})
    catalog.alter_table("db.t", wb.AddColumn("w", "INT"), wb.SetOption("snapshot.num-retained.min", "3"))
    assert (table.to_arrow().num_rows, table.version) == (0, None)


def test_a_table_in_the_place_of_another_one(catalog: FileSystemCatalog) -> None:
    catalog.create_table("other.older", COLUMNS, "id", options={"bucket": "1"}).write([{"id": 1, "v": "older"}])
    table = in_use(catalog)
    catalog.drop_table("db.t")
    catalog.rename_table("other.older", "db.t")
    with pytest.raises(wb.TableNotFound, match="was created again"):
        table.to_arrow()
    assert catalog.get_table("db.t").to_arrow()["v"].to_pylist() == ["older"]


def test_tables_with_altered_schemas_and_options_of_a_read(catalog: FileSystemCatalog) -> None:
    """Schemas that were never stored, such as those of a read with options, do not look like another table."""
    table = in_use(catalog)
    catalog.alter_table("db.t", wb.AddColumn("w", "INT"))
    newest = catalog.get_table("db.t")
    newest.write([{"id": 6, "v": "six", "w": 6}])
    assert (table.to_arrow().num_rows, newest.at(1).to_arrow().num_rows, newest.at(3).to_arrow().num_rows) == (3, 1, 3)
    create_again(catalog)
    for each in (table, newest):
        with pytest.raises(wb.TableNotFound, match="was created again"):
            each.to_arrow()


@pytest.mark.parametrize(("end", "rows"), [("dropped", 0), ("created again", 0), ("created again", 3)])
def test_streams_that_are_running(end: str, rows: int, catalog: FileSystemCatalog) -> None:
    table = in_use(catalog)
    stream = StreamScan(table.store, ("id", "v"))
    position = stream.newest()
    assert stream.advanced(position, ReadLimits()) == position
    catalog.drop_table("db.t")
    if end == "created again":
        again = created(catalog, rows=0)
        for number in range(rows):
            again.write([{"id": number, "v": "x"}])
    with pytest.raises(wb.TableNotFound) as raised:
        stream.advanced(position, ReadLimits())
    assert is_reported(raised.value, end)
