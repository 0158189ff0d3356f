"""The first phase of a write: rows become data files, and messages that say so (format §11, §12, §16,
`MergeTreeWriter`).

The same writer runs in the user's process and in Spark tasks: it needs the store and the state of the buckets it
touches, no catalog and no snapshot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.parallel import parallel_map, worker_count
from workbench.base.progress import Progress
from workbench.format.data_file import CommitMessage, DataFileMeta
from workbench.lsm.merge_function import Kinds
from workbench.table.compaction.inline import FullTurns, InlineCompaction, inline_compaction
from workbench.table.store import TableStore
from workbench.table.writing.bucket_states import BucketId, BucketState, BucketStates
from workbench.table.writing.data_file_writer import DataFileWriter, FileNames
from workbench.table.writing.input import Rows, as_rows
from workbench.table.writing.routing import Routed, Router, Share, router_for
from workbench.table.writing.row_kinds import ArrivingKinds
from workbench.table.writing.run_writer import Arrived, RunWriter
from workbench.table.writing.sequence_numbers import SequenceNumbers
from workbench.table.writing.spill import Spill

_LANE_BYTES = 64 << 20
# Below this size of a file threads wait for the interpreter rather than for the disk.
_THREAD_BYTES = 1 << 18


@dataclass
class _Written:
    """The files of one bucket that no message tells of yet."""

    files: list[DataFileMeta] = field(default_factory=list)
    changelog: list[DataFileMeta] = field(default_factory=list)


@dataclass
class TableWriter:
    """Buffers rows and writes them bucket by bucket. Nothing is visible before the messages are committed.

    Not for use from several threads; works on ``workers`` threads by itself, by default on all processors.
    ``keeps_changelog`` is false for overwrites, which no changelog tells of, whatever the table's options say;
    ``streams``: it makes many commits.
    """

    store: TableStore
    buckets: BucketStates
    progress: Progress = field(default_factory=Progress)
    compacts: bool = True
    workers: int = field(default_factory=worker_count)
    rows_written: int = 0
    keeps_changelog: bool = True
    streams: bool = False

    def __post_init__(self) -> None:
        core = self.store.schema.core
        self._waiting: list[Rows] = []
        self._waiting_bytes = 0
        self._names = FileNames(self.store.ids.uuid(), core.data_file_prefix)
        self._numbers = SequenceNumbers(self.buckets)
        self._kinds = ArrivingKinds(self.store.schema)
        keeps_changelog = self.keeps_changelog and core.changelog_producer == "input"
        self._runs = RunWriter(self.store, self._names, self._numbers, keeps_changelog)
        self._spill = Spill(core)
        self._append_writers: dict[tuple[BucketId, int], DataFileWriter] = {}
        self._written: dict[BucketId, _Written] = {}
        self._prepared: dict[BucketId, BucketState] = {}
        self._compactions: list[InlineCompaction] = []
        self._full_turns = FullTurns(core, self.streams)
        self._full: frozenset[BucketId] = frozenset()
        self._router: Router = router_for(self.store, self.buckets)

    def write(self, data: Any, row_kind: str | None = None) -> None:
        """Take rows; see `workbench.table.writing.input.as_rows` for what ``data`` may be."""
        for rows in as_rows(data, self.store.schema, row_kind):
            self.write_rows(rows)

    def write_rows(self, rows: Rows) -> None:
        """Take rows that already have the table's Arrow schema."""
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
        """Write what waits: one sorted level-0 run for each bucket of a primary-key table."""
        routed = self._take_waiting()
        if self._is_keyed:
            self._write_runs(routed)
        elif routed is not None:
            self._write_appended(routed.table, routed.shares)

    def prepare(self) -> list[CommitMessage]:
        """Write what still waits, compact where the table asks for it, and tell what was done."""
        self.flush()
        for (bucket, _), writer in sorted(self._append_writers.items(), key=lambda each: each[0][1]):
            self._written.setdefault(bucket, _Written()).files.extend(writer.close())
        self._append_writers.clear()
        self._full = self._full_turns.next(self._written)
        for bucket in self._full:
            self._written.setdefault(bucket, _Written())
        compacts = self.compacts and not self.store.schema.core.write_only
        messages = parallel_map(self._message, list(self._written.items()), self.workers if compacts else 1)
        messages = self._router.indexed(messages)
        self._written = {}
        self._compactions.clear()
        return messages

    def abort(self) -> None:
        """Remove the files that no message tells of; they are not part of any version."""
        self._waiting, self._waiting_bytes = [], 0
        for writer in self._append_writers.values():
            writer.abort()
        for compaction in self._compactions:
            compaction.abort()
        self._compactions.clear()
        self._spill.clear()
        for (partition, bucket), written in self._written.items():
            for file in (*written.files, *written.changelog):
                self.store.delete_data_file(partition, bucket, file)
        self._written = {}

    def _message(self, item: tuple[BucketId, _Written]) -> CommitMessage:
        (partition, bucket), written = item
        new_files, changelog = tuple(written.files), tuple(written.changelog)
        total_buckets = self._router.total_buckets(partition)
        message = CommitMessage(partition, bucket, total_buckets, new_files=new_files, changelog_files=changelog)
        # What was prepared before is part of the tree: a compaction that did not see it would drop deletes too early.
        state = self._prepared.get((partition, bucket)) or self.buckets.state((partition, bucket))
        if not self.compacts:
            return message
        full = (partition, bucket) in self._full
        compaction = inline_compaction(
            self.store, (partition, bucket), state, self.progress, self.keeps_changelog, full
        )
        if compaction is None:
            return message
        self._compactions.append(compaction)
        message = compaction.add_to(message, [*state.files, *new_files])
        self._prepared[partition, bucket] = state.after(message)
        return message

    def _workers(self, table: pa.Table, files: int) -> int:
        """How many threads to write the rows to so many files with."""
        is_small = table.nbytes < _THREAD_BYTES * files
        return 1 if is_small and self.store.file_io.is_local else self.workers

    def _take_waiting(self) -> Routed | None:
        """The rows that wait, on their way to their buckets; None where there are none."""
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
        """Put what waits to disk, sorted; what may not go there becomes a run already now."""
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
        # Their places are taken before the threads start: the order of a commit must not hang on who ends first.
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
        jobs: list[tuple[DataFileWriter, pa.Table, int]] = []
        for share in shares:
            rows = table if share.rows is None else table.take(pa.array(share.rows))
            first = self._numbers.take(share.bucket, rows.num_rows, None if self._is_ordered else 0)
            lanes = 1 if self._is_ordered else _lanes(rows, self.workers)
            per_lane = -(-rows.num_rows // lanes)
            for lane in range(lanes):
                start = lane * per_lane
                jobs.append((self._append_writer(share.bucket, lane), rows.slice(start, per_lane), first + start))
        parallel_map(_write_job, jobs, self._workers(table, len(shares)))

    @cached_property
    def _is_ordered(self) -> bool:
        """Rows of a fixed bucket are read in the order in which they were written, so one writer writes them."""
        return self.store.schema.core.bucket > 0

    def _append_writer(self, bucket: BucketId, lane: int) -> DataFileWriter:
        writer = self._append_writers.get((bucket, lane))
        if writer is None:
            writer = self._append_writers[bucket, lane] = DataFileWriter(self.store, *bucket, self._names)
        return writer


def _write_job(job: tuple[DataFileWriter, pa.Table, int]) -> None:
    writer, rows, first_sequence = job
    writer.write(rows, first_sequence)


def _lanes(table: pa.Table, workers: int) -> int:
    """Into how many files to write at once: large pieces only, for many small files cost more than they save."""
    return int(max(1, min(workers, table.nbytes // _LANE_BYTES)))


def _arrived(routed: Routed | None) -> dict[BucketId, Arrived]:
    """The rows of each bucket."""
    if routed is None:
        return {}
    table = routed.table.combine_chunks()
    return {share.bucket: Arrived(table, routed.kinds, share) for share in routed.shares}


def _joined_kinds(parts: Sequence[Rows]) -> Kinds | None:
    if all(part.kinds is None for part in parts):
        return None
    return np.concatenate(
        [np.zeros(part.table.num_rows, np.int8) if part.kinds is None else part.kinds for part in parts]
    )
