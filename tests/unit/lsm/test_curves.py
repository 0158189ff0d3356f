"""Keys along curves: those of Java Paimon 2.0.0's classes for the same rows, and their benefit.

The recorded keys come from tests/interop/java/RecordCurveKeys.java.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.lsm.curves import hilbert_keys, z_order_keys

LINES = (Path(__file__).parent / "recorded" / "curve_keys.jsonl").read_text().splitlines()
RECORDED: list[list[Any]] = [json.loads(line) for line in LINES]
TYPES = {
    "tiny": pa.int8(),
    "small": pa.int16(),
    "number": pa.int32(),
    "large": pa.int64(),
    "flag": pa.bool_(),
    "day": pa.int32(),
    "time": pa.int64(),
    "text": pa.string(),
    "bytes": pa.binary(),
    "double": pa.float64(),
}
CASTS = {"day": pa.date32(), "time": pa.timestamp("us")}


def column(name: str) -> pa.ChunkedArray:
    """Return a recorded column in two chunks, the first of which starts at an offset in its buffers."""
    values = [row[list(TYPES).index(name)] for row in RECORDED]
    if name in ("text", "bytes"):
        values = [None if each is None else bytes.fromhex(each) for each in values]
    whole = pa.array([values[0], *values], pa.binary() if name == "text" else TYPES[name])[1:]
    if name == "text":
        whole = whole.cast(pa.string())
    if name in CASTS:
        whole = whole.cast(CASTS[name])
    return pa.chunked_array([whole[:40], whole[40:]])


def columns(*names: str) -> list[pa.ChunkedArray]:
    return [column(name) for name in names]


def numbers(keys: pa.Array) -> list[int]:
    return [int.from_bytes(key, "big") for key in keys.to_pylist()]


def recorded(position: int) -> list[int]:
    return [int(row[len(TYPES) + position], 16) for row in RECORDED]


def test_z_order() -> None:
    assert numbers(z_order_keys(columns(*list(TYPES)[:9]))) == recorded(0)


def test_z_order_with_more_of_a_text() -> None:
    assert numbers(z_order_keys(columns("number", "text", "large"), 11)) == recorded(1)


@pytest.mark.parametrize(
    ("place", "names"),
    [(2, ("number", "large", "text")), (3, ("tiny", "small", "flag", "day", "time", "bytes", "double"))],
    ids=["three", "seven"],
)
def test_hilbert(place: int, names: tuple[str, ...]) -> None:
    assert numbers(hilbert_keys(columns(*names))) == recorded(place)


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_one_column_keeps_its_order(values: list[float]) -> None:
    """Keys of a single column keep its order, for floating-point numbers too, unlike in Java."""
    keys = z_order_keys([pa.chunked_array([pa.array(values, pa.float64())])]).to_pylist()
    by_key = [values[position] for position in sorted(range(len(values)), key=lambda position: keys[position])]
    assert by_key == sorted(values)


def test_decimals_keep_their_order() -> None:
    values = [None, Decimal("-12.50"), Decimal("-0.01"), Decimal("0.00"), Decimal("3.07"), Decimal("99999.99")]
    keys = z_order_keys([pa.chunked_array([pa.array(values, pa.decimal128(9, 2))])]).to_pylist()
    assert keys == sorted(keys)


@pytest.mark.parametrize("curve", [z_order_keys, hilbert_keys])
def test_squares_are_contiguous(curve: Any) -> None:
    """The first quarter of the keys covers a square quarter of the plane, which makes statistics of files narrow."""
    side = np.arange(64, dtype=np.int64)
    x, y = (pa.chunked_array([pa.array(each.ravel())]) for each in np.meshgrid(side, side))
    keys = curve([x, y]).to_pylist()
    order = sorted(range(len(keys)), key=lambda position: keys[position])
    quarter = order[: len(order) // 4]
    spans = [np.ptp(each.to_numpy()[quarter]) for each in (x, y)]
    assert spans == [31, 31]


def test_no_rows() -> None:
    empty = pa.chunked_array([pa.array([], pa.int64())])
    assert len(z_order_keys([empty, empty])) == 0
    assert len(hilbert_keys([empty, empty])) == 0
