"""Two states as streams in key order, cut at the same keys, so that they are compared piece by piece."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from workbench.base.parallel import read_ahead
from workbench.lsm.key_slices import MergedSlice
from workbench.lsm.keys import group_keys
from workbench.lsm.levels import Key, KeyOf
from workbench.scan.split import Section, Split
from workbench.scan.split_reader import SplitReader

# More streams than this are read without a thread of their own.
_MOST_THREADS = 4

Stream = Iterator[pa.Table]
Adapt = Callable[[pa.Table], pa.Table]


@dataclass(frozen=True)
class KeyOrderReader(SplitReader):
    """Reader of the rows of each section in key order."""

    def _merged_rows(self, merged: MergedSlice) -> pa.Table:
        return merged.without_retracts().in_key_order(self._read_columns)

    def ordered_streams(self, splits: Sequence[Split], key_of: KeyOf, adapt: Adapt) -> list[Stream]:
        """Return the fewest streams that deliver all rows, each in key order; nothing is read before it is needed."""
        return [self._chained(chain, adapt) for chain in _chains(splits, key_of)]

    def _chained(self, sections: Sequence[tuple[Split, Section]], adapt: Adapt) -> Stream:
        for split, section in sections:
            for table in self._stream_section(split, section):
                if table.num_rows:
                    yield adapt(table)


def _chains(splits: Sequence[Split], key_of: KeyOf) -> list[list[tuple[Split, Section]]]:
    """Return the fewest sequences of sections whose keys ascend."""
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
    """The rows of a stream that were read and not delivered yet."""

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
    before: Sequence[Stream], after: Sequence[Stream], keys: Sequence[str], schema: pa.Schema
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Yield the rows of both states piece by piece: all rows of a key are in one piece.

    Each stream is in key order; memory is bounded by the pieces that the streams deliver.
    """
    streams = (*before, *after)
    few = len(streams) <= _MOST_THREADS
    cursors = [_Cursor(read_ahead(stream) if few else stream) for stream in streams]
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
    columns = [
        pa.chunked_array([chunk for each in live for table in each.waiting for chunk in table.column(name).chunks])
        for name in keys
    ]
    groups = group_keys(columns)
    rank = np.empty(len(groups.order), np.int64)
    rank[groups.order] = np.arange(len(rank))
    ends = np.cumsum(rows)
    last = min(int(rank[ends[at] - 1]) for at in unfinished)
    end = groups.ends[np.searchsorted(groups.starts, last, side="right") - 1]
    begins = [0, *ends[:-1].tolist()]
    return [int(np.count_nonzero(rank[begin:until] < end)) for begin, until in zip(begins, ends, strict=True)]


def _common_rows(live: Sequence[_Cursor], keys: Sequence[str]) -> int:
    """Return the length of the shorter of two streams if the other begins with the same keys, else 0."""
    one, other = (cursor.waiting[0] for cursor in live)
    rows = min(one.num_rows, other.num_rows)
    same = all(one.column(name).slice(0, rows).equals(other.column(name).slice(0, rows)) for name in keys)
    return rows if same else 0
