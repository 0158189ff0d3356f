"""Rolling back to an older version (format §24.2, `RollbackHelper` in Java).

Data files and manifests of the removed versions are left to orphan cleaning: another branch may use them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from workbench.base.counting import counted
from workbench.base.errors import InvalidRequest
from workbench.base.metrics import Metrics
from workbench.base.observers import report_change
from workbench.format.spec import paths
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.layouts import check_can_be_restored
from workbench.metadata.refs.changelogs import Changelogs
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_millis
from workbench.table.versions.tag_changes import version_of_id


@dataclass(frozen=True, repr=False)
class Rollback:
    """The version a table was rolled back to, and the removed snapshots and changelogs (ids) and tags (names).

    After a rollback by commit, ``latest`` is the id of that commit, ``files_back`` the number of restored data files,
    and the tag ``kept_by`` protects them from expiry by other engines.
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
        removed = (
            f"{counted(len(self.snapshots), 'snapshots')}, {counted(len(self.changelogs), 'changelogs')} and "
            f"{counted(len(self.tags), 'tags')} removed"
        )
        return f"<{self.table}: rolled back to snapshot {self.snapshot}, {removed}>"


def roll_back(store: TableStore, target: Snapshot) -> Rollback:
    """Make an older version the newest one; see `Table.rollback_to`."""
    with store.lock.lock(*store.name.split(".", 1)):
        return _go_back(store, target)


def rollback_target(
    store: TableStore,
    snapshot: int | None,
    tag: str | None,
    timestamp: int | str | datetime | date | None,
    watermark: int | None,
) -> Snapshot:
    """Return the version to roll back to; see `Table.rollback_to`.

    Raises:
        InvalidRequest: Not exactly one way to select the version is given.
        SnapshotNotFound: There is no such version.
    """
    if sum(each is not None for each in (snapshot, tag, timestamp, watermark)) != 1:
        raise InvalidRequest(
            "A rollback requires one of snapshot, tag, timestamp and watermark.",
            "Pass exactly one of them.",
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
    check_can_be_restored(store, target)
    there = store.snapshots.find(target.id)
    # A version that has expired exists only in a tag, and is restored.
    if there is not None and there.delta_manifest_list != target.delta_manifest_list:
        raise InvalidRequest(
            f"The tag refers to a snapshot {target.id} that is no longer part of the history of {store.name}.",
            "Create a branch from the tag instead.",
        )
    tags = [tag.name for tag in reversed(Tags(store).all().values()) if tag.snapshot.id > target.id]
    Tags(store).unregister(tags)
    removed = store.snapshots.roll_back(target)
    report_change(store.name)
    changelogs = _drop_changelogs(store, target.id)
    for name in tags:
        store.file_io.delete(store.branch_path(paths.TAG_DIRECTORY, paths.tag_name(name)))
    # The newest snapshot before may be damaged, which is a reason to roll back.
    store.runtime.environment.snapshots_replaced(store.table_branch, None, target)
    return Rollback(store.name, target.id, tuple(removed), tuple(changelogs), tuple(sorted(tags)))


def _drop_changelogs(store: TableStore, snapshot_id: int) -> list[int]:
    """Remove the changelogs of later snapshots, and return their ids."""
    changelogs = Changelogs(store)
    ids = changelogs.ids()
    removed = [number for number in ids if number > snapshot_id]
    if removed:
        changelogs.write_latest_hint(max((number for number in ids if number <= snapshot_id), default=-1))
    for number in reversed(removed):
        changelogs.delete(number)
    return removed
