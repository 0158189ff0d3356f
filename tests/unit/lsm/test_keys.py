"""Keys as machine words sort as Paimon's keys do, whatever their type; and the groups are those of equal keys."""

from __future__ import annotations

import math
import random
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.lsm import keys
from workbench.lsm.keys import column_words, group_keys, match_keys, rows_among

LONG = 1 << 63
EPOCH = datetime(1970, 1, 1)
TYPES: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "int8": (pa.int8(), st.integers(-128, 127)),
    "int32": (pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    "int64": (pa.int64(), st.integers(-LONG, LONG - 1) | st.integers(0, 9)),
    "bool": (pa.bool_(), st.booleans()),
    "float": (pa.float32(), st.floats(width=32)),
    "double": (pa.float64(), st.floats() | st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf])),
    "short decimal": (pa.decimal128(10, 2), st.decimals(-99_999_999, 99_999_999, places=2)),
    "long decimal": (pa.decimal128(38, 5), st.integers(-(10**38) + 1, 10**38 - 1).map(lambda n: Decimal(f"{n}E-5"))),
    "text": (pa.string(), st.text(st.sampled_from("\0ab\x7füλ𝄞"), max_size=20)),
    "any text": (pa.string(), st.text(max_size=12)),
    "binary": (pa.binary(), st.binary(max_size=20) | st.binary(max_size=2)),
    "date": (pa.date32(), st.dates()),
    "timestamp": (pa.timestamp("us"), st.datetimes()),
    "seconds": (
        pa.timestamp("ms"),
        st.integers(-(10**12), 10**12).map(lambda n: EPOCH + timedelta(seconds=n / 1000 // 1)),
    ),
    "time": (pa.time32("ms"), st.integers(0, 86_399_999)),
}


def comparable(value: Any) -> Any:
    """Return an object that Python sorts as Paimon sorts ``value``."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float):
        return (2, 0.0, 0) if math.isnan(value) else (1, value, math.copysign(1, value))
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.toordinal()
    return value


def chunked(values: list[Any], kind: pa.DataType, cuts: random.Random) -> pa.ChunkedArray:
    """Return the values in several chunks, each a slice of a longer array."""
    chunks, first = [], 0
    while first < len(values):
        last = cuts.randint(first + 1, len(values))
        padded = [values[0], *values[first:last], values[-1]]
        chunks.append(pa.array(padded, kind).slice(1, last - first))
        first = last
    return pa.chunked_array(chunks, kind)


def check(columns: list[list[Any]], kinds: list[pa.DataType], cuts: random.Random) -> None:
    rows = list(zip(*([comparable(value) for value in column] for column in columns), strict=True))
    groups = group_keys([chunked(column, kind, cuts) for column, kind in zip(columns, kinds, strict=True)])
    expected = sorted(range(len(rows)), key=lambda row: rows[row])
    assert groups.order.tolist() == expected
    starts = [
        position for position, row in enumerate(expected) if position == 0 or rows[row] != rows[expected[position - 1]]
    ]
    assert groups.starts.tolist() == starts
    assert groups.ends.tolist() == [*starts[1:], len(rows)]
    assert groups.newest().tolist() == [expected[end - 1] for end in groups.ends]


@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_one_column(name: str, data: st.DataObject) -> None:
    kind, values = TYPES[name]
    column = data.draw(st.lists(values, min_size=1, max_size=40))
    check([column], [kind], random.Random(len(column)))


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_several_columns(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(list(TYPES)), min_size=2, max_size=4))
    size = data.draw(st.integers(1, 30))
    columns = []
    for name in names:
        few = data.draw(st.lists(TYPES[name][1], min_size=1, max_size=4))
        columns.append(data.draw(st.lists(st.sampled_from(few), min_size=size, max_size=size)))
    check(columns, [TYPES[name][0] for name in names], random.Random(size))


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 5), st.integers(-LONG, LONG - 1) | st.integers(0, 3)), min_size=1, max_size=40
    )
)
def test_tie_breakers(rows: list[tuple[int, int]]) -> None:
    key, age = (pa.chunked_array([pa.array(column, pa.int64())]) for column in zip(*rows, strict=True))
    groups = group_keys([key], [age])
    assert groups.order.tolist() == sorted(range(len(rows)), key=lambda row: rows[row])
    assert len(groups.starts) == len({row[0] for row in rows})


def test_many_rows_of_one_prefix() -> None:
    chance = np.random.default_rng(3)
    texts = [f"customer-{number:09d}/{'x' * (number % 30)}" for number in chance.integers(0, 5000, 20_000)]
    check([texts], [pa.string()], random.Random(1))


def test_extreme_spread_with_another_column() -> None:
    wide = [-LONG, LONG - 1, 0, -1, 1] * 300
    narrow = [number % 3 for number in range(1500)]
    check([wide, narrow], [pa.int64(), pa.int32()], random.Random(2))
    check([narrow, wide], [pa.int32(), pa.int64()], random.Random(2))
    check([wide, wide, narrow], [pa.int64(), pa.int64(), pa.int32()], random.Random(2))


def test_one_value_only() -> None:
    groups = group_keys([pa.chunked_array([["same"] * 5])], [pa.chunked_array([[3, 1, 2, 1, 3]])])
    assert groups.order.tolist() == [1, 3, 2, 0, 4]
    assert groups.starts.tolist() == [0]
    assert groups.newest().tolist() == [4]


def test_nothing() -> None:
    groups = group_keys([pa.chunked_array([], pa.int64())])
    assert len(groups.order) == len(groups.starts) == len(groups.newest()) == 0
    assert len(group_keys([pa.chunked_array([], pa.string())]).order) == 0


def test_head() -> None:
    groups = group_keys([pa.chunked_array([[3, 1, 2, 1, 3]])])
    assert groups.head(2).order.tolist() == [1, 3, 2]
    assert groups.head(2).newest().tolist() == [3, 2]
    assert groups.head(99) is groups


def test_types_that_cannot_be_a_key() -> None:
    with pytest.raises(ValueError, match="null"):
        column_words(pa.array([1, None]))
    with pytest.raises(TypeError, match="list"):
        column_words(pa.array([[1]]))


def test_words_are_few() -> None:
    """Keys of usual size fit in one word, which makes the sort cheap."""
    texts = pa.array([f"order-{number:06d}" for number in range(1000)])
    assert len(keys.pack_words(column_words(texts))) == 1
    both = [*column_words(pa.array(range(1000))), *column_words(pa.array([1, 2] * 500))]
    assert len(keys.pack_words(both)) == 1


@pytest.mark.parametrize("name", TYPES)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_rows_among_keys_are_those_with_an_equal_key(name: str, data: st.DataObject) -> None:
    kind, values = TYPES[name]
    rows = data.draw(st.lists(st.tuples(values, st.integers(0, 3)), min_size=1, max_size=20))
    others = data.draw(st.lists(st.tuples(values, st.integers(0, 3)), max_size=5))
    keys = [*data.draw(st.lists(st.sampled_from(rows), max_size=5)), *others]
    columns = [
        [
            pa.chunked_array([[pair[0] for pair in pairs]], kind),
            pa.chunked_array([[pair[1] for pair in pairs]], pa.int8()),
        ]
        for pairs in (rows, keys)
    ]
    among = {(comparable(key), number) for key, number in keys}
    expected = [(comparable(key), number) in among for key, number in rows]
    assert rows_among(*columns).tolist() == expected


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("kinds", [[pa.int64()], [pa.string()], [pa.int32(), pa.string()], [pa.int64(), pa.int64()]])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_keys_of_two_sides_are_matched(kinds: list[pa.DataType], in_order: bool, data: st.DataObject) -> None:
    strategies = {False: st.text("ab\0", max_size=9), True: st.integers(-9, 9)}
    keys_of_a_side = st.lists(st.tuples(*(strategies[pa.types.is_integer(each)] for each in kinds)), unique=True)
    sides = [data.draw(keys_of_a_side) for _ in range(2)]
    if in_order:
        sides = [sorted(side) for side in sides]
    columns = [[pa.chunked_array([[row[at] for row in side]], kind) for at, kind in enumerate(kinds)] for side in sides]
    matched = [
        [None if row < 0 else side[row] for row in rows] for side, rows in zip(sides, match_keys(*columns), strict=True)
    ]
    expected = sorted({*sides[0], *sides[1]})
    assert matched == [[key if key in side else None for key in expected] for side in sides]
