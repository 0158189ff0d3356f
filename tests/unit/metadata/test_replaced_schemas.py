"""Tables whose schema was replaced by one with the same id: by a fast-forward, or because they were created again."""

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


def prepared(table: Table, **row: Any) -> list[bytes]:
    with table.writer() as writer:
        writer.write([row])
        return writer.prepare()


COMMITS: dict[str, Callable[[Table, list[bytes]], Any]] = {
    "append": lambda table, messages: table.commit(messages),
    "stream": lambda table, messages: table.commit(messages, 1, "job"),
    "overwrite": lambda table, messages: table.overwrite(messages),
}


@pytest.mark.parametrize("commit", COMMITS)
@pytest.mark.parametrize("later", [False, True], ids=["at its schema", "at a later schema"])
def test_messages_of_a_schema_that_a_fast_forward_replaced(
    commit: str, later: bool, catalog: FileSystemCatalog, tmp_path: Path
) -> None:
    messages = prepared(fork(catalog), id=5, v="b", ours=3)
    catalog.get_table("d.t").fast_forward("dev")
    if later:
        catalog.alter_table("d.t", wb.AddColumn("more", "INT"))
    fresh = wb.connect(tmp_path).get_table("d.t")
    before = fresh.to_arrow().to_pylist()
    with pytest.raises(
        wb.CommitConflict, match=r"prepared with a schema 1 that the table no longer has.*write .* again"
    ):
        COMMITS[commit](fresh, messages)
    assert fresh.to_arrow().to_pylist() == before


@pytest.mark.parametrize("commit", COMMITS)
@pytest.mark.parametrize("bucket", ["-1", "1", "-2"])
@pytest.mark.parametrize("columns", [{"v": "INT", "id": "INT NOT NULL"}, {"id": "INT NOT NULL", "v": "STRING"}])
def test_messages_of_a_table_that_was_dropped_and_created_again(
    commit: str, bucket: str, columns: dict[str, str], catalog: FileSystemCatalog, tmp_path: Path
) -> None:
    """Messages are refused even if the columns are the same, because the prepared files were deleted with the table."""
    key, options = ([], {"bucket": "-1"}) if bucket == "-1" else (["id"], {"bucket": bucket})
    table = catalog.create_table("d.r", {"id": "INT NOT NULL", "v": "STRING"}, key, options=options)
    plan = table.new_write_plan()
    messages = [*prepared(table, id=5, v="b")]
    if bucket != "-2":
        writer = plan.writer()
        writer.write([{"id": 6, "v": "c"}])
        messages = [each.to_bytes() for each in writer.prepare()]
    catalog.drop_table("d.r")
    catalog.create_table("d.r", columns, key, options=options)
    fresh = wb.connect(tmp_path).get_table("d.r")
    with pytest.raises(wb.CommitConflict, match=r"prepared with a schema 0 that the table no longer has"):
        COMMITS[commit](fresh, messages)
    assert fresh.version is None


@pytest.mark.parametrize("key", [[], ["id"]], ids=["append", "keyed"])
def test_messages_of_an_older_schema_are_committed(key: list[str], catalog: FileSystemCatalog, tmp_path: Path) -> None:
    columns = {"id": "INT NOT NULL", "n": "INT", "gone": "STRING"}
    table = catalog.create_table("d.e", columns, key, options={"bucket": "1", "bucket-key": "id"})
    messages = prepared(table, id=1, n=2, gone="x")
    catalog.alter_table("d.e", wb.UpdateColumnType("n", "BIGINT"), wb.DropColumn("gone"))
    catalog.alter_table("d.e", wb.AddColumn("gone", "INT"), wb.SetOption("user.note", "y"))
    fresh = wb.connect(tmp_path).get_table("d.e")
    fresh.commit(messages)
    assert fresh.to_arrow().to_pylist() == [{"id": 1, "n": 2, "gone": None}]


def test_messages_with_nulls_in_a_column_that_became_not_null(catalog: FileSystemCatalog, tmp_path: Path) -> None:
    table = catalog.create_table(
        "d.n", {"id": "INT", "n": "INT"}, options={"alter-column-null-to-not-null.disabled": "false"}
    )
    messages = prepared(table, id=1, n=None)
    catalog.alter_table("d.n", wb.UpdateColumnNullability("n", nullable=False))
    fresh = wb.connect(tmp_path).get_table("d.n")
    with pytest.raises(wb.CommitConflict, match="became NOT NULL"):
        fresh.commit(messages)
    assert fresh.version is None


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
