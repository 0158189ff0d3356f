"""Compacting manifests in a separate commit (Java ``FileStoreCommitImpl.compactManifest``)."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.base.counting import counted
from workbench.base.metrics import Metrics
from workbench.commit.commit import TableCommit
from workbench.commit.publication import Publication
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.measuring import measured
from workbench.metadata.store import TableStore


@dataclass(frozen=True)
class ManifestCompaction:
    """The result of a compaction of manifests.

    ``snapshot`` is None if there was nothing to do; ``bytes_before`` and ``bytes_after`` are the total sizes of all
    manifests; ``seconds`` is wall time.
    """

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
            need = "needs" if self.manifests_before == 1 else "need"
            return f"<{self.table}: {counted(self.manifests_before, 'manifests')} {need} no compaction>"
        return (
            f"<{self.table}: snapshot {self.snapshot.id} has {counted(self.manifests_after, 'manifests')} of "
            f"{self.bytes_after:,} bytes instead of {self.manifests_before} of {self.bytes_before:,}, "
            f"{self.seconds:.1f} s>"
        )


@measured("compact manifests")
def compact_manifests(store: TableStore, latest: Snapshot | None) -> ManifestCompaction:
    """Merge manifests that are small or remove files; data files and rows are not changed.

    Raises:
        CommitConflict: Other writers committed first on every attempt.
    """
    started = store.clock.monotonic()
    snapshot = TableCommit(Publication.by_new_user(store)).compact_manifests()
    files = ManifestFiles(store)
    before = files.data_manifests(latest) if latest is not None else []
    after = before if snapshot is None else files.data_manifests(snapshot)
    return ManifestCompaction(
        store.name,
        snapshot,
        len(before),
        len(after),
        sum(meta.file_size for meta in before),
        sum(meta.file_size for meta in after),
        store.clock.monotonic() - started,
    )
