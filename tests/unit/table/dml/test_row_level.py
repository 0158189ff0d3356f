"""DELETE, UPDATE and MERGE: which files they write, and what they record."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import workbench as wb
from tests.support.row_level import (
    IN_BUCKETS,
    VECTORS,
    append_table,
    data_files,
    ids,
    key_table,
    live_files,
    rows,
)
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles


def test_only_files_with_such_rows_are_written_again(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    before = live_files(table)
    done = table.delete("id IN (11, 12)")
    assert (done.deleted, done.rewritten, done.files, done.marked) == (2, 1, 1, 0)
    assert len(before & live_files(table)) == 2
    assert ids(table) == [each for each in range(30) if each not in (11, 12)]
    assert str(done.snapshots[0].commit_kind) == "OVERWRITE"
    assert done.snapshots[0].delta_record_count == -2


@pytest.mark.parametrize("where", ["id >= 10 AND id < 20", "s LIKE 's1_'"])
def test_whole_files_are_deleted_by_metadata(catalog: FileSystemCatalog, where: str) -> None:
    """A file is removed if its statistics or its rows show that every row matches."""
    table = append_table(catalog)
    before = data_files(table)
    done = table.delete(where)
    assert (done.deleted, done.rewritten, done.files) == (10, 1, 0)
    assert data_files(table) == before
    assert ids(table) == [*range(10), *range(20, 30)]


def test_statistics_spare_reading(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    for path in Path(table.location).rglob("data-*"):
        path.write_bytes(b"nobody may look at this")
    done = table.delete("id < 20")
    assert (done.deleted, done.rewritten) == (20, 2)
    assert live_files(table) < data_files(table)


def test_vectors_mark_rows_and_are_removed_with_their_file(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, VECTORS)
    before = live_files(table)
    done = table.delete("id % 5 = 0")
    assert (done.deleted, done.marked, done.rewritten, done.files) == (6, 3, 0, 0)
    assert live_files(table) == before
    assert str(done.snapshots[0].commit_kind) == "OVERWRITE"
    assert table.delete("id % 5 = 0").snapshots == ()
    done = table.delete("id BETWEEN 10 AND 19")
    assert (done.deleted, done.rewritten, done.marked) == (8, 1, 0)
    marked = [each.data_file for entry in index_entries(table.store, table.version) for each in entry.vectors]
    assert set(marked) == live_files(table)
    done = table.update({"v": "-v"}, where="id < 3")
    assert (done.updated, done.marked, done.files) == (2, 1, 1)
    assert table.to_arrow(["v"], "id < 3").column(0).to_pylist() == [-10, -20]


def test_order_in_a_bucket_is_kept(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, IN_BUCKETS)
    table.update({"s": "'new'"}, where="id = 14")
    table.delete("id = 13")
    assert table.to_arrow(["id"]).column(0).to_pylist() == [each for each in range(30) if each != 13]


def test_rows_move_to_the_bucket_of_their_new_key(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, {"bucket": "4", "bucket-key": "id"})
    table.update({"id": "id + 100"}, where="id < 5")
    assert ids(table) == [*range(5, 30), *range(100, 105)]
    for each in range(100, 105):
        assert table.to_arrow(["v"], f"id = {each}").column(0).to_pylist() == [(each - 100) * 10]


def test_large_files_in_several_row_groups(catalog: FileSystemCatalog) -> None:
    """Row positions count from the start of the file, even if row groups are skipped."""
    for options in ({}, VECTORS):
        table = catalog.create_table(f"db.large{len(options)}", {"id": "BIGINT", "v": "INT"}, options=options)
        count = 300_000
        table.write(pa.table({"id": np.arange(count), "v": np.arange(count, dtype=np.int32) % 7}))
        done = table.delete("id >= 200000 AND v = 3")
        expected = [each for each in range(200_000, count) if each % 7 == 3]
        assert done.deleted == len(expected)
        done = table.update({"v": "100"}, where="id BETWEEN 150000 AND 250000 AND v = 4")
        table.delete("v = 100 AND id % 2 = 0")
        every = np.arange(count)
        removed = (every >= 200_000) & (every % 7 == 3)
        new = (every >= 150_000) & (every <= 250_000) & (every % 7 == 4)
        assert ids(table) == every[~removed & ~(new & (every % 2 == 0))].tolist()


def test_a_large_merge(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"id": "BIGINT NOT NULL", "v": "INT"}, ["id"], options={"bucket": "2"})
    count = 200_000
    table.write(pa.table({"id": np.arange(count), "v": np.zeros(count, np.int32)}))
    new = np.arange(count // 2, count + count // 2, 3)
    source = pa.table({"id": new, "v": new.astype(np.int32)})
    done = table.merge(source, ["id"], [wb.WhenMatched(update="*"), wb.WhenNotMatched()])
    matched = int((new < count).sum())
    assert (done.updated, done.inserted, done.deleted) == (matched, len(new) - matched, 0)
    actual_rows = table.to_arrow().sort_by("id")
    known = np.arange(count)
    value = np.where((known >= count // 2) & ((known - count // 2) % 3 == 0), known, 0)
    assert actual_rows.column("id").to_pylist() == [*known.tolist(), *new[new >= count].tolist()]
    assert actual_rows.column("v").to_pylist() == [*value.tolist(), *new[new >= count].tolist()]


def test_a_merge_prunes_files_by_the_keys_of_its_source(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    paths = {entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.snapshot(1))}
    for path in Path(table.location).rglob("data-*"):
        if path.name in paths:
            path.write_bytes(b"nobody may look at this")
    done = table.merge(rows(12, 25), ["id"], [wb.WhenMatched(delete=True)])
    assert (done.deleted, done.rewritten) == (2, 2)


def test_key_tables_write_kinds(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, {"changelog-producer": "input"})
    table.write(rows(1, 2, 3))
    assert table.delete("id = 1").deleted == 1
    assert table.update({"v": "v + 1"}, where="id = 2").updated == 1
    table.merge(rows(3, 4), ["id"], [wb.WhenMatched(delete=True), wb.WhenNotMatched()])
    changes = table.changes(1, None, mode="changelog").select(["rowkind", "id", "v"]).to_pylist()
    assert [tuple(each.values()) for each in changes] == [("-D", 1, 10), ("+U", 2, 21), ("-D", 3, 30), ("+I", 4, 40)]
    assert ids(table) == [2, 4]


def test_statements_are_noted(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    assert table.delete("id = 3").snapshots[0].properties["workbench.statement"] == "DELETE WHERE id = 3"
    done = table.update({"v": "v + 1"}, where=wb.col("id") == 4)
    assert done.snapshots[0].properties["workbench.statement"] == "UPDATE SET v = v + 1 WHERE id = 4"
    done = table.merge(rows(5), ["id"], [wb.WhenMatched(delete=True)], properties={"by": "me"})
    assert done.snapshots[0].properties["workbench.statement"].startswith("MERGE ON")
    assert done.snapshots[0].properties["by"] == "me"
    assert repr(done).startswith("<RowChanges of db.t: snapshot 6 (OVERWRITE), 1 row deleted, 0 updated, 0 inserted")
