"""Bytes of many values, read eight at a time from any position: the inner step of every columnar BinaryRow path."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.base.arrays import Int64Array, UInt8Array, UInt64Array

WORD_BYTES = 8


class ByteWords:
    """A byte buffer of ``size`` bytes whose little-endian 8-byte words can be read at many unaligned positions in one
    step.
    """

    def __init__(self, size: int) -> None:
        # Two extra words: a value near the end is read as whole words, and each read includes the following word.
        self.words: UInt64Array = np.zeros(size // WORD_BYTES + 3, dtype=np.uint64)
        self.bytes: UInt8Array = self.words.view(np.uint8)[:size]

    @classmethod
    def copy_of(cls, data: Any) -> ByteWords:
        """Return a buffer with a copy of the bytes of ``data`` (any object with a buffer)."""
        source = np.frombuffer(data, dtype=np.uint8)
        copy = cls(source.size)
        copy.bytes[:] = source
        return copy

    def at(self, positions: Int64Array) -> UInt64Array:
        """Return the 8 bytes that start at each position as one little-endian word."""
        index = positions >> 3
        shift = ((positions & 7) << 3).astype(np.uint64)
        low: UInt64Array = self.words[index]
        low >>= shift
        # NumPy shifts by 64 return 0, so an aligned position uses nothing of the next word.
        high = self.words[index + 1]
        high <<= np.uint64(64) - shift
        low |= high
        return low


def low_bytes_mask(sizes: Int64Array) -> UInt64Array:
    """Return masks that keep the first ``sizes`` (at most 8) bytes of a word."""
    bits = (np.minimum(sizes, WORD_BYTES) << 3).astype(np.uint64)
    return (np.uint64(1) << bits) - np.uint64(1)
