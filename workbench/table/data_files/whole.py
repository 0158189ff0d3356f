"""What data files share that can be read only as a whole: their formats do not tell where rows lie."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self

import pyarrow as pa

from workbench.format.data_file import DataFileMeta
from workbench.format.schema import TableSchema
from workbench.table.store import TableStore

# What compressed rows take once they are columns: a guess, as these formats do not say.
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
        """All rows."""
        return self.file.row_count

    @property
    def row_ranges(self) -> Sequence[range]:
        """All rows."""
        return [range(self.file.row_count)]

    @property
    def uncompressed_size(self) -> int:
        """A guess, in bytes."""
        return self.file.file_size * _EXPANSION

    def parts(self, rows: int) -> Sequence[Self]:  # noqa: ARG002 - it cannot be cut
        """The file itself."""
        return [self]

    @abstractmethod
    def read(self, columns: Sequence[str]) -> pa.Table:
        """All rows."""

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """The same, from memory where it has been read before."""
        key = ("columns", self.path, tuple(columns))
        return self._store.cache.get_or_load(key, lambda: self.read(columns), lambda table: int(table.nbytes))
