"""The first phase of a write: rows are written to data files and reported in commit messages (format §11, §12, §16,
`MergeTreeWriter`).

The same writer runs in the user's process and in Spark tasks: it needs the store and the state of the buckets it
touches, but neither catalog nor snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import CorruptFile, SnapshotNotFound
from workbench.base.parallel import parallel_map, worker_count
from workbench.base.progress import Progress
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind, TableKind
from workbench.lsm.merge_function import Kinds
from workbench.metadata.bucket_states import BucketState, BucketStates, buckets_to_write
from workbench.metadata.expired_versions import on_newest_version
from workbench.metadata.ids import BucketId
from workbench.metadata.schemas import writer_schema
from workbench.metadata.store import TableStore
from workbench.write.compact_inline import FullCompactionTrigger, InlineCompaction
from workbench.write.files.appended_files import AppendedFiles
from workbench.write.files.bucket_files import BucketFiles, NewFiles
from workbench.write.files.keyed_files import KeyedFiles
from workbench.write.input import Rows, as_rows
from workbench.write.routers import router_for
from workbench.write.routing import Routed, Router
from workbench.write.sequence_numbers import SequenceNumbers

_FILES: Mapping[type[TableKind], type[BucketFiles]] = {KeyValueKind: KeyedFiles, AppendOnlyKind: AppendedFiles}


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
        files = self.store.schema.kind.choose(_FILES)
        numbers = SequenceNumbers(self.buckets, self.sequence_limits)
        self._files = files(self.store, numbers, self.progress, self.workers, keeps_changelog=self.keeps_changelog)
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
        rows = self._files.accepted(rows)
        if not rows.table.num_rows:
            return
        size = rows.table.nbytes
        if self._waiting and self._waiting_bytes + size > self.store.schema.core.write_buffer_size:
            self._files.make_room(self._take_waiting())
        self._waiting.append(rows)
        self._waiting_bytes += size

    def flush(self) -> None:
        """Write the buffered rows: one sorted level-0 run for each bucket of a primary-key table."""
        self._files.write(self._take_waiting())

    def prepare(self) -> list[CommitMessage]:
        """Write the buffered rows, compact if the table enables it, and return the commit messages."""
        self.flush()
        written = self._files.finish()
        self._full = self._full_turns.next(written)
        for bucket in self._full:
            written.setdefault(bucket, NewFiles())
        messages = on_newest_version(self.store, self.buckets.version, self._messages)
        schema = writer_schema(self.store)
        base = self.buckets.base
        messages = [replace(each, schema=schema, base=base) for each in self._router.indexed(messages)]
        self._files.written = {}
        self._compactions.clear()
        return messages

    def abort(self) -> None:
        """Remove the files that are not part of a message, and therefore not of a snapshot."""
        self._waiting, self._waiting_bytes = [], 0
        for compaction in self._compactions:
            compaction.abort()
        self._compactions.clear()
        self._files.abort()

    def _messages(self, version: Snapshot | None) -> list[CommitMessage]:
        """Return a message for each written bucket. All compactions start from ``version``: if they started from
        different versions, rows of another commit could become visible in some buckets only."""
        compacts = self.compacts and not self.store.schema.core.write_only
        known, prepared = self._known_buckets(version), dict(self._prepared)
        try:
            return parallel_map(
                lambda item: self._message(*item, known),
                list(self._files.written.items()),
                self.workers if compacts else 1,
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

    def _message(self, bucket: BucketId, written: NewFiles, known: BucketStates) -> CommitMessage:
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
            if not self._files.can_compact_later:
                raise
            # A compaction that was prepared earlier lost the race to another commit, which removed its files.
            return replace(message, needs_compaction=True)

    def _compacted(self, message: CommitMessage, state: BucketState) -> CommitMessage:
        """Add to a message the compaction of its bucket, which held ``state`` before the message."""
        bucket = (message.partition, message.bucket)
        if self.store.schema.core.write_only:
            return message
        compaction = self._files.compaction(bucket, state, bucket in self._full)
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

    def _take_waiting(self) -> Routed | None:
        """Return the buffered rows, routed to their buckets; None if there are none."""
        if not self._waiting:
            return None
        table = pa.concat_tables([rows.table for rows in self._waiting])
        kinds = _joined_kinds(self._waiting)
        self._waiting, self._waiting_bytes = [], 0
        return self._router.route(table, kinds)


def _joined_kinds(parts: Sequence[Rows]) -> Kinds | None:
    if all(part.kinds is None for part in parts):
        return None
    return np.concatenate(
        [np.zeros(part.table.num_rows, np.int8) if part.kinds is None else part.kinds for part in parts]
    )
