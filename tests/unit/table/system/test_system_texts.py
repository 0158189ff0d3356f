"""The texts of system tables are those that Java prints."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from workbench.format.types import parse_type, to_arrow
from workbench.table.system.grouping import in_groups
from workbench.table.system.texts import bracketed, duration_text, mapped, plain_texts, row_text, type_text


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (timedelta(), "PT0S"),
        (timedelta(days=1), "PT24H"),
        (timedelta(minutes=90), "PT1H30M"),
        (timedelta(hours=36, minutes=1, seconds=1.5), "PT36H1M1.5S"),
        (timedelta(microseconds=20), "PT0.00002S"),
        (timedelta(seconds=-61), "PT-1M-1S"),
    ],
)
def test_durations(duration: timedelta, text: str) -> None:
    assert duration_text(duration) == text


@pytest.mark.parametrize(
    ("type_name", "values", "texts"),
    [
        ("INT", [1, None, -5], ["1", None, "-5"]),
        ("BOOLEAN", [True, False], ["true", "false"]),
        ("DATE", [20_000, None], ["20000", None]),
        ("TIME(3)", [5, 86_399_999], ["5", "86399999"]),
        ("STRING", ["a", ""], ["a", ""]),
        ("DOUBLE", [1.0, 1e10, float("nan")], ["1.0", "1.0E10", "NaN"]),
        ("DECIMAL(10, 2)", [Decimal("1.50"), None], ["1.50", None]),
        ("TIMESTAMP(3)", [0, 1_700_000_000_123], ["1970-01-01T00:00", "2023-11-14T22:13:20.123"]),
        ("BYTES", [b"\x01\xff"], ["0x01ff"]),
        ("ARRAY<INT>", [None], [None]),
    ],
)
def test_plain_values(type_name: str, values: list[Any], texts: list[str | None]) -> None:
    data_type = parse_type(type_name)
    kind = to_arrow(data_type)
    array = (
        pa.array(values, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
        if pa.types.is_temporal(kind)
        else pa.array(values, kind)
    )
    assert plain_texts(array, data_type).to_pylist() == texts


def test_rows_of_texts() -> None:
    ones, twos = pa.array(["1", None]), pa.array(["", "x"])
    assert bracketed([ones, twos], 2).to_pylist() == ["[1, ]", "[null, x]"]
    assert mapped([("b", ones), ("B", twos)], 2).to_pylist() == ["{B=, b=1}", "{B=x, b=null}"]
    assert mapped([], 2).to_pylist() == ["{}", "{}"]
    assert (
        row_text(("", None, 20_000), [parse_type(each) for each in ("STRING", "INT", "DATE")]) == "{, null, 2024-10-04}"
    )


def test_names_sort_by_their_utf_16_units() -> None:
    value = pa.array(["1"])
    assert mapped([("\uffee", value), ("\U0001f600", value)], 1).to_pylist() == ["{\U0001f600=1, \uffee=1}"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("BIGINT NOT NULL", "BIGINT NOT NULL"),
        ("ROW<a INT, b STRING NOT NULL> NOT NULL", "ROW<`a` INT, `b` STRING NOT NULL> NOT NULL"),
        ("ARRAY<ROW<a INT>>", "ARRAY<ROW<`a` INT>>"),
        ("MAP<STRING NOT NULL, MULTISET<ROW<a INT>>>", "MAP<STRING NOT NULL, MULTISET<ROW<`a` INT>>>"),
    ],
)
def test_types(given: str, text: str) -> None:
    assert type_text(parse_type(given)) == text


def test_groups_are_returned_in_order() -> None:
    def texts(key: str, items: Any) -> pa.Array:
        return pa.array([f"{key}{item}" for item in items])

    assert in_groups([1, 2, 3, 4, 5], lambda item: "odd" if item % 2 else "even", texts).to_pylist() == [
        *("odd1", "even2", "odd3", "even4", "odd5"),
    ]
    assert in_groups([], lambda item: item, texts).to_pylist() == []
