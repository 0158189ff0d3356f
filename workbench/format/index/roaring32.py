"""Bitmaps of 32-bit row numbers in the portable form of Roaring (format §20.1, §22).

They are decoded here rather than by a library because tasks on other machines have only NumPy, and because corrupt
bitmaps must not reach native code that trusts them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from workbench.base.arrays import BoolArray, Int64Array, UInt8Array
from workbench.format.rows.cursor import Cursor

BLOCK_ROWS = 1 << 16
BLOCK_BYTES = BLOCK_ROWS // 8
_LARGEST_ARRAY = 4096
_COOKIE = 12_346
_COOKIE_WITH_RUNS = 12_347
_MIN_ROWS_FOR_OFFSETS = 4


def read_blocks(cursor: Cursor, end: int = 1 << 16) -> list[tuple[int, UInt8Array]]:
    """Return the containers of one bitmap in the portable form of Roaring: the block number and the bits of each.

    Raises:
        ValueError: If a block number is ``end`` or greater, since a few bytes of such blocks would fill the memory, or
            if the bytes are corrupt.
    """
    cookie = cursor.number("<u4")
    with_runs = cookie & 0xFFFF == _COOKIE_WITH_RUNS
    if not with_runs and cookie != _COOKIE:
        raise ValueError("it is not a bitmap")
    count = (cookie >> 16) + 1 if with_runs else cursor.number("<u4")
    if count > BLOCK_ROWS:
        raise ValueError("too many containers")
    is_run = np.zeros(count, bool)
    if with_runs:
        is_run = np.unpackbits(cursor.numbers("u1", (count + 7) // 8), bitorder="little")[:count].astype(bool)
    heads = cursor.numbers("<u2", 2 * count).astype(np.int64).reshape(count, 2)
    if count > 1 and (np.diff(heads[:, 0]) <= 0).any():
        raise ValueError("its containers are out of order")
    if count and heads[-1, 0] >= end:
        raise ValueError("it has rows beyond those of its data file")
    if not with_runs or count >= _MIN_ROWS_FOR_OFFSETS:
        cursor.numbers("<u4", count)
    blocks = []
    for (block, less_one), run in zip(heads.tolist(), is_run.tolist(), strict=True):
        bits = _run_bits(cursor) if run else _plain_bits(cursor, less_one + 1)
        if row_count(bits) != less_one + 1:
            raise ValueError("a container does not have its declared number of rows")
        blocks.append((block, bits))
    return blocks


def _plain_bits(cursor: Cursor, rows: int) -> UInt8Array:
    if rows > _LARGEST_ARRAY:
        return cursor.numbers("u1", BLOCK_BYTES)
    positions = cursor.numbers("<u2", rows)
    flags = np.zeros(BLOCK_ROWS, bool)
    flags[positions] = True
    return np.packbits(flags, bitorder="little")


def _run_bits(cursor: Cursor) -> UInt8Array:
    runs = cursor.numbers("<u2", 2 * cursor.number("<u2")).astype(np.int64).reshape(-1, 2)
    starts, ends = runs[:, 0], runs[:, 0] + runs[:, 1] + 1
    if (ends > BLOCK_ROWS).any() or (starts[1:] < ends[:-1]).any():
        raise ValueError("its runs are out of order")
    steps = np.zeros(BLOCK_ROWS + 1, np.int8)
    steps[starts] += 1
    # A run may start where another ends, so the two marks add up.
    np.subtract.at(steps, ends, 1)
    return np.packbits(np.cumsum(steps[:-1], dtype=np.int8).astype(bool), bitorder="little")


def row_count(bits: UInt8Array) -> int:
    """Return the number of marked rows."""
    return int(np.unpackbits(bits).sum(dtype=np.int64))


def bits_of(positions: Int64Array) -> dict[int, UInt8Array]:
    """Return ascending blocks that mark the given row numbers, which may be unsorted and contain duplicates."""
    rows = np.unique(positions)
    blocks, starts = np.unique(rows // BLOCK_ROWS, return_index=True)
    bits: dict[int, UInt8Array] = {}
    for block, marked in zip(blocks.tolist(), np.split(rows, starts[1:]), strict=False):
        flags = np.zeros(BLOCK_ROWS, bool)
        flags[marked % BLOCK_ROWS] = True
        bits[block] = np.packbits(flags, bitorder="little")
    return bits


def write_blocks(blocks: Mapping[int, UInt8Array]) -> bytes:
    """Return the bitmap of these blocks, each container in the form with the fewest bytes, as after Java's
    ``runOptimize``.
    """
    flags = {block: np.unpackbits(blocks[block], bitorder="little").astype(bool) for block in sorted(blocks)}
    counts = {block: int(np.count_nonzero(bits)) for block, bits in flags.items()}
    kept = [block for block, count in counts.items() if count]
    containers, is_run = [], []
    for block in kept:
        runs = _run_container(flags[block])
        plain = np.flatnonzero(flags[block]).astype("<u2").tobytes() if counts[block] <= _LARGEST_ARRAY else None
        plain = blocks[block].tobytes() if plain is None else plain
        is_run.append(len(runs) < len(plain))
        containers.append(runs if is_run[-1] else plain)
    return _head(kept, [counts[block] for block in kept], is_run, containers) + b"".join(containers)


def _head(blocks: list[int], counts: list[int], is_run: list[bool], containers: list[bytes]) -> bytes:
    heads = np.array([blocks, np.array(counts, np.int64) - 1], "<u2").T.tobytes()
    if any(is_run):
        cookie = (_COOKIE_WITH_RUNS | len(blocks) - 1 << 16).to_bytes(4, "little")
        start = cookie + np.packbits(is_run, bitorder="little").tobytes() + heads
        if len(blocks) < _MIN_ROWS_FOR_OFFSETS:
            return start
    else:
        start = _COOKIE.to_bytes(4, "little") + len(blocks).to_bytes(4, "little") + heads
    sizes = [len(start) + 4 * len(blocks), *map(len, containers)]
    return start + np.cumsum(sizes[:-1] if blocks else []).astype("<u4").tobytes()


def _run_container(flags: BoolArray) -> bytes:
    edges = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
    runs = np.stack([edges[:, 0], edges[:, 1] - edges[:, 0] - 1], axis=1)
    return len(runs).to_bytes(2, "little") + runs.astype("<u2").tobytes()
