"""Metadata files of commits: manifests are merged, and little is read and written for one commit."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.support.commit_tables import BUSY, append_table, commit_when, ids_of, keyed_table, rows
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.bucket_states import KnownBuckets
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.runtime import CACHE_BYTES
from workbench.storage.cache import ByteCache
from workbench.storage.local import LocalFileIO
from workbench.storage.lock import LocalFileLock
from workbench.storage.wrappers import DelegatingFileIO, Operation
from workbench.table.table import Table
from workbench.write.writer import TableWriter

# --- manifests --------------------------------------------------------------------------------------------------------


def manifests_of(table: Table) -> list[Any]:
    return ManifestFiles(table.store).data_manifests(table.snapshot())


def test_minor_merging(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, **{"manifest.merge-min-count": "4"})
    for number in range(20):
        table.write(rows(number))
        assert len(manifests_of(table)) <= 5
    assert ids_of(table) == list(range(20))
    assert sum(meta.num_added_files for meta in manifests_of(table)) == 20


def test_full_merging_drops_removed_files(catalog: FileSystemCatalog) -> None:
    table = keyed_table(
        catalog,
        **BUSY,
        **{"manifest.full-compaction-threshold-size": "1 b", "manifest.target-file-size": "1 mb"},
    )
    for number in range(6):
        table.write(rows(number, number + 1))
    entries = ManifestFiles(table.store).entries(
        ManifestFiles(table.store).read_list(table.snapshot().base_manifest_list)
    )
    counted = Counter(entry.kind.name for entry in entries)
    assert counted["DELETE"] == 0
    assert ids_of(table) == list(range(7))


def test_manifests_of_target_size(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table(
        "db.p", {"p": "INT", "id": "INT"}, partition_by="p", options={"manifest.target-file-size": "4 kb"}
    )
    table.write(pa.table({"p": list(range(1100)), "id": [1] * 1100}))
    metas = manifests_of(table)
    assert len(metas) > 1
    assert sum(meta.num_added_files for meta in metas) == 1100
    assert table.to_arrow(where="p = 1034").num_rows == 1
    assert table.scan(where="p = 1034").explain().files_pruned["partition"] < 1100


# --- stores without put-if-absent -------------------------------------------------------------------------------------


class Overwriting(DelegatingFileIO):
    """A store that only checks before it writes."""

    supports_put_if_absent = False


def test_a_store_without_put_if_absent_warns(tmp_path: Path) -> None:
    catalog = FileSystemCatalog(str(tmp_path), Overwriting(LocalFileIO()))
    catalog.create_database("db")
    with pytest.warns(UserWarning, match="two writers at once may lose a commit"):
        append_table(catalog).write(rows(1))


def test_a_lock_serializes_writers(tmp_path: Path) -> None:
    lock = LocalFileLock(str(tmp_path / "locks"))
    catalog = FileSystemCatalog(str(tmp_path / "wh"), Overwriting(LocalFileIO()), lock=lock)
    catalog.create_database("db")
    table = append_table(catalog)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        racing = commit_when(table, "write_bytes", lambda: table.write(rows(1)))
        racing.write(rows(2))
    assert ids_of(table) == [1, 2]
    assert [path.name for path in (tmp_path / "locks").iterdir()] == ["db@a.lock"]


# --- what repeats with every commit -----------------------------------------------------------------------------------


class _Watched(DelegatingFileIO):
    """Notes which metadata files are read, and on which threads data files are opened."""

    def __init__(self, inner: Any, *, is_local: bool = True) -> None:
        super().__init__(inner)
        self._is_local = is_local
        self.read: list[str] = []
        self.threads: set[str] = set()

    @property
    def is_local(self) -> bool:
        return self._is_local

    def _run(self, operation: Operation, call: Callable[[], Any]) -> Any:
        if operation.name == "read_bytes":
            self.read.append(operation.path)
        if operation.name == "open_output":
            self.threads.add(threading.current_thread().name)
        return call()


def test_a_writer_does_not_read_its_own_metadata(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, bucket="2", **{"bucket-key": "id", "write-only": "true"})
    watched = _Watched(table.store.file_io)
    table = Table(table.store.with_file_io(watched))
    for number in range(5):
        table.write(rows(number, number + 10))
    assert not [path for path in watched.read if "/manifest/" in path]


def test_cached_file_metadata_equals_stored_metadata(catalog: FileSystemCatalog) -> None:
    """Cached and stored metadata are equal after additions, manifest merges, removals, and assignments of row ids."""
    merges = {"manifest.merge-min-count": "3"}
    table = append_table(catalog, **merges, **{"row-tracking.enabled": "true"})
    keyed = keyed_table(catalog, **merges, **{"num-sorted-run.compaction-trigger": "3"})
    for number in range(8):
        table.write(rows(number, number + 10))
        keyed.write(rows(number, number + 1))
        if number == 4:
            table.delete("id = 2")
        for each in (table, keyed):
            latest = each.snapshot()
            anew = replace(each.store, runtime=replace(each.store.runtime, cache=ByteCache(CACHE_BYTES)))
            known, stored = ManifestFiles(each.store), ManifestFiles(anew)
            assert known.data_manifests(latest) == stored.data_manifests(latest)
            assert known.delta_entries(latest) == stored.delta_entries(latest)
            assert known.live_files(latest) == stored.live_files(latest)


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("is_local", [False, True])
def test_small_files_of_this_machine_are_written_by_one_thread(
    catalog: FileSystemCatalog, keyed: bool, is_local: bool
) -> None:
    """On other storages each file takes time, so they are written in parallel."""
    spread = {"bucket": "4", "write-only": "true"}
    table = keyed_table(catalog, **spread) if keyed else append_table(catalog, **spread, **{"bucket-key": "id"})
    watched = _Watched(table.store.file_io, is_local=is_local)
    writer = TableWriter(table.store.with_file_io(watched), KnownBuckets(), workers=2)
    writer.write(rows(*range(100)))
    writer.prepare()
    assert (watched.threads == {threading.current_thread().name}) == is_local
