"""The order of rows by columns that may hold nulls: nulls first, in both directions, for every type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from workbench.lsm.aggregates.elements import value_codes
from workbench.lsm.sequence_fields import nullable_words, order_ranks, stored_values

ORDERED: list[tuple[pa.DataType, list[Any]]] = [
    (pa.bool_(), [False, True]),
    (pa.int8(), [-128, -1, 0, 127]),
    (pa.int64(), [-(1 << 63), -1, 0, 1, (1 << 63) - 1]),
    (pa.float32(), [float("-inf"), -1.5, -0.0, 0.0, 2.0, float("inf"), float("nan")]),
    (pa.float64(), [float("-inf"), -1e300, -0.0, 0.0, 5e-324, float("inf"), float("nan")]),
    (pa.decimal128(9, 2), [Decimal("-1.50"), Decimal("0.00"), Decimal("7.25")]),
    (pa.decimal128(38, 0), [Decimal(-(10**37)), Decimal(-1), Decimal(0), Decimal(10**37)]),
    (pa.string(), ["", "a", "a longer text", "b", "é", "\U0001f600"]),
    (pa.binary(), [b"", b"\0", b"\0\0", b"\x7f", b"\xff"]),
    (pa.date32(), [-1, 0, 20_000]),
    (pa.time32("ms"), [0, 1, 86_399_999]),
    (pa.timestamp("us"), [-1, 0, 1_700_000_000_123_456]),
    (pa.timestamp("ns", "UTC"), [-1, 0, 1]),
]


@pytest.mark.parametrize(
    ("kind", "values"), ORDERED, ids=lambda each: str(each) if isinstance(each, pa.DataType) else ""
)
def test_nulls_come_first_in_both_directions(kind: pa.DataType, values: list[Any]) -> None:
    mixed = pa.array([values[-1], None, *values, None], kind)
    for column in (
        mixed,
        pa.concat_arrays([mixed.slice(1, 2), mixed]).slice(2),
        pa.chunked_array([mixed[:3], mixed[3:]]),
    ):
        expected = [len(values), 0, *range(1, len(values) + 1), 0]
        assert ranks(order_ranks([column])) == expected
        downwards = [0 if rank == 0 else len(values) + 1 - rank for rank in expected]
        assert lexical(nullable_words(column, descending=True)) == downwards
    nothing = pa.nulls(3, kind)
    assert ranks(order_ranks([nothing])) == [0, 0, 0]
    assert stored_values(nothing).null_count == 0


@pytest.mark.parametrize(
    ("kind", "values"), ORDERED, ids=lambda each: str(each) if isinstance(each, pa.DataType) else ""
)
def test_equal_values_have_equal_codes(kind: pa.DataType, values: list[Any]) -> None:
    for result in (
        pa.array([*values, None, *values], kind),
        pa.array([[each] for each in [*values, None, *values]], pa.list_(kind)),
        pa.array(
            [{"a": each, "b": 1} for each in [*values, None, *values]], pa.struct([("a", kind), ("b", pa.int8())])
        ),
    ):
        codes = value_codes(result).tolist()
        count = len(values)
        assert codes[:count] == codes[count + 1 :]
        assert len(set(codes)) >= count  # Arrow may take -0.0 for 0.0


def ranks(numbers: np.ndarray[Any, Any]) -> list[int]:
    return np.unique(numbers, return_inverse=True)[1].tolist()


def lexical(words: list[np.ndarray[Any, Any]]) -> list[int]:
    rows = list(zip(*(word.tolist() for word in words), strict=True))
    distinct = sorted(set(rows))
    return [distinct.index(row) for row in rows]
