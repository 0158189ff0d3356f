"""Removing tags whose time is over (format §24.2, `TagTimeExpire` and `TagDeletion` in Java).

The files of tags go first, then what only they needed: after a crash every version that is left can be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from workbench.base.metrics import Metrics
from workbench.base.progress import Progress
from workbench.format.tag import Tag
from workbench.table.maintenance.deleting import delete_unused
from workbench.table.maintenance.unused_files import UnusedFiles
from workbench.table.maintenance.used_files import Going
from workbench.table.measuring import measured
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.tag_changes import check_callbacks, forget_tag
from workbench.table.tags import Tags
from workbench.table.travel import to_millis

_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, repr=False)
class TagExpiry:
    """The names of the tags that an expiry removed, or would remove, and the paths of the files that go with them.

    ``unread`` are files of removed versions that could not be read, so that what only they name is left to orphan
    cleaning.
    """

    table: str
    dry_run: bool
    tags: tuple[str, ...] = ()
    data_files: tuple[str, ...] = ()
    metadata_files: tuple[str, ...] = ()
    bytes: int = 0
    unread: tuple[str, ...] = ()
    metrics: Metrics | None = field(default=None, compare=False)

    @property
    def deleted_files(self) -> tuple[str, ...]:
        """Every file that went, or would go."""
        return (*self.data_files, *self.metadata_files)

    def __repr__(self) -> str:
        done = "would expire" if self.dry_run else "expired"
        unread = f"; {len(self.unread)} files could not be read" if self.unread else ""
        return (
            f"<{self.table}: {len(self.tags)} tags {done}, with {len(self.data_files)} data and "
            f"{len(self.metadata_files)} metadata files, {self.bytes:,} bytes of data{unread}>"
        )


@measured("expire tags")
def expire_tags(
    store: TableStore, older_than: int | str | datetime | date | None, dry_run: bool, progress: Progress
) -> TagExpiry:
    """Remove tags whose time is over; see `MaintenanceCalls.expire_tags`."""
    check_callbacks(store)
    now = _EPOCH + timedelta(milliseconds=store.clock.local_wall_millis())
    limit = None
    if older_than is not None:
        limit = now - timedelta(milliseconds=store.clock.now_millis() - to_millis(older_than))
    over = [tag for tag in Tags(store).all().values() if _is_over(store, tag, now, limit)]
    planned = plan_removal(store, over, progress)
    if dry_run:
        return planned
    return remove(store, planned, progress)


def plan_removal(store: TableStore, tags: Sequence[Tag], progress: Progress) -> TagExpiry:
    """What goes with tags: nothing but themselves while their snapshots are there.

    Raises:
        CorruptFile: a manifest of something that is kept cannot be read.
        TableNotFound: a branch was not made to its end.
        Unsupported: a file to be deleted lies outside of the warehouse.
    """
    names = tuple(tag.name for tag in tags)
    snapshots = Snapshots(store)
    gone = [tag.snapshot for tag in tags if not _is_there(snapshots, tag)]
    if not gone:
        return TagExpiry(store.name, True, names)
    unused = UnusedFiles(store, Going(tags=frozenset(names)), progress)
    data = unused.of(entry for snapshot in gone for entry in unused.rows(snapshot))
    lists = unused.lists(name for each in gone for name in (each.base_manifest_list, each.delta_manifest_list))
    return TagExpiry(
        store.name,
        True,
        names,
        tuple(path for entry in data for path in unused.paths_of(entry)),
        (*lists, *unused.indexes_and_statistics(gone)),
        sum(entry.file.file_size for entry in data),
        tuple(unused.unread),
    )


def remove(store: TableStore, planned: TagExpiry, progress: Progress) -> TagExpiry:
    """Remove what `plan_removal` named."""
    for name in planned.tags:
        forget_tag(store, name)
    delete_unused(store, planned.data_files, planned.metadata_files, progress)
    return replace(planned, dry_run=False)


def _is_there(snapshots: Snapshots, tag: Tag) -> bool:
    # Of the id of a tag there may be another snapshot by now.
    found = snapshots.find(tag.snapshot.id)
    return found is not None and found.delta_manifest_list == tag.snapshot.delta_manifest_list


def _is_over(store: TableStore, tag: Tag, now: datetime, limit: datetime | None) -> bool:
    created = tag.created
    if created is None or tag.retained is None:
        if limit is None:
            return False
        written = Tags(store).file(tag.name).modified_millis
        created = now - timedelta(milliseconds=store.clock.now_millis() - written)
    outlived = tag.retained is not None and now > created + tag.retained
    return outlived or (limit is not None and limit > created)
