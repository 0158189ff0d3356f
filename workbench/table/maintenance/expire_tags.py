"""Removing expired tags (format §24.2, `TagTimeExpire` and `TagDeletion` in Java).

Tag files are deleted first, then the files that only they used: after a crash every remaining version can be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from workbench.base.metrics import Metrics
from workbench.base.progress import Progress
from workbench.format.spec.tag import Tag
from workbench.metadata.measuring import measured
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_millis
from workbench.table.maintenance.delete_files import FileDeletion, delete_unused
from workbench.table.maintenance.unused_files import UnusedFiles
from workbench.table.maintenance.used_files import VersionsToRemove
from workbench.table.versions.tag_changes import check_callbacks, delete_tag_files

_MILLISECOND = timedelta(milliseconds=1)
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, repr=False)
class TagExpiry(FileDeletion):
    """The names of the tags that an expiry removed, or would remove, and the paths of the files deleted with them.

    ``unread`` lists files of removed versions that could not be read; files that only these refer to are left to orphan
    cleaning.
    """

    dry_run: bool
    tags: tuple[str, ...] = ()
    data_files: tuple[str, ...] = ()
    metadata_files: tuple[str, ...] = ()
    bytes: int = 0
    unread: tuple[str, ...] = ()
    metrics: Metrics | None = field(default=None, compare=False)


@measured("expire tags")
def expire_tags(
    store: TableStore, older_than: int | str | datetime | date | None, dry_run: bool, progress: Progress
) -> TagExpiry:
    """Remove expired tags; see `Table.expire_tags`."""
    check_callbacks(store)
    now = _EPOCH + timedelta(milliseconds=store.clock.local_wall_millis())
    limit = None
    if older_than is not None:
        # A time beyond the range of datetime is clamped to that range; it is still before or after every tag.
        earliest, latest = (datetime.min - now) // _MILLISECOND, (datetime.max - now) // _MILLISECOND
        limit = now + _MILLISECOND * min(max(to_millis(older_than) - store.clock.now_millis(), earliest), latest)
    over = [tag for tag in Tags(store).all().values() if _is_over(store, tag, now, limit)]
    planned = plan_removal(store, over, progress)
    if dry_run:
        return planned
    return remove(store, planned, progress)


def plan_removal(store: TableStore, tags: Sequence[Tag], progress: Progress) -> TagExpiry:
    """Return the files to delete with tags; if the tagged snapshots still exist, only the tags themselves are deleted.

    Raises:
        CorruptFile: A manifest that is still needed cannot be read.
        TableNotFound: A branch is incomplete, so its files are unknown.
        Unsupported: A file to delete is outside the warehouse.
    """
    names = tuple(tag.name for tag in tags)
    snapshots = Snapshots(store)
    expired = [tag.snapshot for tag in tags if not _is_there(snapshots, tag)]
    if not expired:
        return TagExpiry(store.name, True, names)
    unused = UnusedFiles(store, VersionsToRemove(tags=frozenset(names)), progress)
    data = unused.of(entry for snapshot in expired for entry in unused.rows(snapshot))
    lists = unused.lists(name for each in expired for name in (each.base_manifest_list, each.delta_manifest_list))
    return TagExpiry(
        store.name,
        True,
        names,
        unused.paths_of(data),
        (*lists, *unused.indexes_and_statistics(expired)),
        sum(entry.file.file_size for entry in data),
        tuple(unused.unread),
    )


def remove(store: TableStore, planned: TagExpiry, progress: Progress) -> TagExpiry:
    """Delete the files that `plan_removal` returned."""
    for name in planned.tags:
        delete_tag_files(store, name)
    delete_unused(store, planned.data_files, planned.metadata_files, progress)
    return replace(planned, dry_run=False)


def _is_there(snapshots: Snapshots, tag: Tag) -> bool:
    # After a rollback another snapshot may have the id of a tag's snapshot.
    snapshot = snapshots.find(tag.snapshot.id)
    return snapshot is not None and snapshot.delta_manifest_list == tag.snapshot.delta_manifest_list


def _is_over(store: TableStore, tag: Tag, now: datetime, limit: datetime | None) -> bool:
    created = tag.created
    if created is None or tag.retained is None:
        if limit is None:
            return False
        written = Tags(store).file(tag.name).modified_millis
        created = now - timedelta(milliseconds=store.clock.now_millis() - written)
    outlived = tag.retained is not None and now - created > tag.retained
    return outlived or (limit is not None and limit > created)
