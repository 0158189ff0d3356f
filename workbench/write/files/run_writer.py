"""Conversion of a bucket's buffered rows to a sorted run of level 0 with one row for each key (format §16, §17, Java
``MergeTreeWriter``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.base.lazy import cached_property
from workbench.datafile.data_file_writer import DataFileWriter, FileNames, RollingBuffer
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, VALUE_KIND
from workbench.lsm.key_slices import Run, merge_slices
from workbench.lsm.keys import KeyGroups, group_keys
from workbench.lsm.merge_engine import merge_function_for
from workbench.lsm.merge_function import Kinds, MergeFunction
from workbench.lsm.sequence_fields import SequenceFields
from workbench.metadata.ids import BucketId
from workbench.metadata.store import TableStore
from workbench.scan.table_chunk import Layout, TableChunk
from workbench.write.files.spill import SpilledRows
from workbench.write.routing import Share
from workbench.write.sequence_numbers import SequenceNumbers

_MIN_PIECE_BYTES = 1 << 16
_MIN_PIECE_ROWS = 1 << 10


@dataclass(frozen=True)
class BufferedRows:
    """Rows of one bucket in their order of arrival: the rows of ``table`` in ``share``. ``kinds`` (int8[rows of table])
    is None if all are inserts."""

    table: pa.Table
    kinds: Kinds | None
    share: Share

    @property
    def count(self) -> int:
        """The number of rows."""
        return self.table.num_rows if self.share.rows is None else len(self.share.rows)

    def column(self, name: str) -> pa.ChunkedArray:
        """Return one column of the rows."""
        column = self.table.column(name)
        return column if self.share.rows is None else column.take(pa.array(self.share.rows))

    def all(self, sequence: Int64Array) -> pa.Table:
        """Return the rows with their kinds and sequence numbers."""
        table, kinds, rows = self.table, self.kinds, self.share.rows
        if rows is not None:
            table, kinds = table.take(pa.array(rows)), None if kinds is None else kinds[rows]
        return _with_system_columns(table, kinds, sequence)

    def take(self, rows: Int64Array, sequence: Int64Array) -> pa.Table:
        """Return some of the rows, numbered within the bucket, with their kinds and sequence numbers."""
        if self.share.rows is not None:
            rows = self.share.rows[rows]
        kinds = None if self.kinds is None else self.kinds[rows]
        return _with_system_columns(self.table.take(pa.array(rows)), kinds, sequence)


@dataclass
class RunWriter:
    """Writer of the runs of a primary-key table.

    ``keeps_changelog``: all rows are also written to changelog files before they are merged, as `changelog-producer` =
    `input` requires.
    """

    store: TableStore
    names: FileNames
    numbers: SequenceNumbers
    keeps_changelog: bool

    def flush(
        self, bucket: BucketId, arrived: BufferedRows | None, spilled: Sequence[SpilledRows]
    ) -> tuple[list[DataFileMeta], list[DataFileMeta]]:
        """Write all rows of a bucket: those spilled before, oldest first, and those that arrived since. Return the new
        data files and changelog files."""
        data = DataFileWriter(self.store, *bucket, self.names)
        changelog = DataFileWriter(self.store, *bucket, self.names, is_changelog=True)
        try:
            if self._keeps_newest and arrived is not None and not spilled:
                data.write(self._newest(arrived))
            else:
                self._merge(arrived, spilled, RollingBuffer(data), RollingBuffer(changelog))
            return data.close(), changelog.close()
        except BaseException:
            data.abort()
            changelog.abort()
            raise

    def sorted_pieces(self, arrived: BufferedRows) -> Iterator[pa.Table]:
        """Yield rows in merge order, in pieces small enough for many runs to be merged side by side. The rows of a key
        are in one piece."""
        groups = self._groups(arrived)
        sequence = self.numbers.numbers(arrived.share.bucket, arrived.count)
        if self._keeps_newest:
            newest = groups.newest()
            groups = KeyGroups(newest, np.arange(len(newest), dtype=np.int64))
        ordered = arrived.take(groups.order, sequence[groups.order])
        for start, end in pairwise(_cuts(groups, self._piece_rows(ordered))):
            yield ordered.slice(start, end - start)

    @cached_property
    def sorted_schema(self) -> pa.Schema:
        """The schema of `sorted_pieces`."""
        schema = self.store.schema.arrow_schema
        return schema.append(pa.field(SEQUENCE_NUMBER, pa.int64())).append(pa.field(VALUE_KIND, pa.int8()))

    # --- implementation -------------------------------------------------------------------------------------------

    def _newest(self, arrived: BufferedRows) -> pa.Table:
        """Return the newest row of each key, in key order.

        Sequence numbers ascend in that order, as rows of one run never replace each other, and ascending numbers
        compress well.
        """
        rows = self._groups(arrived).newest()
        return arrived.take(rows, self.numbers.numbers(arrived.share.bucket, len(rows)))

    def _merge(
        self,
        arrived: BufferedRows | None,
        spilled: Sequence[SpilledRows],
        data: RollingBuffer,
        changelog: RollingBuffer,
    ) -> None:
        for merged in merge_slices(self._runs(arrived, spilled), self._function, self._sequence_fields):
            if self.keeps_changelog:
                changelog.add(merged.unmerged(self._columns))
            data.add(merged.in_key_order(self._columns))
        data.finish()
        changelog.finish()

    def _runs(self, arrived: BufferedRows | None, spilled: Sequence[SpilledRows]) -> list[Run]:
        runs = [self._run(each.rows, each.tables()) for each in spilled]
        if arrived is None:
            return runs
        if spilled:
            pieces = list(self.sorted_pieces(arrived))
            return [*runs, self._run(sum(piece.num_rows for piece in pieces), iter(pieces))]
        # A single run is a single slice, which the merge sorts.
        table = arrived.all(self.numbers.numbers(arrived.share.bucket, arrived.count))
        return [self._run(table.num_rows, iter([table]))]

    def _run(self, rows: int, tables: Iterator[pa.Table]) -> Run:
        layout = Layout(self._keys, sequence=True, kinds=True)
        return Run(rows, (TableChunk(table, layout) for table in tables), has_unique_keys=False)

    def _groups(self, arrived: BufferedRows) -> KeyGroups:
        ages = self._sequence_fields.words([arrived.column(name) for name in self._sequence_fields.names])
        return group_keys([arrived.column(name) for name in self._keys], (), ages)

    def _piece_rows(self, table: pa.Table) -> int:
        """Return the number of rows of a piece, such that a merge with the maximum number of open files fills the
        memory with one piece of each file."""
        core = self.store.schema.core
        size = max(_MIN_PIECE_BYTES, core.write_buffer_size // max(core.local_sort_max_num_file_handles, 1))
        return int(max(_MIN_PIECE_ROWS, size * table.num_rows // max(table.nbytes, 1)))

    @cached_property
    def _keeps_newest(self) -> bool:
        """Whether only the newest row of a key matters, now and in later merges."""
        return self.store.schema.core.engine.keeps_newest and not self.keeps_changelog

    @cached_property
    def _keys(self) -> tuple[str, ...]:
        return self.store.schema.trimmed_primary_keys

    @cached_property
    def _columns(self) -> list[str]:
        return [*self.store.schema.field_names, SEQUENCE_NUMBER, VALUE_KIND]

    @cached_property
    def _function(self) -> MergeFunction:
        return merge_function_for(self.store.schema, self.store.schema.field_names)

    @cached_property
    def _sequence_fields(self) -> SequenceFields:
        return SequenceFields.of(self.store.schema)


def _with_system_columns(table: pa.Table, kinds: Kinds | None, sequence: Int64Array) -> pa.Table:
    known = np.zeros(len(sequence), np.int8) if kinds is None else kinds
    return table.append_column(SEQUENCE_NUMBER, pa.array(sequence)).append_column(VALUE_KIND, pa.array(known))


def _cuts(groups: KeyGroups, step: int) -> list[int]:
    """Return positions where a key begins, about ``step`` rows apart, including both ends."""
    rows = len(groups.order)
    positions = np.searchsorted(groups.starts, np.arange(step, rows, step))
    inner = groups.starts[np.unique(positions[positions < len(groups.starts)])]
    return [0, *inner.tolist(), rows]
