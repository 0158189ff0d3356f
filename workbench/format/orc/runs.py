"""Decodes integers of an ORC stream in version 2 of its run-length encoding (ORC's specification, format §14)."""

from __future__ import annotations

import numpy as np

from workbench.base.arrays import Int64Array
from workbench.format.orc.messages import signed
from workbench.format.rows.varints import varint

_WIDTHS = (*range(1, 25), 26, 28, 30, 32, 40, 48, 56, 64)
_MIN_REPEAT = 3


def unsigned_runs(data: bytes) -> Int64Array:
    """Return the non-negative numbers of a stream.

    Raises:
        ValueError: If it is corrupt.
    """
    parts: list[Int64Array] = [np.zeros(0, np.int64)]
    position = 0
    while position < len(data):
        read = (_repeat, _direct, _patched, _delta)[data[position] >> 6]
        try:
            numbers, position = read(data, position)
        except (IndexError, OverflowError):
            raise ValueError("a run of numbers is truncated or corrupt") from None
        parts.append(numbers)
    return np.concatenate(parts)


def _repeat(data: bytes, position: int) -> tuple[Int64Array, int]:
    width = (data[position] >> 3 & 7) + 1
    count = (data[position] & 7) + _MIN_REPEAT
    end = position + 1 + width
    return np.full(count, int.from_bytes(_taken(data, position + 1, end), "big"), np.uint64).view(np.int64), end


def _direct(data: bytes, position: int) -> tuple[Int64Array, int]:
    width, count = _head(data, position)
    return _unpacked(data, position + 2, width, count)


def _patched(data: bytes, position: int) -> tuple[Int64Array, int]:
    """Return numbers stored relative to a base; a patch list has the high bits of the numbers that are too wide."""
    width, count = _head(data, position)
    base_width, patch_width = (data[position + 2] >> 5) + 1, _WIDTHS[data[position + 2] & 31]
    gap_width, patches = (data[position + 3] >> 5) + 1, data[position + 3] & 31
    end = position + 4 + base_width
    base = int.from_bytes(_taken(data, position + 4, end), "big")
    if base >> 8 * base_width - 1:
        raise ValueError("a number is negative")
    numbers, end = _unpacked(data, end, width, count)
    entries, end = _unpacked(data, end, next(each for each in _WIDTHS if each >= gap_width + patch_width), patches)
    at = np.cumsum(entries >> patch_width)
    if patches and at[-1] >= count:
        raise ValueError("a patch is outside its run")
    # Several entries may have the same position if a gap is too wide for one.
    np.bitwise_or.at(numbers, at, (entries & ((1 << patch_width) - 1)) << width)
    return numbers + base, end


def _delta(data: bytes, position: int) -> tuple[Int64Array, int]:
    code, (_, count) = data[position] >> 1 & 31, _head(data, position)
    first, end = varint(data, position + 2)
    step, end = varint(data, end)
    steps = np.full(count, signed(step), np.int64)
    steps[0] = first
    if code and count > 2:
        more, end = _unpacked(data, end, _WIDTHS[code], count - 2)
        steps[2:] = more if signed(step) >= 0 else -more
    return np.cumsum(steps), end


def _head(data: bytes, position: int) -> tuple[int, int]:
    """Return width and number of the values of a run."""
    return _WIDTHS[data[position] >> 1 & 31], ((data[position] & 1) << 8 | data[position + 1]) + 1


def _unpacked(data: bytes, position: int, width: int, count: int) -> tuple[Int64Array, int]:
    """Return ``count`` numbers of ``width`` bits each, the highest bit first."""
    end = position + (width * count + 7) // 8
    packed = np.frombuffer(_taken(data, position, end), np.uint8)
    bits = np.zeros((count, 64), np.uint8)
    bits[:, 64 - width :] = np.unpackbits(packed, count=width * count).reshape(count, width)
    return np.packbits(bits, axis=1).view(">u8")[:, 0].astype(np.int64), end


def _taken(data: bytes, start: int, end: int) -> bytes:
    if end > len(data):
        raise ValueError("a run of numbers is truncated")
    return data[start:end]
