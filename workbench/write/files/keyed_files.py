"""The new files of a writer of a primary-key table: sorted runs (Java ``KeyValueFileStoreWrite``)."""

from __future__ import annotations

from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.metadata.bucket_states import BucketState
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.write.compact_bucket import BucketCompaction
from workbench.write.compact_inline import InlineCompaction
from workbench.write.files.bucket_files import BucketFiles, NewFiles
from workbench.write.files.run_writer import BufferedRows, RunWriter
from workbench.write.files.spill import Spill
from workbench.write.input import Rows
from workbench.write.routing import Routed
from workbench.write.row_kinds import RowKindReader
from workbench.write.sequence_numbers import SequenceNumbers


class KeyedFiles(BucketFiles):
    """Writes one sorted run of level 0 for each bucket; rows that do not fit into memory are spilled, sorted."""

    can_compact_later = True

    def __init__(
        self, store: TableStore, numbers: SequenceNumbers, progress: Progress, workers: int, *, keeps_changelog: bool
    ) -> None:
        super().__init__(store, numbers, progress, workers, keeps_changelog=keeps_changelog)
        core = store.schema.core
        self._kinds = RowKindReader(store.schema)
        self._runs = RunWriter(store, self._names, numbers, keeps_changelog and core.changelog_producer == "input")
        self._spill = Spill(core)

    def accepted(self, rows: Rows) -> Rows:
        """See `BucketFiles.accepted`."""
        return self._kinds.of(rows)

    def write(self, routed: Routed | None) -> None:
        """See `BucketFiles.write`."""
        arrived = _arrived(routed)

        def write(bucket: BucketId) -> None:
            self._progress.check()
            files, changelog = self._runs.flush(bucket, arrived.get(bucket), self._spill.rows_of(bucket))
            self.written[bucket].files.extend(files)
            self.written[bucket].changelog.extend(changelog)

        buckets = list(dict.fromkeys([*self._spill.buckets, *arrived]))
        # The entries are created before the threads start: the order of a commit must not depend on which thread
        # finishes first.
        for bucket in buckets:
            self.written.setdefault(bucket, NewFiles())
        workers = self._workers
        if routed is not None and not self._spill.buckets:
            workers = self._workers_for(routed.table, len(buckets))
        parallel_map(write, buckets, workers)
        self.written = {bucket: new for bucket, new in self.written.items() if new.files or new.changelog}
        self._spill.clear()

    def make_room(self, routed: Routed | None) -> None:
        """Spill the rows, sorted; rows that cannot be spilled are written as a run now."""
        if not self._spill.has_room:
            self.write(routed)
            return
        self._spill.begin()
        for bucket, arrived in _arrived(routed).items():
            self._progress.check()
            self._spill.add(bucket, self._runs.sorted_pieces(arrived), self._runs.sorted_schema)

    def compaction(self, bucket: BucketId, state: BucketState, full: bool, /) -> InlineCompaction | None:
        """See `BucketFiles.compaction`."""
        return BucketCompaction(self._store, *bucket, state.vectors, self._progress, full, self._keeps_changelog)

    def abort(self) -> None:
        """See `BucketFiles.abort`."""
        self._spill.clear()
        super().abort()


def _arrived(routed: Routed | None) -> dict[BucketId, BufferedRows]:
    """Return the rows of each bucket."""
    if routed is None:
        return {}
    table = routed.table.combine_chunks()
    return {share.bucket: BufferedRows(table, routed.kinds, share) for share in routed.shares}
