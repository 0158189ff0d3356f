"""Files of large objects: the index, and the frames around the objects."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.format.blob.file import decode_varints, index_bytes, objects_of, read_index


def encode(numbers: list[int]) -> bytes:
    out = b""
    for number in numbers:
        left = number * 2 if number >= 0 else -number * 2 - 1
        while left > 127:
            out, left = out + bytes([left & 127 | 128]), left >> 7
        out += bytes([left])
    return out


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_varints(numbers: list[int]) -> None:
    assert decode_varints(encode(numbers)).tolist() == numbers


def test_the_index_of_java() -> None:
    """The index has a row without an object, then a row with an object of three bytes."""
    index = read_index(bytes([0x01, 0x28]), 19)
    assert index.lengths.tolist() == [-1, 3]
    assert index.offsets.tolist() == [-1, 4]


def test_placeholders_and_empty_objects() -> None:
    index = read_index(encode([16, -18, 1, 20 + 1, 0]), 56)
    assert index.lengths.tolist() == [0, -2, -1, 4, 4]
    assert index.offsets.tolist() == [4, -1, -1, 20, 40]


@pytest.mark.parametrize(
    ("data", "data_bytes"),
    [(encode([19]), 20), (encode([15]), 15), (encode([-3]), 0), (b"\x80", 0), (b"\x80" * 11 + b"\0", 0), (b"", 1)],
)
def test_garbled_indexes(data: bytes, data_bytes: int) -> None:
    with pytest.raises(ValueError, match="its index"):
        read_index(data, data_bytes)


def test_the_end_of_a_file() -> None:
    assert index_bytes(b"\x02\0\0\0\x01") == 2
    for tail in (b"\x02\0\0\0\x02", b"\0\0\0\x01", b"\xff\xff\xff\xff\x01"):
        with pytest.raises(ValueError, match=r"blob file of version 1|negative length"):
            index_bytes(tail)


def test_frames() -> None:
    entries = []
    for value in (b"abc", b"", b"de"):
        head = (1_481_511_375).to_bytes(4, "little") + value + (len(value) + 16).to_bytes(8, "little")
        entries.append(head + crc32(head).to_bytes(4, "little"))
    data, sizes = b"".join(entries), np.array(list(map(len, entries)))
    assert objects_of(data, sizes).to_pylist() == [b"abc", b"", b"de"]
    for position in range(len(data)):
        damaged = bytearray(data)
        damaged[position] ^= 1
        with pytest.raises(ValueError, match="entry"):
            objects_of(bytes(damaged), sizes)
