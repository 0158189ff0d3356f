"""Going back to an older version without taking later ones back: a commit makes its rows the newest ones
(`FileStoreCommitImpl.rollbackToAsLatest` and `RollbackToAsLatestProcedure` in Java)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.base.errors import CommitConflict, WorkbenchError
from workbench.base.metrics import Metrics
from workbench.format.data_file import FileKind, ManifestEntry
from workbench.format.snapshot import Snapshot
from workbench.table.committing.next_snapshot import NextSnapshot, Written
from workbench.table.committing.snapshot_commit import FileSystemSnapshotCommit
from workbench.table.committing.two_phase import STATEMENT_PROPERTY, commit_properties
from workbench.table.manifests import ManifestFiles
from workbench.table.measuring import measured
from workbench.table.rollback import Rollback
from workbench.table.snapshots import Snapshots
from workbench.table.store import TableStore
from workbench.table.tag_changes import forget_tag, keep_version

_PREFIX = "rollback-to-as-latest-"
_OURS = "workbench."


@measured("roll back as latest")
def go_back_as_latest(store: TableStore, target: Snapshot) -> Rollback:
    """Commit the difference between the newest version and ``target``; see `VersionChanges.rollback_to`.

    Raises:
        CommitConflict: another writer committed meanwhile; nothing is changed.
    """
    snapshots = Snapshots(store)
    latest = snapshots.latest() or target
    # Java's expiry looks at what each commit removed: without a tag it would delete files that came back.
    tag = f"{_PREFIX}{target.id}-{store.ids.uuid()}"
    keep_version(store, tag, target)
    try:
        made, delta = _commit(store, latest, target)
    except WorkbenchError:
        forget_tag(store, tag)
        raise
    added = [entry.file for entry in delta if entry.kind == FileKind.ADD]
    removed = [entry.file for entry in delta if entry.kind == FileKind.DELETE]
    metrics = Metrics(files_deleted=len(removed), bytes_deleted=sum(file.file_size for file in removed))
    return Rollback(store.name, target.id, latest=made.id, kept_by=tag, files_back=len(added), metrics=metrics)


def _commit(store: TableStore, latest: Snapshot, target: Snapshot) -> tuple[Snapshot, list[ManifestEntry]]:
    manifests = ManifestFiles(store)
    delta = _difference(manifests, latest, target)
    written = Written()
    try:
        user = f"{_PREFIX}{store.ids.uuid()}"
        following = NextSnapshot(store, user, manifests)
        snapshot = following.prepare_restored(latest, target, delta, _properties(target), written)
    except BaseException:
        manifests.delete(written.names)
        raise
    # From here an error leaves everything in place: the snapshot may be there.
    if not FileSystemSnapshotCommit(store).publish(snapshot):
        manifests.delete(written.names)
        raise CommitConflict(
            f"Another writer committed snapshot {snapshot.id} to {store.name} first, which would have been undone.",
            "Nothing was changed; look at it, and go back again.",
        )
    return snapshot, delta


def _difference(manifests: ManifestFiles, latest: Snapshot, target: Snapshot) -> list[ManifestEntry]:
    now = {entry.identifier: entry for entry in manifests.live_files(latest)}
    then = {entry.identifier: entry for entry in manifests.live_files(target)}
    gone = [replace(entry, kind=FileKind.DELETE) for known, entry in now.items() if known not in then]
    return gone + [entry for known, entry in then.items() if known not in now]


def _properties(target: Snapshot) -> Mapping[str, str]:
    """What the version notes of its rows, without the story of its own commit."""
    kept = {name: text for name, text in target.properties.items() if not name.startswith(_OURS)}
    return {**kept, **commit_properties({STATEMENT_PROPERTY: f"ROLLBACK TO SNAPSHOT {target.id} AS LATEST"})}
