"""Append tables are compacted: small files become few, in order, without deleted rows, and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from tests.unit.write.test_deletion_vector_writing import ROWS, delete, ids, index_files, make
from workbench.base.errors import CommitConflict
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.commit import publish
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import EMPTY_ROW, DataFileMeta, FileSource
from workbench.format.spec.snapshot import CommitKind
from workbench.table.table import Table
from workbench.write.compact_append import AppendCompaction


def live(table: Table) -> list[DataFileMeta]:
    return [file for split in table.scan().plan() for file in split.files]


def referenced(table: Table) -> set[str]:
    return {file.file_name for file in live(table)}


def stored(table: Table) -> set[str]:
    return {path.name for path in Path(table.location).glob("**/bucket-0/*")}


def test_small_files_are_combined(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 5)
    compaction = table.compact()
    assert [each.commit_kind for each in compaction.snapshots] == [CommitKind.COMPACT]
    assert (compaction.compactions[0]["reason"], compaction.compactions[0]["files"]) == ("file-count", 5)
    noted = json.loads(compaction.snapshots[0].properties["workbench.compaction"])
    assert noted[0]["reason"] == "file-count"
    (file,) = live(table)
    assert (file.row_count, file.file_source, file.level) == (5 * ROWS, FileSource.COMPACT, 0)
    assert ids(table) == set(range(5 * ROWS))
    assert not table.compact().snapshots


def test_few_files_wait_for_more_or_for_a_full_compaction(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 3)
    assert not table.compact().snapshots
    assert table.compact(full=True).compactions[0]["reason"] == "full"
    assert len(live(table)) == 1
    assert not table.compact(full=True).snapshots


def test_partitions_are_chosen(catalog: FileSystemCatalog) -> None:
    columns = {"p": "INT", "id": "BIGINT"}
    table = catalog.create_table("db.t", columns, partition_by=["p"], options={"write-only": "true"})
    for number in range(5):
        table.write(pa.table({"p": pa.array([0, 1], pa.int32()), "id": [number, number]}))
    assert len(table.compact(where="p = 1").compactions) == 1
    assert len(live(table)) == 6
    assert len(table.compact().compactions) == 1
    assert len(live(table)) == 2
    assert table.to_arrow().num_rows == 10


def test_deleted_rows_and_their_vectors_are_removed(catalog: FileSystemCatalog) -> None:
    """A file with a deletion vector is rewritten, even if there are few files or it has a single deleted row."""
    table = make(catalog, 3)
    delete(table, {0: [1, 2], 1: [5]})
    compaction = table.compact()
    assert compaction.compactions[0]["reason"] == "deletion-vectors"
    assert compaction.compactions[0]["deleted_rows"] == 3
    assert ids(table) == set(range(3 * ROWS)) - {1, 2, ROWS + 5}
    assert sum(file.row_count for file in live(table)) == 3 * ROWS - 3
    assert not table.compact().snapshots


def test_vectors_of_other_files_are_kept(catalog: FileSystemCatalog) -> None:
    """A file that is too large to count as small keeps its vector until enough of its rows are deleted."""
    table = make(catalog, 2, **{"target-file-size": "1 kb", "compaction.delete-ratio-threshold": "0.5"})
    delete(table, {0: list(range(400)), 1: list(range(600))})
    compaction = table.compact()
    assert compaction.compactions[0]["deleted_rows"] == 600
    assert ids(table) == set(range(400, ROWS)) | set(range(ROWS + 600, 2 * ROWS))
    assert sorted(file.row_count for file in live(table)) == [400, ROWS]
    table.compact(full=True)
    assert [file.row_count for file in live(table)] == [400, 600] or len(live(table)) == 1
    assert ids(table) == set(range(400, ROWS)) | set(range(ROWS + 600, 2 * ROWS))


def test_a_bucket_keeps_the_order_of_its_rows(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 7, **{"bucket": "1", "bucket-key": "id"})
    assert table.compact().compactions[0]["files"] == 5
    files = sorted(live(table), key=lambda file: file.min_sequence_number)
    assert [(file.min_sequence_number, file.row_count) for file in files] == [(0, 5000), (5000, 1000), (6000, 1000)]
    assert table.to_arrow()["id"].to_pylist() == list(range(7 * ROWS))
    assert table.compact(full=True).compactions[0]["files"] == 3
    assert table.to_arrow()["id"].to_pylist() == list(range(7 * ROWS))


def test_a_bucket_is_compacted_as_it_is_written(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 4, **{"bucket": "1", "bucket-key": "id", "write-only": "false"})
    assert len(live(table)) == 4
    rows = pa.table({"id": pa.array(range(4 * ROWS, 5 * ROWS), pa.int64())})
    commit = table.write(rows)
    assert [each.commit_kind for each in commit.snapshots] == [CommitKind.APPEND, CommitKind.COMPACT]
    assert len(live(table)) == 1
    assert table.to_arrow()["id"].to_pylist() == list(range(5 * ROWS))


def test_a_bucket_with_vectors_is_compacted_as_it_is_written(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 4, **{"bucket": "1", "bucket-key": "id", "write-only": "false"})
    delete(table, {0: [0], 3: [ROWS - 1]})
    table.write(pa.table({"id": pa.array([-5], pa.int64())}))
    assert ids(table) == (set(range(4 * ROWS)) | {-5}) - {0, 4 * ROWS - 1}
    assert [file.row_count for file in live(table)] == [4 * ROWS - 1]
    table.write(pa.table({"id": pa.array([-6], pa.int64())}))
    assert len(ids(table)) == 4 * ROWS


def test_another_writer_was_first(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 5)
    slow = AppendCompaction(table.store, EMPTY_ROW, 0)
    messages = slow.messages(-1, live(table), full=False)
    table.compact()
    with pytest.raises(CommitConflict):
        publish.compact(Publication.by_new_user(table.store), messages)
    slow.abort()
    table.expire_snapshots(retain_max=1, retain_min=1)
    assert stored(table) == referenced(table)
    assert ids(table) == set(range(5 * ROWS))


def test_a_failure_leaves_no_files(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 6)
    delete(table, {0: [1]})
    victim = Path(table.location, "bucket-0", live(table)[3].file_name)
    data, before = victim.read_bytes(), stored(table)
    victim.write_bytes(data[: len(data) // 2])
    indexes = index_files(table)
    with pytest.raises(Exception, match=victim.name):
        catalog.get_table("db.t").compact()
    victim.write_bytes(data)
    assert (stored(table), index_files(table)) == (before, indexes)
