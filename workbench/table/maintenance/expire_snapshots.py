"""Expiring snapshots (format §24.1, `ExpireSnapshotsImpl` in Java).

Snapshot files are deleted first, then the files that only they used: after a crash every remaining version can be read,
and the files that were not deleted yet are orphans. Java deletes in the opposite order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from workbench.base.errors import CorruptFile, InvalidRequest
from workbench.base.metrics import Metrics
from workbench.base.outcome import Outcome
from workbench.base.progress import Progress
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.data_file import FileKind, FileSource
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.measuring import measured
from workbench.metadata.refs.changelogs import Changelogs
from workbench.metadata.refs.consumers import all_consumers
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_millis
from workbench.table.maintenance.delete_files import delete_unused
from workbench.table.maintenance.unused_files import UnusedFiles
from workbench.table.maintenance.used_files import VersionsToRemove


@dataclass(frozen=True, repr=False)
class SnapshotExpiry(Outcome):
    """The ids of the snapshots and the paths of the files that an expiry deleted, or would delete.

    ``metadata_files`` are manifests, manifest lists, index files with their manifests, and statistics. ``bytes`` is the
    total size of the data and changelog files. ``changelogs`` are the ids of snapshots whose changelog is kept in a
    separate file. ``unread`` lists files of expired snapshots that could not be read; files that only these refer to
    are left to orphan cleaning.
    """

    dry_run: bool
    snapshots: tuple[int, ...] = ()
    data_files: tuple[str, ...] = ()
    changelog_files: tuple[str, ...] = ()
    metadata_files: tuple[str, ...] = ()
    bytes: int = 0
    changelogs: tuple[int, ...] = ()
    unread: tuple[str, ...] = ()
    metrics: Metrics | None = field(default=None, compare=False)

    @property
    def deleted_files(self) -> tuple[str, ...]:
        """All files that were deleted, or would be."""
        return (*self.data_files, *self.changelog_files, *self.metadata_files)


@dataclass(frozen=True)
class _Retention:
    """The minimum and maximum numbers of snapshots to keep; between these limits, snapshots that were still the newest
    at ``older_than`` (epoch milliseconds) are kept. At most ``max_deletes`` expire."""

    at_most: int
    at_least: int
    older_than: int
    max_deletes: int
    decoupled: bool


@measured("expire snapshots")
def expire_snapshots(
    store: TableStore,
    retain_max: int | None,
    retain_min: int | None,
    older_than: int | str | datetime | date | None,
    dry_run: bool,
    progress: Progress,
    max_deletes: int | None = None,
) -> SnapshotExpiry:
    """Expire old snapshots; see `Table.expire_snapshots`."""
    retention = _retention(store, retain_max, retain_min, older_than, max_deletes)
    snapshots = Snapshots(store)
    earliest, latest = snapshots.earliest_id(), snapshots.latest_id()
    if earliest is None or latest is None:
        return SnapshotExpiry(store.name, dry_run)
    end = _end(store, earliest, latest, retention)
    expired = [snapshot for snapshot in map(snapshots.find, range(earliest, end)) if snapshot is not None]
    if not expired:
        if not dry_run:
            # A previous run may have crashed before writing the hint.
            store.snapshots.expire((), earliest)
        return SnapshotExpiry(store.name, dry_run)
    ids = snapshots.ids()
    first_kept = snapshots.find(min((number for number in ids if number >= end), default=end))
    if first_kept is None:
        # Another process has expired more than this one would have.
        return SnapshotExpiry(store.name, dry_run)
    try:
        expiry = _planned(store, expired, first_kept, retention.decoupled, progress)
    except CorruptFile:
        if snapshots.find(first_kept.id) is None:
            return SnapshotExpiry(store.name, dry_run)
        raise
    if dry_run:
        return replace(expiry, dry_run=True)
    _forget(store, _strays(snapshots, ids, earliest), expired, first_kept, retention.decoupled)
    delete_unused(store, (*expiry.data_files, *expiry.changelog_files), expiry.metadata_files, progress)
    return expiry


@dataclass(frozen=True)
class NextExpiry:
    """What the next expiry of snapshots waits for."""

    earliest: int
    """The id of the oldest snapshot."""

    due_millis: int
    """The time from which it is old enough."""

    def is_reached(self, store: TableStore, newest: int) -> bool:
        """Return whether a snapshot may expire when ``newest`` is the id of the newest one."""
        core = store.schema.core
        count = newest - self.earliest + 1
        # After a rollback, or in a table that was created again, there may be earlier snapshots than that.
        if count < 1 or count > core.snapshot_num_retained_max:
            return True
        return count > core.snapshot_num_retained_min and store.clock.now_millis() >= self.due_millis


def next_expiry(store: TableStore) -> NextExpiry | None:
    """Return what the next expiry of snapshots waits for; None if the table has fewer than two snapshots."""
    earliest = Snapshots(store).earliest_id()
    # A snapshot is as old as its successor: until then, it was the newest one.
    following = None if earliest is None else Snapshots(store).find(earliest + 1)
    if earliest is None or following is None:
        return None
    return NextExpiry(earliest, following.time_millis + store.schema.core.snapshot_time_retained)


def _retention(
    store: TableStore,
    maximum: int | None,
    minimum: int | None,
    older_than: int | str | datetime | date | None,
    max_deletes: int | None,
) -> _Retention:
    core = store.schema.core
    configured = (core.snapshot_num_retained_min, core.snapshot_num_retained_max)
    at_least, at_most = retained_counts(minimum, maximum, configured)
    now = store.clock.now_millis()
    age = core.snapshot_time_retained if older_than is None else now - to_millis(older_than)
    limit = delete_limit(core, max_deletes)
    return _Retention(at_most, at_least, now - age, limit, changelogs_outlive_snapshots(core, at_most, at_least, age))


def retained_counts(minimum: int | None, maximum: int | None, configured: tuple[int, int]) -> tuple[int, int]:
    """Return how many snapshots or changelogs to keep at least and at most. Raises InvalidRequest if the minimum is
    less than one or exceeds the maximum.

    Args:
        minimum: The argument ``retain_min`` of a call.
        maximum: The argument ``retain_max`` of a call. It also limits the configured minimum.
        configured: The minimum and the maximum of the options of the table.
    """
    at_most = configured[1] if maximum is None else maximum
    at_least = min(configured[0], max(1, at_most)) if minimum is None else minimum
    if at_least < 1 or at_most < at_least:
        raise InvalidRequest(
            f"retain_min ({at_least}) must be at least 1 and must not exceed retain_max ({at_most}).",
            "Pass retain_min of 1 or more, and retain_max not less than that.",
        )
    return at_least, at_most


def delete_limit(core: CoreOptions, max_deletes: int | None) -> int:
    """Return the maximum number of snapshots or changelogs to expire in one run. Raises InvalidRequest if it is less
    than one."""
    if max_deletes is not None and max_deletes < 1:
        raise InvalidRequest(f"max_deletes must be at least 1, got {max_deletes}.", "Pass 1 or more.")
    return core.snapshot_expire_limit if max_deletes is None else max_deletes


def changelogs_outlive_snapshots(core: CoreOptions, at_most: int, at_least: int, age: int) -> bool:
    """Return whether options keep changelogs longer than snapshots."""
    kept = {"num-retained.max": at_most, "num-retained.min": at_least, "time-retained": age}
    longer = ((core.value(f"changelog.{name}"), of_snapshots) for name, of_snapshots in kept.items())
    return any(changelog is not None and changelog > of_snapshots for changelog, of_snapshots in longer)


def _end(store: TableStore, earliest: int, latest: int, retention: _Retention) -> int:
    """Return the id of the first snapshot that is kept."""
    core = store.schema.core
    end = min(latest - retention.at_least + 1, earliest + retention.max_deletes)
    if end > earliest and not (core.value("consumer.changelog-only") and retention.decoupled):
        end = min([end, *all_consumers(store).values()])
    snapshots = Snapshots(store)
    for number in range(max(latest - retention.at_most + 1, earliest), end):
        # A snapshot is as old as its successor: until then, it was the newest one.
        following = snapshots.find(number + 1)
        if following is not None and following.time_millis >= retention.older_than:
            return number
    return end


def _planned(
    store: TableStore, expired: Sequence[Snapshot], first_kept: Snapshot, decoupled: bool, progress: Progress
) -> SnapshotExpiry:
    unused = UnusedFiles(store, VersionsToRemove(snapshots_below=first_kept.id), progress)
    # Without a changelog producer, the appended files serve as changelog.
    appended_stays = decoupled and store.schema.core.changelog_producer == "none"
    deltas = (entry for snapshot in (*expired[1:], first_kept) for entry in unused.delta(snapshot))
    data = unused.of(
        # Old writers did not record the source of a file.
        entry
        for entry in deltas
        if entry.kind == FileKind.DELETE and (not appended_stays or entry.file.file_source == FileSource.COMPACT)
    )
    changelogs = () if decoupled else (entry for snapshot in expired for entry in unused.changelog(snapshot))
    changelog = unused.of(entry for entry in changelogs if entry.kind == FileKind.ADD)
    ids = tuple(snapshot.id for snapshot in expired)
    lists = unused.lists(name for snapshot in expired for name in _lists(snapshot, appended_stays, decoupled))
    return SnapshotExpiry(
        table=store.name,
        dry_run=False,
        snapshots=ids,
        data_files=unused.paths_of(data),
        changelog_files=unused.paths_of(changelog),
        metadata_files=(*lists, *unused.indexes_and_statistics(expired)),
        bytes=sum(entry.file.file_size for entry in (*data, *changelog)),
        changelogs=ids if decoupled else (),
        unread=tuple(unused.unread),
    )


def _lists(snapshot: Snapshot, appended_stays: bool, decoupled: bool) -> Iterator[str]:
    if not appended_stays:
        yield from (snapshot.base_manifest_list, snapshot.delta_manifest_list)
    if snapshot.changelog_manifest_list is not None and not decoupled:
        yield snapshot.changelog_manifest_list


def _strays(snapshots: Snapshots, ids: Sequence[int], earliest: int) -> list[int]:
    """Return the ids of snapshots below a gap: a writer took ids that had expired, and was killed before it noticed."""
    first = earliest
    while first - 1 in ids:
        first -= 1
    below = [each for each in ids if each < first]
    # A listing may miss a file that is written or removed meanwhile.
    return below if below and snapshots.find(first - 1) is None else []


def _forget(
    store: TableStore, strays: Sequence[int], expired: Sequence[Snapshot], first_kept: Snapshot, decoupled: bool
) -> None:
    """Remove snapshots, the oldest first, so that there is never a gap; if ``decoupled``, keep their changelogs."""
    if decoupled:
        changelogs = Changelogs(store)
        for snapshot in expired:
            changelogs.keep(snapshot)
        changelogs.write_latest_hint(expired[-1].id)
    store.snapshots.expire([*strays, *(snapshot.id for snapshot in expired)], first_kept.id)
