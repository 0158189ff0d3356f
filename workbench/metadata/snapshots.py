"""Lookup of the snapshots of a table by id, time and watermark (format §4.1, `SnapshotManager`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from workbench.base.errors import SnapshotNotFound, Unsupported
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.file_system.environment import FileSystemEnvironment
from workbench.metadata.file_system.snapshots import FileSystemSnapshotStore
from workbench.metadata.listings import SnapshotList
from workbench.metadata.protocol import SnapshotFinder, SnapshotPage
from workbench.metadata.schemas import check_version, same_table
from workbench.metadata.store import TableStore

Found = TypeVar("Found")
Version = TypeVar("Version", Snapshot, Snapshot | None)


class Snapshots:
    """The snapshots of one table, read fresh at every call: other writers may add and expire them at any time.

    It finds snapshots in the `SnapshotStore` that the table's catalog provides. All methods except `find` raise
    TableNotFound, instead of finding nothing or the snapshots of another table, if the table was dropped, renamed or
    created again since it was opened.
    """

    def __init__(self, store: TableStore) -> None:
        self._store = store
        self._name = store.name
        self._stored = store.snapshots

    def latest_id(self) -> int | None:
        """Return the newest snapshot's id, None for a table that was never written."""
        return self._present(self._stored.latest_id())

    def latest(self) -> Snapshot | None:
        """Return the newest snapshot, None for a table that was never written."""
        return self._checked(self._stored.latest())

    def to_read(self, fixed: Snapshot | None) -> Snapshot | None:
        """Return the version of a read: ``fixed``, or the newest one if it is None. A fixed version is checked too,
        because its metadata may be cached, and would be read although the table is gone."""
        if fixed is None:
            return self.latest()
        same_table(self._store)
        return fixed

    def earliest_id(self) -> int | None:
        """Return the id of the oldest snapshot that has not expired."""
        return self._present(self._stored.earliest_id())

    def ids(self) -> list[int]:
        """Return all ids, ascending."""
        return self._present(self._stored.ids())

    def find(self, snapshot_id: int) -> Snapshot | None:
        """Return a snapshot, or None if there is no snapshot with this id."""
        return self._stored.find(snapshot_id)

    def finder(self) -> SnapshotFinder:
        """Return a way to find many snapshots, as they are now."""
        return self._stored.finder()

    def get(self, snapshot_id: int) -> Snapshot:
        """Return a snapshot.

        Raises:
            SnapshotNotFound: There is no snapshot with this id; the message names the existing ones.
        """
        return self._checked(self._get(snapshot_id))

    def _get(self, snapshot_id: int) -> Snapshot:
        found = self.find(snapshot_id) if isinstance(snapshot_id, int) else None
        if found is None:
            same_table(self._store)
            raise SnapshotNotFound(f"Table {self._name} has no snapshot {snapshot_id}.", self._range_hint())
        return found

    def all(self) -> list[Snapshot]:
        """Return every snapshot that has not expired, oldest first."""
        return SnapshotList(reversed(self.newest().snapshots))

    def newest(self, limit: int | None = None, before: int | None = None) -> SnapshotPage:
        """Return a page of snapshots, newest first: at most ``limit`` (1 or more), with ids below ``before``. No other
        snapshots are read."""
        page = self._stored.page(limit, before)
        if before is None or not page.snapshots:
            self._checked(page.snapshots[0] if page.snapshots else None)
        return page

    def at_or_before(self, millis: int) -> Snapshot:
        """Return the newest snapshot that was committed at ``millis`` since the epoch or earlier (format §25.8).

        Raises:
            SnapshotNotFound: The table was not yet written then, or its snapshots of that time have expired.
        """
        found = self._bisect(lambda snapshot: snapshot.time_millis <= millis, millis)
        if found is None:
            earliest = self.earliest_id()
            hint = None if earliest is None else f"The oldest snapshot is {earliest}."
            raise SnapshotNotFound(f"Table {self._name} has no snapshot as old as that time.", hint)
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
        return self._bisect(lambda snapshot: snapshot.time_millis < millis, millis)

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
            raise SnapshotNotFound(f"Table {self._name} has no snapshot with watermark {watermark} or later.", hint)
        return self.get(following[0])

    def at_or_before_watermark(self, watermark: int) -> Snapshot:
        """Return the newest snapshot whose watermark, milliseconds since the epoch, is ``watermark`` or earlier.

        Raises:
            SnapshotNotFound: No remaining snapshot has such a watermark.
        """
        found = self._bisect(lambda snapshot: snapshot.watermark is None or snapshot.watermark <= watermark)
        if found is None or found.watermark is None:
            raise SnapshotNotFound(
                f"Table {self._name} has no snapshot with watermark {watermark} or earlier.",
                "System table $snapshots shows the watermarks.",
            )
        return found

    def _bisect(self, holds: Callable[[Snapshot], bool], millis: int | None = None) -> Snapshot | None:
        """Return the newest snapshot for which ``holds`` is true, as for all older ones; ``millis`` is about its
        time."""
        finder = self.finder()
        ids = self._present(finder.ids())
        low, high, found = 0, len(ids) - 1, None
        # The listing may have the times of the files. If they are those of the commits, two reads are enough.
        likely = None if millis is None else finder.position_at(millis)
        while low <= high:
            middle = (low + high) // 2 if likely is None or not low <= likely <= high else likely
            snapshot = finder.find(ids[middle]) or self._get(ids[middle])
            if holds(snapshot):
                found, low = snapshot, middle + 1
            else:
                high = middle - 1
            likely = None if middle != likely else low if found is snapshot else high
        return found if found is None else self._checked(found)

    def _checked(self, found: Version) -> Version:
        check_version(self._store, found)
        return found

    def _present(self, found: Found) -> Found:
        """Return what was found; if this is nothing, check that the table still exists."""
        if not found:
            same_table(self._store)
        return found

    def _range_hint(self) -> str:
        ids = self.ids()
        return f"It has snapshots {ids[0]} to {ids[-1]}." if ids else "It was never written."


def snapshot_files(store: TableStore, operation: str) -> FileSystemSnapshotStore:
    """Return the snapshots of a table as files, for an operation that works on the files of a branch's directory.

    Raises:
        Unsupported: The catalog of the table keeps its snapshots elsewhere.
    """
    if isinstance(store.snapshots, FileSystemSnapshotStore):
        return store.snapshots
    raise _kept_elsewhere(store, operation)


def check_versions_are_files(store: TableStore, operation: str) -> None:
    """Check that the versions of a table are also files of its directory, for an operation that only reads them.

    Raises:
        Unsupported: The catalog of the table keeps its newest version elsewhere.
    """
    if isinstance(store.snapshots, FileSystemSnapshotStore):
        return
    files, branch = FileSystemEnvironment(), store.table_branch
    if not files.schemas(branch).has(store.opened) or files.snapshots(branch).latest() != store.snapshots.latest():
        raise _kept_elsewhere(store, operation)


def _kept_elsewhere(store: TableStore, operation: str) -> Unsupported:
    return Unsupported(
        f"{operation} is not supported for {store.name}, because its catalog does not keep snapshots as files.",
        "Use the service of its catalog instead.",
    )
