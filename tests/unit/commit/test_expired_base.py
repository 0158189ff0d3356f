"""Operations whose base version another process expires while they run: they continue with the newest version."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pytest

import workbench as wb
from tests.support.sampling import sampled
from workbench.commit.commit import TableCommit
from workbench.commit.publication import Publication
from workbench.metadata.bucket_states import buckets_to_write
from workbench.metadata.snapshots import Snapshots
from workbench.storage.file_io import FileIO
from workbench.storage.wrappers import DelegatingFileIO, Operation
from workbench.table.table import Table
from workbench.write.writer import TableWriter

Result = TypeVar("Result")
NEW = {"id": 9, "p": 1, "v": "new"}
STEP = 6


class Meanwhile(DelegatingFileIO):
    """Does something once, before the n-th operation on the store."""

    def __init__(self, inner: FileIO, number: int, act: Callable[[], None]) -> None:
        super().__init__(inner)
        self.done = False
        self._left = number
        self._act = act

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:  # noqa: ARG002
        self._left -= 1
        if self._left == 0:
            self.done = True
            self._act()
        return call()


def stream(table: Table) -> pa.RecordBatchReader:
    schema = table.arrow_schema
    return pa.RecordBatchReader.from_batches(schema, iter([pa.RecordBatch.from_pylist([NEW], schema=schema)]))


def merge(table: Table) -> None:
    source = pa.Table.from_pylist([{**NEW, "id": 1, "v": "merged"}, {**NEW, "id": 77}], schema=table.arrow_schema)
    table.merge(source, ["id"], [wb.WhenMatched(update={"v": "s.v"}), wb.WhenNotMatched()])


OPERATIONS: dict[str, tuple[Callable[[Table], Any], set[int]]] = {
    "write": (lambda table: table.write([NEW]), {0, 1, 9, 10, 11, 50}),
    "stream": (lambda table: table.write(stream(table)), {0, 1, 9, 10, 11, 50}),
    "overwrite": (lambda table: table.write([NEW], "overwrite"), {9, 10, 11}),
    "delete": (lambda table: table.delete("id = 1"), {0, 10, 11, 50}),
    "merge": (merge, {0, 1, 10, 11, 50, 77}),
    "compact": (lambda table: table.compact(full=True), {0, 1, 10, 11, 50}),
    "compact_manifest": (lambda table: table.compact_manifest(), {0, 1, 10, 11, 50}),
    "analyze": (lambda table: table.analyze(), {0, 1, 10, 11, 50}),
    "drop_partitions": (lambda table: table.drop_partitions({"p": 1}), {10, 11}),
}
KINDS: dict[str, tuple[list[str], dict[str, str]]] = {
    "append": ([], {"bucket": "-1"}),
    "keyed": (["id", "p"], {"bucket": "1", "num-sorted-run.compaction-trigger": "2"}),
    "vectors": (["id", "p"], {"bucket": "1", "deletion-vectors.enabled": "true"}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", sampled(OPERATIONS, 6))
def test_an_operation_continues_with_the_newest_version(name: str, kind: str, tmp_path: Path) -> None:
    operation, expected = OPERATIONS[name]
    key, options = KINDS[kind]
    for number in count(1, STEP):
        warehouse = tmp_path / str(number)
        catalog = wb.connect(warehouse)
        catalog.create_database("d")
        columns = {"id": "INT NOT NULL", "p": "INT NOT NULL", "v": "STRING"}
        table = catalog.create_table("d.t", columns, primary_key=key, partition_by=["p"], options=options)
        for each in range(2):
            table.write([{"id": each, "p": 1, "v": "a"}, {"id": each + 10, "p": 2, "v": "a"}])

        def expire(warehouse: Path = warehouse) -> None:
            other = wb.connect(warehouse).get_table("d.t")
            other.compact(full=True)
            other.write([{"id": 50, "p": 1, "v": "other"}])
            other.expire_snapshots(retain_max=1, retain_min=1, older_than="2999-01-01 00:00:00")

        base = wb.connect(warehouse).get_table("d.t")
        store = Meanwhile(base.store.file_io, number, expire)
        done = True
        try:
            operation(Table(base.store.with_file_io(store)))
        except wb.CommitConflict:
            # Files that are no longer live cannot be replaced; in that case, nothing may have changed.
            done = False
        if kind == "vectors":
            # Reads skip rows that no compaction has seen, and the compaction of the commit may have been abandoned.
            wb.connect(warehouse).get_table("d.t").compact(full=True)
        rows = {row["id"] for row in wb.connect(warehouse).get_table("d.t").to_arrow().to_pylist()}
        if not store.done:
            break
        if done and name not in ("overwrite", "drop_partitions"):
            assert rows == expected, number
        elif done:
            # The row of the other process may have been committed afterwards.
            assert rows - {50} == expected, number
        else:
            assert rows == {0, 1, 10, 11, 50}, number
        ids = [snapshot.id for snapshot in base.snapshots()]
        assert ids == list(range(ids[0], ids[-1] + 1))


def append_hidden(table: Table, rows: list[dict[str, Any]]) -> None:
    """Commit rows that no read shows until their buckets are compacted, as every write does for a moment."""
    store = table.store
    writer = TableWriter(store, buckets_to_write(store, Snapshots(store).latest(), overwrite=False), compacts=False)
    writer.write(pa.Table.from_pylist(rows, schema=table.arrow_schema))
    TableCommit(Publication(store, "other")).append(writer.prepare())


def test_rows_of_another_commit_become_visible_together(tmp_path: Path) -> None:
    """Rows of another commit become visible together, even if only one bucket's files are gone at the compaction."""
    for number in count(1, STEP):
        warehouse = tmp_path / str(number)
        catalog = wb.connect(warehouse)
        catalog.create_database("d")
        columns = {"id": "INT NOT NULL", "p": "INT NOT NULL", "v": "STRING"}
        options = {"bucket": "1", "deletion-vectors.enabled": "true"}
        table = catalog.create_table("d.t", columns, primary_key=["id", "p"], partition_by=["p"], options=options)
        table.write([{"id": 1, "p": 1, "v": "a"}, {"id": 1, "p": 2, "v": "a"}])

        def change(warehouse: Path = warehouse) -> None:
            other = wb.connect(warehouse).get_table("d.t")
            other.write([{"id": 2, "p": 1, "v": "b"}])
            other.compact(full=True, where="p = 1")
            append_hidden(wb.connect(warehouse).get_table("d.t"), [{"id": 60, "p": p, "v": "other"} for p in (1, 2)])
            other.expire_snapshots(retain_max=1, retain_min=1, older_than="2999-01-01 00:00:00")

        base = wb.connect(warehouse).get_table("d.t")
        store = Meanwhile(base.store.file_io, number, change)
        Table(base.store.with_file_io(store)).write([{"id": 9, "p": p, "v": "new"} for p in (1, 2)])
        if not store.done:
            break
        table = wb.connect(warehouse).get_table("d.t")
        for snapshot in table.snapshots():
            rows = {(row["id"], row["p"]) for row in table.at(snapshot=snapshot.id).to_arrow().to_pylist()}
            assert ((60, 1) in rows) == ((60, 2) in rows), f"operation {number}, snapshot {snapshot.id}"


def test_damage_is_still_reported(tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path)
    catalog.create_database("d")
    catalog.create_table("d.t", {"id": "INT NOT NULL"}, primary_key="id", options={"bucket": "1"}).write([{"id": 1}])
    (file,) = tmp_path.glob("**/*.parquet")
    file.unlink()
    table = wb.connect(tmp_path).get_table("d.t")
    with pytest.raises(wb.CorruptFile, match=file.name):
        table.delete("id = 1")
    (manifest,) = (path for path in tmp_path.glob("**/manifest-*-0") if "list" not in path.name)
    manifest.unlink()
    table = wb.connect(tmp_path).get_table("d.t")
    with pytest.raises(wb.CorruptFile, match=manifest.name):
        table.write([{"id": 2}])


def test_a_first_commit_after_later_ones_expired_is_repeated(tmp_path: Path) -> None:
    """A writer that publishes snapshot 1 commits again if others have committed and expired it, so that it looked
    free."""
    catalog = wb.connect(tmp_path)
    catalog.create_database("d")
    table = catalog.create_table("d.t", {"id": "INT", "p": "INT", "v": "STRING"})

    def commit_and_expire() -> None:
        other = wb.connect(tmp_path).get_table("d.t")
        for each in (1, 2):
            other.write([{"id": each, "p": 1, "v": "other"}])
        other.expire_snapshots(retain_max=1, retain_min=1, older_than="2999-01-01 00:00:00")

    class AtTheFirstPut(DelegatingFileIO):
        is_due = True

        def put_if_absent(self, path: str, data: bytes) -> bool:
            if self.is_due:
                self.is_due = False
                commit_and_expire()
            return super().put_if_absent(path, data)

    Table(table.store.with_file_io(AtTheFirstPut(table.store.file_io))).write([{"id": 3, "p": 1, "v": "late"}])
    opened = wb.connect(tmp_path).get_table("d.t")
    assert [each.id for each in opened.snapshots()] == [2, 3]
    assert sorted(opened.to_arrow(["id"])["id"].to_pylist()) == [1, 2, 3]
