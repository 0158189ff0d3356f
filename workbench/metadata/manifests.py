"""Reading and writing the manifests and manifest lists of one table; reads run in parallel, and decoded files are
cached, since they never change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

from workbench.base.counting import counted
from workbench.base.errors import CorruptFile
from workbench.base.garbage import no_collection
from workbench.base.modules import futures
from workbench.base.parallel import parallel_map
from workbench.format.spec import manifest, paths
from workbench.format.spec.data_file import FileKind, ManifestEntry, ManifestFileMeta, SimpleStats, merge_entries
from workbench.format.spec.index_entry import IndexEntry
from workbench.format.spec.index_manifest import write_index_manifest
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.stats import partition_stats
from workbench.metadata.store import TableStore

# Bytes that one entry of a manifest, and one of a manifest list, occupy in memory.
ENTRY_WEIGHT = 1200
META_WEIGHT = 400
_ENTRIES_PER_CHECK = 1000
_ENTRIES_WORTH_COLUMNS = 5000
_MOST_UPLOADS = 16
_LOCAL_READERS, _REMOTE_READERS = 8, 32


@dataclass(frozen=True)
class WrittenList:
    """A manifest list as a snapshot refers to it."""

    name: str
    size: int


class ManifestFiles:
    """Reader and writer of the metadata files between a snapshot and its data files (format §5, §6)."""

    def __init__(self, store: TableStore) -> None:
        self._store = store
        self._uuid = store.ids.uuid()
        self._manifests = 0
        self._lists = 0
        self._indexes = 0
        self._pool: futures.ThreadPoolExecutor | None = None
        self._uploads: list[futures.Future[None]] = []

    def read_list(self, name: str, size: int | None = None) -> tuple[ManifestFileMeta, ...]:
        """Return the manifests that a list names; ``size`` is its length in bytes according to the snapshot.

        Raises:
            CorruptFile: The list is missing, corrupt or shorter than ``size``. Avro itself does not notice a file that
                was cut between two blocks.
        """
        path = self._path(name)

        def load() -> tuple[ManifestFileMeta, ...]:
            data = self._store.read_metadata(path)
            if size is not None and len(data) < size:
                raise CorruptFile(path, f"it has {counted(len(data), 'bytes')}, but its snapshot says {size}")
            return tuple(manifest.read_manifest_list(data, path))

        return self._cached(path, load, META_WEIGHT)

    def read(self, meta: ManifestFileMeta) -> tuple[ManifestEntry, ...]:
        """Return the entries of a manifest."""
        path = self._path(meta.file_name)
        # The count reveals a file that was cut between two blocks, which Avro itself does not notice.
        entries = meta.num_added_files + meta.num_deleted_files
        return self._cached(
            path, lambda: tuple(manifest.read_manifest(self._store.read_metadata(path), path, entries)), ENTRY_WEIGHT
        )

    def data_manifests(self, snapshot: Snapshot) -> list[ManifestFileMeta]:
        """Return all manifests of a snapshot in the order in which they apply: the base list, then the delta list."""
        lists = (
            (snapshot.base_manifest_list, snapshot.base_manifest_list_size),
            (snapshot.delta_manifest_list, snapshot.delta_manifest_list_size),
        )
        base, delta = parallel_map(lambda each: self.read_list(*each), lists, 1 if self._store.is_local else 2)
        return [*base, *delta]

    def all_manifests(self, snapshot: Snapshot) -> list[ManifestFileMeta]:
        """Return the manifests of a snapshot and those of its changelog."""
        return [*self.data_manifests(snapshot), *self.changelog_list(snapshot)]

    def delta_entries(self, snapshot: Snapshot) -> list[ManifestEntry]:
        """Return the entries that the commit of a snapshot itself added and removed."""
        return self.entries(self.delta_list(snapshot))

    def delta_list(self, snapshot: Snapshot) -> tuple[ManifestFileMeta, ...]:
        """Return the manifests of the files that the commit of a snapshot itself added and removed."""
        return self.read_list(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size)

    def changelog_list(self, snapshot: Snapshot) -> tuple[ManifestFileMeta, ...]:
        """Return the manifests of a snapshot's changelog; empty if it has no changelog."""
        changelog = snapshot.changelog_manifest_list
        return () if changelog is None else self.read_list(changelog, snapshot.changelog_manifest_list_size)

    def entries(self, metas: Sequence[ManifestFileMeta]) -> list[ManifestEntry]:
        """Return the entries of several manifests in their order, read in parallel."""
        with no_collection():
            self._read_together([meta for meta in metas if self._path(meta.file_name) not in self._store.cache])
            return [entry for entries in parallel_map(self.read, metas, self._readers) for entry in entries]

    def _read_together(self, metas: Sequence[ManifestFileMeta]) -> None:
        """Put the entries of manifests into the cache if there are enough of them for columnar reading to pay off."""
        counts = [meta.num_added_files + meta.num_deleted_files for meta in metas]
        if sum(counts) < _ENTRIES_WORTH_COLUMNS:
            return
        from workbench.format.spec.manifest_columns import read_manifest_columns

        names = [self._path(meta.file_name) for meta in metas]
        files = parallel_map(self._store.read_metadata, names, self._readers)
        read = read_manifest_columns(list(zip(files, names, strict=True)), counts)
        for path, entries in zip(names, read or (), strict=False):
            self._cached(path, lambda entries=entries: tuple(entries), ENTRY_WEIGHT)  # type: ignore[misc]

    @property
    def _readers(self) -> int:
        return _LOCAL_READERS if self._store.is_local else _REMOTE_READERS

    def live_files(self, snapshot: Snapshot) -> tuple[ManifestEntry, ...]:
        """Return every data file of a snapshot, that is, the merged entries of all its manifests. The result is
        cached."""
        key = ("live", self._path(snapshot.base_manifest_list), snapshot.delta_manifest_list)
        return self._cached(key, lambda: self.merged(self.data_manifests(snapshot)), 100)

    def may_hold(self, meta: ManifestFileMeta, partitions: Iterable[bytes]) -> bool:
        """Return whether a manifest may contain files of one of these partitions, according to its partition bounds."""
        low = self._store.partition_values(meta.partition_stats.min_values)
        high = self._store.partition_values(meta.partition_stats.max_values)
        nulls = meta.partition_stats.null_counts or (None,) * len(low)

        def within(value: Any, least: Any, most: Any, null_count: int | None) -> bool:
            if value is None:
                return null_count is None or null_count > 0
            return least is not None and most is not None and bool(least <= value <= most)

        return any(
            all(map(within, self._store.partition_values(partition), low, high, nulls)) for partition in partitions
        )

    def merged(self, metas: Sequence[ManifestFileMeta]) -> tuple[ManifestEntry, ...]:
        """Return the entries of manifests that remain after each removal has canceled the file that it removes."""
        return tuple(merge_entries(self.entries(metas)))

    def _cached(self, key: object, load: Callable[[], tuple[object, ...]], weight: int) -> tuple:  # type: ignore[type-arg]
        return self._store.cache.get_or_load(key, load, lambda loaded: 200 + weight * len(loaded))

    def write(self, entries: Sequence[ManifestEntry]) -> list[ManifestFileMeta]:
        """Write entries to one manifest or, past the target size, to several."""
        target = self._store.schema.core.manifest_target_file_size
        written: list[ManifestFileMeta] = []
        rest = list(entries)
        while rest:
            data, taken = self._encode_up_to(rest, target)
            written.append(self._write_one(rest[:taken], data))
            rest = rest[taken:]
        return written

    def _encode_up_to(self, entries: Sequence[ManifestEntry], target: int) -> tuple[bytes, int]:
        """Encode entries to at least ``target`` bytes if there are enough of them, because every full merge would
        rewrite a smaller manifest."""
        data = self._encode(entries)
        fitting = len(entries)
        while len(data) > target and fitting > _ENTRIES_PER_CHECK:
            # Java checks the size after this many entries, so a manifest has a multiple of them.
            guess = fitting * target // len(data) // _ENTRIES_PER_CHECK + 1
            fewer = min(guess, (fitting - 1) // _ENTRIES_PER_CHECK) * _ENTRIES_PER_CHECK
            smaller = self._encode(entries[:fewer])
            if len(smaller) < target:
                break
            data, fitting = smaller, fewer
        return data, fitting

    def _encode(self, entries: Sequence[ManifestEntry]) -> bytes:
        core = self._store.schema.core
        return manifest.write_manifest(entries, core.manifest_compression)

    def _write_one(self, entries: Sequence[ManifestEntry], data: bytes) -> ManifestFileMeta:
        name = paths.manifest_name(self._uuid, self._manifests)
        self._manifests += 1
        self._upload(name, data)
        added = sum(1 for entry in entries if entry.kind == FileKind.ADD)
        buckets = [entry.bucket for entry in entries]
        levels = [entry.file.level for entry in entries]
        return ManifestFileMeta(
            file_name=name,
            file_size=len(data),
            num_added_files=added,
            num_deleted_files=len(entries) - added,
            partition_stats=self._partition_stats(entry.partition for entry in entries),
            schema_id=max(entry.file.schema_id for entry in entries),
            min_bucket=min(buckets),
            max_bucket=max(buckets),
            min_level=min(levels),
            max_level=max(levels),
        )

    def _partition_stats(self, partitions: Iterable[bytes]) -> SimpleStats:
        return partition_stats(list(dict.fromkeys(partitions)), self._store.partition_fields)

    def write_list(self, metas: Sequence[ManifestFileMeta]) -> WrittenList:
        """Write a manifest list, which may be empty."""
        name = paths.manifest_list_name(self._uuid, self._lists)
        self._lists += 1
        data = manifest.write_manifest_list(metas, self._store.schema.core.manifest_compression)
        self._upload(name, data)
        return WrittenList(name, len(data))

    def write_index(self, entries: Sequence[IndexEntry]) -> str:
        """Write an index manifest, which may be empty, and return its name."""
        name = paths.index_manifest_name(self._uuid, self._indexes)
        self._indexes += 1
        data = write_index_manifest(entries, self._store.schema.core.manifest_compression)
        self._upload(name, data)
        return name

    @contextmanager
    def uploading_together(self) -> Iterator[None]:
        """Upload all files that are written inside at the same time, where every request takes long. They are complete
        at the end, also after an error."""
        if self._store.is_local:
            yield
            return
        self._uploads = []
        with futures.ThreadPoolExecutor(_MOST_UPLOADS, thread_name_prefix="workbench") as self._pool:
            try:
                yield
            finally:
                self._pool = None
        for upload in self._uploads:
            upload.result()

    def _upload(self, name: str, data: bytes) -> None:
        write = self._store.file_io.write_bytes
        if self._pool is None:
            write(self._path(name), data)
        else:
            self._uploads.append(self._pool.submit(copy_context().run, write, self._path(name), data))

    def delete(self, names: Iterable[str]) -> None:
        """Remove files that no snapshot refers to."""
        for name in names:
            self._store.file_io.delete(self._path(name))

    def _path(self, name: str) -> str:
        return self._store.path(paths.MANIFEST_DIRECTORY, name)
