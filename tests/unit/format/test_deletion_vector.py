"""Deletion vectors from bytes: both kinds, every type of container, and damaged bytes."""

from __future__ import annotations

import random
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap, BitMap64

from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.index.deletion_vector import (
    BITMAP32_MAGIC,
    BITMAP64_MAGIC,
    DeletionVector,
    encode_deletion_vector,
    read_deletion_vector,
    stored_deletion_vector,
)

ROWS = 400_000
PATH = "t/index/index-0"


def framed(bitmap: bytes, kind: int = 32) -> bytes:
    magic = BITMAP32_MAGIC.to_bytes(4, "big") if kind == 32 else BITMAP64_MAGIC.to_bytes(4, "little")
    body = magic + bitmap
    return len(body).to_bytes(4, "big") + body + crc32(body).to_bytes(4, "big")


def read(data: bytes, rows: int = ROWS, cardinality: int | None = None) -> DeletionVector:
    length = len(data) - (8 if data[4:8] == BITMAP32_MAGIC.to_bytes(4, "big") else 0)
    return read_deletion_vector(data, PATH, rows, length, cardinality)


def deleted(vector: DeletionVector, rows: int = ROWS) -> list[int]:
    return [int(each) for each in np.flatnonzero(~vector.kept(0, rows))]


POSITIONS = {
    "none": [],
    "one": [0],
    "few": [1, 5, 65_535, 65_536, 131_072, ROWS - 1],
    "runs": [*range(100, 9000), *range(65_530, 65_542), *range(200_000, 330_000)],
    "dense": list(range(0, ROWS, 3)),
    "many containers": list(range(7, ROWS, 60_000)),
    "all": list(range(ROWS)),
}


@pytest.mark.parametrize("optimized", [False, True])
@pytest.mark.parametrize("kind", [32, 64])
@pytest.mark.parametrize("name", POSITIONS)
def test_positions(name: str, kind: int, optimized: bool) -> None:
    bitmap = BitMap(POSITIONS[name]) if kind == 32 else BitMap64(POSITIONS[name])
    if optimized:
        bitmap.run_optimize()
    vector = read(framed(bitmap.serialize(), kind), cardinality=len(POSITIONS[name]))
    assert deleted(vector) == POSITIONS[name]
    assert vector.cardinality == len(POSITIONS[name])


def test_handwritten_bytes() -> None:
    """Bytes written by hand after the format's specification are decoded: an array, a run, and a 64-bit vector."""
    plain = bytes.fromhex("3a300000 01000000 0000 0100 10000000 0100 0300".replace(" ", ""))
    assert deleted(read(framed(plain)), 10) == [1, 3]
    runs = bytes.fromhex("3b300000 01 0000 0300 0100 0200 0300".replace(" ", ""))
    assert deleted(read(framed(runs)), 10) == [2, 3, 4, 5]
    two = (1).to_bytes(8, "little") + (0).to_bytes(4, "little") + plain
    assert deleted(read(framed(two, 64)), 10) == [1, 3]


@given(st.integers(0, ROWS), st.integers(0, 3000), st.lists(st.integers(0, ROWS - 1), max_size=50))
def test_any_window(first: int, count: int, positions: list[int]) -> None:
    count = min(count, ROWS - first)
    kept = read(framed(BitMap(positions).serialize())).kept(first, count)
    assert kept.tolist() == [each not in set(positions) for each in range(first, first + count)]


def test_a_file_beyond_32_bits() -> None:
    far = (1 << 33) + 5
    vector = read(framed(BitMap64([3, far]).serialize(), 64), rows=far + 1)
    assert vector.kept(far - 1, 2).tolist() == [True, False]
    assert vector.kept(0, 4).tolist() == [True, True, True, False]


def garbled(bitmap: str) -> bytes:
    return framed(bytes.fromhex(bitmap.replace(" ", "")))


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (garbled("3a300000 02000000 0100 0000 0000 0000 18000000 1a000000 0100 0300"), "out of order"),
        (garbled("3a300000 01000000 0000 0100 10000000 0300 0300"), "declared number of rows"),
        (garbled("3b300000 01 0000 0300 0200 0200 0100 0200 0100"), "out of order"),
        (garbled("3b300000 01 0000 0300 0100 ffff 0300"), "out of order"),
        (garbled("3a300000 01000000 0000 0100 10000000 0100 0300 00"), "left over"),
        (garbled("3a300000 ffffffff"), "too many"),
        (garbled("39300000 01000000"), "not a bitmap"),
        (garbled("3a300000 01000000 0000 0100 10000000 0100"), "is truncated"),
        (framed((-1).to_bytes(8, "little", signed=True), 64), "invalid number"),
        (framed(BitMap([ROWS]).serialize()), "beyond"),
        (framed(BitMap64([1 << 40]).serialize(), 64), "beyond"),
    ],
)
def test_bitmaps_that_contradict_themselves(data: bytes, what: str) -> None:
    with pytest.raises(CorruptFile, match=what) as caught:
        read(data)
    assert PATH in str(caught.value)


def test_manifest_values_must_match() -> None:
    data = framed(BitMap([1, 2]).serialize())
    with pytest.raises(CorruptFile, match="2 rows, but the index manifest says 3"):
        read(data, cardinality=3)
    with pytest.raises(CorruptFile, match=r"the length of .* differs"):
        read_deletion_vector(data, PATH, ROWS, len(data))
    with pytest.raises(Unsupported, match="unknown kind"):
        read_deletion_vector(b"\0\0\0\x08abcdefgh\0\0\0\0", PATH, ROWS, 8)


@pytest.mark.parametrize("kind", [32, 64])
def test_damage_is_noticed(kind: int) -> None:
    positions = [*range(0, 5000, 3), *range(70_000, 80_000)]
    bitmap = BitMap(positions) if kind == 32 else BitMap64(positions)
    bitmap.run_optimize()
    data = framed(bitmap.serialize(), kind)
    length = len(data) - (8 if kind == 32 else 0)
    chance = random.Random(kind)
    for position in chance.sample(range(len(data)), 300):
        changed = bytearray(data)
        changed[position] ^= chance.choice([0x01, 0x80, 0xFF])
        with pytest.raises((CorruptFile, Unsupported), match=PATH):
            read_deletion_vector(bytes(changed), PATH, ROWS, length, len(positions))
    for size in chance.sample(range(len(data)), 100):
        with pytest.raises((CorruptFile, Unsupported), match=PATH):
            read_deletion_vector(data[:size], PATH, ROWS, length, len(positions))


@pytest.mark.parametrize("kind", [32, 64])
@pytest.mark.parametrize("name", POSITIONS)
def test_written_bytes(name: str, kind: int) -> None:
    """Vectors are written as a Roaring library does once each container has its shortest form, which is Java's rule."""
    bitmap = BitMap(POSITIONS[name]) if kind == 32 else BitMap64(POSITIONS[name])
    bitmap.run_optimize()
    data, length = encode_deletion_vector(DeletionVector.of(POSITIONS[name]), bitmap64=kind == 64)
    assert data == framed(bitmap.serialize(), kind)
    assert length == len(data) - (8 if kind == 32 else 0)
    assert stored_deletion_vector(data + b"more", PATH, length) == data


@given(st.lists(st.integers(0, 1 << 33), max_size=100), st.lists(st.integers(0, 1 << 33), max_size=100))
def test_written_and_read_again(some: list[int], others: list[int]) -> None:
    united = DeletionVector.of(np.array(some, np.int64)).merged(DeletionVector.of(np.array(others, np.int64)))
    data, length = encode_deletion_vector(united, bitmap64=True)
    result = read_deletion_vector(data, PATH, (1 << 33) + 1, length, united.cardinality)
    assert result.positions().tolist() == sorted({*some, *others})


def test_unsupported_rows() -> None:
    with pytest.raises(Unsupported, match="bitmap64"):
        encode_deletion_vector(DeletionVector.of([1 << 31]), bitmap64=False)
    with pytest.raises(ValueError, match="start at 0"):
        DeletionVector.of([-1])
    with pytest.raises(CorruptFile, match=PATH):
        stored_deletion_vector(encode_deletion_vector(DeletionVector.of([1]), bitmap64=False)[0][:-1], PATH, 22)
