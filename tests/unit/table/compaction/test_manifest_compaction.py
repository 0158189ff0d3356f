"""Manifests are merged: few remain, live files are unchanged, and large manifests without removed entries are
not rewritten."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.rows.binary_row import encode_row
from workbench.format.spec.data_file import EMPTY_ROW, EMPTY_STATS, CommitMessage, DataFileMeta, ManifestFileMeta
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind
from workbench.format.types import AtomicType
from workbench.metadata.manifests import ManifestFiles
from workbench.storage.file_io import FileIO
from workbench.storage.wrappers import DelegatingFileIO
from workbench.table.table import Table


def make(catalog: FileSystemCatalog, **options: str) -> Table:
    columns = {"p": "INT", "id": "BIGINT"}
    return catalog.create_table(
        "db.m", columns, partition_by="p", options={"manifest.merge-min-count": "100", **options}
    )


def write(table: Table, *partitions: int, mode: str = "append") -> None:
    ids = pa.array(range(len(partitions)), pa.int64())
    table.write(pa.table({"p": pa.array(partitions, pa.int32()), "id": ids}), mode=mode)


def manifests_of(table: Table) -> list[ManifestFileMeta]:
    return ManifestFiles(table.store).data_manifests(table.snapshot())


def live(table: Table) -> set[str]:
    return {entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.snapshot())}


def test_one_of_many(catalog: FileSystemCatalog) -> None:
    table = make(catalog)
    for number in range(6):
        write(table, number, number + 1)
    write(table, 3, mode="overwrite")
    files, rows = live(table), table.to_arrow().num_rows
    before = table.snapshot()
    compaction = table.compact_manifest()
    assert compaction.snapshot is not None
    assert compaction.snapshot.commit_kind == CommitKind.COMPACT
    assert compaction.snapshot.commit_identifier == BATCH_COMMIT_IDENTIFIER
    assert (compaction.manifests_before, compaction.manifests_after) == (7, 1)
    assert f"snapshot {before.id + 1}" in repr(compaction)
    assert manifests_of(table)[0].num_deleted_files == 0
    assert (live(table), table.to_arrow().num_rows) == (files, rows)
    assert compaction.snapshot.total_record_count == before.total_record_count == rows
    assert compaction.snapshot.delta_record_count == 0
    again = table.compact_manifest()
    assert again.snapshot is None
    assert "no compaction" in repr(again)


def test_nothing_to_merge(catalog: FileSystemCatalog) -> None:
    table = make(catalog)
    assert table.compact_manifest().snapshot is None
    write(table, 1)
    assert table.compact_manifest().snapshot is None


def note(table: Table, partitions: range, removed: range = range(0)) -> None:
    """Commit data files that do not exist, one for each partition: only the manifests are checked."""

    def message(number: int) -> CommitMessage:
        stats = (EMPTY_STATS, EMPTY_STATS)
        file = DataFileMeta(f"data-{number}.parquet", 1, 1, EMPTY_ROW, EMPTY_ROW, *stats, 0, 0, schema_id=0, level=0)
        return CommitMessage(encode_row([number], [AtomicType("INT")]), 0, -1, (file,))

    deleted = [replace(each, new_files=(), deleted_files=each.new_files) for each in map(message, removed)]
    table.commit([*map(message, partitions), *deleted])


def large_ones(table: Table) -> list[str]:
    return [meta.file_name for meta in manifests_of(table) if meta.file_size >= 3072]


def test_large_manifests_of_other_partitions_are_kept(catalog: FileSystemCatalog) -> None:
    table = make(catalog, **{"manifest.target-file-size": "3 kb"})
    note(table, range(3500))
    large = large_ones(table)
    assert len(large) >= 3
    note(table, range(7000, 7001), removed=range(10))
    files = live(table)
    table.compact_manifest()
    assert set(large) - {meta.file_name for meta in manifests_of(table)} == {large[0]}
    assert live(table) == files
    assert len(files) == 3500 - 10 + 1
    assert table.compact_manifest().snapshot is None


def test_manifests_that_are_cut_are_full(catalog: FileSystemCatalog) -> None:
    """All manifests but the last reach the target size: otherwise each merge would rewrite them."""
    table = make(catalog, **{"manifest.target-file-size": "3 kb"})
    note(table, range(4500))
    sizes = [meta.file_size for meta in manifests_of(table)]
    assert len(sizes) > 3
    assert min(sizes[:-1]) >= 3072


class Listening(DelegatingFileIO):
    """Remembers which files are read."""

    def __init__(self, inner: FileIO) -> None:
        super().__init__(inner)
        self.read: set[str] = set()

    def read_bytes(self, path: str) -> bytes:
        self.read.add(path.rsplit("/", 1)[1])
        return super().read_bytes(path)


def test_large_manifests_are_not_even_read(catalog: FileSystemCatalog) -> None:
    table = make(catalog, **{"manifest.target-file-size": "3 kb"})
    note(table, range(3500))
    for number in range(8000, 8003):
        note(table, range(number, number + 1))
    large = set(large_ones(table))
    assert len(large) >= 3
    listening = Listening(catalog.metastore.file_io)
    FileSystemCatalog(catalog.warehouse, listening).get_table("db.m").compact_manifest()
    assert not large & listening.read
    assert large < {meta.file_name for meta in manifests_of(table)}
