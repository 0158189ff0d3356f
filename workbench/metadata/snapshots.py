"""Lookup, listing and reading of the snapshots of a table (format §4.1, `SnapshotManager` and `HintFileUtils`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.base.errors import CorruptFile, SnapshotNotFound
from workbench.base.parallel import parallel_map
from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.store import TableStore, read_small
from workbench.storage.file_io import FileIO, FileStatus, join

# On local storage, handing every single snapshot to a thread costs more than reading it.
_SHARE = 32
_READERS = 16


@dataclass(frozen=True)
class SnapshotPage:
    """Snapshots, newest first. ``next`` is the id of the last one if older ones follow; ``ids`` are the ids of all
    snapshots."""

    snapshots: tuple[Snapshot, ...]
    next: int | None
    ids: frozenset[int]


class Snapshots:
    """The snapshots of one table, read fresh at every call: other writers may add and expire them at any time."""

    def __init__(self, store: TableStore) -> None:
        self._store = store
        self._directory = store.branch_path(paths.SNAPSHOT_DIRECTORY)

    def path(self, snapshot_id: int) -> str:
        """Return the path of a snapshot."""
        return join(self._directory, paths.snapshot_name(snapshot_id))

    def latest_id(self) -> int | None:
        """Return the newest snapshot's id, None for a table that was never written. The hint is used only if no later
        snapshot exists."""
        hint = read_hint(self._store.file_io, join(self._directory, paths.LATEST))
        if hint is not None and hint > 0 and not self._store.file_io.exists(self.path(hint + 1)):
            return hint
        return max(self.ids(), default=None)

    def earliest_id(self) -> int | None:
        """Return the id of the oldest snapshot that has not expired."""
        hint = read_hint(self._store.file_io, join(self._directory, paths.EARLIEST))
        if hint is not None and self._store.file_io.exists(self.path(hint)):
            return hint
        return min(self.ids(), default=None)

    def is_below_earliest(self, snapshot_id: int) -> bool:
        """Whether a snapshot is there although the hint says that all of its age have expired."""
        hint = read_hint(self._store.file_io, join(self._directory, paths.EARLIEST))
        if hint is None or hint <= snapshot_id:
            return False
        # A hint to a snapshot that does not exist says nothing.
        return all(self._store.file_io.exists(self.path(each)) for each in (hint, snapshot_id))

    def ids(self) -> list[int]:
        """Return all ids, ascending."""
        return sorted(number for number, _ in self._files())

    def find(self, snapshot_id: int) -> Snapshot | None:
        """Return a snapshot, or None if there is no such file."""
        path = self.path(snapshot_id)
        try:
            return Snapshot.from_json(read_small(self._store.file_io, path), path)
        except FileNotFoundError:
            return None

    def latest(self) -> Snapshot | None:
        """Return the newest snapshot, None for a table that was never written."""
        newest = self.latest_id()
        if newest is None:
            return None
        # By format §4.1 a hint to a missing snapshot is trusted; the directory listing is more reliable.
        return self.find(newest) or self._newest_listed()

    def get(self, snapshot_id: int) -> Snapshot:
        """Return a snapshot.

        Raises:
            SnapshotNotFound: There is no snapshot of that id; the message names the existing ones.
        """
        found = self.find(snapshot_id) if isinstance(snapshot_id, int) else None
        if found is None:
            raise SnapshotNotFound(f"Table {self._store.name} has no snapshot {snapshot_id}.", self._range_hint())
        return found

    def all(self) -> list[Snapshot]:
        """Return every snapshot that has not expired, oldest first; uncached ones are read in parallel."""
        return self._read_all(sorted(self._files(), key=lambda each: each[0]))

    def newest(self, limit: int | None = None, before: int | None = None) -> SnapshotPage:
        """Return a page of snapshots, newest first: at most ``limit`` (1 or more), with ids below ``before``. Reads no
        others."""
        listed = sorted(self._files(), key=lambda each: each[0], reverse=True)
        wanted = [each for each in listed if before is None or each[0] < before]
        page = wanted[:limit]
        ids = frozenset(number for number, _ in listed)
        return SnapshotPage(tuple(self._read_all(page)), page[-1][0] if len(page) < len(wanted) else None, ids)

    def at_or_before(self, millis: int) -> Snapshot:
        """Return the newest snapshot that was committed at ``millis`` since the epoch or earlier (format §25.8).

        Raises:
            SnapshotNotFound: The table was not yet written then, or its snapshots of that time have expired.
        """
        found = self._bisect(lambda snapshot: snapshot.time_millis <= millis)
        if found is None:
            earliest = self.earliest_id()
            hint = None if earliest is None else f"The oldest snapshot is {earliest}."
            raise SnapshotNotFound(f"Table {self._store.name} has no snapshot as old as that time.", hint)
        return found

    def at_or_after(self, millis: int) -> Snapshot | None:
        """Return the oldest snapshot that was committed at ``millis`` since the epoch or later; None if there is
        none."""
        before = self.newest_before(millis)
        following = next((number for number in self.ids() if before is None or number > before.id), None)
        return None if following is None else self.get(following)

    def newest_before(self, millis: int) -> Snapshot | None:
        """Return the newest snapshot that was committed before ``millis`` since the epoch; None if there is none or it
        has expired."""
        return self._bisect(lambda snapshot: snapshot.time_millis < millis)

    def at_or_after_watermark(self, watermark: int) -> Snapshot:
        """Return the oldest snapshot whose watermark, milliseconds since the epoch, is ``watermark`` or later (format
        §25.8).

        Raises:
            SnapshotNotFound: No snapshot has reached this watermark.
        """
        # A snapshot inherits the watermark of the previous one, so only the first ones can lack one.
        before = self._bisect(lambda snapshot: snapshot.watermark is None or snapshot.watermark < watermark)
        following = [number for number in self.ids() if before is None or number > before.id]
        if not following:
            newest = None if before is None else before.watermark
            hint = "It has no watermarks." if newest is None else f"The newest watermark is {newest}."
            raise SnapshotNotFound(
                f"Table {self._store.name} has no snapshot with watermark {watermark} or later.", hint
            )
        return self.get(following[0])

    def at_or_before_watermark(self, watermark: int) -> Snapshot:
        """Return the newest snapshot whose watermark, milliseconds since the epoch, is ``watermark`` or earlier.

        Raises:
            SnapshotNotFound: No remaining snapshot has such a watermark.
        """
        found = self._bisect(lambda snapshot: snapshot.watermark is None or snapshot.watermark <= watermark)
        if found is None or found.watermark is None:
            raise SnapshotNotFound(
                f"Table {self._store.name} has no snapshot with watermark {watermark} or earlier.",
                "System table $snapshots shows the watermarks.",
            )
        return found

    def _bisect(self, holds: Callable[[Snapshot], bool]) -> Snapshot | None:
        ids = self.ids()
        low, high, found = 0, len(ids) - 1, None
        while low <= high:
            middle = (low + high) // 2
            snapshot = self.get(ids[middle])
            if holds(snapshot):
                found, low = snapshot, middle + 1
            else:
                high = middle - 1
        return found

    def _newest_listed(self) -> Snapshot | None:
        newest = max(self.ids(), default=None)
        return None if newest is None else self.find(newest)

    def _range_hint(self) -> str:
        ids = self.ids()
        return f"It has snapshots {ids[0]} to {ids[-1]}." if ids else "It was never written."

    def _files(self) -> list[tuple[int, FileStatus]]:
        numbered = (
            (paths.snapshot_id(status.name), status) for status in self._store.file_io.list_files(self._directory)
        )
        return [(number, status) for number, status in numbered if number is not None]

    def _read_all(self, listed: Sequence[tuple[int, FileStatus]]) -> list[Snapshot]:
        shares = [listed[start : start + _SHARE] for start in range(0, len(listed), _SHARE)]
        found = parallel_map(lambda share: [self._read_listed(each) for each in share], shares, _READERS)
        return [snapshot for share in found for snapshot in share if snapshot is not None]

    def _read_listed(self, listed: tuple[int, FileStatus]) -> Snapshot | None:
        number, status = listed
        # A rollback may be followed by another snapshot of the same id: size and time are part of the key.
        key = ("snapshot", status.path, status.size, status.modified_millis)
        try:
            data, _ = self._store.cache.get_or_load(
                key, lambda: (self.get(number), status.size), lambda each: each[1] * 4
            )
        except SnapshotNotFound:
            return None
        return data

    def write_latest_hint(self, snapshot_id: int) -> None:
        """Write the hint that spares other readers the listing."""
        self._store.file_io.overwrite_atomic(join(self._directory, paths.LATEST), str(snapshot_id).encode())

    def delete_latest_hint(self) -> None:
        """Delete the hint, so that readers list the directory: a hint beyond the newest snapshot would be trusted
        (format §29.12)."""
        self._store.file_io.delete(join(self._directory, paths.LATEST))

    def write_earliest_hint(self, snapshot_id: int) -> None:
        """Write the id of the oldest remaining snapshot to the hint."""
        self._store.file_io.overwrite_atomic(join(self._directory, paths.EARLIEST), str(snapshot_id).encode())

    def ensure_earliest_hint(self, snapshot_id: int) -> None:
        """Write the id of the oldest snapshot to the hint, if there is no hint to an existing snapshot."""
        hint = read_hint(self._store.file_io, join(self._directory, paths.EARLIEST))
        if hint is None or not self._store.file_io.exists(self.path(hint)):
            self.write_earliest_hint(snapshot_id)

    def lower_earliest_hint(self, snapshot_id: int) -> None:
        """Write the id of the oldest snapshot to the hint, if the hint now names a later one."""
        path = join(self._directory, paths.EARLIEST)
        hint = read_hint(self._store.file_io, path)
        if hint is not None and hint > snapshot_id:
            self._store.file_io.overwrite_atomic(path, str(snapshot_id).encode())


def read_hint(file_io: FileIO, path: str) -> int | None:
    """Return the number in a hint file; None if the file is missing or does not contain a number."""
    try:
        return int(read_small(file_io, path))
    except (FileNotFoundError, CorruptFile, ValueError):
        return None
