"""Conversions of numbers and strings for which Arrow differs from Spark 4 in ANSI mode."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from workbench.base.errors import InvalidExpression
from workbench.expr.casts import cast_values
from workbench.expr.evaluate import evaluate, filter_mask
from workbench.expr.expressions import col
from workbench.expr.parse import parse
from workbench.expr.resolve import resolve, resolve_predicate
from workbench.expr.types_of import type_of
from workbench.format.types import DataField, field_to_arrow, parse_type

CASTS: list[tuple[str, Any, str, Any]] = [
    ("DECIMAL(10, 2)", Decimal("749106.57"), "DOUBLE", 749106.57),
    ("DECIMAL(38, 18)", Decimal("0.000001000000000000"), "DOUBLE", 1e-06),
    ("DECIMAL(38, 18)", Decimal("0.000010000000000000"), "FLOAT", 9.999999747378752e-06),
    ("DECIMAL(5, 5)", Decimal("-0.99999"), "SMALLINT", 0),
    ("DECIMAL(38, 38)", Decimal("0.5"), "BIGINT", 0),
    ("FLOAT", 1.005, "DECIMAL(10, 2)", Decimal("1.00")),
    ("FLOAT", 0.1, "DECIMAL(38, 18)", Decimal("0.100000001490116120")),
    ("FLOAT", 2147483648.0, "DECIMAL(38, 0)", Decimal("2147483648")),
    ("DOUBLE", 1.005, "DECIMAL(10, 2)", Decimal("1.01")),
    ("DOUBLE", 1e-320, "DECIMAL(10, 2)", Decimal("0.00")),
    ("DOUBLE", 1.1234567890123456e-23, "DECIMAL(10, 2)", Decimal("0.00")),
    ("DOUBLE", 1.2345678901234567e-30, "DECIMAL(38, 30)", Decimal("1E-30")),
    ("STRING", "0.123456789012345678901234567890123456789012", "DECIMAL(10, 2)", Decimal("0.12")),
    ("STRING", "0.00" + "4" + "9" * 60, "DECIMAL(10, 2)", Decimal("0.00")),
    ("STRING", "0." + "1" * 38 + "5", "DECIMAL(38, 38)", Decimal("0." + "1" * 37 + "2")),
]


@pytest.mark.parametrize(("source", "value", "target", "expected"), CASTS)
def test_numbers_are_the_nearest(source: str, value: Any, target: str, expected: Any) -> None:
    given = pa.array([value, None], field_to_arrow(DataField(0, "v", parse_type(source))).type)
    assert cast_values(given, parse_type(source), parse_type(target)).to_pylist() == [expected, None]


@pytest.mark.parametrize("precision", [5, 15, 16, 38])
def test_decimals_of_any_size_in_pieces(precision: int) -> None:
    chance = random.Random(precision)
    numbers = [Decimal(f"{chance.randrange(-(10**precision) + 1, 10**precision)}E-4") for _ in range(200)]
    kind = pa.decimal128(precision, 4)
    given = pa.chunked_array([pa.array([None, *numbers], kind).slice(3), pa.array([], kind), pa.array(numbers, kind)])
    values = cast_values(given, parse_type(f"DECIMAL({precision}, 4)"), parse_type("DOUBLE"))
    assert values.to_pylist() == [float(each) for each in [*numbers[2:], *numbers]]


@pytest.mark.parametrize("text", ["0x10", "0X1F", "-0x1"])
def test_hexadecimal_digits_are_not_a_number(text: str) -> None:
    with pytest.raises(InvalidExpression, match=text):
        cast_values(pa.array([text]), parse_type("STRING"), parse_type("INT"))


def test_a_decimal_equals_the_double_of_the_same_digits() -> None:
    fields = [DataField(0, "m", parse_type("DECIMAL(10, 2)"))]
    table = pa.table({"m": pa.array([Decimal("749106.57"), Decimal("749106.58")], pa.decimal128(10, 2))})
    for sql in ("m = 749106.57D", "749106.57D >= m", "m IN (749106.57D)"):
        assert filter_mask(resolve_predicate(parse(sql), fields), table).to_pylist() == [True, False]


FINE = pa.array([1_000, 1_001, None], pa.int64())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (pd.Timestamp(1_001), [False, True, None]),
        (pd.Timestamp(1_000), [True, False, None]),
        (np.datetime64(1_001, "ns"), [False, True, None]),
        (pd.NaT, [None, None, None]),
        (np.datetime64("NaT"), [None, None, None]),
    ],
)
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_moments_of_pandas_keep_their_nanoseconds(value: Any, expected: list[Any], zone: str | None) -> None:
    kind = parse_type("TIMESTAMP(9)" if zone is None else "TIMESTAMP_LTZ(9)")
    table = pa.table({"t": FINE.view(pa.timestamp("ns", zone))})
    if zone is not None:
        value = pd.Timestamp(value).tz_localize("UTC").tz_convert("Europe/Berlin")
    assert evaluate(resolve(col("t") == value, [DataField(0, "t", kind)]), table).to_pylist() == expected


def test_a_numpy_duration_is_not_a_number() -> None:
    with pytest.raises(InvalidExpression, match="timedelta64"):
        col("b") == np.timedelta64(5, "ns")  # noqa: B015


ROWS = pa.table({"d": pa.array([0], pa.int32()).view(pa.date32()), "b": pa.array([7], pa.int64())})
FIELDS = [DataField(0, "d", parse_type("DATE")), DataField(1, "b", parse_type("BIGINT"))]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("-2.25 NOT IN (-0.0, 127, 3.14159)", True),
        ("2 IN (2.0, 7)", True),
        ("100.00 IN (CAST(1 AS FLOAT), 99999999.99)", False),
        ("1.5 IN (2, NULL)", None),
        ("coalesce(coalesce(NULL, NULL), b)", 7),
        ("CAST(CASE WHEN b > 0 THEN NULL END AS TIMESTAMP_NTZ)", None),
        ("CASE WHEN b = 7 THEN NULL ELSE NULL END = d", None),
        ("coalesce(NULL, NULL) IS NULL", True),
        ("0.00 % b", Decimal("0.00")),
        ("0.000000000000000001 % b", Decimal("0.000000000000000001")),
        ("0.5 % -b", Decimal("0.5")),
    ],
)
def test_constants_and_nulls_of_no_type(sql: str, expected: Any) -> None:
    assert evaluate(resolve(parse(sql), FIELDS), ROWS).to_pylist() == [expected]


def test_a_bigint_among_decimals_has_twenty_digits() -> None:
    result = type_of(resolve(parse("b / 0.1"), FIELDS))
    assert result == parse_type("DECIMAL(27, 6)")
