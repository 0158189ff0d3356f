"""The snapshots of a table as files of its directory (format §4, `SnapshotManager`, `HintFileUtils` and
`RenamingSnapshotCommit`)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from workbench.base.errors import CommitConflict
from workbench.base.parallel import parallel_map
from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.protocol import SnapshotPage, SnapshotStore, TableBranch
from workbench.metadata.small_files import put_version, read_hint, read_small
from workbench.storage.file_io import FileStatus, join

# On local storage, handing every single snapshot to a thread costs more than reading it.
_SHARE = 32
_READERS = 16


class FileSystemSnapshotStore(SnapshotStore):
    """Files ``snapshot-N``, with hints to the newest and the oldest one. A snapshot is published by put-if-absent,
    under the catalog's lock if it has one."""

    def __init__(self, branch: TableBranch) -> None:
        self._branch = branch
        self._file_io = branch.file_io
        self._directory = branch.path(paths.SNAPSHOT_DIRECTORY)

    def path(self, snapshot_id: int) -> str:
        """Return the path of a snapshot."""
        return join(self._directory, paths.snapshot_name(snapshot_id))

    # --- reading --------------------------------------------------------------------------------------------------

    def latest_id(self) -> int | None:
        """Return the newest snapshot's id. The hint is used only if no later snapshot exists."""
        hint = self._hint(paths.LATEST)
        if hint is not None and hint > 0 and not self._exists(hint + 1):
            return hint
        return max(self.ids(), default=None)

    def latest(self) -> Snapshot | None:
        """Return the newest snapshot, None for a table that was never written."""
        newest = self.latest_id()
        if newest is None:
            return None
        # By format §4.1 a hint to a missing snapshot is trusted; the directory listing is more reliable.
        return self.find(newest) or self._newest_listed()

    def earliest_id(self) -> int | None:
        """Return the id of the oldest snapshot that has not expired."""
        hint = self._hint(paths.EARLIEST)
        if hint is not None and self._exists(hint):
            return hint
        return min(self.ids(), default=None)

    def ids(self) -> list[int]:
        """Return all ids, ascending."""
        return sorted(number for number, _ in self._files())

    def find(self, snapshot_id: int) -> Snapshot | None:
        """Return a snapshot, or None if there is no such file."""
        path = self.path(snapshot_id)
        try:
            return Snapshot.from_json(read_small(self._file_io, path), path)
        except FileNotFoundError:
            return None

    def page(self, limit: int | None = None, before: int | None = None) -> SnapshotPage:
        """Return snapshots, newest first; uncached ones are read in parallel, and no others."""
        listed = sorted(self._files(), key=lambda each: each[0], reverse=True)
        wanted = [each for each in listed if before is None or each[0] < before]
        page = wanted[:limit]
        ids = frozenset(number for number, _ in listed)
        return SnapshotPage(tuple(self._read_all(page)), page[-1][0] if len(page) < len(wanted) else None, ids)

    def _newest_listed(self) -> Snapshot | None:
        newest = max(self.ids(), default=None)
        return None if newest is None else self.find(newest)

    def _files(self) -> list[tuple[int, FileStatus]]:
        listed = self._file_io.list_files(self._directory)
        numbered = ((paths.snapshot_id(status.name), status) for status in listed)
        return [(number, status) for number, status in numbered if number is not None]

    def _read_all(self, listed: Sequence[tuple[int, FileStatus]]) -> list[Snapshot]:
        shares = [listed[start : start + _SHARE] for start in range(0, len(listed), _SHARE)]
        found = parallel_map(lambda share: [self._read_listed(each) for each in share], shares, _READERS)
        return [snapshot for share in found for snapshot in share if snapshot is not None]

    def _read_listed(self, listed: tuple[int, FileStatus]) -> Snapshot | None:
        number, status = listed
        # A rollback may be followed by another snapshot of the same id: size and time are part of the key.
        key = ("snapshot", status.path, status.size, status.modified_millis)

        def load() -> tuple[Snapshot, int]:
            path = self.path(number)
            return Snapshot.from_json(read_small(self._file_io, path), path), status.size

        try:
            return self._branch.cache.get_or_load(key, load, lambda each: each[1] * 4)[0]
        except FileNotFoundError:
            return None

    # --- publishing -----------------------------------------------------------------------------------------------

    def publish(self, snapshot: Snapshot) -> bool:
        """Write the snapshot if its id is free, then the hint, which readers can do without."""
        if snapshot.id > 1 and not self._exists(snapshot.id - 1):
            # The previous snapshot has expired, so others took this id. It may only look free because it expired too.
            return False
        path = self.path(snapshot.id)
        if not put_version(self._branch, path, snapshot.to_json().encode()):
            return False
        if self._expired_before(snapshot.id):
            self._file_io.delete(path)
            return False
        # The snapshot is published: the commit must not look failed because its hint cannot be written.
        with suppress(OSError):
            self.write_latest_hint(snapshot.id)
        return True

    def _expired_before(self, snapshot_id: int) -> bool:
        """Return whether snapshots of this age had expired before this one was written.

        Expiry deletes snapshots before it raises the hint, so a snapshot below the hint was written too late. If the
        hint cannot be read, the commit is still reported as done, because its snapshot exists.
        """
        with suppress(OSError):
            return self._is_below_earliest(snapshot_id)
        return False

    def _is_below_earliest(self, snapshot_id: int) -> bool:
        hint = self._hint(paths.EARLIEST)
        if hint is None or hint <= snapshot_id:
            return False
        # A hint to a snapshot that does not exist says nothing.
        return all(self._exists(each) for each in (hint, snapshot_id))

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
            # It is restored first, so that a crash leaves no empty table.
            self._file_io.put_if_absent(self.path(target.id), target.to_json().encode())
        self.lower_earliest_hint(target.id)
        removed = [number for number in ids if number > target.id]
        self.delete_newest(removed)
        self.confirm_latest(target.id)
        return removed

    def delete_newest(self, ids: Sequence[int]) -> None:
        """Delete the newest snapshots, the last one first, so that the table is readable at every moment.

        The latest hint is deleted before: one beyond the newest snapshot would be trusted (format §29.12).
        """
        self._file_io.delete(join(self._directory, paths.LATEST))
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
        """Write the hint that spares other readers the listing."""
        self._write_hint(paths.LATEST, snapshot_id)

    def write_earliest_hint(self, snapshot_id: int) -> None:
        """Write the id of the oldest remaining snapshot to the hint."""
        self._write_hint(paths.EARLIEST, snapshot_id)

    def lower_earliest_hint(self, snapshot_id: int) -> None:
        """Write the id of the oldest snapshot to the hint, if the hint now names a later one."""
        hint = self._hint(paths.EARLIEST)
        if hint is not None and hint > snapshot_id:
            self.write_earliest_hint(snapshot_id)

    def _has_earliest_hint(self) -> bool:
        hint = self._hint(paths.EARLIEST)
        return hint is not None and self._exists(hint)

    def _hint(self, name: str) -> int | None:
        return read_hint(self._file_io, join(self._directory, name))

    def _write_hint(self, name: str, snapshot_id: int) -> None:
        self._file_io.overwrite_atomic(join(self._directory, name), str(snapshot_id).encode())

    def _exists(self, snapshot_id: int) -> bool:
        return self._file_io.exists(self.path(snapshot_id))
