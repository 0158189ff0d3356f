"""The newest snapshot of a storage in which every request takes long: one listing of the names around a known id."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.format.spec import paths
from workbench.metadata.file_system.directory import SnapshotDirectory
from workbench.storage.cache import ByteCache
from workbench.storage.file_io import FileStatus

_WEIGHT = 400
_RECENT_SECONDS = 1.0


@dataclass(frozen=True)
class _Known:
    """The newest snapshot at a time of the monotonic clock."""

    id: int
    file: FileStatus
    time: float


class NewestSnapshot:
    """Finds the newest snapshot.

    A hint may be behind, and a snapshot that was the newest one may have been rolled back and written again. A listing
    of the ten ids around it answers both questions in one request: whether it is still there, with the version of its
    file, and whether there are later ones.
    """

    def __init__(self, directory: SnapshotDirectory, cache: ByteCache) -> None:
        self._directory = directory
        self._cache = cache
        self._key = ("newest snapshot", directory.location)

    def file(self) -> tuple[int, FileStatus] | None:
        """Return the id and the file of the newest snapshot; None if there is none."""
        began = time.monotonic()
        files = self._files()
        if not files:
            self._cache.discard(self._key)
            return None
        newest = max(files)
        self.remember(newest, files[newest], began)
        return newest, files[newest]

    def recent_file(self) -> tuple[int, FileStatus] | None:
        """Return what was found within the last second; None if that is longer ago."""
        known = self._known()
        if known is None or time.monotonic() - known.time > _RECENT_SECONDS:
            return None
        return known.id, known.file

    def likely_id(self) -> int | None:
        """Return the id of what was the newest snapshot, or of the hint; None if neither is known."""
        return next(self._starts(), None)

    def remember(self, snapshot_id: int, file: FileStatus, time: float) -> None:
        """Keep what was the newest snapshot at a time of the monotonic clock."""
        known = _Known(snapshot_id, file, time)
        self._cache.discard(self._key)
        self._cache.get_or_load(self._key, lambda: known, lambda _: _WEIGHT)

    def _files(self) -> dict[int, FileStatus]:
        if self._known() is None:
            few = self._directory.few_files()
            if few is not None:
                return few
        for start in self._starts():
            files = self._directory.files_around(start)
            if start in files:
                following = max(files) + 1
                # The next ten ids have another prefix.
                if following % 10 or not (more := self._directory.files_around(following)):
                    return files
                if following not in more or max(more) % 10 < 9:
                    return {**files, **more}
        return self._directory.files()

    def _starts(self) -> Iterator[int]:
        known = self._known()
        if known is not None:
            yield known.id
        hint = self._directory.hint(paths.LATEST)
        if hint is not None and hint > 0 and (known is None or hint != known.id):
            yield hint

    def _known(self) -> _Known | None:
        known: _Known | None = self._cache.find(self._key)
        return known
