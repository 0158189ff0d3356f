"""Rows in memory as the input of a merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from workbench.format.spec.data_file_fields import SEQUENCE_NUMBER, VALUE_KIND
from workbench.lsm.key_slices import Chunk
from workbench.lsm.merge_function import Kinds


@dataclass(frozen=True)
class Layout:
    """The columns that a merge uses; ``values`` are the columns outside the key."""

    keys: tuple[str, ...]
    sequence: bool
    kinds: bool
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableChunk:
    """A chunk of rows that are in memory."""

    table: pa.Table
    layout: Layout

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return int(self.table.num_rows)

    def keys(self) -> list[pa.ChunkedArray]:
        """Return the key columns."""
        return [self.table.column(name) for name in self.layout.keys]

    def sequence(self) -> pa.ChunkedArray | None:
        """Return the sequence numbers, if the merge uses them."""
        return self.table.column(SEQUENCE_NUMBER) if self.layout.sequence else None

    def kinds(self) -> Kinds | None:
        """Return the row kinds as int8[rows], if the merge uses them."""
        return self.table.column(VALUE_KIND).to_numpy() if self.layout.kinds else None

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a value column."""
        return self.table.column(name)

    def values(self, columns: Sequence[str], mask: pa.Array | None) -> pa.Table:
        """Return value columns of the rows where ``mask`` is true."""
        table = self.table.select(list(columns))
        return table if mask is None else table.filter(mask)

    def split(self, rows: int) -> tuple[Chunk, Chunk]:
        """Split into the first ``rows`` rows and the remaining rows."""
        return TableChunk(self.table.slice(0, rows), self.layout), TableChunk(self.table.slice(rows), self.layout)
