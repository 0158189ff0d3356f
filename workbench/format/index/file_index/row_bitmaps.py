"""Encodes rows of a file as Roaring bitmaps, one per key, for all keys together (format §22).

A container is an array of rows, runs of rows, or bits, whichever takes the fewest bytes, as after Java's
``runOptimize``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.arrays import BoolArray, Int64Array, UInt8Array
from workbench.base.lazy import cached_property
from workbench.format.index.roaring32 import BLOCK_BYTES, BLOCK_ROWS
from workbench.format.rows.ragged_bytes import Pieces, fixed, joined

_MAX_IN_ARRAY = 4096
_COOKIE, _COOKIE_WITH_RUNS = 12_346, 12_347
_MIN_ROWS_FOR_POSITIONS = 4


def row_bitmaps(rows: Int64Array, counts: Int64Array) -> Pieces:
    """Return the bitmap of each key. ``rows`` has the ascending rows of each key, one key after the other; key i has
    ``counts[i]`` rows.
    """
    containers = _Containers(rows, counts)
    of_key = containers.of_key
    return joined(
        [
            _cookies(containers),
            _run_flags(containers),
            fixed(np.stack([containers.blocks, containers.sizes - 1], axis=1).astype("<u2").view(np.uint8)).grouped(
                of_key
            ),
            _places(containers),
            containers.bodies.grouped(of_key),
        ]
    )


@dataclass(frozen=True)
class _Containers:
    """The rows of each key in each block."""

    rows: Int64Array
    counts: Int64Array

    @cached_property
    def starts(self) -> Int64Array:
        """The starts of the rows of each container."""
        keys = np.repeat(np.arange(len(self.counts)), self.counts)
        blocks = self.rows // BLOCK_ROWS
        starts: Int64Array = np.flatnonzero(_changes(keys) | _changes(blocks))
        return starts

    @cached_property
    def sizes(self) -> Int64Array:
        """The number of rows of each container."""
        return np.diff(self.starts, append=len(self.rows))

    @cached_property
    def blocks(self) -> Int64Array:
        """The block of rows of each container."""
        blocks: Int64Array = self.rows[self.starts] // BLOCK_ROWS
        return blocks

    @cached_property
    def of_key(self) -> Int64Array:
        """The number of containers of each key."""
        ends = np.searchsorted(self.starts, np.cumsum(self.counts))
        return np.diff(ends, prepend=0)

    @cached_property
    def firsts(self) -> Int64Array:
        """The first container of each key."""
        firsts: Int64Array = np.cumsum(self.of_key) - self.of_key
        return firsts

    @cached_property
    def run_starts(self) -> Int64Array:
        """The starts of runs of consecutive rows, each within a container."""
        begins = np.diff(self.rows, prepend=-2) != 1
        begins[self.starts] = True
        return np.flatnonzero(begins)

    @cached_property
    def runs(self) -> Int64Array:
        """The number of runs of each container."""
        return np.diff(np.searchsorted(self.run_starts, self.starts), append=len(self.run_starts))

    @cached_property
    def is_run(self) -> BoolArray:
        """Whether each container is shorter as runs."""
        flags: BoolArray = 2 + 4 * self.runs < np.minimum(2 * self.sizes, BLOCK_BYTES)
        return flags

    @cached_property
    def has_runs(self) -> BoolArray:
        """Whether each key has a container that is stored as runs."""
        flags: BoolArray = np.bincount(self.keys, weights=self.is_run, minlength=len(self.counts)) > 0
        return flags

    @cached_property
    def keys(self) -> Int64Array:
        """The key of each container."""
        return np.repeat(np.arange(len(self.counts)), self.of_key)

    @cached_property
    def bodies(self) -> Pieces:
        """The bytes of each container."""
        is_array = ~self.is_run & (self.sizes <= _MAX_IN_ARRAY)
        in_block = self.rows % BLOCK_ROWS
        array_rows = in_block[np.repeat(is_array, self.sizes)].astype("<u2").view(np.uint8)
        lengths = np.diff(self.run_starts, append=len(self.rows)) - 1
        pairs = np.stack([in_block[self.run_starts], lengths], axis=1).astype("<u2").view(np.uint8)
        return joined(
            [
                Pieces(2 * self.sizes[is_array], array_rows).spread(is_array),
                fixed(self.runs[self.is_run].astype("<u2")).spread(self.is_run),
                Pieces(4 * self.runs[self.is_run], pairs[np.repeat(self.is_run, self.runs)].ravel()).spread(
                    self.is_run
                ),
                self._bits(~self.is_run & ~is_array, in_block),
            ]
        )

    def _bits(self, chosen: BoolArray, in_block: Int64Array) -> Pieces:
        bits: list[UInt8Array] = []
        for container in np.flatnonzero(chosen).tolist():
            flags = np.zeros(BLOCK_ROWS, bool)
            start = self.starts[container]
            flags[in_block[start : start + self.sizes[container]]] = True
            bits.append(np.packbits(flags, bitorder="little"))
        return fixed(np.array(bits, np.uint8).reshape(-1, BLOCK_BYTES)).spread(chosen)


def _changes(values: Int64Array) -> BoolArray:
    flags: BoolArray = np.diff(values, prepend=-1) != 0
    return flags


def _cookies(containers: _Containers) -> Pieces:
    """Return the cookies; with runs, the number of containers is part of the cookie."""
    plain = np.stack([np.full(len(containers.counts), _COOKIE), containers.of_key], axis=1)
    with_runs = _COOKIE_WITH_RUNS | containers.of_key - 1 << 16
    has_runs = containers.has_runs
    return joined(
        [
            fixed(with_runs[has_runs].astype("<u4")).spread(has_runs),
            fixed(plain[~has_runs].astype("<u4").view(np.uint8)).spread(~has_runs),
        ]
    )


def _run_flags(containers: _Containers) -> Pieces:
    """Return, for keys that have runs, one bit per container that marks the containers stored as runs."""
    sizes = np.where(containers.has_runs, (containers.of_key + 7) // 8, 0)
    data = np.zeros(int(sizes.sum()), np.uint8)
    chosen = np.flatnonzero(containers.is_run)
    keys = containers.keys[chosen]
    within = chosen - containers.firsts[keys]
    starts = np.cumsum(sizes) - sizes
    np.bitwise_or.at(data, starts[keys] + (within >> 3), (1 << (within & 7)).astype(np.uint8))
    return Pieces(sizes, data)


def _places(containers: _Containers) -> Pieces:
    """Return the offset of each container in its bitmap; bitmaps with runs and few containers have no offsets."""
    of_key, has_runs = containers.of_key, containers.has_runs
    has_offsets = ~has_runs | (of_key >= _MIN_ROWS_FOR_POSITIONS)
    heads = np.where(has_runs, 4 + (of_key + 7) // 8, 8) + 4 * of_key + np.where(has_offsets, 4 * of_key, 0)
    ends = containers.bodies.ends
    before = ends - containers.bodies.sizes
    starts = np.concatenate([[0], ends])[containers.firsts]
    positions = before + np.repeat(heads - starts, of_key)
    chosen = has_offsets[containers.keys]
    return fixed(positions[chosen].astype("<u4")).grouped(of_key[has_offsets]).spread(has_offsets)


def bit_slices(numbers: Int64Array, rows: Int64Array, slices: int) -> tuple[bytes, list[bytes]]:
    """Return the bitmap of ``rows``, ascending, and for each bit of their numbers the bitmap of the rows that have
    it.
    """
    parts = [rows, *(rows[(numbers >> bit & 1).astype(bool)] for bit in range(slices))]
    all_bitmaps = row_bitmaps(np.concatenate(parts), np.array([len(part) for part in parts], np.int64))
    bitmaps = [all_bitmaps.take(position, position + 1) for position in range(len(parts))]
    return bitmaps[0], bitmaps[1:]
