"""Bitmaps of 64-bit numbers as written by Java's `Roaring64Bitmap`, which the aggregate `rbm64` stores.

This is not the portable form of other libraries. A byte indicates whether anything follows; then a radix tree over the
upper 48 bits of the numbers, each leaf pointing to a container; then the containers with the lower 16 bits. All numbers
are little-endian; the keys inside a tree node are packed big-endian into such numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from workbench.base.arrays import UInt16Array

Bitmap64 = dict[int, UInt16Array]
"""Maps the upper 48 bits of numbers to their lower 16 bits, in ascending order; the entries are in the stored order of
the containers.
"""

_NODE4, _NODE16, _NODE48, _NODE256, _LEAF = range(5)
_BODY_BYTES = (4, 16, 256, 32, 14)
_RUNS, _BITS, _LIST = range(3)
_NOT_TRIMMED = -2
_BITSET_WORDS = 1024
_MAX_LISTED = 4096


def decode_bitmap64(data: bytes) -> Bitmap64:
    """Return the numbers of a bitmap.

    Raises:
        ValueError: If the bytes are not a bitmap.
    """
    try:
        return _Reader(data).bitmap()
    except (struct.error, IndexError) as error:
        raise ValueError("The bitmap is truncated.") from error


def encode_bitmap64(bitmap: Mapping[int, UInt16Array]) -> bytes:
    """Return the bytes of a bitmap."""
    count = len(bitmap)
    if not count:
        return b"\0"
    positions = {key.to_bytes(6, "big"): position for position, key in enumerate(bitmap)}
    head = b"\1" + struct.pack("<q", count) + _tree(sorted(positions), positions, 0)
    containers = b"".join(map(_container, bitmap.values()))
    return head + struct.pack("<ibi", 1, _NOT_TRIMMED, count) + containers + struct.pack("<qii", count, 0, count - 1)


def unite(some: Bitmap64, others: Bitmap64) -> Bitmap64:
    """Return the union of two bitmaps; new containers are last, as in Java."""
    united = dict(some)
    for key in sorted(others):
        united[key] = np.union1d(united[key], others[key]) if key in united else others[key]
    return united


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def bitmap(self) -> Bitmap64:
        (filled,) = self._take("<b")
        if not filled:
            return {}
        self._take("<q")
        positions = self._leaves()
        containers: dict[int, UInt16Array] = {}
        (arrays,) = self._take("<i")
        for first in range(arrays):
            _, count = self._take("<bi")
            for second in range(count):
                (present,) = self._take("<b")
                if present:
                    containers[first << 32 | second] = self._container()
        if not positions.keys() <= containers.keys():
            raise ValueError("The tree of the bitmap points to missing containers.")
        return {positions[position]: container for position, container in containers.items() if position in positions}

    def _take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from(layout, self._data, self._place)
        self._place += struct.calcsize(layout)
        return values

    def _bytes(self, count: int) -> bytes:
        part = self._data[self._place : self._place + count]
        if len(part) < count:
            raise IndexError
        self._place += count
        return part

    def _leaves(self) -> dict[int, int]:
        """Return the upper bits of the numbers by container. A node precedes its children."""
        leaves: dict[int, int] = {}
        waiting = 1
        while waiting:
            kind, count, prefix = self._take("<bhb")
            self._bytes(prefix)
            if not 0 <= kind <= _LEAF:
                raise ValueError(f"The tree of the bitmap has a node of kind {kind}.")
            body = self._bytes(_BODY_BYTES[kind])
            waiting -= 1
            if kind == _LEAF:
                leaves[int.from_bytes(body[6:], "little")] = int.from_bytes(body[:6], "big")
            else:
                waiting += count
        return leaves

    def _container(self) -> UInt16Array:
        kind, count = self._take("<bi")
        if kind == _LIST:
            return np.frombuffer(self._bytes(2 * count), "<u2").astype(np.uint16)
        if kind == _BITS:
            bits = np.unpackbits(np.frombuffer(self._bytes(8 * _BITSET_WORDS), np.uint8), bitorder="little")
            return np.flatnonzero(bits).astype(np.uint16)
        if kind != _RUNS:
            raise ValueError(f"The bitmap has a container of kind {kind}.")
        (runs,) = self._take("<H")
        pairs = np.frombuffer(self._bytes(4 * runs), "<u2").astype(np.int64).reshape(-1, 2)
        if int(pairs[:, 1].sum()) + runs != count:
            raise ValueError("The runs of a container of the bitmap contradict its size.")
        parts = [np.arange(start, start + more + 1) for start, more in pairs.tolist()]
        return np.concatenate([*parts, np.zeros(0, np.int64)]).astype(np.uint16)


def _tree(keys: Sequence[bytes], positions: Mapping[bytes, int], depth: int) -> bytes:
    """Return the nodes of ascending keys that are equal up to ``depth``."""
    if len(keys) == 1:
        return struct.pack("<bhb", _LEAF, 0, 0) + keys[0] + struct.pack("<q", positions[keys[0]])
    alike = depth
    while keys[0][alike] == keys[-1][alike]:
        alike += 1
    starts = [
        position for position in range(len(keys)) if not position or keys[position][alike] != keys[position - 1][alike]
    ]
    branches = bytes(keys[start][alike] for start in starts)
    parts = [keys[start:end] for start, end in pairwise([*starts, len(keys)])]
    kind, body = _node(branches)
    prefix = keys[0][depth:alike]
    children = b"".join(_tree(part, positions, alike + 1) for part in parts)
    return struct.pack("<bhb", kind, len(branches), len(prefix)) + prefix + body + children


def _node(branches: bytes) -> tuple[int, bytes]:
    """Return the smallest kind of node that can hold the branches, and its body."""
    if len(branches) <= 4:
        return _NODE4, branches.ljust(4, b"\0")[::-1]
    if len(branches) <= 16:
        return _NODE16, _swapped(branches.ljust(16, b"\0"))
    if len(branches) <= 48:
        index = bytearray(b"\xff" * 256)
        for position, branch in enumerate(branches):
            index[branch] = position
        return _NODE48, _swapped(bytes(index))
    return _NODE256, sum(1 << branch for branch in branches).to_bytes(32, "little")


def _swapped(packed: bytes) -> bytes:
    """Return the bytes with the order within every eight bytes reversed."""
    return np.frombuffer(packed, ">u8").astype("<u8").tobytes()


def _container(values: UInt16Array) -> bytes:
    breaks = np.flatnonzero(np.diff(values.astype(np.int64)) != 1)
    runs = len(breaks) + 1
    listed = len(values) <= _MAX_LISTED
    if 2 + 4 * runs < (2 * len(values) if listed else 8 * _BITSET_WORDS):
        starts = values[np.concatenate([[0], breaks + 1])].astype("<u2")
        ends = values[np.concatenate([breaks, [len(values) - 1]])].astype("<u2")
        pairs = np.column_stack([starts, ends - starts]).astype("<u2").tobytes()
        return struct.pack("<bbiH", 1, _RUNS, len(values), runs) + pairs
    if listed:
        return struct.pack("<bbi", 1, _LIST, len(values)) + values.astype("<u2").tobytes()
    bits = np.zeros(64 * _BITSET_WORDS, np.uint8)
    bits[values] = 1
    return struct.pack("<bbi", 1, _BITS, len(values)) + np.packbits(bits, bitorder="little").tobytes()
