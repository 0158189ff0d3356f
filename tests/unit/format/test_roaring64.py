"""Java's bitmaps of 64-bit numbers: bytes that Java wrote, and random numbers against plain sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.format.index.roaring64 import Bitmap64, decode_bitmap64, encode_bitmap64, unite

# The bytes that Java Paimon 2.0.0 writes for {5 … 12, 2^40} and {3, 2^17, 2^63 + 4}.
FIRST = {*range(5, 13), 1 << 40}
SECOND = {3, 1 << 17, (1 << 63) + 4}
JAVA = bytes.fromhex(
    "0104000000000000000002000000008000000200010000000100000200020000000002000400000000000000000000000000000000000400"
    "0000000000000002020000000000000004000000000001000000010000000000000004000000800000000000030000000000000001000000"
    "fe04000000010009000000020003000000050007000102010000000000010201000000000001020100000004000400000000000000000000"
    "0003000000"
)


def bitmap(numbers: set[int]) -> Bitmap64:
    upper: dict[int, list[int]] = {}
    for number in sorted(numbers):
        upper.setdefault(number >> 16, []).append(number & 0xFFFF)
    return {key: np.array(low, np.uint16) for key, low in upper.items()}


def numbers_of(result: Bitmap64) -> set[int]:
    return {key << 16 | low for key, values in result.items() for low in values.tolist()}


def test_bytes_of_java() -> None:
    assert numbers_of(decode_bitmap64(JAVA)) == FIRST | SECOND
    assert encode_bitmap64(unite(bitmap(FIRST), bitmap(SECOND))) == JAVA


@st.composite
def numbers(draw: st.DrawFn) -> set[int]:
    """Draw small and large, dense and sparse sets, which need every type of node and container."""
    bits = draw(st.sampled_from([4, 17, 22, 24, 40, 64]))
    result = draw(st.sets(st.integers(0, (1 << bits) - 1), max_size=40))
    start = draw(st.integers(0, 1 << 40))
    step = draw(st.sampled_from([1, 2, 7, 1 << 16]))
    return result | set(range(start, start + step * draw(st.sampled_from([0, 1, 300, 9000])), step))


@settings(max_examples=60, deadline=None)
@given(some=numbers(), others=numbers())
def test_numbers_round_trip_and_unions_are_right(some: set[int], others: set[int]) -> None:
    first = decode_bitmap64(encode_bitmap64(bitmap(some)))
    assert numbers_of(first) == some
    assert numbers_of(decode_bitmap64(encode_bitmap64(unite(first, bitmap(others))))) == some | others


@pytest.mark.parametrize("length", range(len(JAVA) - 16))
def test_truncated_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="bitmap"):
        decode_bitmap64(JAVA[:length])


def test_bytes_that_are_not_a_bitmap() -> None:
    crowded = encode_bitmap64(bitmap(set(range(100))))
    wrong_runs = crowded[:-22] + b"\xff\xff" + crowded[-20:]
    for data in (
        wrong_runs,
        b"\1" + b"\0" * 8 + b"\7" * 40,
        JAVA[:20] + b"\x09" + JAVA[21:],
        JAVA.replace(b"\1\2\1", b"\1\5\1"),
    ):
        with pytest.raises(ValueError, match="bitmap"):
            decode_bitmap64(data)


def test_empty_bitmap() -> None:
    assert encode_bitmap64({}) == b"\0"
    assert decode_bitmap64(b"\0") == {}
