"""Changes as commits stored them: the rows of deltas and changelogs (format §19, §29.41)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from workbench.base.errors import Unsupported
from workbench.base.parallel import parallel_map
from workbench.format.spec.data_file import FileKind, ManifestEntry, ManifestFileMeta
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.store import TableStore
from workbench.scan.split import Split


@dataclass(frozen=True)
class StoredChanges:
    """Planner of reads of the rows that commits added: nothing is merged, and retracts are kept, as in Java's
    `IncrementalDeltaStartingScanner`."""

    store: TableStore

    def delta(self, snapshots: Sequence[Snapshot]) -> list[Split]:
        """Return splits of the new files of APPEND commits; other commits only rearrange or replace rows.

        Raises:
            Unsupported: An APPEND commit removes files.
        """
        manifests = ManifestFiles(self.store)
        appends = [each for each in snapshots if each.commit_kind == CommitKind.APPEND]
        return self._splits(parallel_map(manifests.delta_list, appends, workers=8))

    def added(self, snapshot: Snapshot) -> list[Split]:
        """Return splits of the new files of a commit of any kind, regardless of the files that it removes."""
        manifests = ManifestFiles(self.store)
        entries = manifests.entries(manifests.delta_list(snapshot))
        return self._grouped([entry for entry in entries if entry.kind == FileKind.ADD])

    def changelog(self, snapshots: Sequence[Snapshot]) -> list[Split]:
        """Return splits of the changelog producer's files, for all commits except OVERWRITE."""
        manifests = ManifestFiles(self.store)
        others = [each for each in snapshots if each.commit_kind != CommitKind.OVERWRITE]
        return self._splits(parallel_map(manifests.changelog_list, others, workers=8))

    def _splits(self, lists: Sequence[Sequence[ManifestFileMeta]]) -> list[Split]:
        """Return splits in the order of the commits; neighboring files of one bucket are read together."""
        found = ManifestFiles(self.store).entries([meta for metas in lists for meta in metas])
        # Batch reads do not see rows that wait for a bucket (format §25.1).
        entries = [entry for entry in found if entry.bucket != POSTPONE_BUCKET]
        if any(entry.kind != FileKind.ADD for entry in entries):
            raise Unsupported(
                f"An APPEND commit of {self.store.name} removes files, so its changes are not just its new rows.",
                "Use mode 'diff'.",
            )
        return self._grouped(entries)

    def _grouped(self, entries: Sequence[ManifestEntry]) -> list[Split]:
        return [self._split(list(group)) for _, group in groupby(entries, lambda each: (each.partition, each.bucket))]

    def _split(self, entries: Sequence[ManifestEntry]) -> Split:
        first = entries[0]
        directory = self.store.bucket_directory(first.partition, first.bucket)
        sections = tuple(((entry.file,),) for entry in entries)
        return Split(first.partition, first.bucket, first.total_buckets, sections, directory)
