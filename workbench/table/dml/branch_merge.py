"""Adding the rows of a branch to a table (`FileSystemBranchManager.mergeBranch` in Java 2.0).

The metadata does not record where two branches diverged. Therefore both must be append tables with a complete history
of added files; then the files that only the branch has are added unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.errors import InvalidRequest, SnapshotNotFound, Unsupported
from workbench.commit import publish
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import CommitMessage, DataFileMeta, ManifestEntry
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.refs.branches import open_branch
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.table.commits.commit import Commit
from workbench.table.commits.commit_messages import commit_messages

_SAME_OPTIONS = ("row-tracking.enabled", "data-evolution.enabled")
_ADDING = (CommitKind.APPEND, CommitKind.ANALYZE)


def merge_branch(store: TableStore, name: str) -> Commit:
    """Add the files that only a branch has; see `Table.merge_branch`."""
    if name == store.branch:
        raise InvalidRequest(f"Branch '{name}' of {store.name} cannot be merged into itself.", "Pass another branch.")
    target, source = open_branch(store, store.branch), open_branch(store, name)
    for each in (source, target):
        if each.schema.is_primary_key_table:
            raise Unsupported(f"{each.name} has a primary key; only append tables can be merged.")
    if source.schema.fields != target.schema.fields:
        raise InvalidRequest(f"{source.name} and {target.name} have different columns.", "Give both the same columns.")
    for option in _SAME_OPTIONS:
        if source.schema.core.value(option) or target.schema.core.value(option):
            raise Unsupported(f"Merging branches of a table with option '{option}' = 'true' is not supported.")
    theirs, ours = (ManifestFiles(each).live_files(_latest_of_all(each)) for each in (source, target))
    known = {entry.identifier for entry in ours}
    missing = [entry for entry in theirs if entry.identifier not in known]
    _check_schemas(source, target, missing)
    if not missing:
        return Commit(store.name, ())
    # The files stay files of the branch if nothing is published.
    return commit_messages(Publication.by_new_user(target), _messages(missing), publish.commit, keeps_files=True)


def _latest_of_all(store: TableStore) -> Snapshot:
    """Return the newest version, after checking that the history is complete and has only added files.

    Raises:
        SnapshotNotFound: There is no snapshot.
        Unsupported: Snapshots have expired, or a commit removed files.
    """
    snapshots = Snapshots(store).all()
    if not snapshots:
        raise SnapshotNotFound(f"{store.name} has no snapshots.", "Write to it before you merge.")
    if [each.id for each in snapshots] != list(range(1, len(snapshots) + 1)):
        raise Unsupported(
            f"Snapshots of {store.name} have expired; only branches with all their snapshots can be merged."
        )
    other = next((each for each in snapshots if each.commit_kind not in _ADDING), None)
    if other is not None:
        raise Unsupported(
            f"Snapshot {other.id} of {store.name} has commit kind {other.commit_kind}; only branches that were never "
            "compacted or overwritten can be merged."
        )
    return snapshots[-1]


def _check_schemas(source: TableStore, target: TableStore, entries: Sequence[ManifestEntry]) -> None:
    """Raise InvalidRequest unless both branches have the same schema under each id that files refer to."""
    known = target.schemas.ids()
    for number in {entry.file.schema_id for entry in entries}:
        if number not in known or source.schema_of(number) != target.schema_of(number):
            raise InvalidRequest(
                f"{source.name} has files of schema {number}, which differs in {target.name}.",
                "Write the rows of the branch to the table instead.",
            )


def _messages(entries: Sequence[ManifestEntry]) -> list[CommitMessage]:
    buckets: dict[tuple[bytes, int, int], list[DataFileMeta]] = {}
    for entry in entries:
        buckets.setdefault((entry.partition, entry.bucket, entry.total_buckets), []).append(entry.file)
    return [CommitMessage(*bucket, new_files=tuple(files)) for bucket, files in buckets.items()]
