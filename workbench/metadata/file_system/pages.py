"""Pages of snapshots, read without listing their directory as long as the hints in it are right."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.file_system.directory import SnapshotDirectory
from workbench.metadata.file_system.newest import NewestSnapshot
from workbench.metadata.protocol import SnapshotFinder, SnapshotPage
from workbench.storage.cache import ByteCache
from workbench.storage.file_io import FileStatus

# On local storage, handing every single snapshot to a thread costs more than reading it.
_LOCAL_SHARE, _LOCAL_READERS = 32, 16
# Where requests take long, they are all sent at the same time.
_REMOTE_SHARE, _REMOTE_READERS = 1, 32
# A listing has this many names for each request. Hints are read instead only for more.
_LISTED_NAMES = 1000
# A page is read in steps of this many snapshots; after each, it is checked whether one is missing.
_STEP = 4096
# How many snapshots may be newer than the hint: several writers may have published one, but not yet written its hint.
_PROBES = 16
# The bytes of a decoded snapshot for each byte of its file.
_DECODED = 4


@dataclass(frozen=True)
class _History:
    """A history whose snapshots are cached, up to the one with the bytes ``newest``; ``key`` is part of their keys."""

    id: int
    newest: bytes
    key: object = field(default_factory=object)


class SnapshotPages:
    """Reads pages of the snapshots in a directory, and caches them.

    Snapshots are consecutive. Expiration removes the oldest ones and a rollback the newest ones, so if one snapshot is
    still the same, so are all older ones. Each call therefore compares the newest snapshot that was seen before: no
    other snapshot names the same manifests, even after a rollback or if the table was created again.
    """

    def __init__(self, directory: SnapshotDirectory, cache: ByteCache, newest: NewestSnapshot | None) -> None:
        self._directory = directory
        self._cache = cache
        self._newest = newest

    def page(self, limit: int | None, before: int | None) -> SnapshotPage:
        """Return snapshots, newest first: at most ``limit`` (1 or more), with ids below ``before``. Of the other
        snapshots, only the newest is read. The directory is listed only if its hints and its files do not agree."""
        ids = self._hinted_ids() if self._trusts_hints(limit) else None
        return (None if ids is None else self._hinted_page(ids, limit, before)) or self._listed_page(limit, before)

    def finder(self, files: Mapping[int, FileStatus]) -> SnapshotFinder:
        """Return a way to find the snapshots in these files, of which each version is read once."""

        def find(number: int) -> Snapshot | None:
            return self.read(number, files[number]) if number in files else None

        def is_cached(number: int) -> bool:
            return number in files and self._cache_key(number, files[number].content_key) in self._cache

        def position_at(millis: int) -> int:
            return max(0, bisect_left(times, millis) - 1)

        ids, times = tuple(files), [file.modified_millis for file in files.values()]
        return SnapshotFinder(lambda: ids, find, is_cached, position_at, _REMOTE_READERS, _REMOTE_SHARE)

    def _trusts_hints(self, limit: int | None) -> bool:
        """Return whether a page is read by the hints to the newest and the oldest snapshot. Where requests take long,
        one listing is less than the questions about the hints, and than missing snapshots."""
        if self._newest is None:
            return True
        if limit is None:
            return False
        likely = self._newest.likely_id()
        return likely is not None and likely > _LISTED_NAMES

    def _hinted_ids(self) -> range | None:
        """Return the ids between the hints, and those of snapshots after the latest hint; None if a hint is wrong."""
        directory = self._directory
        latest, earliest = self._latest_hint(), directory.hint(paths.EARLIEST)
        if latest is None or earliest is None or not 0 < earliest <= latest or not directory.exists(earliest):
            return None
        if earliest > 1 and directory.exists(earliest - 1):
            return None
        if self._newest is not None:
            return range(earliest, latest + 1)
        newer = range(latest + 1, latest + 1 + _PROBES)
        following = next((number for number in newer if not directory.exists(number)), None)
        return None if following is None else range(earliest, following)

    def _latest_hint(self) -> int | None:
        """Return the hint to the newest snapshot, or its id if that takes no more requests."""
        if self._newest is None:
            return self._directory.hint(paths.LATEST)
        file = self._newest.file()
        return None if file is None else file[0]

    def read(self, number: int, file: FileStatus) -> Snapshot | None:
        """Return the snapshot in a file, read once for each version of the file; None if the file no longer exists."""
        return self._read(number, file.content_key)

    def keep(self, snapshot: Snapshot, file: FileStatus) -> None:
        """Cache a snapshot that was just written to a file."""
        key = self._cache_key(snapshot.id, file.content_key)
        self._cache.get_or_load(key, lambda: (snapshot, file.size), _weigh_decoded)

    def _hinted_page(self, ids: range, limit: int | None, before: int | None) -> SnapshotPage | None:
        """Return the page, None if a snapshot between the hints is missing."""
        newest = self._directory.content(ids[-1])
        if newest is None:
            return None
        following = ids.stop if before is None else min(before, ids.stop)
        wanted = range(following - 1, ids.start - 1, -1)
        page = wanted[:limit]
        key = self._key_of_history(ids[-1], newest)
        snapshots: list[Snapshot] = []
        for start in range(0, len(page), _STEP):
            step = page[start : start + _STEP]
            snapshots += self._read_all(step, dict.fromkeys(step, key))
            if len(snapshots) < start + len(step):
                return None
        return _page_of(snapshots, page, wanted, ids)

    def _listed_page(self, limit: int | None, before: int | None) -> SnapshotPage:
        files = self._directory.files()
        wanted = [number for number in reversed(files) if before is None or number < before]
        page = wanted[:limit]
        # After a rollback, another snapshot may get the same id.
        keys = {number: files[number].content_key for number in page}
        return _page_of(self._read_all(page, keys), page, wanted, frozenset(files))

    def _key_of_history(self, newest_id: int, newest: bytes) -> object:
        """Return the cache key of the snapshots, which changes if some of them may have been replaced."""
        name = ("history of snapshots", self._directory.location)
        known = self._cache.get_or_load(name, lambda: _History(newest_id, newest), _weigh)
        if (known.id, known.newest) == (newest_id, newest):
            return known.key
        is_same = known.id < newest_id and self._directory.content(known.id) == known.newest
        history = _History(newest_id, newest, known.key) if is_same else _History(newest_id, newest)
        self._cache.discard(name)
        # A thread that was faster may have seen other snapshots, and has cached them under its own key.
        self._cache.get_or_load(name, lambda: history, _weigh)
        return history.key

    def _read_all(self, ids: Sequence[int], keys: Mapping[int, object]) -> list[Snapshot]:
        """Return the snapshots that exist; uncached ones are read in parallel."""
        share, readers = (_LOCAL_SHARE, _LOCAL_READERS) if self._newest is None else (_REMOTE_SHARE, _REMOTE_READERS)
        finder = SnapshotFinder(
            lambda: ids, lambda number: self._read(number, keys[number]), threads=readers, share=share
        )
        return [snapshot for snapshot in finder.find_all(ids) if snapshot is not None]

    def _read(self, number: int, key: object) -> Snapshot | None:
        path = self._directory.path(number)

        def load() -> tuple[Snapshot, int]:
            content = self._directory.content(number)
            if content is None:
                raise FileNotFoundError(path)
            return Snapshot.from_json(content, path), len(content)

        try:
            return self._cache.get_or_load(self._cache_key(number, key), load, _weigh_decoded)[0]
        except FileNotFoundError:
            return None

    def _cache_key(self, number: int, key: object) -> object:
        return "snapshot", self._directory.path(number), key


def _page_of(
    snapshots: Sequence[Snapshot], page: Sequence[int], wanted: Sequence[int], ids: Collection[int]
) -> SnapshotPage:
    return SnapshotPage(tuple(snapshots), page[-1] if len(page) < len(wanted) else None, ids)


def _weigh_decoded(snapshot: tuple[Snapshot, int]) -> int:
    return snapshot[1] * _DECODED


def _weigh(history: _History) -> int:
    return 200 + len(history.newest)
