"""The files that nothing else uses once snapshots, changelogs or tags are removed (format §24)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from workbench.base.errors import CorruptFile
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format.spec import paths
from workbench.format.spec.data_file import ManifestEntry, ManifestFileMeta
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.index_files import index_entries, index_file_path
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.storage.file_io import join, parent
from workbench.table.maintenance.used_files import VersionsToRemove, used_without

Item = TypeVar("Item")
Findings = TypeVar("Findings")
_READERS = 8


class UnusedFiles:
    """Determines the files that are no longer used once ``removed`` is removed.

    All metadata that is kept is read before anything can be deleted. Raises CorruptFile if that fails, TableNotFound if
    a branch is incomplete. ``unread`` collects the metadata files of removed versions that cannot be read; an
    interrupted expiry may have deleted them.
    """

    def __init__(self, store: TableStore, removed: VersionsToRemove, progress: Progress) -> None:
        self._store = store
        self._manifests = ManifestFiles(store)
        self._used = used_without(store, removed, progress)
        self.unread: list[str] = []

    def delta(self, snapshot: Snapshot) -> list[ManifestEntry]:
        """Return the entries that a snapshot's commit added and removed, as far as they can be read."""
        return self._entries(self._read(self._manifests.delta_list, snapshot))

    def changelog(self, snapshot: Snapshot) -> list[ManifestEntry]:
        """Return the changelog entries of a snapshot, as far as they can be read."""
        return self._entries(self._read(self._manifests.changelog_list, snapshot))

    def rows(self, snapshot: Snapshot) -> Sequence[ManifestEntry]:
        """Return the data files of a version; none if one of its manifests cannot be read."""
        return self._read(self._manifests.live_files, snapshot)

    def of(self, entries: Iterable[ManifestEntry]) -> list[ManifestEntry]:
        """Return the entries whose files are unused, each once."""
        return list({each.file.file_name: each for each in entries if each.file.file_name not in self._used}.values())

    def paths_of(self, entries: Iterable[ManifestEntry]) -> tuple[str, ...]:
        """Return the paths of data files and their extra files. Raises Unsupported if one is outside the warehouse."""
        return tuple(path for entry in entries for path in self._paths_of(entry))

    def _paths_of(self, entry: ManifestEntry) -> list[str]:
        path = self._store.data_file_path(entry.partition, entry.bucket, entry.file)
        return [path, *(join(parent(path), name) for name in entry.file.extra_files)]

    def lists(self, names: Iterable[str]) -> list[str]:
        """Return the paths of unused manifest lists, and of their manifests."""
        return self._unused(each for name in names for each in self._list_and_manifests(name))

    def indexes_and_statistics(self, snapshots: Iterable[Snapshot]) -> list[str]:
        """Return the paths of unused index manifests with their index files, and of unused statistics."""
        return self._unused(each for snapshot in snapshots for each in self._beside(snapshot))

    def _unused(self, named: Iterable[tuple[str, str]]) -> list[str]:
        return sorted({path for name, path in named if name not in self._used})

    def _list_and_manifests(self, name: str) -> Iterator[tuple[str, str]]:
        for meta in self._read(self._manifests.read_list, name):
            yield self._in(paths.MANIFEST_DIRECTORY, meta.file_name)
        yield self._in(paths.MANIFEST_DIRECTORY, name)

    def _beside(self, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
        if snapshot.index_manifest is not None:
            for entry in self._read(lambda each: index_entries(self._store, each), snapshot):
                yield entry.file_name, index_file_path(self._store, entry)
            yield self._in(paths.MANIFEST_DIRECTORY, snapshot.index_manifest)
        if snapshot.statistics is not None:
            yield self._in(paths.STATISTICS_DIRECTORY, snapshot.statistics)

    def _entries(self, metas: Sequence[ManifestFileMeta]) -> list[ManifestEntry]:
        manifests = parallel_map(lambda meta: self._read(self._manifests.read, meta), metas, _READERS)
        return [entry for entries in manifests for entry in entries]

    def _in(self, directory: str, name: str) -> tuple[str, str]:
        return name, self._store.path(directory, name)

    def _read(self, read: Callable[[Item], Sequence[Findings]], what: Item) -> Sequence[Findings]:
        try:
            return read(what)
        except CorruptFile as error:
            if error.path not in self.unread:
                self.unread.append(error.path)
            return ()
