"""Tables whose schema became another one under the same id: by a fast-forward, or because they were created again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

WRITES: dict[str, Callable[[Table], Any]] = {
    "append": lambda table: table.write([{"id": 4, "v": "late"}]),
    "overwrite": lambda table: table.write([{"id": 4, "v": "late"}], "overwrite"),
    "writer": lambda table: table.writer().__enter__(),
    "delete": lambda table: table.delete("id = 1"),
    "truncate": lambda table: table.truncate(),
    "compact": lambda table: table.compact(full=True),
    "sort": lambda table: table.compact(order_by=["id"]),
    "analyze": lambda table: table.analyze(),
    "roll back as latest": lambda table: table.rollback_to(1, as_latest=True),
}


@pytest.fixture
def catalog(tmp_path: Path) -> FileSystemCatalog:
    catalog = wb.connect(tmp_path)
    catalog.create_database("d")
    catalog.create_table("d.t", {"id": "INT", "v": "STRING"}, options={"bucket": "-1"}).write([{"id": 1, "v": "a"}])
    return catalog


def fork(catalog: FileSystemCatalog) -> Table:
    """A table and a branch of it, each with a different schema 1."""
    table = catalog.get_table("d.t")
    table.create_tag("begin")
    table.create_branch("dev", "begin")
    catalog.alter_table("d.t", wb.AddColumn("ours", "INT"))
    catalog.alter_table("d.t$branch_dev", wb.AddColumn("theirs", "STRING"))
    table.branch("dev").write([{"id": 2, "v": "b", "theirs": "x"}])
    return catalog.get_table("d.t")


def test_a_fast_forwarded_table_has_the_schema_of_the_branch(catalog: FileSystemCatalog) -> None:
    table = fork(catalog)
    table.fast_forward("dev")
    assert table.schema.field_names == ("id", "v", "theirs")
    table.write([{"id": 3, "v": "c", "theirs": "y"}])
    table.delete("theirs = 'x'")
    expected = [{"id": 1, "v": "a", "theirs": None}, {"id": 3, "v": "c", "theirs": "y"}]
    assert table.to_arrow().sort_by("id").to_pylist() == expected
    assert catalog.get_table("d.t").to_arrow().sort_by("id").to_pylist() == expected


@pytest.mark.parametrize("write", WRITES)
def test_a_fast_forward_by_another_process_is_noticed(write: str, catalog: FileSystemCatalog) -> None:
    stale = fork(catalog)
    catalog.get_table("d.t").fast_forward("dev")
    table = catalog.get_table("d.t")
    before = table.to_arrow().to_pylist()
    with pytest.raises(wb.CommitConflict, match=r"Schema 1 of d.t is no longer .*Open the table again"):
        WRITES[write](stale)
    assert table.to_arrow().to_pylist() == before
    assert len(table.tags()) == 1


def test_messages_prepared_before_are_refused(catalog: FileSystemCatalog) -> None:
    stale = fork(catalog)
    with stale.writer() as writer:
        writer.write([{"id": 5, "v": "b", "ours": 3}])
        messages = writer.prepare()
    catalog.get_table("d.t").fast_forward("dev")
    for act in (stale.commit, stale.overwrite):
        with pytest.raises(wb.CommitConflict, match="no longer"):
            act(messages)


@pytest.mark.parametrize("moves", [False, True], ids=["dropped", "renamed"])
@pytest.mark.parametrize("write", WRITES)
def test_a_table_recreated_by_another_process_is_noticed(
    write: str, moves: bool, catalog: FileSystemCatalog, tmp_path: Path
) -> None:
    stale = catalog.get_table("d.t")
    other = wb.connect(tmp_path)
    if moves:
        other.rename_table("d.t", "d.old")
    else:
        other.drop_table("d.t")
    table = other.create_table("d.t", {"v": "INT", "id": "DOUBLE"}, options={"bucket": "-1"})
    table.write([{"v": 1, "id": 2.0}])
    with pytest.raises(wb.CommitConflict, match=r"Schema 0 of d.t is no longer"):
        WRITES[write](stale)
    assert table.to_arrow().to_pylist() == [{"v": 1, "id": 2.0}]
    assert len(table.snapshots()) == 1


def test_a_schema_replaced_while_rows_are_written(catalog: FileSystemCatalog, tmp_path: Path) -> None:
    stale = fork(catalog)

    def rows() -> Iterator[pa.RecordBatch]:
        catalog.get_table("d.t").fast_forward("dev")
        yield pa.record_batch({"id": pa.array([7], pa.int32()), "v": ["late"], "ours": pa.array([1], pa.int32())})

    schema = pa.schema([("id", pa.int32()), ("v", pa.string()), ("ours", pa.int32())])
    files = set(tmp_path.glob("**/bucket-*/*"))
    with pytest.raises(wb.CommitConflict, match="no longer"):
        stale.write(pa.RecordBatchReader.from_batches(schema, rows()))
    assert set(tmp_path.glob("**/bucket-*/*")) == files


def test_a_dropped_table(catalog: FileSystemCatalog) -> None:
    stale = catalog.get_table("d.t")
    catalog.drop_table("d.t")
    with pytest.raises(wb.TableNotFound):
        stale.write([{"id": 1, "v": "a"}])
    assert catalog.list_tables("d") == []
