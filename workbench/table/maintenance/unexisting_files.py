"""Data files that a table lists but that are missing (`RemoveUnexistingFilesAction` and `ListUnexistingFiles` in
Java)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.base.metrics import Metrics
from workbench.base.outcome import Outcome
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.commit.commit import TableCommit
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import CommitMessage, DataFileMeta, ManifestEntry
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.measuring import measured
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore

_WORKERS = 8


@dataclass(frozen=True, repr=False)
class UnexistingFiles(Outcome):
    """The paths of the missing data files; ``records`` is the number of rows that were in them.

    ``snapshot`` is the id of the commit that removes them, None if there is none.
    """

    dry_run: bool
    files: tuple[str, ...] = ()
    records: int = 0
    snapshot: int | None = None
    metrics: Metrics | None = field(default=None, compare=False)


@measured("remove unexisting files")
def remove_unexisting_files(store: TableStore, dry_run: bool, progress: Progress) -> UnexistingFiles:
    """Remove missing files from the table; see `Table.remove_unexisting_files`."""
    latest = Snapshots(store).latest()
    entries = ManifestFiles(store).live_files(latest) if latest is not None else ()

    def is_missing(entry: ManifestEntry) -> bool:
        result = store.file_io.exists(_path(store, entry))
        progress.advance()
        return not result

    with progress.step(f"Looking for the files of {store.name}", len(entries)):
        lost = parallel_map(is_missing, entries, _WORKERS)
    missing = [entry for entry, is_lost in zip(entries, lost, strict=True) if is_lost]
    result = UnexistingFiles(
        store.name,
        True,
        tuple(_path(store, entry) for entry in missing),
        sum(entry.file.row_count for entry in missing),
    )
    if dry_run or not missing:
        return replace(result, dry_run=dry_run)
    snapshot = TableCommit(Publication.by_new_user(store)).append(_messages(missing))
    size = sum(entry.file.file_size for entry in missing)
    metrics = Metrics(files_deleted=len(missing), bytes_deleted=size)
    return replace(result, dry_run=False, snapshot=snapshot.id if snapshot is not None else None, metrics=metrics)


def _path(store: TableStore, entry: ManifestEntry) -> str:
    return store.data_file_path(entry.partition, entry.bucket, entry.file)


def _messages(missing: Sequence[ManifestEntry]) -> list[CommitMessage]:
    """Return one message for each bucket, which removes the missing files of the bucket."""
    buckets: dict[tuple[bytes, int, int], list[DataFileMeta]] = {}
    for entry in missing:
        buckets.setdefault((entry.partition, entry.bucket, entry.total_buckets), []).append(entry.file)
    return [CommitMessage(*bucket, deleted_files=tuple(files)) for bucket, files in buckets.items()]
