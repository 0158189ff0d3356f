"""Reading of the sections of a split: files without overlap are read as stored, overlapping sorted runs are merged by
key (format §25)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.base.lazy import cached_property
from workbench.datafile.protocol import DataFile, side_by_side
from workbench.expr.expressions import Expr
from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, VALUE_KIND
from workbench.format.spec.schema import TableSchema
from workbench.lsm.key_slices import Chunk, MergedSlice, OnOverflow, Run, SliceInput, slices_to_merge
from workbench.lsm.merge_function import (
    Kinds,
    MergeFunction,
)
from workbench.lsm.sequence_fields import SequenceFields
from workbench.scan.read_where import read_where
from workbench.scan.table_chunk import Layout, TableChunk

if TYPE_CHECKING:
    from workbench.scan.waiting_rows import WaitingRows

_SLICE_BYTES = 48 << 20
# Dictionary-encoded values need much more memory once decoded, so the number of rows is bounded as well.
_SLICE_ROWS = 1 << 19
_WHOLE_SECTION_BYTES = 1 << 30
_MIN_BATCH_ROWS = 4096

ReadBatches = Callable[[DataFile, Sequence[str], int], Iterator[pa.Table]]
"""Reads columns of a file in batches of the given number of rows."""


@dataclass(frozen=True)
class SectionReader:
    """Merge of the runs of one section. ``runs`` are readers in key order, the oldest run first.

    ``columns`` are the columns that the caller reads from the slices: value columns of ``schema`` and system columns.
    Rows whose key does not satisfy ``where_keys`` may be left out, as they never affect other keys. ``function``
    replaces the merge function of reads. With ``batches``, which replaces `DataFile.batches` and may leave out all rows
    of some keys, sections are streamed regardless of their size. ``waiting`` are rows without a bucket, newer than all
    others. Totals that exceed the precision of their column are passed to ``on_overflow``; without it, they are
    refused.
    """

    runs: Sequence[Sequence[DataFile]]
    schema: TableSchema
    columns: Sequence[str]
    where_keys: Expr | None = None
    function: MergeFunction | None = None
    batches: ReadBatches | None = None
    waiting: WaitingRows | None = None
    on_overflow: OnOverflow | None = None

    def slices(self, *, whole: bool) -> Iterator[MergedSlice]:
        """Yield the merged rows. ``whole``: as one slice if memory allows, with value columns read only from files with
        surviving rows, once the keys are merged; otherwise streamed, with memory bounded by the slice.
        """
        for each in self.inputs(whole=whole):
            yield each.merged(self._function, self.on_overflow)

    def inputs(self, *, whole: bool) -> Iterator[SliceInput]:
        """Yield the rows that `slices` merges."""
        runs = [run for run in self.runs if sum(reader.rows for reader in run)]
        size = sum(reader.uncompressed_size for run in runs for reader in run)
        rows = sum(reader.rows for run in runs for reader in run)
        fits = size <= _SLICE_BYTES and rows <= _SLICE_ROWS
        if self.batches is None and (fits or (whole and size <= _WHOLE_SECTION_BYTES)):
            yield from self._divided([self._whole_run(run) for run in runs])
            return
        rows_of_slice = min(_SLICE_ROWS, max(1, _SLICE_BYTES * rows // max(size, 1)))
        yield from self._divided([self._streamed_run(run, rows_of_slice, rows) for run in runs])

    def _divided(self, runs: Sequence[Run]) -> Iterator[SliceInput]:
        if self.waiting is not None:
            runs = [*runs, self.waiting.run(self.streamed, self._layout, self.where_keys)]
        return slices_to_merge(runs, SequenceFields.of(self.schema))

    @cached_property
    def _function(self) -> MergeFunction:
        if self.function is not None:
            return self.function
        # Loaded here, because tables without primary keys are not merged.
        from workbench.lsm.merge_engine import merge_function_for

        return merge_function_for(self.schema, self.columns)

    @cached_property
    def _keys(self) -> tuple[str, ...]:
        return self.schema.trimmed_primary_keys

    @cached_property
    def _needs_sequence(self) -> bool:
        """Return whether the merge needs sequence numbers, which matter only if those of two runs interleave (format
        §16)."""
        spans = [
            (
                min(reader.file.min_sequence_number for reader in run),
                max(reader.file.max_sequence_number for reader in run),
            )
            for run in self.runs
        ]
        return any(older[1] >= newer[0] for older, newer in pairwise(spans))

    @cached_property
    def _needs_kinds(self) -> bool:
        """Return whether the merge needs row kinds. Old writers do not record whether their files hold deletes, so the
        kinds are read. If a column defines the kinds, pypaimon counts no deletes, and Java evaluates the kinds of all
        rows that it merges."""
        if VALUE_KIND in self.columns or "rowkind.field" in self.schema.options or self.waiting is not None:
            return True
        return any(reader.file.delete_row_count != 0 for run in self.runs for reader in run)

    @cached_property
    def streamed(self) -> list[str]:
        """The columns that the merge reads."""
        needed = [*self._keys, *self.columns, *self.schema.core.sequence_field, *self._function.reads]
        if self._needs_sequence:
            needed.append(SEQUENCE_NUMBER)
        if self._needs_kinds:
            needed.append(VALUE_KIND)
        return list(dict.fromkeys(needed))

    def _whole_run(self, run: Sequence[DataFile]) -> Run:
        chunk = _FilesChunk(run, self._layout, self.streamed, self.where_keys)
        return Run(chunk.rows, iter([chunk]), run[0].file.level)

    def _streamed_run(self, run: Sequence[DataFile], rows_of_slice: int, all_rows: int) -> Run:
        rows = sum(reader.rows for reader in run)
        # Runs deliver rows in proportion to their size, so that none delays the others.
        batch_rows = max(_MIN_BATCH_ROWS, rows_of_slice * rows // all_rows)
        chunks = (TableChunk(table, self._layout) for reader in run for table in self._batches(reader, batch_rows))
        return Run(rows, chunks, run[0].file.level)

    def _batches(self, reader: DataFile, batch_rows: int) -> Iterator[pa.Table]:
        if self.batches is None:
            return reader.batches(self.streamed, batch_rows)
        return self.batches(reader, self.streamed, batch_rows)

    @cached_property
    def _layout(self) -> Layout:
        merged = (*self.schema.core.sequence_field, *self._function.reads)
        values = tuple(dict.fromkeys(name for name in merged if name not in self._keys))
        return Layout(self._keys, self._needs_sequence, self._needs_kinds, values)


class _FilesChunk:
    """The rows of all files of a run whose keys satisfy ``where``. The columns that the merge uses are read first.
    Other columns are read only when the surviving rows are known, only from files that have any, and are not kept once
    filtered.
    """

    def __init__(self, readers: Sequence[DataFile], layout: Layout, columns: Sequence[str], where: Expr | None) -> None:
        self._readers = readers
        self._layout = layout
        self._all_columns = columns
        self._where = where
        known = (*layout.keys, *layout.values, SEQUENCE_NUMBER, VALUE_KIND)
        self._head_columns = [name for name in columns if name in known]

    @cached_property
    def rows(self) -> int:
        return sum(reader.rows for reader in self._readers) if self._where is None else self._head.rows

    @cached_property
    def _unfiltered(self) -> pa.Table:
        return pa.concat_tables([self._read(reader, self._head_columns) for reader in self._readers])

    def _read(self, reader: DataFile, columns: Sequence[str]) -> pa.Table:
        return read_where(reader, columns, self._where)

    @cached_property
    def _requested(self) -> pa.BooleanArray | None:
        """Return a mask of the rows of the files that have requested keys; None for all rows."""
        if self._where is None:
            return None
        from workbench.expr.evaluate import filter_mask

        mask = filter_mask(self._where, self._unfiltered)
        return mask.combine_chunks() if isinstance(mask, pa.ChunkedArray) else mask

    @cached_property
    def _head(self) -> TableChunk:
        table = self._unfiltered if self._requested is None else self._unfiltered.filter(self._requested)
        return TableChunk(table, self._layout)

    def keys(self) -> list[pa.ChunkedArray]:
        return self._head.keys()

    def sequence(self) -> pa.ChunkedArray | None:
        return self._head.sequence()

    def kinds(self) -> Kinds | None:
        return self._head.kinds()

    def column(self, name: str) -> pa.ChunkedArray:
        return self.values([name], None).column(0)

    def values(self, columns: Sequence[str], mask: pa.Array | None) -> pa.Table:
        known = [name for name in columns if name in self._head_columns]
        unread = [name for name in columns if name not in self._head_columns]
        head = self._head.table.select(known)
        if mask is not None:
            head = head.filter(mask)
        if not unread:
            return head
        wanted = self._in_files(mask)
        parts, first = [], 0
        for reader in self._readers:
            if wanted is None:
                parts.append(self._read(reader, unread))
            else:
                part = wanted.slice(first, reader.rows)
                parts.append(self._read(reader, unread).filter(part) if part.true_count else reader.read_none(unread))
            first += reader.rows
        return side_by_side([head, pa.concat_tables(parts)], columns)

    def _in_files(self, mask: pa.BooleanArray | None) -> pa.BooleanArray | None:
        """Convert a mask over the rows of the chunk to one over the rows of the files."""
        if self._requested is None or mask is None:
            return self._requested if mask is None else mask
        flags = self._requested.to_numpy(zero_copy_only=False)
        flags[flags] = mask.to_numpy(zero_copy_only=False)
        return pa.array(flags)

    def split(self, rows: int) -> tuple[Chunk, Chunk]:
        return TableChunk(self.values(self._all_columns, None), self._layout).split(rows)
