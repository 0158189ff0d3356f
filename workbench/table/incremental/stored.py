"""Changes as commits stored them: the rows of deltas and changelogs as they are (format §19, trap 41)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from workbench.base.errors import Unsupported
from workbench.base.parallel import parallel_map
from workbench.format.data_file import FileKind, ManifestEntry, ManifestFileMeta
from workbench.format.paths import POSTPONE_BUCKET
from workbench.format.snapshot import CommitKind, Snapshot
from workbench.table.manifests import ManifestFiles
from workbench.table.split import Split
from workbench.table.store import TableStore


@dataclass(frozen=True)
class StoredChanges:
    """Plans reads of the rows that commits brought: nothing is merged, and retracts stay, as in Java's
    `IncrementalDeltaStartingScanner`."""

    store: TableStore

    def delta(self, snapshots: Sequence[Snapshot]) -> list[Split]:
        """What was written: the new files of APPEND commits, those of others only rearrange or replace rows.

        Raises:
            Unsupported: a commit that says it only adds removes files.
        """
        manifests = ManifestFiles(self.store)
        appends = [each for each in snapshots if each.commit_kind == CommitKind.APPEND]
        return self._splits(parallel_map(manifests.delta_list, appends, workers=8))

    def changelog(self, snapshots: Sequence[Snapshot]) -> list[Split]:
        """What the changelog producer wrote, beside all commits but OVERWRITE ones."""
        manifests = ManifestFiles(self.store)
        others = [each for each in snapshots if each.commit_kind != CommitKind.OVERWRITE]
        return self._splits(parallel_map(manifests.changelog_list, others, workers=8))

    def _splits(self, lists: Sequence[Sequence[ManifestFileMeta]]) -> list[Split]:
        """In the order of the commits; neighbouring files of one bucket are read together."""
        found = ManifestFiles(self.store).entries([meta for metas in lists for meta in metas])
        # Rows that wait for a bucket are not there yet, as far as batch reads know (format §25.1).
        entries = [entry for entry in found if entry.bucket != POSTPONE_BUCKET]
        if any(entry.kind != FileKind.ADD for entry in entries):
            raise Unsupported(
                f"An APPEND commit of {self.store.name} removes files, so what it changed is not what it added.",
                "Use mode 'diff'.",
            )
        return [self._split(list(group)) for _, group in groupby(entries, lambda each: (each.partition, each.bucket))]

    def _split(self, entries: Sequence[ManifestEntry]) -> Split:
        first = entries[0]
        directory = self.store.bucket_directory(first.partition, first.bucket)
        sections = tuple(((entry.file,),) for entry in entries)
        return Split(first.partition, first.bucket, first.total_buckets, sections, directory)
