"""The new files of a writer of an append table (Java ``AppendOnlyFileStoreWrite``)."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress
from workbench.datafile.data_file_writer import DataFileWriter
from workbench.datafile.open_writers import OpenWriters
from workbench.metadata.bucket_states import BucketState
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.write.compact_inline import InlineCompaction
from workbench.write.files.bucket_files import BucketFiles, NewFiles
from workbench.write.input import Rows
from workbench.write.routing import Routed, rows_of_shares
from workbench.write.sequence_numbers import SequenceNumbers

_LANE_BYTES = 64 << 20
# Large files of one bucket are written in parallel: each of them is a lane with a number.
_Lane = tuple[BucketId, int]


class AppendedFiles(BucketFiles):
    """Writes rows in their order to files that stay open until they are large enough."""

    can_compact_later = False

    def __init__(
        self, store: TableStore, numbers: SequenceNumbers, progress: Progress, workers: int, *, keeps_changelog: bool
    ) -> None:
        super().__init__(store, numbers, progress, workers, keeps_changelog=keeps_changelog)
        self._writers: OpenWriters[_Lane] = OpenWriters(lambda lane: DataFileWriter(store, *lane[0], self._names))
        # Rows of a fixed bucket are read in the order in which they were written, so one writer writes them.
        self._is_ordered = store.schema.core.bucket > 0

    def accepted(self, rows: Rows) -> Rows:
        """See `BucketFiles.accepted`."""
        return rows

    def write(self, routed: Routed | None) -> None:
        """See `BucketFiles.write`."""
        if routed is None:
            return
        table = routed.table
        workers = self._workers_for(table, len(routed.shares))
        for turn in self._writers.turns(routed.shares, lambda share: (share.bucket, 0)):
            self._progress.check()
            lanes = [lane for bucket, rows in rows_of_shares(table, turn) for lane in self._lanes(bucket, rows)]
            writers = self._writers.of([lane for lane, _, _ in lanes], workers)
            jobs = [(writer, rows, first) for writer, (_, rows, first) in zip(writers, lanes, strict=True)]
            parallel_map(_write_job, jobs, workers)

    def finish(self) -> dict[BucketId, NewFiles]:
        """See `BucketFiles.finish`."""
        appended = self._writers.close(1 if self._store.is_local else self._uploads)
        for (bucket, _), files in sorted(appended.items(), key=lambda each: each[0][1]):
            self.written.setdefault(bucket, NewFiles()).files.extend(files)
        return self.written

    def compaction(self, bucket: BucketId, state: BucketState, _: bool, /) -> InlineCompaction | None:
        """See `BucketFiles.compaction`. Only fixed buckets are compacted as they are written."""
        if not self._is_ordered:
            return None
        # Loaded here, as few append tables have buckets.
        from workbench.write.compact_append import AppendCompaction

        return AppendCompaction(self._store, *bucket, state.vectors, self._progress)

    def abort(self) -> None:
        """See `BucketFiles.abort`."""
        self._writers.abort()
        super().abort()

    def _lanes(self, bucket: BucketId, rows: pa.Table) -> Iterator[tuple[_Lane, pa.Table, int]]:
        """Yield the rows of each file that is written in parallel, with the number of the first row. Only large files
        are, since many small files cost more than they save."""
        first = self._numbers.take(bucket, rows.num_rows, None if self._is_ordered else 0)
        lanes = 1 if self._is_ordered else max(1, min(self._workers, rows.nbytes // _LANE_BYTES))
        per_lane = -(-rows.num_rows // lanes)
        for lane in range(lanes):
            start = lane * per_lane
            yield (bucket, lane), rows.slice(start, per_lane), first + start


def _write_job(job: tuple[DataFileWriter, pa.Table, int]) -> None:
    writer, rows, first_sequence = job
    writer.write(rows, first_sequence)
