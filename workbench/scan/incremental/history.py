"""The commits that can still be read: snapshots and long-lived changelogs of expired ones (format §1, §23, §24.1)."""

from __future__ import annotations

from workbench.base.errors import SnapshotNotFound
from workbench.base.lazy import cached_property
from workbench.base.parallel import parallel_map
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.refs.changelogs import Changelogs
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore


class History:
    """The commits of a table by id. ``with_changelogs``: commits whose changelog has outlived their snapshot are
    included.

    The directories are listed once, on first use.
    """

    def __init__(self, store: TableStore, *, with_changelogs: bool) -> None:
        self._store = store
        self._with_changelogs = with_changelogs
        self._snapshots = Snapshots(store)
        self._changelogs = Changelogs(store)

    def between(self, start: int, end: int) -> list[Snapshot]:
        """Return the commits after ``start`` up to ``end``, oldest first.

        Raises:
            SnapshotNotFound: One of them has expired, or never existed.
        """
        wanted = range(start + 1, end + 1)
        for number in wanted:
            if number not in self._ids:
                raise self._lacking(start, number)
        return parallel_map(self._read, wanted)

    def at_or_before(self, millis: int) -> int:
        """Return the id of the newest commit at ``millis`` since the epoch or earlier; 0 for a time before the first.

        Raises:
            SnapshotNotFound: The table had already been written at that time, but its state of that time has expired.
        """
        ids = sorted(self._ids)
        low, high = 0, len(ids)
        while low < high:
            middle = (low + high) // 2
            if self._read(ids[middle]).time_millis <= millis:
                low = middle + 1
            else:
                high = middle
        if low == 0 and ids and ids[0] > 1:
            raise SnapshotNotFound(
                f"The state of {self._store.name} at that time has expired.",
                f"The earliest available snapshot is {ids[0]}.",
            )
        return ids[low - 1] if low else 0

    @cached_property
    def _ids(self) -> frozenset[int]:
        ids = frozenset(self._snapshots.ids())
        return ids | self._changelog_ids if self._with_changelogs else ids

    @cached_property
    def _changelog_ids(self) -> frozenset[int]:
        return frozenset(self._changelogs.ids())

    def _read(self, number: int) -> Snapshot:
        # The snapshot may have expired after the directory was listed; its changelog may then exist.
        return self._snapshots.find(number) or self._changelogs.find(number) or self._snapshots.get(number)

    def _lacking(self, start: int, number: int) -> SnapshotNotFound:
        later = [each for each in self._ids if each > number]
        if not later:
            ids = sorted(self._ids)
            hint = f"It has {ids[0]} to {ids[-1]}." if ids else "It was never written."
            return SnapshotNotFound(f"Table {self._store.name} has no snapshot {number}.", hint)
        kept = " Its changelog is kept: use mode 'changelog'." if number in self._changelog_ids else ""
        return SnapshotNotFound(
            f"The changes of {self._store.name} after snapshot {start} are incomplete: snapshot {number} has expired.",
            f"The earliest available snapshot is {min(later)}: start at {min(later) - 1} or later.{kept}",
        )
