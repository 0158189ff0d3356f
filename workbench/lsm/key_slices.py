"""Merging of sorted runs slice by slice along the key: whole-column work, with memory bounded by the slice (format
§16, §25.2).

The runs of a section are read in parallel. Each run has a last buffered key, and the smallest of these is the cut: no
run can deliver another row up to it, so all rows up to the cut form a slice that is merged as a whole, and the
remaining rows stay buffered. A section that is passed as a whole is one slice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int8Array, Int64Array
from workbench.format.spec.data_file_fields import VALUE_KIND
from workbench.lsm.keys import KeyGroups, group_keys
from workbench.lsm.merge_function import (
    Kinds,
    Merged,
    MergeFunction,
    Overflow,
    RefusedRows,
    RowSource,
    is_retract,
)
from workbench.lsm.sequence_fields import SequenceFields

# If a chunk contributes less than one in this many of its rows, only the contributed rows are taken.
_FEW = 4

OnOverflow = Callable[[Overflow, str], None]
"""Takes a total that exceeds the precision of its column, and its key as text."""


class Chunk(Protocol):
    """Consecutive rows of one sorted run, in key order. Value columns may be read on demand."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        ...

    def keys(self) -> Sequence[pa.ChunkedArray]:
        """Return the key columns."""
        ...

    def sequence(self) -> pa.ChunkedArray | None:
        """Return the sequence numbers, or None if the order of the runs determines the age of rows."""
        ...

    def kinds(self) -> Kinds | None:
        """Return the row kinds as int8[rows], or None if every row is an insert."""
        ...

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a value column."""
        ...

    def values(self, columns: Sequence[str], mask: pa.Array | None) -> pa.Table:
        """Return value columns of the rows where ``mask`` is true (all rows for None)."""
        ...

    def split(self, rows: int) -> tuple[Chunk, Chunk]:
        """Split into the first ``rows`` rows and the remaining rows."""
        ...


@dataclass(frozen=True)
class MergedSlice:
    """The result of one slice: ``merged.rows`` and ``order`` (int64[rows]) refer to the rows of ``chunks``, numbered
    consecutively. ``order`` has all rows sorted by key, and by age within a key, oldest first."""

    chunks: Sequence[Chunk]
    merged: Merged
    order: Int64Array

    def in_key_order(self, columns: Sequence[str]) -> pa.Table:
        """Return the resulting rows sorted by key, as a compaction writes them."""
        table = self.result(columns)
        return table if self.merged.positions is None else table.take(pa.array(np.argsort(self.merged.positions)))

    def unmerged(self, columns: Sequence[str]) -> pa.Table:
        """Return all rows that were merged, sorted by key and age, as a changelog of the input contains them."""
        return self.input_rows(columns, self.order)

    def in_file_order(self, columns: Sequence[str]) -> pa.Table:
        """Return the resulting rows in the order of the files. Reads need no other order, and this is several times
        cheaper than sorting wide rows."""
        if self.merged.columns:
            return self.result(columns)
        chosen = np.zeros(sum(chunk.rows for chunk in self.chunks), bool)
        chosen[self.merged.rows] = True
        tables, first = [], 0
        for chunk in self.chunks:
            part = chosen[first : first + chunk.rows]
            first += chunk.rows
            kept = int(np.count_nonzero(part))
            if kept:
                tables.append(chunk.values(columns, None if kept == chunk.rows else pa.array(part)))
        return (
            pa.concat_tables(tables)
            if tables
            else self.chunks[0].values(columns, pa.array(np.zeros(self.chunks[0].rows, bool)))
        )

    def result(self, columns: Sequence[str], keys: Int64Array | None = None) -> pa.Table:
        """Return the resulting rows in the order of the merge function; only those at the positions ``keys``, if
        given."""
        merged = self.merged
        changed = {name: column for name, column in merged.columns.items() if name in columns}
        if VALUE_KIND in columns and merged.kinds is not None:
            changed[VALUE_KIND] = pa.chunked_array([pa.array(merged.kinds)])
        rows = merged.rows
        if keys is not None:
            rows = rows[keys]
            changed = {name: column.take(pa.array(keys)) for name, column in changed.items()}
        unchanged = [name for name in columns if name not in changed]
        table = self.input_rows(unchanged, rows) if unchanged else None
        return pa.table({name: changed[name] if table is None or name in changed else table[name] for name in columns})

    def input_rows(self, columns: Sequence[str], rows: Int64Array) -> pa.Table:
        """Return these rows of the chunks, in the given order. Of chunks that contribute few rows, only these are read
        and kept."""
        chosen = np.zeros(sum(chunk.rows for chunk in self.chunks), bool)
        chosen[rows] = True
        kept = chosen.copy()
        tables, first = [], 0
        for chunk in self.chunks:
            part = chosen[first : first + chunk.rows]
            if np.count_nonzero(part) < chunk.rows // _FEW:
                tables.append(chunk.values(columns, pa.array(part)))
            else:
                tables.append(chunk.values(columns, None))
                kept[first : first + chunk.rows] = True
            first += chunk.rows
        taken = rows if kept.all() else (np.cumsum(kept) - 1)[rows]
        table, positions = pa.concat_tables(tables), pa.array(taken)
        # One column at a time, so that the memory of its copy is reused for the next column.
        parts = [table.select([name]).combine_chunks().take(positions) for name in columns]
        return pa.table({name: part.column(0) for name, part in zip(columns, parts, strict=True)})

    def without_retracts(self) -> MergedSlice:
        """Return only the rows that exist after the merge: final -U and -D rows are left out (format §25.3)."""
        kinds = self.merged.kinds
        if kinds is None:
            return self
        return self.only(~is_retract(kinds))

    def only(self, kept: BoolArray) -> MergedSlice:
        """Return only the resulting rows where ``kept`` is true."""
        if kept.all():
            return self
        mask = pa.array(kept)
        merged = self.merged
        columns = {name: column.filter(mask) for name, column in merged.columns.items()}
        positions = None if merged.positions is None else merged.positions[kept]
        kinds = None if merged.kinds is None else merged.kinds[kept]
        return MergedSlice(self.chunks, Merged(merged.rows[kept], kinds, columns, positions), self.order)


@dataclass(frozen=True)
class Run:
    """One sorted run as a stream of chunks. ``rows`` is at least the number of rows of the chunks; ``level`` is its
    level. Keys are unique within a run, or else the rows of a key are in one chunk."""

    rows: int
    chunks: Iterator[Chunk]
    level: int = 0
    has_unique_keys: bool = True


@dataclass(frozen=True)
class SliceInput:
    """The rows of one slice before they are merged: ``groups`` number the rows of ``chunks`` consecutively."""

    chunks: Sequence[Chunk]
    groups: KeyGroups
    kinds: Kinds | None
    source: RowSource

    def merged(self, function: MergeFunction, on_overflow: OnOverflow | None = None) -> MergedSlice:
        """Merge the rows of each key. Totals that exceed the precision of their column are passed to ``on_overflow``;
        without it, they are refused.

        Raises:
            MergeError: The engine cannot combine the rows of a key. The message names the key, if it is known.
        """
        try:
            merged = function.merge(self.groups, self.kinds, self.source)
            for overflow in merged.overflows:
                if on_overflow is None:
                    raise overflow.refused()
                on_overflow(overflow, self._key_of(overflow.row))
        except RefusedRows as error:
            raise error.of_key(self._key_of(error.row)) from error
        return MergedSlice(self.chunks, merged, self.groups.order)

    def _key_of(self, row: int) -> str:
        """Return the key of a row as text."""
        for chunk in self.chunks:
            if row < chunk.rows:
                columns = chunk.keys()
                values = [_text(column.slice(row, 1)) for column in columns]
                return values[0] if len(values) == 1 else f"({', '.join(values)})"
            row -= chunk.rows
        raise IndexError("The slice does not have so many rows.")


def merge_slices(
    runs: Sequence[Run], function: MergeFunction, sequence_fields: SequenceFields | None = None
) -> Iterator[MergedSlice]:
    """Merge sorted runs, the oldest run first, slice by slice as `slices_to_merge` divides them."""
    for each in slices_to_merge(runs, sequence_fields):
        yield each.merged(function)


def slices_to_merge(runs: Sequence[Run], sequence_fields: SequenceFields | None = None) -> Iterator[SliceInput]:
    """Divide sorted runs, the oldest run first, into slices. ``sequence_fields`` take precedence over sequence numbers
    in determining the age of rows.

    Yields slices in ascending key order. Memory is bounded by the buffered chunks: at most one unread chunk for each
    run plus the rows that the slowest run delays.
    """
    cursors = [_Cursor(run) for run in runs]
    while True:
        for cursor in cursors:
            cursor.fill()
        live = [cursor for cursor in cursors if cursor.waiting]
        if not live:
            return
        chunks = [chunk for cursor in live for chunk in cursor.waiting]
        merges = len(live) > 1 or not live[0].has_unique_keys
        groups = _groups(chunks, merges, sequence_fields or SequenceFields())
        groups = groups.head(_keys_before_cut(groups, live))
        taken = _take_slice(live, groups)
        groups = KeyGroups(_renumber(groups.order, live, taken), groups.starts)
        slice_chunks = [chunk for part in taken for chunk in part]
        source = _Source(slice_chunks, [cursor.level for cursor, part in zip(live, taken, strict=True) for _ in part])
        yield SliceInput(slice_chunks, groups, _kinds(slice_chunks), source)


class _Cursor:
    """One run: the chunks that are read but not yet merged."""

    def __init__(self, run: Run) -> None:
        self._chunks = run.chunks
        self._unread = run.rows
        self.level = run.level
        self.has_unique_keys = run.has_unique_keys
        self.waiting: deque[Chunk] = deque()

    @property
    def exhausted(self) -> bool:
        return self._unread <= 0

    def fill(self) -> None:
        while not self.waiting and not self.exhausted:
            chunk = next(self._chunks, None)
            if chunk is None:
                self._unread = 0
                return
            self._unread -= chunk.rows
            if chunk.rows:
                self.waiting.append(chunk)

    @property
    def rows(self) -> int:
        return sum(chunk.rows for chunk in self.waiting)

    def take(self, rows: int) -> list[Chunk]:
        taken: list[Chunk] = []
        while rows:
            chunk = self.waiting.popleft()
            if chunk.rows > rows:
                head, tail = chunk.split(rows)
                self.waiting.appendleft(tail)
                chunk = head
            taken.append(chunk)
            rows -= chunk.rows
        return taken


class _Source:
    """The value columns of a slice."""

    def __init__(self, chunks: Sequence[Chunk], levels: Sequence[int]) -> None:
        self._chunks = chunks
        self._levels = levels

    def column(self, name: str) -> pa.ChunkedArray:
        return _column(self._chunks, name)

    def levels(self) -> Int8Array:
        return np.repeat(np.array(self._levels, np.int8), [chunk.rows for chunk in self._chunks])


def _column(chunks: Sequence[Chunk], name: str) -> pa.ChunkedArray:
    return pa.chunked_array([part for chunk in chunks for part in chunk.column(name).chunks])


def _groups(chunks: Sequence[Chunk], merges: bool, sequence_fields: SequenceFields) -> KeyGroups:
    if not merges:
        rows = np.arange(sum(chunk.rows for chunk in chunks), dtype=np.int64)
        return KeyGroups(rows, rows)
    columns = zip(*(chunk.keys() for chunk in chunks), strict=True)
    keys = [pa.chunked_array([part for column in parts for part in column.chunks]) for parts in columns]
    ages = [chunk.sequence() for chunk in chunks]
    known = [part for age in ages if age is not None for part in age.chunks]
    age_words = sequence_fields.words([_column(chunks, name) for name in sequence_fields.names])
    return group_keys(keys, [pa.chunked_array(known)] if known else [], age_words)


def _keys_before_cut(groups: KeyGroups, live: Sequence[_Cursor]) -> int:
    """Return how many keys are complete in all runs: those up to the smallest last key of the unfinished runs."""
    ends = np.cumsum([cursor.rows for cursor in live])
    last_rows = [end - 1 for cursor, end in zip(live, ends, strict=True) if not cursor.exhausted]
    if not last_rows:
        return len(groups.starts)
    is_last = np.zeros(len(groups.order), bool)
    is_last[last_rows] = True
    return int(np.searchsorted(groups.starts, np.argmax(is_last[groups.order]), side="right"))


def _take_slice(live: Sequence[_Cursor], groups: KeyGroups) -> list[list[Chunk]]:
    if len(groups.order) == sum(cursor.rows for cursor in live):
        return [cursor.take(cursor.rows) for cursor in live]
    chosen = np.zeros(sum(cursor.rows for cursor in live), bool)
    chosen[groups.order] = True
    taken, first = [], 0
    for cursor in live:
        rows = cursor.rows
        taken.append(cursor.take(int(np.count_nonzero(chosen[first : first + rows]))))
        first += rows
    return taken


def _renumber(order: Int64Array, live: Sequence[_Cursor], taken: Sequence[Sequence[Chunk]]) -> Int64Array:
    """Convert row numbers to numbers among the rows of the slice, skipping the rows that stay buffered."""
    gaps = [cursor.rows for cursor in live]
    if not any(gaps):
        return order
    sizes = np.array([sum(chunk.rows for chunk in part) for part in taken])
    shifts = np.concatenate([[0], np.cumsum(gaps)[:-1]])
    renumbered: Int64Array = order - np.repeat(shifts, sizes + np.array(gaps))[order]
    return renumbered


def _kinds(chunks: Sequence[Chunk]) -> Kinds | None:
    parts = [chunk.kinds() for chunk in chunks]
    if all(part is None for part in parts):
        return None
    return np.concatenate(
        [np.zeros(chunk.rows, np.int8) if part is None else part for chunk, part in zip(chunks, parts, strict=True)]
    )


def _text(key: pa.ChunkedArray) -> str:
    """Return the only value of a key column as text."""
    if pa.types.is_binary(key.type):
        return f"x'{key[0].as_py().hex()}'"
    return str(key.cast(pa.string())[0].as_py())
