"""Column statistics: bounds hold every value, in the forms Java reads."""

from __future__ import annotations

import math
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.column_stats import collect_value_stats
from workbench.base.errors import InvalidSchema
from workbench.format.options.core_options import CoreOptions
from workbench.format.rows.binary_row import decode_row, encode_row
from workbench.format.spec.data_file import EMPTY_STATS
from workbench.format.spec.stats import (
    COUNTS,
    FULL,
    NONE,
    StatsCollector,
    StatsKind,
    StatsMode,
    collect_stats,
    parse_stats_mode,
    partition_stats,
    table_stats_modes,
    truncate_bounds,
)
from workbench.format.types import DataField, parse_type, to_arrow


def field(name, type_name, field_id=0):
    return DataField(field_id, name, parse_type(type_name))


def one(type_name, values, mode=FULL):
    """Minimum, maximum and null count of one column."""
    column = field("c", type_name)
    values = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values, to_arrow(column.type))
    stats = collect_stats(pa.table({"c": values}), [column], lambda _: mode)
    types = [column.type.as_nullable()]
    return decode_row(stats.min_values, types)[0], decode_row(stats.max_values, types)[0], stats.null_counts[0]


@pytest.mark.parametrize(
    ("type_name", "values", "expected"),
    [
        ("INT", [3, None, -1], (-1, 3, 1)),
        ("BIGINT NOT NULL", [3, 2**62], (3, 2**62, 0)),
        ("BOOLEAN", [True, False], (False, True, 0)),
        ("STRING", ["b", "ä", "Z", None, None], ("Z", "ä", 2)),
        ("BYTES", [b"\x7f", b"\x80", b""], (b"", b"\x80", 0)),
        ("DECIMAL(38, 2)", [Decimal("-1.50"), Decimal("99.00")], (Decimal("-1.50"), Decimal("99.00"), 0)),
        ("DOUBLE", [math.inf, 1.0], (1.0, math.inf, 0)),
        ("INT", [None, None], (None, None, 2)),
        ("INT", [], (None, None, 0)),
    ],
)
def test_full_stats(type_name, values, expected):
    assert one(type_name, values) == expected


@pytest.mark.parametrize(
    ("type_name", "storage"),
    [
        ("DATE", pa.int32()),
        ("TIME(3)", pa.int32()),
        ("TIMESTAMP(3)", pa.int64()),
        ("TIMESTAMP(6)", pa.int64()),
        ("TIMESTAMP(9)", pa.int64()),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", pa.int64()),
    ],
)
def test_times_are_numbers(type_name, storage):
    values = pa.array([5, None, 77_777_777], storage).view(to_arrow(parse_type(type_name)))
    assert one(type_name, values) == (5, 77_777_777, 1)


def test_columns_with_nan_have_no_bounds():
    assert one("DOUBLE", [1.0, math.nan, None]) == (None, None, 1)
    collector = StatsCollector([field("c", "FLOAT")], lambda _: FULL)
    for values in ([math.nan], [1.0]):
        collector.update(pa.table({"c": pa.array(values, pa.float32())}))
    assert decode_row(collector.stats().max_values, [parse_type("FLOAT")]) == (None,)


@pytest.mark.parametrize("values", [[0.0], [-0.0], [0.0, -0.0]])
def test_zero_bounds_hold_both_zeros(values):
    minimum, maximum, _ = one("DOUBLE", values)
    assert math.copysign(1, minimum) == -1
    assert math.copysign(1, maximum) == 1


def test_batches_add_up():
    column = field("c", "TIMESTAMP(9)")
    collector = StatsCollector([column], lambda _: FULL)
    collector.update(pa.record_batch({"c": pa.array([8], pa.timestamp("ns"))}))
    for values in ([7, None], [None], [], [1, 5], [9]):
        collector.update(pa.table({"c": pa.array(values, pa.int64()).cast(pa.timestamp("ns"))}))
    stats = collector.stats()
    assert decode_row(stats.min_values, [column.type]) == (1,)
    assert decode_row(stats.max_values, [column.type]) == (9,)
    assert stats.null_counts == (2,)


def test_dictionary_and_large_text():
    plain = pa.array(["b", None, "a"])
    assert one("STRING", plain.dictionary_encode()) == ("a", "b", 1)
    assert one("STRING", plain.cast(pa.large_string())) == ("a", "b", 1)


def test_truncation_by_code_points():
    mode = parse_stats_mode("truncate(2)")
    assert one("STRING", ["äbc", "öbz"], mode) == ("äb", "öc", 0)
    assert one("STRING", ["ab", "cd"], mode) == ("ab", "cd", 0)
    assert one("BYTES", [b"abc", b"\x01\xff\xff"], mode) == (b"\x01\xff", b"ac", 0)
    assert one("INT", [1_000_000], mode) == (1_000_000, 1_000_000, 0)


@pytest.mark.parametrize(
    ("maximum", "expected"),
    [
        ("ab\U0010ffffx", "ac"),
        ("\U0010ffff" * 4, None),
        ("abz", "abz"),
        ("ab\ud7ffx", "ab\ue000"),
        (b"\x01\xff\xff\xff", b"\x02"),
        (b"\xff" * 4, None),
    ],
)
def test_truncated_maximum(maximum, expected):
    low, high = truncate_bounds(maximum[:0], maximum, 3)
    assert high == expected
    assert (low is None) == (expected is None)


@given(st.lists(st.text() | st.text(alphabet="\ud7ff\U0010ffff\x7f"), min_size=1), st.integers(1, 4))
def test_truncated_bounds_hold_all_values(values, length):
    values = sorted(values, key=str.encode)
    low, high = truncate_bounds(values[0], values[-1], length)
    if high is not None:
        assert low.encode() <= values[0].encode()
        assert values[-1].encode() <= high.encode()
        assert len(high) <= length


FIELDS = [field("id", "INT", 0), field("tags", {"type": "ARRAY", "element": "INT"}, 1), field("name", "STRING", 2)]
TABLE = pa.table(
    {
        "id": pa.array([1, 2], pa.int32()),
        "tags": pa.array([[1], None], pa.list_(pa.int32())),
        "name": pa.array(["x", None]),
    }
)
TYPES = [each.type for each in FIELDS]


def test_full_store_has_an_entry_for_every_column():
    stats, columns = collect_value_stats(TABLE, FIELDS, lambda _: FULL, dense=False)
    assert columns is None
    assert decode_row(stats.min_values, TYPES) == (1, None, "x")
    assert stats.null_counts == (0, None, 1)


def test_dense_store_omits_unknown_columns():
    stats, columns = collect_value_stats(TABLE, FIELDS, lambda _: FULL, dense=True)
    assert columns == ("id", "name")
    assert decode_row(stats.max_values, [TYPES[0], TYPES[2]]) == (2, "x")
    assert stats.null_counts == (0, 1)


def test_dense_store_with_every_column_names_none():
    stats, columns = collect_value_stats(TABLE, [FIELDS[0], FIELDS[2]], lambda _: FULL, dense=True)
    assert columns is None
    assert stats.null_counts == (0, 1)


def test_dense_store_without_any_column():
    assert collect_value_stats(TABLE, FIELDS, lambda _: NONE, dense=True) == (EMPTY_STATS, ())


def test_modes_by_column():
    modes = {"id": NONE, "tags": FULL, "name": COUNTS}
    stats, _ = collect_value_stats(TABLE, FIELDS, modes.__getitem__, dense=False)
    assert stats.min_values == stats.max_values == encode_row([None, None, None], TYPES)
    assert stats.null_counts == (None, None, 1)
    assert collect_value_stats(TABLE, FIELDS, modes.__getitem__, dense=True)[1] == ("name",)


def test_parse_stats_mode():
    assert parse_stats_mode(" Truncate(16) ") == StatsMode(StatsKind.TRUNCATE, 16)
    assert [parse_stats_mode(text) for text in ("none", "COUNTS", "full")] == [NONE, COUNTS, FULL]
    for text in ("truncate", "truncate(0)", "all", ""):
        with pytest.raises(InvalidSchema, match="statistics mode"):
            parse_stats_mode(text)


def test_modes_of_a_table():
    fields = [field(name, "INT", index) for index, name in enumerate("abc")]
    options = CoreOptions({"metadata.stats-keep-first-n-columns": "1", "fields.c.stats-mode": "full"})
    mode_of = table_stats_modes(options, fields)
    assert [mode_of(name) for name in "abc"] == [StatsMode(StatsKind.TRUNCATE, 16), NONE, FULL]


def test_partition_stats_are_full():
    fields = [field("dt", "STRING", 0), field("hour", "INT", 1)]
    types = [each.type for each in fields]
    long = "a partition value of more than sixteen characters"
    rows = [encode_row(values, types) for values in (("b", 3), (long, None), ("b", 3))]
    stats = partition_stats(rows, fields)
    assert stats.min_values == encode_row([long, 3], types)
    assert stats.max_values == encode_row(["b", 3], types)
    assert stats.null_counts == (0, 1)
    assert partition_stats([bytes(12)], []) == EMPTY_STATS
