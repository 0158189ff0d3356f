"""Murmur3, 32 bits, over whole 4-byte words (format §11.1, Java ``MurmurHashUtils.hashBytesByWords``)."""

from __future__ import annotations

import numpy as np

from workbench.base.arrays import Int32Array, Int64Array, UInt32Array, UInt64Array

_SEED = 42
_C1, _C2, _ADD = 0xCC9E2D51, 0x1B873593, 0xE6546B64
_FINAL_1, _FINAL_2 = 0x85EBCA6B, 0xC2B2AE35
_MASK = 0xFFFFFFFF
_FEW = 16


def murmur_hash(row: bytes) -> int:
    """Return the signed hash of one row, given without its arity; the number of bytes is a multiple of 4."""
    state = _mix_one(_SEED, np.frombuffer(row, dtype="<u4").tolist())
    state ^= len(row)
    state = ((state ^ (state >> 16)) * _FINAL_1) & _MASK
    state = ((state ^ (state >> 13)) * _FINAL_2) & _MASK
    state ^= state >> 16
    return state - (1 << 32) if state >> 31 else state


def hash_words(fixed: UInt64Array, variable: UInt64Array, starts: Int64Array) -> Int32Array:
    """Return the signed hash of each row.

    ``fixed[w, i]`` is the 8-byte word w of row i; ``variable[starts[i]:starts[i + 1]]`` are the words that follow them
    in row i.
    """
    state = np.full(fixed.shape[1], _SEED, dtype=np.uint32)
    for word in fixed:
        _mix_word(state, word)
    sizes = np.diff(starts)
    if variable.size:
        _mix_variable(state, variable, starts[:-1], sizes)
    state ^= ((sizes + fixed.shape[0]) * 8).astype(np.uint32)
    return _finish(state).view(np.int32)


def _mix_word(state: UInt32Array, word: UInt64Array) -> None:
    halves = word.view(np.uint32)
    _mix(state, halves[0::2])
    _mix(state, halves[1::2])


def _mix(state: UInt32Array, words: UInt32Array) -> None:
    mixed = words * np.uint32(_C1)
    _rotate(mixed, 15)
    mixed *= np.uint32(_C2)
    state ^= mixed
    _rotate(state, 13)
    state *= np.uint32(5)
    state += np.uint32(_ADD)


def _rotate(values: UInt32Array, bits: int) -> None:
    carried = values >> np.uint32(32 - bits)
    values <<= np.uint32(bits)
    values |= carried


def _mix_variable(state: UInt32Array, variable: UInt64Array, starts: Int64Array, sizes: Int64Array) -> None:
    """Mix word by word over all rows that still have one; completed rows leave the working set."""
    rows = np.flatnonzero(sizes)
    states, position = state[rows], starts[rows]
    end = position + sizes[rows]
    while rows.size > _FEW:
        _mix_word(states, variable[position])
        position += 1
        more = position < end
        if not more.all():
            ended = ~more
            state[rows[ended]] = states[ended]
            rows, states, position, end = rows[more], states[more], position[more], end[more]
    # A whole NumPy step per word is too expensive for a few very long rows.
    for row, one, start, stop in zip(rows.tolist(), states.tolist(), position.tolist(), end.tolist(), strict=True):
        state[row] = _mix_one(one, variable[start:stop].view(np.uint32).tolist())


def _mix_one(state: int, words: list[int]) -> int:
    for word in words:
        mixed = (word * _C1) & _MASK
        mixed = ((mixed << 15 | mixed >> 17) * _C2) & _MASK
        state ^= mixed
        state = ((state << 13 | state >> 19) * 5 + _ADD) & _MASK
    return state


def _finish(state: UInt32Array) -> UInt32Array:
    for shift, factor in ((16, _FINAL_1), (13, _FINAL_2)):
        state ^= state >> np.uint32(shift)
        state *= np.uint32(factor)
    state ^= state >> np.uint32(16)
    return state
