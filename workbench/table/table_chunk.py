"""Rows in memory as a merge takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from workbench.format.parquet import SEQUENCE_NUMBER, VALUE_KIND
from workbench.lsm.key_slices import Chunk
from workbench.lsm.merge_function import Kinds


@dataclass(frozen=True)
class Layout:
    """Which columns a merge looks at; ``values`` are those beside the key."""

    keys: tuple[str, ...]
    sequence: bool
    kinds: bool
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableChunk:
    """Rows that are in memory."""

    table: pa.Table
    layout: Layout

    @property
    def rows(self) -> int:
        """How many rows."""
        return int(self.table.num_rows)

    def keys(self) -> list[pa.ChunkedArray]:
        """The key columns."""
        return [self.table.column(name) for name in self.layout.keys]

    def sequence(self) -> pa.ChunkedArray | None:
        """The sequence numbers, where the merge looks at them."""
        return self.table.column(SEQUENCE_NUMBER) if self.layout.sequence else None

    def kinds(self) -> Kinds | None:
        """int8[rows], where the merge looks at them."""
        return self.table.column(VALUE_KIND).to_numpy() if self.layout.kinds else None

    def column(self, name: str) -> pa.ChunkedArray:
        """A value column."""
        return self.table.column(name)

    def values(self, columns: Sequence[str], mask: pa.Array | None) -> pa.Table:
        """Value columns of the rows where ``mask`` is true."""
        table = self.table.select(list(columns))
        return table if mask is None else table.filter(mask)

    def split(self, rows: int) -> tuple[Chunk, Chunk]:
        """The first ``rows`` rows, and the others."""
        return TableChunk(self.table.slice(0, rows), self.layout), TableChunk(self.table.slice(rows), self.layout)
