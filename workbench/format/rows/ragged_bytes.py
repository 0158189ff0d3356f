"""Byte strings of different lengths per row, from which row-oriented files are assembled with NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.arrays import AnyArray, BoolArray, Int64Array, UInt8Array
from workbench.base.lazy import cached_property
from workbench.base.modules import pc


@dataclass(frozen=True)
class Pieces:
    """Bytes for each row, one after the other: ``sizes`` int64[rows], ``data`` uint8[sum of sizes]."""

    sizes: Int64Array
    data: UInt8Array

    @cached_property
    def ends(self) -> Int64Array:
        """The ends of the bytes of each row."""
        return np.cumsum(self.sizes)

    def spread(self, present: BoolArray) -> Pieces:
        """Return the pieces spread over the rows where ``present`` is true, with empty pieces for all other rows."""
        sizes = np.zeros(len(present), np.int64)
        sizes[present] = self.sizes
        return Pieces(sizes, self.data)

    def take(self, first: int, last: int) -> bytes:
        """Return the bytes of consecutive rows."""
        start = int(self.ends[first - 1]) if first else 0
        return self.data[start : int(self.ends[last - 1]) if last else 0].tobytes()

    def grouped(self, counts: Int64Array) -> Pieces:
        """Return the pieces merged into groups of ``counts`` pieces."""
        ends = np.concatenate([[0], self.ends])[np.cumsum(counts)]
        return Pieces(np.diff(ends, prepend=0), self.data)


def joined(parts: Sequence[Pieces]) -> Pieces:
    """Return, for each row, its bytes in all parts, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    sizes = np.sum([part.sizes for part in parts], axis=0)
    positions = np.cumsum(sizes) - sizes
    data = np.empty(int(sizes.sum()), np.uint8)
    for part in parts:
        width = int(part.sizes[0]) if len(part.sizes) else 0
        if (part.sizes == width).all():
            data[positions[:, None] + np.arange(width)] = part.data.reshape(-1, width) if width else 0
        else:
            data[np.repeat(positions - part.ends + part.sizes, part.sizes) + np.arange(len(part.data))] = part.data
        positions = positions + part.sizes
    return Pieces(sizes, data)


def fixed(values: AnyArray) -> Pieces:
    """Return the bytes of numbers in memory order."""
    values = np.ascontiguousarray(values)
    width = values.itemsize if values.ndim == 1 else values.shape[1]
    return Pieces(np.full(len(values), width, np.int64), values.view(np.uint8).ravel())


def texts(array: Any) -> Pieces:
    """Return the bytes of an array of strings or binary values without nulls."""
    lengths = pc.binary_length(array).to_numpy().astype(np.int64)
    _, offsets, data = array.buffers()
    first = np.frombuffer(offsets, np.int32)[array.offset] if len(array) else 0
    total = int(lengths.sum())
    values = np.frombuffer(data, np.uint8)[first : first + total] if total else np.empty(0, np.uint8)
    return Pieces(lengths, values)
