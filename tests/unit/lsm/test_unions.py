"""Unions of serialized sets contain the elements of both, and invalid bytes are refused."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from workbench.base.errors import MergeError
from workbench.format.index.roaring64 import decode_bitmap64, encode_bitmap64
from workbench.lsm.aggregates.unions import BitmapUnion


def bitmap_32(numbers: range) -> bytes:
    pyroaring = pytest.importorskip("pyroaring")
    return bytes(pyroaring.BitMap(numbers).serialize())


def bitmap_64(numbers: range) -> bytes:
    upper: dict[int, list[int]] = {}
    for number in numbers:
        upper.setdefault(number >> 16, []).append(number & 0xFFFF)
    return encode_bitmap64({key: np.array(low, np.uint16) for key, low in upper.items()})


def hll(numbers: range) -> bytes:
    sketch = pytest.importorskip("datasketches").hll_sketch(12)
    for number in numbers:
        sketch.update(number)
    return bytes(sketch.serialize_compact())


def theta(numbers: range) -> bytes:
    sketch = pytest.importorskip("datasketches").update_theta_sketch()
    for number in numbers:
        sketch.update(number)
    return bytes(sketch.compact().serialize())


def counted(function: str, data: bytes) -> float:
    if function == "rbm32":
        return len(pytest.importorskip("pyroaring").BitMap.deserialize(data))
    if function == "rbm64":
        return sum(map(len, decode_bitmap64(data).values()))
    datasketches = pytest.importorskip("datasketches")
    kind = datasketches.hll_sketch if function == "hll_sketch" else datasketches.compact_theta_sketch
    return float(kind.deserialize(data).get_estimate())


MAKERS = {"rbm32": bitmap_32, "rbm64": bitmap_64, "hll_sketch": hll, "theta_sketch": theta}


def united(function: str, *values: bytes | None) -> bytes | None:
    """The values folded as the rows of one key."""
    accumulator = BitmapUnion("c", function, pa.array(values, pa.binary()), 1)
    for row in range(len(values)):
        accumulator.agg(np.array([row]), None)
    result: bytes | None = accumulator.after(np.zeros(0, np.int64)).to_pylist()[0]
    return result


@pytest.mark.parametrize("function", MAKERS)
def test_sets_are_united_and_nulls_skipped(function: str) -> None:
    make: Callable[[range], bytes] = MAKERS[function]
    some, others = make(range(3000)), make(range(2000, 200_000, 99))
    result = united(function, None, some, None, others)
    assert result is not None
    assert counted(function, result) == pytest.approx(3000 + len(range(2000, 200_000, 99)) - 11, rel=0.03)
    assert united(function, None, some) == some
    assert united(function, None, None) is None


@pytest.mark.parametrize("function", MAKERS)
def test_bytes_that_are_not_a_set_are_refused(function: str) -> None:
    good = MAKERS[function](range(0, 5000, 3))
    chance = random.Random(1)
    for _ in range(200):
        with pytest.raises(MergeError, match=f"Column 'c' holds bytes that '{function}' cannot read"):
            united(function, good, good[: chance.randrange(min(len(good), 8))])
