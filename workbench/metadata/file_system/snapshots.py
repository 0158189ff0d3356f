"""The snapshots of a table as files of its directory (format §4, `SnapshotManager`, `HintFileUtils` and
`RenamingSnapshotCommit`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from workbench.base.errors import CommitConflict, CorruptFile
from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.file_system.directory import SnapshotDirectory
from workbench.metadata.file_system.newest import NewestSnapshot
from workbench.metadata.file_system.pages import SnapshotPages
from workbench.metadata.file_system.succession import Succession
from workbench.metadata.protocol import SnapshotFinder, SnapshotPage, SnapshotStore, TableBranch
from workbench.metadata.small_files import put_version
from workbench.storage.cache import ByteCache
from workbench.storage.file_io import FileStatus
from workbench.storage.once import OnceFileIO

_KNOWN_BYTES = 1 << 16


class FileSystemSnapshotStore(SnapshotStore):
    """Files ``snapshot-N``, with hints to the newest and the oldest one. A snapshot is published by put-if-absent,
    under the catalog's lock if it has one."""

    def __init__(self, branch: TableBranch) -> None:
        self._branch = branch
        self._file_io = branch.file_io
        self._directory = SnapshotDirectory(branch)
        # A statement that lists files only once does not know what is the newest snapshot later.
        known = ByteCache(_KNOWN_BYTES) if isinstance(branch.file_io, OnceFileIO) else branch.cache
        self._newest = None if branch.file_io.is_local else NewestSnapshot(self._directory, known)
        self._pages = SnapshotPages(self._directory, branch.cache, self._newest)

    def path(self, snapshot_id: int) -> str:
        """Return the path of a snapshot."""
        return self._directory.path(snapshot_id)

    # --- reading --------------------------------------------------------------------------------------------------

    def latest_id(self) -> int | None:
        """Return the newest snapshot's id. The hint is used only if no later snapshot exists."""
        if self._newest is not None:
            file = self._newest.file()
            return None if file is None else file[0]
        hint = self._directory.hint(paths.LATEST)
        if hint is not None and hint > 0 and not self._directory.exists(hint + 1):
            return hint
        return max(self.ids(), default=None)

    def latest(self) -> Snapshot | None:
        """Return the newest snapshot, None for a table that was never written."""
        if self._newest is not None:
            file = self._newest.file()
            return None if file is None else self._pages.read(*file) or self._newest_listed()
        newest = self.latest_id()
        if newest is None:
            return None
        # By format §4.1 a hint to a missing snapshot is trusted; the directory listing is more reliable.
        return self.find(newest) or self._newest_listed()

    def recent(self) -> Snapshot | None:
        """Return the snapshot that was the newest within the last second; in a remote store, the listing of a statement
        also serves its commit."""
        file = None if self._newest is None else self._newest.recent_file()
        return self.latest() if file is None else self._pages.read(*file) or self.latest()

    def earliest_id(self) -> int | None:
        """Return the id of the oldest snapshot that has not expired."""
        hint = self._directory.hint(paths.EARLIEST)
        if hint is not None and self._directory.exists(hint):
            return hint
        return min(self.ids(), default=None)

    def ids(self) -> list[int]:
        """Return all ids, ascending."""
        return list(self._files())

    def find(self, snapshot_id: int) -> Snapshot | None:
        """Return a snapshot, or None if there is no such file."""
        file = None if self._newest is None else self._newest.recent_file()
        if file is not None and file[0] == snapshot_id:
            return self._pages.read(*file)
        return self._directory.find(snapshot_id)

    def finder(self) -> SnapshotFinder:
        """Return a way to find many snapshots that does not read again what is cached."""
        if self._newest is None:
            return super().finder()
        return self._pages.finder(self._files())

    def page(self, limit: int | None = None, before: int | None = None) -> SnapshotPage:
        """Return snapshots, newest first. The directory is listed only if its hints and its files do not agree."""
        return self._pages.page(limit, before)

    def _files(self) -> dict[int, FileStatus]:
        """List all files, by id."""
        began = time.monotonic()
        files = self._directory.files()
        if self._newest is not None and files:
            newest = max(files)
            self._newest.remember(newest, files[newest], began)
        return files

    def _newest_listed(self) -> Snapshot | None:
        newest = max(self.ids(), default=None)
        return None if newest is None else self.find(newest)

    # --- publishing -----------------------------------------------------------------------------------------------

    def publish(self, snapshot: Snapshot) -> bool:
        """Write the snapshot if its id is free, then the hint, which readers can do without."""
        if self._newest is None and snapshot.id > 1 and not self._directory.exists(snapshot.id - 1):
            # The previous snapshot has expired, so another writer took this id. It looks free only if it expired too.
            return False
        path = self.path(snapshot.id)
        if not put_version(self._branch, path, snapshot.to_json().encode()):
            return False
        if self._is_misplaced(snapshot):
            self._file_io.delete(path)
            return False
        # The snapshot is published: the commit must not look failed because its hint cannot be written.
        with suppress(OSError):
            self.write_latest_hint(snapshot.id)
        return True

    def _is_misplaced(self, snapshot: Snapshot) -> bool:
        """Return whether a snapshot that was just written does not belong to the history: its id had expired before, or
        its predecessor was rolled back. If the storage fails, or a file of another writer is damaged, the commit is
        still reported as done, because its snapshot exists."""
        with suppress(OSError, CorruptFile):
            return self._may_be_misplaced(snapshot) and self._has_other_successor(snapshot)
        return False

    def _may_be_misplaced(self, snapshot: Snapshot) -> bool:
        """Return whether there is a reason to doubt. While the predecessor exists, the id cannot have expired."""
        before, after = snapshot.id - 1, snapshot.id + 1
        if self._newest is None:
            hint = self._directory.hint(paths.LATEST)
            return (hint is not None and hint > snapshot.id) or not self._directory.exists(before)
        began = time.monotonic()
        files = self._directory.files_around(max(1, before))
        if snapshot.id in files:
            self._pages.keep(snapshot, files[snapshot.id])
            self._newest.remember(snapshot.id, files[snapshot.id], began)
        # A writer that was killed may have left a predecessor that does not belong to the history either.
        is_stray = after not in files and any(each > after for each in files)
        return is_stray or before not in files

    def _has_other_successor(self, snapshot: Snapshot) -> bool:
        ids = self.ids()
        later = [each for each in ids if each > snapshot.id]
        if min(ids, default=snapshot.id) < snapshot.id and snapshot.id - 1 not in ids:
            # Expiry removes the oldest snapshots first, so the predecessor was rolled back.
            return True
        if not later:
            return False
        with suppress(FileNotFoundError):
            following = self._directory.find(snapshot.id + 1)
            if following is not None:
                return not Succession(self._branch).is_followed(snapshot, following)
        # The successor has expired: expiry would have removed this snapshot before it.
        return self._directory.exists(snapshot.id)

    # --- removing -------------------------------------------------------------------------------------------------

    def expire(self, ids: Sequence[int], first_kept: int) -> None:
        """Delete snapshots, the oldest first, so that there is never a gap, and then write the earliest hint: readers
        that see it skip older snapshots."""
        for number in ids:
            self._file_io.delete(self.path(number))
        if ids or not self._has_earliest_hint():
            self.write_earliest_hint(first_kept)

    def roll_back(self, target: Snapshot) -> list[int]:
        """Delete the snapshots after ``target``, the newest first."""
        ids = self.ids()
        if target.id not in ids:
            # The target is restored first, so that a crash never leaves an empty table.
            self._file_io.put_if_absent(self.path(target.id), target.to_json().encode())
        self.lower_earliest_hint(target.id)
        removed = [number for number in ids if number > target.id]
        self.delete_newest(removed)
        self.confirm_latest(target.id)
        return removed

    def delete_newest(self, ids: Sequence[int]) -> None:
        """Delete the newest snapshots, the last one first, so that the table is readable at every moment.

        The latest hint is deleted first, because readers would trust a hint beyond the newest snapshot (format §29.12).
        """
        self._file_io.delete(self._directory.hint_path(paths.LATEST))
        for number in sorted(ids, reverse=True):
            self._file_io.delete(self.path(number))

    def confirm_latest(self, snapshot_id: int) -> None:
        """Write the hint to the newest snapshot.

        Raises:
            CommitConflict: Another writer committed a later snapshot concurrently.
        """
        newest = max(self.ids())
        if newest != snapshot_id:
            raise CommitConflict(
                f"Another writer committed snapshot {newest} to {self._branch.name} while it was set to snapshot "
                f"{snapshot_id}.",
                "Stop the writers and try again.",
            )
        self.write_latest_hint(snapshot_id)

    # --- hints ----------------------------------------------------------------------------------------------------

    def write_latest_hint(self, snapshot_id: int) -> None:
        """Write the hint that saves other readers from listing the directory."""
        self._write_hint(paths.LATEST, snapshot_id)

    def write_earliest_hint(self, snapshot_id: int) -> None:
        """Write the id of the oldest remaining snapshot to the hint."""
        self._write_hint(paths.EARLIEST, snapshot_id)

    def lower_earliest_hint(self, snapshot_id: int) -> None:
        """Write the id of the oldest snapshot to the hint, if the hint now names a later one."""
        hint = self._directory.hint(paths.EARLIEST)
        if hint is not None and hint > snapshot_id:
            self.write_earliest_hint(snapshot_id)

    def _has_earliest_hint(self) -> bool:
        hint = self._directory.hint(paths.EARLIEST)
        return hint is not None and self._directory.exists(hint)

    def _write_hint(self, name: str, snapshot_id: int) -> None:
        self._file_io.overwrite_atomic(self._directory.hint_path(name), str(snapshot_id).encode())
