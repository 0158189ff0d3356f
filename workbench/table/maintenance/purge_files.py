"""Deleting all data and history of a table (`FileStoreTable.purgeFiles` in Java).

The rows are removed first, in a commit that either succeeds or changes nothing; Java starts with the branches.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.base.errors import InvalidRequest
from workbench.base.metrics import Metrics
from workbench.base.outcome import Outcome
from workbench.base.progress import Progress
from workbench.commit.commit import TableCommit
from workbench.commit.publication import Publication
from workbench.format.spec import paths
from workbench.format.spec.snapshot import Operation
from workbench.format.spec.snapshot_properties import STATEMENT_PROPERTY
from workbench.metadata.measuring import measured
from workbench.metadata.refs.branches import all_branches
from workbench.metadata.refs.changelogs import Changelogs
from workbench.metadata.refs.consumers import consumer_files
from workbench.metadata.refs.tags import Tags
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.storage.file_io import FileStatus
from workbench.table.maintenance.expire_snapshots import expire_snapshots
from workbench.table.maintenance.orphan_files import candidate_files, remove_orphan_files
from workbench.table.versions.branch_changes import check_deletable, delete_branch
from workbench.table.versions.consumer_changes import clear_consumers
from workbench.table.versions.tag_changes import check_callbacks, delete_tag_files


@dataclass(frozen=True, repr=False)
class PurgedFiles(Outcome):
    """What was deleted, or would be: names of branches, tags and consumers, ids of snapshots and long-lived changelogs,
    and paths of files in the table directory with their ``bytes``. ``snapshot`` is the id of the empty version."""

    dry_run: bool
    branches: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()
    snapshots: tuple[int, ...] = ()
    changelogs: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    bytes: int = 0
    snapshot: int | None = None
    metrics: Metrics | None = field(default=None, compare=False)

    @property
    def deleted_files(self) -> tuple[str, ...]:
        """All files that were deleted, or would be."""
        return self.files


@measured("purge files")
def purge_files(store: TableStore, dry_run: bool, progress: Progress) -> PurgedFiles:
    """Delete all data and history of a table; see `Table.purge_files`."""
    if store.branch != paths.MAIN_BRANCH:
        raise InvalidRequest(f"{store.name} is a branch, whose files other branches use.", "Delete the branch instead.")
    branches = tuple(all_branches(store))
    for name in branches:
        check_deletable(store, name)
    check_callbacks(store)
    before = {each.path: each for each in candidate_files(store)}
    snapshots, changelogs = Snapshots(store).ids(), Changelogs(store).ids()
    tags, consumers = Tags(store).names(), sorted(consumer_files(store))
    snapshot = None
    if not dry_run:
        snapshot = _empty(store)
        left = _purge(store, snapshot, branches, progress)
        before = {path: each for path, each in before.items() if path not in left}
    return PurgedFiles(
        store.name,
        dry_run,
        branches,
        tuple(sorted(tags)),
        tuple(consumers),
        tuple(snapshots),
        tuple(changelogs),
        tuple(sorted(before)),
        sum(each.size for each in before.values()),
        snapshot,
    )


def _empty(store: TableStore) -> int:
    noted = {STATEMENT_PROPERTY: "PURGE FILES"}
    publication = Publication.by_new_user(store, noted, Operation.TRUNCATE)
    # No maintenance follows this commit, because everything that it could clean up is purged.
    return TableCommit(publication).overwrite((), lambda _: True).id


def _purge(store: TableStore, snapshot: int, branches: tuple[str, ...], progress: Progress) -> dict[str, FileStatus]:
    """Delete all versions except the newest, and return the remaining files."""
    for name in branches:
        progress.check()
        delete_branch(store, name)
    # Tags may have been created after the commit, too.
    for name in Tags(store).names():
        delete_tag_files(store, name)
    clear_consumers(store, None, None, dry_run=False)
    now = store.clock.now_millis
    expire_snapshots(store, 1, 1, now(), False, progress, max_deletes=snapshot)
    store.file_io.delete_directory(store.branch_path(paths.CHANGELOG_DIRECTORY))
    remove_orphan_files(store, now(), False, progress)
    return {each.path: each for each in candidate_files(store)}
