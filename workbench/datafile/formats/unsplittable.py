"""The common base of data files that can only be read as a whole, as their formats do not record the positions of
rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

import pyarrow as pa

from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.metadata.store import TableStore

# The factor by which compressed rows grow when they become columns: a guess, as these formats do not record it.
_EXPANSION = 6


class WholeFile(ABC):
    """The rows of one file, without parts."""

    def __init__(self, store: TableStore, path: str, file: DataFileMeta, read_schema: TableSchema) -> None:
        self.path = path
        self.file = file
        self._store = store
        self._schema = read_schema

    @property
    def rows(self) -> int:
        """The number of all rows."""
        return self.file.row_count

    @property
    def row_ranges(self) -> Sequence[range]:
        """The positions of all rows."""
        return [range(self.file.row_count)]

    @property
    def uncompressed_size(self) -> int:
        """The estimated size in memory in bytes."""
        return self.file.file_size * _EXPANSION

    def parts(self, rows: int) -> Sequence[Self]:  # noqa: ARG002 - it cannot be cut
        """Return the file itself."""
        return [self]

    @abstractmethod
    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read all rows."""

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """Return the same rows, from memory if they have been read before."""
        key = ("columns", self.path, tuple(columns))
        return self._store.cache.get_or_load(key, lambda: self.read(columns), lambda table: int(table.nbytes))
