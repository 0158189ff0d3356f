"""Expiring changelogs that outlived their snapshots (format §24.2, `ExpireChangelogImpl` in Java).

Changelog metadata is deleted first, then the files that only it used: after a crash every remaining changelog can be
read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from workbench.base.metrics import Metrics
from workbench.base.progress import Progress
from workbench.format.spec import paths
from workbench.format.spec.data_file import FileKind, ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.measuring import measured
from workbench.metadata.refs.changelogs import Changelogs
from workbench.metadata.refs.consumers import all_consumers
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.metadata.times import to_millis
from workbench.table.maintenance.delete_files import FileDeletion, delete_unused
from workbench.table.maintenance.expire_snapshots import delete_limit, retained_counts
from workbench.table.maintenance.unused_files import UnusedFiles
from workbench.table.maintenance.used_files import VersionsToRemove


@dataclass(frozen=True, repr=False)
class ChangelogExpiry(FileDeletion):
    """The ids of the snapshots whose changelogs an expiry deleted, or would delete, and the paths of the files.

    ``bytes`` is the total size of the data files. ``unread`` lists files of expired changelogs that could not be read;
    files that only these refer to are left to orphan cleaning.
    """

    dry_run: bool
    changelogs: tuple[int, ...] = ()
    data_files: tuple[str, ...] = ()
    metadata_files: tuple[str, ...] = ()
    bytes: int = 0
    unread: tuple[str, ...] = ()
    metrics: Metrics | None = field(default=None, compare=False)


@measured("expire changelogs")
def expire_changelogs(
    store: TableStore,
    retain_max: int | None,
    retain_min: int | None,
    older_than: int | str | datetime | date | None,
    dry_run: bool,
    progress: Progress,
    max_deletes: int | None = None,
) -> ChangelogExpiry:
    """Expire old changelogs; see `Table.expire_changelogs`."""
    changelogs = Changelogs(store)
    ids, latest = changelogs.ids(), Snapshots(store).latest_id()
    limit = delete_limit(store.schema.core, max_deletes)
    end = _end(store, ids, latest, retain_max, retain_min, older_than, limit) if ids and latest is not None else 0
    expired = [
        changelog for changelog in (changelogs.find(number) for number in ids if number < end) if changelog is not None
    ]
    if not expired:
        if ids and ids[0] > 1 and not dry_run:
            # A previous run may have crashed before writing the hint.
            changelogs.ensure_earliest_hint(ids[0])
        return ChangelogExpiry(store.name, dry_run)
    first_kept = min(number for number in ids if number >= end)
    expiry = _planned(store, expired, first_kept, progress)
    if dry_run:
        return replace(expiry, dry_run=True)
    for number in expiry.changelogs:
        changelogs.delete(number)
    # Written last: readers that see the hint skip older changelogs.
    changelogs.write_earliest_hint(first_kept)
    delete_unused(store, expiry.data_files, expiry.metadata_files, progress)
    return expiry


def _end(
    store: TableStore,
    ids: Sequence[int],
    latest: int,
    maximum: int | None,
    minimum: int | None,
    older_than: int | str | datetime | date | None,
    max_deletes: int,
) -> int:
    """Return the id of the first changelog that is kept; the newest one is always kept."""
    core = store.schema.core
    configured = (core.changelog_num_retained_min, core.changelog_num_retained_max)
    at_least, at_most = retained_counts(minimum, maximum, configured)
    age = core.changelog_time_retained
    limit = store.clock.now_millis() - age if older_than is None else to_millis(older_than)
    end = min(latest - at_least + 1, ids[0] + max_deletes, ids[-1], *all_consumers(store).values())
    changelogs = Changelogs(store)
    for number in range(max(latest - at_most + 1, ids[0]), end):
        changelog = changelogs.find(number)
        if changelog is not None and changelog.time_millis >= limit:
            return number
    return end


def _planned(store: TableStore, expired: Sequence[Snapshot], first_kept: int, progress: Progress) -> ChangelogExpiry:
    unused = UnusedFiles(store, VersionsToRemove(changelogs_below=first_kept), progress)
    data = unused.of(entry for changelog in expired for entry in _entries(store, unused, changelog))
    lists = unused.lists(name for changelog in expired for name in _lists(store, changelog))
    return ChangelogExpiry(
        table=store.name,
        dry_run=False,
        changelogs=tuple(changelog.id for changelog in expired),
        data_files=unused.paths_of(data),
        metadata_files=tuple(lists),
        bytes=sum(entry.file.file_size for entry in data),
        unread=tuple(unused.unread),
    )


def _entries(store: TableStore, unused: UnusedFiles, changelog: Snapshot) -> Iterator[ManifestEntry]:
    """Return the files of a changelog or, without a changelog producer, the files that its commit removed.

    Such files were kept because appended files serve as changelog.
    """
    if changelog.changelog_manifest_list is not None:
        yield from (entry for entry in unused.changelog(changelog) if entry.kind == FileKind.ADD)
    elif _is_there(store, changelog.delta_manifest_list):
        yield from (entry for entry in unused.delta(changelog) if entry.kind == FileKind.DELETE)


def _lists(store: TableStore, changelog: Snapshot) -> Iterator[str]:
    if changelog.changelog_manifest_list is not None:
        yield changelog.changelog_manifest_list
    else:
        # They were deleted with their snapshots unless appended files served as changelog.
        lists = (changelog.delta_manifest_list, changelog.base_manifest_list)
        yield from (name for name in lists if _is_there(store, name))


def _is_there(store: TableStore, name: str) -> bool:
    return store.file_io.exists(store.path(paths.MANIFEST_DIRECTORY, name))
