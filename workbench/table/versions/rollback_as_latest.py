"""Rolling back to an older version by a commit that keeps the later ones (`FileStoreCommitImpl.rollbackToAsLatest` and
`RollbackToAsLatestProcedure` in Java)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.base.errors import CommitConflict
from workbench.base.metrics import Metrics
from workbench.commit.cleanup import metadata_files, undone_if_unpublished
from workbench.commit.next_snapshot import NextSnapshot
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import FileKind, ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.snapshot_properties import STATEMENT_PROPERTY
from workbench.metadata.layouts import check_can_be_restored
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.measuring import measured
from workbench.metadata.schemas import check_schema_is_stored
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.table.versions.rollback import Rollback
from workbench.table.versions.tag_changes import delete_tag_files, keep_version

_PREFIX = "rollback-to-as-latest-"
_OURS = "workbench."


@measured("roll back as latest")
def rollback_as_latest(store: TableStore, target: Snapshot) -> Rollback:
    """Commit the difference between the newest version and ``target``; see `Table.rollback_to`.

    Raises:
        CommitConflict: Another writer committed concurrently; nothing is changed.
    """
    check_can_be_restored(store, target)
    check_schema_is_stored(store)
    snapshots = Snapshots(store)
    latest = snapshots.latest() or target
    # Java's expiry deletes the files that each commit removed: only a tag protects the restored ones.
    tag = f"{_PREFIX}{target.id}-{store.ids.uuid()}"
    keep_version(store, tag, target)
    with undone_if_unpublished(lambda: delete_tag_files(store, tag)):
        snapshot, delta = _commit(store, latest, target)
    added = [entry.file for entry in delta if entry.kind == FileKind.ADD]
    removed = [entry.file for entry in delta if entry.kind == FileKind.DELETE]
    metrics = Metrics(files_deleted=len(removed), bytes_deleted=sum(file.file_size for file in removed))
    return Rollback(store.name, target.id, latest=snapshot.id, kept_by=tag, files_back=len(added), metrics=metrics)


def _commit(store: TableStore, latest: Snapshot, target: Snapshot) -> tuple[Snapshot, list[ManifestEntry]]:
    manifests = ManifestFiles(store)
    delta = _difference(manifests, latest, target)
    publication = Publication(store, f"{_PREFIX}{store.ids.uuid()}", properties=_properties(target))
    following = NextSnapshot(publication, manifests)
    with metadata_files(manifests) as written:
        snapshot = following.prepare_restored(latest, target, delta, written)
        if not following.publish(snapshot, latest, delta, written):
            raise CommitConflict(
                f"Another writer committed snapshot {snapshot.id} to {store.name} first, which the rollback would "
                "undo.",
                "Nothing was changed; check that snapshot, and roll back again.",
            )
    return snapshot, delta


def _difference(manifests: ManifestFiles, latest: Snapshot, target: Snapshot) -> list[ManifestEntry]:
    now = {entry.identifier: entry for entry in manifests.live_files(latest)}
    then = {entry.identifier: entry for entry in manifests.live_files(target)}
    removed = [replace(entry, kind=FileKind.DELETE) for known, entry in now.items() if known not in then]
    return removed + [entry for known, entry in then.items() if known not in now]


def _properties(target: Snapshot) -> Mapping[str, str]:
    """Return the properties of the commit: the statement, and those of the version that describe its rows."""
    kept = {name: text for name, text in target.properties.items() if not name.startswith(_OURS)}
    return {**kept, STATEMENT_PROPERTY: f"ROLLBACK TO SNAPSHOT {target.id} AS LATEST"}
