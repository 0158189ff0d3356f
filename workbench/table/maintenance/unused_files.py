"""Which files go with what goes: those that nothing else in the table needs (format §24)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from workbench.base.errors import CorruptFile
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.format import paths
from workbench.format.data_file import ManifestEntry, ManifestFileMeta
from workbench.format.snapshot import Snapshot
from workbench.storage.file_io import join, parent
from workbench.table.index_files import index_entries, index_file_path
from workbench.table.maintenance.used_files import Going, used_without
from workbench.table.manifests import ManifestFiles
from workbench.table.store import TableStore

Item = TypeVar("Item")
Found = TypeVar("Found")
_READERS = 8


class UnusedFiles:
    """Tells what is not needed any more once ``going`` is gone.

    Everything that is kept is read at once, before anything can be deleted: CorruptFile where that fails,
    TableNotFound where a branch was not made to its end. ``unread`` grows by the files of what goes that cannot be
    read; an expiry that was interrupted may have deleted them.
    """

    def __init__(self, store: TableStore, going: Going, progress: Progress) -> None:
        self._store = store
        self._manifests = ManifestFiles(store)
        self._used = used_without(store, going, progress)
        self.unread: list[str] = []

    def delta(self, snapshot: Snapshot) -> list[ManifestEntry]:
        """What the commit of a snapshot added and removed, as far as it can be read."""
        return self._entries(self._read(self._manifests.delta_list, snapshot))

    def changelog(self, snapshot: Snapshot) -> list[ManifestEntry]:
        """The changelog that a snapshot brought, as far as it can be read."""
        return self._entries(self._read(self._manifests.changelog_list, snapshot))

    def rows(self, snapshot: Snapshot) -> Sequence[ManifestEntry]:
        """The data files of a version; nothing where one of its manifests cannot be read."""
        return self._read(self._manifests.live_files, snapshot)

    def of(self, entries: Iterable[ManifestEntry]) -> list[ManifestEntry]:
        """Those whose files go, each once."""
        return list({each.file.file_name: each for each in entries if each.file.file_name not in self._used}.values())

    def paths_of(self, entry: ManifestEntry) -> list[str]:
        """A data file and the files beside it that belong to it. Raises Unsupported where it lies outside of the
        warehouse."""
        path = self._store.data_file_path(entry.partition, entry.bucket, entry.file)
        return [path, *(join(parent(path), name) for name in entry.file.extra_files)]

    def lists(self, names: Iterable[str]) -> list[str]:
        """The paths of manifest lists that go, and of their manifests."""
        return self._unused(each for name in names for each in self._list_and_manifests(name))

    def indexes_and_statistics(self, snapshots: Iterable[Snapshot]) -> list[str]:
        """The paths of index manifests that go, with their index files, and of statistics."""
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
        found = parallel_map(lambda meta: self._read(self._manifests.read, meta), metas, _READERS)
        return [entry for entries in found for entry in entries]

    def _in(self, directory: str, name: str) -> tuple[str, str]:
        return name, self._store.path(directory, name)

    def _read(self, read: Callable[[Item], Sequence[Found]], what: Item) -> Sequence[Found]:
        try:
            return read(what)
        except CorruptFile as error:
            if error.path not in self.unread:
                self.unread.append(error.path)
            return ()
