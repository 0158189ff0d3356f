"""The first phase of a write: rows are written to data files and reported in commit messages (format §11, §12, §16,
`MergeTreeWriter`).

The same writer runs in the user's process and in Spark tasks: it needs the store and the state of the buckets it
touches, but neither catalog nor snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import CorruptFile, SnapshotNotFound
from workbench.base.lazy import cached_property
from workbench.base.parallel import parallel_map, worker_count
from workbench.base.progress import Progress
from workbench.datafile.data_file_writer import DataFileWriter, FileNames
from workbench.datafile.open_writers import OpenWriters
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.format.spec.snapshot import Snapshot
from workbench.lsm.merge_function import Kinds
from workbench.metadata.bucket_states import BucketState, BucketStates, buckets_to_write
from workbench.metadata.expired_versions import on_newest_version
from workbench.metadata.ids import BucketId
from workbench.metadata.schemas import writer_schema
from workbench.metadata.store import TableStore
from workbench.write.compact_inline import FullCompactionTrigger, InlineCompaction, inline_compaction
from workbench.write.input import Rows, as_rows
from workbench.write.routers import router_for
from workbench.write.routing import Routed, Router, Share, rows_of_shares
from workbench.write.row_kinds import RowKindReader
from workbench.write.run_writer import BufferedRows, RunWriter
from workbench.write.sequence_numbers import SequenceNumbers
from workbench.write.spill import Spill

_LANE_BYTES = 64 << 20
# Large files of one bucket are written in parallel: each of them is a lane with a number.
_Lane = tuple[BucketId, int]
# Below this file size threads spend more time waiting for the interpreter than for the disk.
_THREAD_BYTES = 1 << 18
# Where every request takes long, this many small files are uploaded at the same time.
_UPLOADS = 16


@dataclass
class _Written:
    """The files of one bucket that are not yet part of a message."""

    files: list[DataFileMeta] = field(default_factory=list)
    changelog: list[DataFileMeta] = field(default_factory=list)


@dataclass
class TableWriter:
    """Writer that buffers rows and writes them bucket by bucket. Nothing is visible before the messages are committed.

    Not thread-safe; it uses ``workers`` threads internally, by default one per processor. ``keeps_changelog`` is false
    for overwrites, which write no changelog regardless of the table's options; ``streams``: the writer makes many
    commits; ``sequence_limits``: the limit of sequence numbers in each bucket, see `SequenceNumbers`; ``routes`` opens
    a router.
    """

    store: TableStore
    buckets: BucketStates
    progress: Progress = field(default_factory=Progress)
    compacts: bool = True
    workers: int = field(default_factory=worker_count)
    rows_written: int = 0
    keeps_changelog: bool = True
    streams: bool = False
    sequence_limits: Mapping[BucketId, int] = field(default_factory=dict)
    routes: Callable[[TableStore, Any], Router] = router_for

    def __post_init__(self) -> None:
        core = self.store.schema.core
        self._waiting: list[Rows] = []
        self._waiting_bytes = 0
        self._names = FileNames(self.store.ids.uuid(), core.data_file_prefix)
        self._numbers = SequenceNumbers(self.buckets, self.sequence_limits)
        self._kinds = RowKindReader(self.store.schema)
        keeps_changelog = self.keeps_changelog and core.changelog_producer == "input"
        self._runs = RunWriter(self.store, self._names, self._numbers, keeps_changelog)
        self._spill = Spill(core)
        self._append_writers: OpenWriters[_Lane] = OpenWriters(
            lambda lane: DataFileWriter(self.store, *lane[0], self._names)
        )
        self._written: dict[BucketId, _Written] = {}
        self._prepared: dict[BucketId, BucketState] = {}
        self._compactions: list[InlineCompaction] = []
        self._full_turns = FullCompactionTrigger(core, self.streams)
        self._full: frozenset[BucketId] = frozenset()
        self._router: Router = self.routes(self.store, self.buckets)

    def write(self, data: Any, row_kind: str | None = None) -> None:
        """Buffer rows; see `workbench.write.input.as_rows` for the accepted types of ``data``."""
        for rows in as_rows(data, self.store.schema, row_kind):
            self.write_rows(rows)

    def write_rows(self, rows: Rows) -> None:
        """Buffer rows that already have the table's Arrow schema."""
        self.progress.check()
        self.rows_written += rows.table.num_rows
        self.progress.advance(rows.table.num_rows)
        if self._is_keyed:
            rows = self._kinds.of(rows)
        if not rows.table.num_rows:
            return
        size = rows.table.nbytes
        if self._waiting and self._waiting_bytes + size > self.store.schema.core.write_buffer_size:
            self._make_room()
        self._waiting.append(rows)
        self._waiting_bytes += size

    def flush(self) -> None:
        """Write the buffered rows: one sorted level-0 run for each bucket of a primary-key table."""
        routed = self._take_waiting()
        if self._is_keyed:
            self._write_runs(routed)
        elif routed is not None:
            self._write_appended(routed.table, routed.shares)

    def prepare(self) -> list[CommitMessage]:
        """Write the buffered rows, compact if the table enables it, and return the commit messages."""
        self.flush()
        appended = self._append_writers.close(1 if self.store.is_local else self._uploads)
        for (bucket, _), files in sorted(appended.items(), key=lambda each: each[0][1]):
            self._written.setdefault(bucket, _Written()).files.extend(files)
        self._full = self._full_turns.next(self._written)
        for bucket in self._full:
            self._written.setdefault(bucket, _Written())
        messages = on_newest_version(self.store, self.buckets.version, self._messages)
        schema = writer_schema(self.store)
        base = self.buckets.base
        messages = [replace(each, schema=schema, base=base) for each in self._router.indexed(messages)]
        self._written = {}
        self._compactions.clear()
        return messages

    def abort(self) -> None:
        """Remove the files that are not part of a message, and therefore not of a snapshot."""
        self._waiting, self._waiting_bytes = [], 0
        self._append_writers.abort()
        for compaction in self._compactions:
            compaction.abort()
        self._compactions.clear()
        self._spill.clear()
        for (partition, bucket), written in self._written.items():
            for file in (*written.files, *written.changelog):
                self.store.discard_data_file(partition, bucket, file)
        self._written = {}

    def _messages(self, version: Snapshot | None) -> list[CommitMessage]:
        """Return a message for each written bucket. All compactions start from ``version``: if they started from
        different versions, rows of another commit could become visible in some buckets only."""
        compacts = self.compacts and not self.store.schema.core.write_only
        known, prepared = self._known_buckets(version), dict(self._prepared)
        try:
            return parallel_map(
                lambda item: self._message(*item, known), list(self._written.items()), self.workers if compacts else 1
            )
        except (CorruptFile, SnapshotNotFound):
            for compaction in self._compactions:
                compaction.abort()
            self._compactions.clear()
            self._prepared = prepared
            raise

    def _known_buckets(self, version: Snapshot | None) -> BucketStates:
        if version is None or version == self.buckets.version:
            return self.buckets
        return buckets_to_write(self.store, version, overwrite=False)

    def _message(self, bucket: BucketId, written: _Written, known: BucketStates) -> CommitMessage:
        new_files, changelog = tuple(written.files), tuple(written.changelog)
        total_buckets = self._router.total_buckets(bucket[0])
        message = CommitMessage(*bucket, total_buckets, new_files=new_files, changelog_files=changelog)
        if not self.compacts:
            return message
        # Files that were prepared earlier are part of the tree: a compaction that ignored them would drop deletes too
        # early.
        prepared = self._prepared.get(bucket)
        if prepared is None:
            return self._compacted(message, known.state(bucket))
        try:
            return self._compacted(message, prepared)
        except CorruptFile:
            if not self._is_keyed:
                raise
            # A compaction that was prepared earlier lost the race to another commit, which removed its files.
            return replace(message, needs_compaction=True)

    def _compacted(self, message: CommitMessage, state: BucketState) -> CommitMessage:
        """Add to a message the compaction of its bucket, which held ``state`` before the message."""
        bucket = (message.partition, message.bucket)
        compaction = inline_compaction(
            self.store, bucket, state, self.progress, self.keeps_changelog, bucket in self._full
        )
        if compaction is None:
            return message
        self._compactions.append(compaction)
        try:
            message = compaction.add_to(message, [*state.files, *message.new_files])
        except CorruptFile:
            compaction.abort()
            raise
        self._prepared[bucket] = state.after(message)
        return message

    def _workers(self, table: pa.Table, files: int) -> int:
        """Return how many threads write this many files of the rows."""
        if table.nbytes >= _THREAD_BYTES * files:
            return self.workers
        return 1 if self.store.is_local else self._uploads

    @property
    def _uploads(self) -> int:
        """How many threads write small files to a remote storage, which takes hardly more than the requests."""
        return max(self.workers, _UPLOADS)

    def _take_waiting(self) -> Routed | None:
        """Return the buffered rows, routed to their buckets; None if there are none."""
        if not self._waiting:
            return None
        table = pa.concat_tables([rows.table for rows in self._waiting])
        kinds = _joined_kinds(self._waiting)
        self._waiting, self._waiting_bytes = [], 0
        return self._router.route(table, kinds)

    # --- primary-key tables ---------------------------------------------------------------------------------------

    @cached_property
    def _is_keyed(self) -> bool:
        return self.store.schema.is_primary_key_table

    def _make_room(self) -> None:
        """Spill the buffered rows, sorted; rows that cannot be spilled are written as a run now."""
        if not self._is_keyed or not self._spill.has_room:
            self.flush()
            return
        self._spill.begin()
        for bucket, arrived in _arrived(self._take_waiting()).items():
            self.progress.check()
            self._spill.add(bucket, self._runs.sorted_pieces(arrived), self._runs.sorted_schema)

    def _write_runs(self, routed: Routed | None) -> None:
        arrived = _arrived(routed)

        def write(bucket: BucketId) -> None:
            self.progress.check()
            files, changelog = self._runs.flush(bucket, arrived.get(bucket), self._spill.rows_of(bucket))
            self._written[bucket].files.extend(files)
            self._written[bucket].changelog.extend(changelog)

        buckets = list(dict.fromkeys([*self._spill.buckets, *arrived]))
        # The entries are created before the threads start: the order of a commit must not depend on which thread
        # finishes first.
        for bucket in buckets:
            self._written.setdefault(bucket, _Written())
        workers = self.workers
        if routed is not None and not self._spill.buckets:
            workers = self._workers(routed.table, len(buckets))
        parallel_map(write, buckets, workers)
        self._written = {bucket: each for bucket, each in self._written.items() if each.files or each.changelog}
        self._spill.clear()

    # --- append tables --------------------------------------------------------------------------------------------

    def _write_appended(self, table: pa.Table, shares: Sequence[Share]) -> None:
        workers = self._workers(table, len(shares))
        for turn in self._append_writers.turns(shares, lambda share: (share.bucket, 0)):
            self.progress.check()
            lanes = [lane for bucket, rows in rows_of_shares(table, turn) for lane in self._lanes(bucket, rows)]
            writers = self._append_writers.of([lane for lane, _, _ in lanes], workers)
            jobs = [(writer, rows, first) for writer, (_, rows, first) in zip(writers, lanes, strict=True)]
            parallel_map(_write_job, jobs, workers)

    def _lanes(self, bucket: BucketId, rows: pa.Table) -> Iterator[tuple[_Lane, pa.Table, int]]:
        """Yield the rows of each file that is written in parallel, with the number of the first row. Only large files
        are, since many small files cost more than they save."""
        first = self._numbers.take(bucket, rows.num_rows, None if self._is_ordered else 0)
        lanes = 1 if self._is_ordered else max(1, min(self.workers, rows.nbytes // _LANE_BYTES))
        per_lane = -(-rows.num_rows // lanes)
        for lane in range(lanes):
            start = lane * per_lane
            yield (bucket, lane), rows.slice(start, per_lane), first + start

    @cached_property
    def _is_ordered(self) -> bool:
        """Return whether rows must be written in order by one writer: rows of a fixed bucket are read in the order in
        which they were written."""
        return self.store.schema.core.bucket > 0


def _write_job(job: tuple[DataFileWriter, pa.Table, int]) -> None:
    writer, rows, first_sequence = job
    writer.write(rows, first_sequence)


def _arrived(routed: Routed | None) -> dict[BucketId, BufferedRows]:
    """Return the rows of each bucket."""
    if routed is None:
        return {}
    table = routed.table.combine_chunks()
    return {share.bucket: BufferedRows(table, routed.kinds, share) for share in routed.shares}


def _joined_kinds(parts: Sequence[Rows]) -> Kinds | None:
    if all(part.kinds is None for part in parts):
        return None
    return np.concatenate(
        [np.zeros(part.table.num_rows, np.int8) if part.kinds is None else part.kinds for part in parts]
    )
