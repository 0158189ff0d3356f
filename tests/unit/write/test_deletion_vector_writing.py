"""Writing index files of deletion vectors: what is read back, and which files a change rewrites."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.spec.data_file import EMPTY_ROW, CommitMessage, DataFileMeta
from workbench.format.spec.snapshot import CommitKind
from workbench.table.table import Table
from workbench.write.deletion_vectors import BucketVectors, VectorChange

ROWS = 1000


def make(catalog: FileSystemCatalog, files: int, **options: str) -> Table:
    given = {"deletion-vectors.enabled": "true", "write-only": "true", **options}
    table = catalog.create_table("db.t", {"id": "BIGINT"}, options=given)
    for number in range(files):
        table.write(pa.table({"id": pa.array(range(number * ROWS, (number + 1) * ROWS), pa.int64())}))
    return table


def files_of(table: Table) -> list[DataFileMeta]:
    """Return the files in the order in which they were written."""
    files = [file for split in table.scan().plan() for file in split.files]
    first = {
        file.file_name: pa.parquet.read_table(table.store.path("bucket-0", file.file_name))["id"][0].as_py()
        for file in files
    }
    return sorted(files, key=lambda file: first[file.file_name])


def delete(table: Table, positions: dict[int, list[int]]) -> VectorChange:
    """Delete the rows at these positions, by file number, in a separate commit."""
    vectors = BucketVectors.of(table.store, table.version, EMPTY_ROW, 0)
    files = files_of(table)
    for number, rows in positions.items():
        vectors.delete(files[number], DeletionVector.of(np.array(rows)))
    change = vectors.persist()
    message = CommitMessage(
        EMPTY_ROW,
        0,
        table.schema.core.bucket,
        new_index_files=change.new,
        deleted_index_files=change.deleted,
    )
    assert table.commit([message]).snapshots[0].commit_kind == CommitKind.OVERWRITE
    return change


def ids(table: Table) -> set[int]:
    return set(table.to_arrow()["id"].to_pylist())


def index_files(table: Table) -> set[str]:
    return {path.name for path in Path(table.location, "index").glob("*")}


@pytest.mark.parametrize("bitmap64", ["true", "false"])
@pytest.mark.parametrize("bucket", ["-1", "1"])
def test_deleted_rows_are_hidden(catalog: FileSystemCatalog, bucket: str, bitmap64: str) -> None:
    layout = {"bucket": bucket, **({"bucket-key": "id"} if bucket == "1" else {})}
    table = make(catalog, 2, **layout, **{"deletion-vectors.bitmap64": bitmap64})
    delete(table, {0: [0, 7, ROWS - 1]})
    delete(table, {0: [7, 8], 1: list(range(ROWS))})
    assert ids(table) == set(range(ROWS)) - {0, 7, 8, ROWS - 1}
    assert table.at(snapshot=3).to_arrow().num_rows == 2 * ROWS - 3


def test_only_changed_index_files_are_rewritten(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 3)
    first = delete(table, {0: [1], 1: [2]})
    second = delete(table, {2: [3]})
    assert second.deleted == ()
    third = delete(table, {1: [4]})
    assert third.deleted == first.new
    assert sorted(len(entry.vectors) for entry in third.new) == [1, 1]
    assert {vector.cardinality for entry in third.new for vector in entry.vectors} == {1, 2}
    assert ids(table) == set(range(3 * ROWS)) - {1, ROWS + 2, 2 * ROWS + 3, ROWS + 4}


def test_a_bucket_has_one_index_file(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 2, **{"bucket": "1", "bucket-key": "id"})
    first = delete(table, {0: [1]})
    second = delete(table, {1: [1]})
    assert second.deleted == first.new
    assert [len(entry.vectors) for entry in second.new] == [2]


def test_files_are_closed_at_the_target_size(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 4, **{"deletion-vector.index-file.target-size": "60 b"})
    change = delete(table, {number: [1, 5, 9, 13, 21, 100] for number in range(4)})
    assert [entry.row_count for entry in change.new] == [2, 2]
    paths = {entry.file_name: Path(table.location, "index", entry.file_name).stat().st_size for entry in change.new}
    assert paths == {entry.file_name: entry.file_size for entry in change.new}


def test_index_files_may_be_in_the_data_directory(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 1, **{"index-file-in-data-file-dir": "true"})
    change = delete(table, {0: [1]})
    assert Path(table.location, "bucket-0", change.new[0].file_name).exists()
    assert ids(table) == set(range(ROWS)) - {1}


def test_nothing_new_changes_nothing(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 1)
    delete(table, {0: [1, 2]})
    before = index_files(table)
    vectors = BucketVectors.of(table.store, table.version, EMPTY_ROW, 0)
    vectors.delete(files_of(table)[0], DeletionVector.of([2]))
    vectors.remove("data-of-another-file")
    assert vectors.persist() == VectorChange()
    assert index_files(table) == before


def test_aborted_files_are_removed(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 1)
    vectors = BucketVectors.of(table.store, table.version, EMPTY_ROW, 0)
    vectors.delete(files_of(table)[0], DeletionVector.of([2]))
    assert vectors.persist().new
    vectors.abort()
    assert not index_files(table)


def test_a_removed_vector_is_forgotten(catalog: FileSystemCatalog) -> None:
    table = make(catalog, 2)
    delete(table, {0: [1, 2], 1: [3]})
    first, second = files_of(table)
    vectors = BucketVectors.of(table.store, table.version, EMPTY_ROW, 0)
    vectors.remove(first.file_name)
    assert vectors.data_files == {second.file_name}
    assert vectors.vector(first) is None
    assert (vectors.cardinality(first.file_name), vectors.cardinality(second.file_name)) == (0, 1)
    change = vectors.persist()
    assert [vector.data_file for entry in change.new for vector in entry.vectors] == [second.file_name]
