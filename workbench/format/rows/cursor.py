"""Reads numbers and bytes sequentially from a part of a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.base.arrays import AnyArray


class Cursor:
    """Reads ``data``, starting at ``position``; reads beyond the end raise ValueError."""

    def __init__(self, data: bytes, position: int = 0) -> None:
        if not 0 <= position <= len(data):
            raise ValueError("it contains an offset out of range")
        self._data = data
        self.position = position

    @property
    def rest(self) -> int:
        """The number of remaining bytes."""
        return len(self._data) - self.position

    def numbers(self, kind: str | np.dtype[Any], count: int) -> AnyArray:
        """Return the next ``count`` values of a NumPy type, which includes the byte order."""
        dtype = np.dtype(kind)
        self._check(count * dtype.itemsize)
        values = np.frombuffer(self._data, dtype, count, self.position)
        self.position += count * dtype.itemsize
        return values

    def number(self, dtype: str) -> int:
        """Return the next number."""
        return int(self.numbers(dtype, 1)[0])

    def take(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        self._check(count)
        self.position += count
        return bytes(self._data[self.position - count : self.position])

    def _check(self, count: int) -> None:
        if not 0 <= count <= self.rest:
            raise ValueError("it is truncated")
