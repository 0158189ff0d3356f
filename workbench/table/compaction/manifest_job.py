"""Manifests are made few in a commit of their own (Java ``FileStoreCommitImpl.compactManifest``)."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.base.metrics import Metrics
from workbench.format.snapshot import Snapshot
from workbench.table.committing.commit import TableCommit, new_commit_user
from workbench.table.committing.two_phase import commit_properties
from workbench.table.manifests import ManifestFiles
from workbench.table.measuring import measured
from workbench.table.store import TableStore


@dataclass(frozen=True)
class ManifestCompaction:
    """What a compaction of manifests did. ``snapshot`` is None where there was nothing to do; ``bytes`` are those of
    all manifests. ``seconds`` is wall time."""

    table: str
    snapshot: Snapshot | None
    manifests_before: int
    manifests_after: int
    bytes_before: int
    bytes_after: int
    seconds: float
    metrics: Metrics | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        if self.snapshot is None:
            return f"<{self.table}: {self.manifests_before} manifests need no compaction>"
        return (
            f"<{self.table}: snapshot {self.snapshot.id} has {self.manifests_after} manifests of {self.bytes_after:,} "
            f"bytes instead of {self.manifests_before} of {self.bytes_before:,}, {self.seconds:.1f} s>"
        )


@measured("compact manifests")
def compact_manifests(store: TableStore, latest: Snapshot | None) -> ManifestCompaction:
    """Merge all manifests that are small or take files away. Data files and rows stay as they are.

    Raises CommitConflict where other writers commit first each time.
    """
    started = store.clock.monotonic()
    made = TableCommit(store, new_commit_user(store)).compact_manifests(commit_properties({}))
    files = ManifestFiles(store)
    before = files.data_manifests(latest) if latest is not None else []
    after = before if made is None else files.data_manifests(made)
    return ManifestCompaction(
        store.name,
        made,
        len(before),
        len(after),
        sum(meta.file_size for meta in before),
        sum(meta.file_size for meta in after),
        store.clock.monotonic() - started,
    )
