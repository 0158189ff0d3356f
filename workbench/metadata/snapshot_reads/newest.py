"""The newest snapshot of a storage in which every request takes long: one listing of the names around a known id."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.format.spec import paths
from workbench.metadata.snapshot_reads.directory import SnapshotDirectory
from workbench.storage.cache import ByteCache
from workbench.storage.file_io import FileStatus

_WEIGHT = 100


class NewestSnapshot:
    """Finds the newest snapshot.

    A hint may be behind, and a snapshot that was the newest one may have been rolled back and written again. A listing
    of the ten ids around it answers both questions in one request: whether it is still there, with the version of its
    file, and whether there are later ones.
    """

    def __init__(self, directory: SnapshotDirectory, cache: ByteCache) -> None:
        self._directory = directory
        self._cache = cache
        self._key = ("id of the newest snapshot", directory.location)

    def file(self) -> tuple[int, FileStatus] | None:
        """Return the id and the file of the newest snapshot; None if there is none."""
        files = self._files()
        if not files:
            return None
        newest = max(files)
        self.remember(newest)
        return newest, files[newest]

    def remember(self, snapshot_id: int) -> None:
        """Keep an id near which the newest snapshot is searched for next."""
        if self._known() != snapshot_id:
            self._cache.discard(self._key)
            self._cache.get_or_load(self._key, lambda: snapshot_id, lambda _: _WEIGHT)

    def _files(self) -> dict[int, FileStatus]:
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
        if known:
            yield known
        hint = self._directory.hint(paths.LATEST)
        if hint is not None and 0 < hint != known:
            yield hint

    def _known(self) -> int:
        """Return the last id that was found; 0 if there was none."""
        return self._cache.get_or_load(self._key, lambda: 0, lambda _: _WEIGHT)
