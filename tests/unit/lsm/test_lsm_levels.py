"""Order of runs, key comparison, invariants of levels, and sections with as few runs as possible."""

from __future__ import annotations

import math
import random
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import CorruptFile, InvalidSchema
from workbench.format.rows.binary_row import encode_row
from workbench.format.spec.data_file import EMPTY_STATS, DataFileMeta
from workbench.format.types import AtomicType
from workbench.lsm.interval_partition import partition_into_sections
from workbench.lsm.levels import Key, Levels, SortedRun, comparable_keys


def key_of(data: bytes) -> Key:
    return (int.from_bytes(data, "big"),)


def data_file(name: str, level: int = 0, low: int = 0, high: int = 9, **changes: int) -> DataFileMeta:
    sequences = (changes.get("first", 0), changes.get("last", 0))
    keys = (low.to_bytes(4, "big"), high.to_bytes(4, "big"))
    created = changes.get("created", 0)
    stats = (EMPTY_STATS, EMPTY_STATS)
    return DataFileMeta(name, changes.get("size", 100), 10, *keys, *stats, *sequences, 0, level, creation_time=created)


def names(levels: Levels) -> list[list[str]]:
    return [[file.file_name for file in run.files] for run in levels.runs()]


def test_level_0_is_newest_first() -> None:
    files = [
        data_file("d", first=5, last=9, created=2),
        data_file("c", first=5, last=9, created=1),
        data_file("b", first=5, last=9, created=1),
        data_file("a", first=4, last=9, created=7),
        data_file("z", first=0, last=10),
    ]
    random.Random(1).shuffle(files)
    assert names(Levels(files, 3, key_of)) == [["z"], ["a"], ["b"], ["c"], ["d"]]


def test_higher_levels_are_one_run_each_in_key_order() -> None:
    files = [data_file("b", 2, 10, 19), data_file("a", 2, 0, 9), data_file("c", 1, 0, 50), data_file("d")]
    levels = Levels(files, 4, key_of).check()
    assert names(levels) == [["d"], ["c"], ["a", "b"]]
    assert [run.level for run in levels.runs()] == [0, 1, 2]
    assert levels.num_sorted_runs == 3
    assert levels.highest_non_empty_level == 2
    assert (levels.max_level, levels.num_levels) == (3, 4)
    assert [run.total_size for run in levels.runs()] == [100, 100, 200]
    assert levels.runs()[-1].row_count == 20
    assert [file.file_name for file in levels.level_0] == ["d"]
    assert levels.total_size == 400


def test_restored_files_extend_the_levels() -> None:
    assert Levels([data_file("a", 7)], 3, key_of).num_levels == 8
    assert Levels([], 3, key_of).highest_non_empty_level == -1


def test_a_tree_has_at_least_two_levels() -> None:
    with pytest.raises(InvalidSchema, match=r"at least 2.* 'num-levels'"):
        Levels([], 1, key_of)


def test_update_returns_new_levels() -> None:
    a, b = data_file("a"), data_file("b", last=5)
    before = Levels([a, b], 3, key_of)
    after = before.update([a, b], [a.upgrade(2), data_file("c", 1)])
    assert names(before) == [["b"], ["a"]]
    assert names(after) == [["c"], ["a"]]
    with pytest.raises(ValueError, match="File a is not on level 0"):
        after.update([a], [])


@pytest.mark.parametrize("low", [5, 9])
def test_overlap_on_a_level_is_found(low: int) -> None:
    overlapping = Levels([data_file("a", 1, 0, 9), data_file("b", 1, low, 20)], 3, key_of)
    with pytest.raises(CorruptFile, match="b: its keys overlap those of a on level 1"):
        overlapping.check()


def test_doubles_order_as_java_compares_them() -> None:
    types = (AtomicType("DOUBLE", nullable=False),)
    ordered = [-math.inf, -1.5, -1e-300, -0.0, 0.0, 1e-300, 2.0, math.inf, math.nan]
    keys = [comparable_keys(types)(encode_row([value], types)) for value in ordered]
    assert all(left < right for left, right in pairwise(keys))
    assert comparable_keys(types)(encode_row([-math.nan], types)) == keys[-1]


def test_strings_order_by_their_utf8_bytes() -> None:
    types = (AtomicType("VARCHAR", nullable=False, length=20), AtomicType("INT", nullable=False))
    ordered = [("", 9), ("a", -1), ("a", 2), ("b", 0), ("é", 0), ("\uffff", 0), ("\U0001f600", 0)]
    keys = [comparable_keys(types)(encode_row(values, types)) for values in ordered]
    assert all(left < right for left, right in pairwise(keys))


def test_other_values_compare_as_they_are() -> None:
    types = (AtomicType("DECIMAL", nullable=False, precision=30, scale=2), AtomicType("BOOLEAN", nullable=False))
    ordered = [(Decimal("-5.00"), True), (Decimal("9.00"), False), (Decimal("9.00"), True), (Decimal("10.00"), False)]
    keys = [comparable_keys(types)(encode_row(values, types)) for values in ordered]
    assert all(left < right for left, right in pairwise(keys))


ranges = st.tuples(st.integers(0, 60), st.integers(0, 15)).map(lambda each: (each[0], each[0] + each[1]))


@given(st.lists(ranges, max_size=40))
def test_sections_never_touch_and_are_the_fewest_runs(bounds: list[tuple[int, int]]) -> None:
    files = [data_file(f"f{i}", 0, *each) for i, each in enumerate(bounds)]
    sections = partition_into_sections(files, key_of)
    everything = [file for section in sections for run in section for file in run.files]
    assert sorted(file.file_name for file in everything) == sorted(file.file_name for file in files)
    ends = [section_range(section) for section in sections]
    assert all(left[1] < right[0] for left, right in pairwise(ends))
    for section in sections:
        for run in section:
            assert all(left.max_key < right.min_key for left, right in pairwise(run.files))
        assert len(section) == busiest_key(section)


def section_range(section: list[SortedRun]) -> tuple[bytes, bytes]:
    files = [file for run in section for file in run.files]
    return min(file.min_key for file in files), max(file.max_key for file in files)


def busiest_key(section: list[SortedRun]) -> int:
    files = [file for run in section for file in run.files]
    return max(sum(file.min_key <= at.min_key <= file.max_key for file in files) for at in files)


def test_keys_compare_otherwise_without_another_sort() -> None:
    levels = Levels([data_file("b", 1, 3, 4), data_file("a", 1, 1, 2)], 3, lambda _: ())
    other = levels.with_keys(key_of)
    assert names(other) == names(levels) == [["b", "a"]]
    assert other.key_of is key_of
    assert levels.key_of is not key_of
    assert (other.num_levels, other.max_level) == (levels.num_levels, levels.max_level)
