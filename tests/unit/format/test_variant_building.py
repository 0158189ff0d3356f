"""Building VARIANT values from Python values and JSON text, in the bytes of Spark's own builder."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql.types import VariantVal

import workbench as wb
from workbench.base.errors import SchemaMismatch

TEXTS = [
    '{"z":1,"a":[1.5,1e3,-7,123456789012345678901234567890,0.10,1e-5,-0.0,300,70000,5000000000]}',
    "[]",
    "{}",
    "null",
    "-0",
    '"x"',
    json.dumps("y" * 100),
    json.dumps({f"k{number}": number for number in range(300)}),
    json.dumps(list(range(400))),
    "1234567890.123456789012",
    '[[{"a":{"b":[true,false,null]}}]]',
    "1" * 39,
    "0." + "0" * 40 + "1",
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:20])
def test_json_text_as_spark_encodes_it(text: str) -> None:
    expected = VariantVal.parseJson(text)
    made = wb.variant(text)
    assert (made.value, made.metadata) == (bytes(expected.value), bytes(expected.metadata))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": [1, 2.5, None], "a": {"c": True}}, '{"a":{"c":true},"b":[1,2.5,null]}'),
        ({}, "{}"),
        ((1, "x"), '[1,"x"]'),
        (["text"], '["text"]'),
        (Decimal("1.50"), "1.5"),
        (Decimal("1E+3"), "1000"),
        (10**30, str(10**30)),
        (b"ab", '"YWI="'),
        (date(1969, 12, 31), '"1969-12-31"'),
        (datetime(1969, 12, 31, 23, 59, 59, 5), '"1969-12-31 23:59:59.000005"'),
        (datetime(2026, 1, 1, tzinfo=UTC), '"2026-01-01 00:00:00+00:00"'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (np.int64(7), "7"),
        (np.array([1.5, 2.5]), "[1.5,2.5]"),
        (None, "null"),
    ],
)
def test_python_values(monkeypatch: pytest.MonkeyPatch, value: Any, text: str) -> None:
    monkeypatch.setattr(wb.options, "timezone", "UTC")
    assert str(wb.variant(value)) == text


def test_columns_of_text() -> None:
    texts = pa.array(['{"b":1,"a":[]}', None, "2"])
    made = wb.variant(texts)
    assert wb.variant_to_json(made).to_pylist() == ['{"a":[],"b":1}', None, "2"]
    assert wb.variant(pa.chunked_array([texts, texts])).to_pylist() == made.to_pylist() * 2
    assert wb.variant(wb.variant(5)) == wb.variant(5)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "is not JSON"),
        ("NaN", "NaN is not a number"),
        ('{"a":1,"a":2}', "'a' occurs twice"),
        ('"\\ud800"', "not valid Unicode"),
        (object(), "Pass None, bool"),
        ({1: 2}, "1 is not a key"),
        (Decimal("NaN"), "NaN has more"),
        (pa.array([1]), "JSON text is required"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_not_a_variant(value: Any, message: str) -> None:
    with pytest.raises(SchemaMismatch, match=message):
        wb.variant(value)


def test_whole_numbers_of_many_digits() -> None:
    assert wb.variant(np.array(5)) == wb.variant(5)
    assert wb.variant(f"1{'0' * 50}") == wb.variant(1e50)
    with pytest.raises(SchemaMismatch, match="more than 38 digits"):
        wb.variant(10**50)
