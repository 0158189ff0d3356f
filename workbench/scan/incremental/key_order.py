"""Two states as streams in key order, cut at the same keys, so that they can be compared piece by piece."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray
from workbench.base.modules import pc
from workbench.base.parallel import read_ahead
from workbench.datafile.protocol import DataFile
from workbench.lsm.key_slices import MergedSlice
from workbench.lsm.keys import column_words
from workbench.lsm.levels import Key, KeyOf
from workbench.metadata.store import TableStore
from workbench.scan.incremental.shared_files import SharedFiles
from workbench.scan.split import Section, Split
from workbench.scan.split_reader import SplitReader

if TYPE_CHECKING:
    from workbench.scan.section_reader import SectionReader

# If there are more streams than this, they are read without separate threads.
_MOST_THREADS = 4
# Lookup tables of integers have at most this many slots of one byte.
_MOST_SLOTS = 1 << 26

Stream = Iterator[pa.Table]
Adapt = Callable[[pa.Table], pa.Table]


class KeySet:
    """A superset of the keys of some rows: each key column is tested separately against the set of its values."""

    def __init__(self, values: Mapping[str, pa.Array]) -> None:
        self._tests = {name: _membership(each) for name, each in values.items()}

    def mask(self, rows: pa.Table) -> BoolArray:
        """Return bool[rows]: which rows may have one of the keys."""
        mask = np.ones(rows.num_rows, bool)
        for name, test in self._tests.items():
            mask &= test(rows.column(name))
        return mask


def _membership(values: pa.Array) -> Callable[[pa.ChunkedArray], BoolArray]:
    """Return a function that tests which values of a column are among the given ones. Integers from a small range are
    looked up in a table, which is many times cheaper than hashing."""
    if pa.types.is_integer(values.type) and len(values):
        numbers = values.to_numpy().astype(np.int64)
        least, most = int(numbers.min()), int(numbers.max())
        if most - least < _MOST_SLOTS:
            slots = np.zeros(most - least + 1, bool)
            slots[numbers - least] = True

            def is_in_table(column: pa.ChunkedArray) -> BoolArray:
                given = column.to_numpy().astype(np.int64, copy=False)
                within: BoolArray = (given >= least) & (given <= most)
                within &= slots[np.clip(given, least, most) - least]
                return within

            return is_in_table
    return lambda column: np.asarray(pc.is_in(column, value_set=values).to_numpy(), bool)


@dataclass(frozen=True)
class KeyOrderReader(SplitReader):
    """Reader of the rows of each section in key order; if ``keys`` are given, only of rows that may have one of them.
    Files that another reader with the same ``shared`` also reads are read only once."""

    keys: KeySet | None = None
    shared: SharedFiles | None = None

    def _merged_rows(self, merged: MergedSlice) -> pa.Table:
        return merged.without_retracts().in_key_order(self._read_columns)

    def _section_reader(self, split: Split, section: Section, store: TableStore) -> SectionReader:
        reader = super()._section_reader(split, section, store)
        return reader if self.shared is None else replace(reader, batches=self._batches)

    def _batches(self, reader: DataFile, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        if self.shared is None:
            return super()._batches(reader, columns, batch_rows)
        return self.shared.pieces(reader.file, columns, lambda: self._chosen(reader, columns, batch_rows))

    def _chosen(self, reader: DataFile, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        for rows in reader.batches(columns, batch_rows):
            yield rows if self.keys is None else rows.filter(pa.array(self.keys.mask(rows)))

    def ordered_streams(self, splits: Sequence[Split], key_of: KeyOf, adapt: Adapt) -> list[Stream]:
        """Return as few streams as possible that together deliver all rows, each in key order. Files are read only when
        needed."""
        return [self._chained(chain, adapt) for chain in _chains(splits, key_of)]

    def _chained(self, sections: Sequence[tuple[Split, Section]], adapt: Adapt) -> Stream:
        for split, section in sections:
            for table in self._stream_section(split, section):
                if table.num_rows:
                    yield adapt(table)
        self._warn()


def _chains(splits: Sequence[Split], key_of: KeyOf) -> list[list[tuple[Split, Section]]]:
    """Return the sections in as few sequences as possible; the keys of each sequence ascend."""
    ranges: list[tuple[Key, Key, tuple[Split, Section]]] = []
    for split in splits:
        for section in split.sections:
            files = [file for run in section for file in run]
            ends = min(key_of(file.min_key) for file in files), max(key_of(file.max_key) for file in files)
            ranges.append((*ends, (split, section)))
    ranges.sort(key=lambda each: each[:2])
    chains: list[list[tuple[Split, Section]]] = []
    bounds: list[Key] = []
    for least, most, item in ranges:
        free = next((at for at, bound in enumerate(bounds) if bound < least), None)
        if free is None:
            chains.append([item])
            bounds.append(most)
        else:
            chains[free].append(item)
            bounds[free] = most
    return chains


@dataclass
class _Cursor:
    """The rows of a stream that have been read but not yet delivered."""

    stream: Stream
    waiting: deque[pa.Table] = field(default_factory=deque)
    is_exhausted: bool = False

    def fill(self) -> None:
        if not self.waiting and not self.is_exhausted:
            table = next(self.stream, None)
            if table is None:
                self.is_exhausted = True
            else:
                self.waiting.append(table)

    @property
    def rows(self) -> int:
        return sum(table.num_rows for table in self.waiting)

    def take(self, rows: int) -> list[pa.Table]:
        taken = []
        while rows:
            table = self.waiting.popleft()
            if table.num_rows > rows:
                self.waiting.appendleft(table.slice(rows))
                table = table.slice(0, rows)
            taken.append(table)
            rows -= table.num_rows
        return taken


def aligned_slices(
    before: Sequence[Stream], after: Sequence[Stream], keys: Sequence[str], schema: pa.Schema, *, ahead: bool
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Yield the rows of both states piece by piece: all rows of a key are in one piece.

    Each stream is in key order; memory is bounded by the pieces that the streams deliver. ``ahead``: if there are only
    a few streams, threads read their next pieces in advance. This costs more than it saves if reads do not wait for the
    storage.
    """
    streams = (*before, *after)
    ahead &= len(streams) <= _MOST_THREADS
    cursors = [_Cursor(read_ahead(stream) if ahead else stream) for stream in streams]
    empty = schema.empty_table()
    while True:
        for cursor in cursors:
            cursor.fill()
        live = [cursor for cursor in cursors if cursor.waiting]
        if not live:
            return
        counts = dict(zip(map(id, live), _rows_before_cut(live, keys), strict=True))
        older, newer = (
            pa.concat_tables([empty, *(part for each in side if each.waiting for part in each.take(counts[id(each)]))])
            for side in (cursors[: len(before)], cursors[len(before) :])
        )
        yield older, newer
        del older, newer


def _rows_before_cut(live: Sequence[_Cursor], keys: Sequence[str]) -> list[int]:
    """Return how many rows of each cursor have keys up to the smallest of the last keys of unfinished streams."""
    rows = [cursor.rows for cursor in live]
    unfinished = [at for at, cursor in enumerate(live) if not cursor.is_exhausted]
    if not unfinished:
        return rows
    if len(live) == 1:
        return rows
    if len(live) == 2 and (common := _common_rows(live, keys)):
        return [common, common]
    waiting = [pa.concat_tables(cursor.waiting).select(list(keys)) for cursor in live]
    last = min(_key_at(waiting[at], rows[at] - 1) for at in unfinished)
    return [
        bisect_right(range(count), last, key=partial(_key_at, table))
        for table, count in zip(waiting, rows, strict=True)
    ]


def _key_at(keys: pa.Table, row: int) -> tuple[Any, ...]:
    """Return the key of a row as values that sort in the same order as the keys in files."""
    return tuple(_sortable(column[row]) for column in keys.columns)


def _sortable(value: pa.Scalar) -> Any:
    if pa.types.is_temporal(value.type):
        return value.value
    if pa.types.is_floating(value.type):
        return int(column_words(pa.array([value.as_py()], value.type))[0][0])
    return value.as_py()


def _common_rows(live: Sequence[_Cursor], keys: Sequence[str]) -> int:
    """Return the length of the shorter of the next tables of two streams if the other one begins with the same keys,
    else 0."""
    one, other = (cursor.waiting[0] for cursor in live)
    rows = min(one.num_rows, other.num_rows)
    same = all(one.column(name).slice(0, rows).equals(other.column(name).slice(0, rows)) for name in keys)
    return rows if same else 0
