"""The 64-bit hashes of bloom filters (Java ``FastHash``): xxHash64 for bytes, Thomas Wang's hash for integers."""

from __future__ import annotations

_MASK = (1 << 64) - 1
_PRIME_1 = 0x9E3779B185EBCA87
_PRIME_2 = 0xC2B2AE3D27D4EB4F
_PRIME_3 = 0x165667B19E3779F9
_PRIME_4 = 0x85EBCA77C2B2AE63
_PRIME_5 = 0x27D4EB2F165667C5
PRIMES = (_PRIME_1, _PRIME_2, _PRIME_3, _PRIME_4, _PRIME_5)
_STRIPE = 32


def hash_of(key: int | bytes) -> int:
    """Return the hash as an unsigned number."""
    return xxhash64(key) if isinstance(key, bytes) else wang64(key)


def wang64(number: int) -> int:
    """Return Thomas Wang's hash of a signed 64-bit number, with Java's signed shifts."""
    key = number & _MASK
    key = (~key + (key << 21)) & _MASK
    key ^= _signed(key) >> 24 & _MASK
    key = key * 265 & _MASK
    key ^= _signed(key) >> 14 & _MASK
    key = key * 21 & _MASK
    key ^= _signed(key) >> 28 & _MASK
    return (key + (key << 31)) & _MASK


def xxhash64(data: bytes) -> int:
    """Return xxHash64 with seed 0."""
    position = 0
    if len(data) < _STRIPE:
        result = _PRIME_5
    else:
        lanes = [(_PRIME_1 + _PRIME_2) & _MASK, _PRIME_2, 0, -_PRIME_1 & _MASK]
        while position + _STRIPE <= len(data):
            lanes = [_round(lane, _word(data, position + 8 * index, 8)) for index, lane in enumerate(lanes)]
            position += _STRIPE
        result = sum(_rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True)) & _MASK
        for lane in lanes:
            result = ((result ^ _round(0, lane)) * _PRIME_1 + _PRIME_4) & _MASK
    result = (result + len(data)) & _MASK
    while position + 8 <= len(data):
        result = (_rotated(result ^ _round(0, _word(data, position, 8)), 27) * _PRIME_1 + _PRIME_4) & _MASK
        position += 8
    if position + 4 <= len(data):
        result = (_rotated(result ^ (_word(data, position, 4) * _PRIME_1 & _MASK), 23) * _PRIME_2 + _PRIME_3) & _MASK
        position += 4
    for byte in data[position:]:
        result = _rotated(result ^ (byte * _PRIME_5 & _MASK), 11) * _PRIME_1 & _MASK
    result = (result ^ result >> 33) * _PRIME_2 & _MASK
    result = (result ^ result >> 29) * _PRIME_3 & _MASK
    return result ^ result >> 32


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _word(data: bytes, position: int, size: int) -> int:
    return int.from_bytes(data[position : position + size], "little")


def _round(lane: int, word: int) -> int:
    return _rotated((lane + word * _PRIME_2) & _MASK, 31) * _PRIME_1 & _MASK


def _rotated(number: int, bits: int) -> int:
    return (number << bits | number >> (64 - bits)) & _MASK
