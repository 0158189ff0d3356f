"""The changes that a compaction reports: each rule, compared with a plain loop over the rows of a key."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, VALUE_KIND
from workbench.lsm.changelog import Compared, FirstRowLookupMerge, LookupMerge, TopLevelMerge, changelog_of
from workbench.lsm.deduplicate import DeduplicateMergeFunction
from workbench.lsm.first_row import FirstRowMergeFunction
from workbench.lsm.key_slices import MergedSlice, Run, merge_slices
from workbench.lsm.merge_function import (
    MergeFunction,
    RowKind,
)
from workbench.scan.table_chunk import Layout, TableChunk

INSERT, DELETE = int(RowKind.INSERT), int(RowKind.DELETE)
COLUMNS = ["k", "v", SEQUENCE_NUMBER, VALUE_KIND]
OUTPUT, TOP = 2, 3
Entry = tuple[int, int | None, int, int]
"""Key, value, sequence number, kind."""
Runs = list[tuple[int, list[Entry]]]
Change = tuple[str, int, int | None, int]


@st.composite
def trees(draw: st.DrawFn, deletes: bool = True) -> Runs:
    """Draw runs, those of the last level first; the sequence numbers of a run exceed those of all previous runs."""
    runs: Runs = []
    sequence = 0
    for level in [3, 2, 1, 0, 0, 0]:
        keys = sorted(draw(st.sets(st.integers(0, 7))))
        entries = []
        for key in keys:
            # The last level has no deletes.
            is_delete = deletes and level < TOP and draw(st.booleans())
            entries.append((key, draw(st.none() | st.integers(0, 2)), sequence, DELETE if is_delete else INSERT))
            sequence += 1
        if entries:
            runs.append((level, entries))
    return runs


def merged(runs: Runs, function: MergeFunction) -> list[MergedSlice]:
    types = [pa.int32(), pa.int32(), pa.int64(), pa.int8()]
    layout = Layout(("k",), sequence=True, kinds=True)
    result = []
    for level, entries in runs:
        columns = [pa.array(values, kind) for values, kind in zip(zip(*entries, strict=True), types, strict=True)]
        # Two chunks, so that slices end within runs.
        head, tail = TableChunk(pa.table(dict(zip(COLUMNS, columns, strict=True))), layout).split(len(entries) // 2)
        result.append(Run(len(entries), iter([head, tail]), level))
    return list(merge_slices(result, function))


def told(slices: list[MergedSlice], by: Sequence[str] | None) -> list[Change]:
    tables = [changelog_of(each, COLUMNS, by) for each in slices]
    return [
        (RowKind(row[VALUE_KIND]).short, row["k"], row["v"], row[SEQUENCE_NUMBER])
        for table in tables
        for row in table.to_pylist()
    ]


def written(slices: list[MergedSlice]) -> list[Entry]:
    return [tuple(row.values()) for each in slices for row in each.in_key_order(COLUMNS).to_pylist()]


def walk(runs: Runs, rule: Callable[[int, list[tuple[int, Entry]]], None]) -> None:
    for key in range(8):
        rows = [(level, entry) for level, entries in runs for entry in entries if entry[0] == key]
        if rows:
            rule(key, sorted(rows, key=lambda each: each[1][2]))


def changes(before: Entry | None, after: Entry, deduplicates: bool) -> list[Change]:
    is_there, stays = before is not None and before[3] == INSERT, after[3] == INSERT
    key, value, sequence = after[:3]
    if not is_there:
        return [("+I", key, value, sequence)] if stays else []
    assert before is not None
    if not stays:
        return [("-D", key, before[1], before[2])]
    if deduplicates and before[1] == value:
        return []
    return [("-U", key, before[1], before[2]), ("+U", key, value, sequence)]


by = pytest.mark.parametrize("by", [None, ["v"]], ids=["every update", "deduplicated"])


@by
@settings(max_examples=40, deadline=None)
@given(runs=trees())
def test_rows_are_looked_up(by: list[str] | None, runs: Runs) -> None:
    slices = merged(runs, LookupMerge(DeduplicateMergeFunction(), OUTPUT))
    expected: list[Change] = []
    kept: list[Entry] = []
    result: set[int] = set()

    def rule(key: int, rows: list[tuple[int, Entry]]) -> None:
        new = [entry for level, entry in rows if level == 0]
        high = min((each for each in rows if each[0] > 0), default=None)
        if not new and high is not None and high[0] > OUTPUT:
            return
        candidates = [*new, *([high[1]] if high else [])]
        after = max(candidates, key=lambda entry: entry[2])
        kept.append(after)
        if new:
            expected.extend(changes(high[1] if high else None, after, by is not None))
            if high is not None and high[0] > OUTPUT:
                result.add(key)

    walk(runs, rule)
    assert told(slices, by) == expected
    assert written(slices) == kept
    marked = set()
    for each in slices:
        compared = each.merged
        assert isinstance(compared, Compared)
        marked |= set(each.input_rows(["k"], compared.before[compared.looked_up]).column("k").to_pylist())
    assert marked == result


@settings(max_examples=40, deadline=None)
@given(runs=trees(deletes=False))
def test_a_first_row_is_kept(runs: Runs) -> None:
    slices = merged(runs, FirstRowLookupMerge(FirstRowMergeFunction(), OUTPUT))
    expected: list[Change] = []
    kept: list[Entry] = []

    def rule(key: int, rows: list[tuple[int, Entry]]) -> None:
        picked = [each for each in rows if each[0] <= OUTPUT]
        is_known = any(level > 0 for level, _ in picked)
        if not picked or (not is_known and any(level > OUTPUT for level, _ in rows)):
            return
        first = picked[0][1]
        kept.append(first)
        if not is_known:
            expected.append(("+I", key, first[1], first[2]))

    walk(runs, rule)
    assert told(slices, None) == expected
    assert written(slices) == kept


@by
@settings(max_examples=40, deadline=None)
@given(runs=trees())
def test_rows_are_compared_with_the_last_level(by: list[str] | None, runs: Runs) -> None:
    slices = merged(runs, TopLevelMerge(DeduplicateMergeFunction(), TOP))
    expected: list[Change] = []

    def rule(_: int, rows: list[tuple[int, Entry]]) -> None:
        top = next((entry for level, entry in rows if level == TOP), None)
        if len(rows) > 1 or top is None:
            expected.extend(changes(top, rows[-1][1], by is not None))

    walk(runs, rule)
    assert told(slices, by) == expected


def test_only_a_comparing_merge_returns_changes() -> None:
    (plain,) = merged([(0, [(1, 1, 1, INSERT)])], DeduplicateMergeFunction())
    with pytest.raises(TypeError, match="looks up the previous rows"):
        changelog_of(plain, COLUMNS, None)
