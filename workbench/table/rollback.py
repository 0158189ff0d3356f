"""Going back to an older version (format §24.2, `RollbackHelper` in Java).

Data files and manifests of the versions that go are left to orphan cleaning: another branch may use them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from workbench.base.errors import CommitConflict, InvalidRequest
from workbench.base.metrics import Metrics
from workbench.format import paths
from workbench.format.snapshot import Snapshot
from workbench.table.changelogs import Changelogs
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.tag_changes import version_of_id
from workbench.table.tags import Tags
from workbench.table.travel import to_millis


@dataclass(frozen=True, repr=False)
class Rollback:
    """The version a table went back to, and what went: ids of snapshots and kept changelogs, names of tags.

    Where it went back by a commit, ``latest`` is the id of that, ``files_back`` counts the data files that came back,
    and tag ``kept_by`` keeps them from the expiry of other engines.
    """

    table: str
    snapshot: int
    snapshots: tuple[int, ...] = ()
    changelogs: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    latest: int | None = None
    kept_by: str | None = None
    files_back: int = 0
    metrics: Metrics | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        if self.latest is not None:
            return f"<{self.table}: snapshot {self.latest} has the rows of {self.snapshot}, kept by tag {self.kept_by}>"
        gone = f"{len(self.snapshots)} snapshots, {len(self.changelogs)} changelogs and {len(self.tags)} tags removed"
        return f"<{self.table}: rolled back to snapshot {self.snapshot}, {gone}>"


def roll_back(store: TableStore, target: Snapshot) -> Rollback:
    """Make an older version the newest one; see `VersionChanges.rollback_to`."""
    with store.lock.lock(*store.name.split(".", 1)):
        return _go_back(store, target)


def rollback_target(
    store: TableStore,
    snapshot: int | None,
    tag: str | None,
    timestamp: int | str | datetime | date | None,
    watermark: int | None,
) -> Snapshot:
    """The version to go back to, by one of the ways to say so; see `VersionChanges.rollback_to`."""
    if sum(each is not None for each in (snapshot, tag, timestamp, watermark)) != 1:
        raise InvalidRequest(
            "What to go back to is given by a snapshot, a tag, a time or a watermark.",
            "Pass exactly one of snapshot, tag, timestamp and watermark.",
        )
    if snapshot is not None:
        return version_of_id(store, snapshot)
    if tag is not None:
        return Tags(store).get(tag).snapshot
    if timestamp is not None:
        return Snapshots(store).at_or_before(to_millis(timestamp))
    assert watermark is not None
    return Snapshots(store).at_or_before_watermark(watermark)


def _go_back(store: TableStore, target: Snapshot) -> Rollback:
    snapshots = Snapshots(store)
    there = snapshots.find(target.id)
    if there is None:
        # The version has expired and lives in a tag only. It is back before others go: a crash must not leave none.
        store.file_io.put_if_absent(snapshots.path(target.id), target.to_json().encode())
    elif there.delta_manifest_list != target.delta_manifest_list:
        raise InvalidRequest(
            f"The tag is of a snapshot {target.id} that is no longer part of the history of {store.name}.",
            "Make a branch from the tag instead.",
        )
    snapshots.lower_earliest_hint(target.id)
    gone = [number for number in snapshots.ids() if number > target.id]
    drop_snapshots(store, gone)
    changelogs = _drop_changelogs(store, target.id)
    tags = [tag.name for tag in reversed(Tags(store).all().values()) if tag.snapshot.id > target.id]
    for name in tags:
        store.file_io.delete(store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(name)))
    publish_latest(store, target.id)
    return Rollback(store.name, target.id, tuple(gone), tuple(changelogs), tuple(sorted(tags)))


def drop_snapshots(store: TableStore, ids: list[int]) -> None:
    """Remove snapshots, the newest first, so that what is left is a table at every moment. There is no hint
    meanwhile."""
    snapshots = Snapshots(store)
    snapshots.delete_latest_hint()
    for number in sorted(ids, reverse=True):
        store.file_io.delete(snapshots.path(number))


def publish_latest(store: TableStore, snapshot_id: int) -> None:
    """Leave the hint to what is the newest snapshot now.

    Raises:
        CommitConflict: another writer committed a later one meanwhile.
    """
    snapshots = Snapshots(store)
    newest = max(snapshots.ids())
    if newest != snapshot_id:
        raise CommitConflict(
            f"Another writer committed snapshot {newest} to {store.name} while it went to snapshot {snapshot_id}.",
            "Stop the writers and do it again.",
        )
    snapshots.write_latest_hint(snapshot_id)


def _drop_changelogs(store: TableStore, snapshot_id: int) -> list[int]:
    """Remove the changelogs that outlived later snapshots; which they were."""
    changelogs = Changelogs(store)
    ids = changelogs.ids()
    gone = [number for number in ids if number > snapshot_id]
    if gone:
        changelogs.write_latest_hint(max((number for number in ids if number <= snapshot_id), default=-1))
    for number in reversed(gone):
        changelogs.delete(number)
    return gone
