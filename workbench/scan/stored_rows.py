"""The stored rows of one key, read from as few row groups as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.datafile.formats.row_groups import row_group_filter
from workbench.datafile.open import open_rows, open_stored_file
from workbench.datafile.protocol import DataFile
from workbench.datafile.readers.columns import stored_names
from workbench.expr.evaluate import filter_mask
from workbench.expr.expressions import Expr
from workbench.expr.tree import referenced_columns
from workbench.format.spec.data_file import DataFileMeta, ManifestEntry
from workbench.format.spec.schema import TableSchema
from workbench.metadata.store import TableStore

_PART_ROWS = 1 << 16
_ROW_WEIGHT = 4096


@dataclass(frozen=True)
class RowFilter:
    """The rows to find. ``where`` selects them in files, ``pruning`` is the part that metadata can decide; both are
    bound to ``schema``."""

    schema: TableSchema
    where: Expr
    pruning: Expr | None


@dataclass(frozen=True)
class StoredRow:
    """A row at a position of its file; ``values`` is a table of this row."""

    position: int
    values: pa.Table


def stored_rows(
    store: TableStore, row: RowFilter, entry: ManifestEntry, columns: Sequence[str]
) -> tuple[StoredRow, ...]:
    """Return the rows of a file that have the key, deleted or not, in their order; they are cached.

    Raises:
        CorruptFile: The file is missing or damaged.
    """
    path = store.data_file_path(entry.partition, entry.bucket, entry.file)
    key = ("row", path, str(row.where), row.schema.id, tuple(columns))
    return store.cache.get_or_load(
        key, lambda: tuple(_read(store, row, entry.file, path, columns)), lambda rows: 500 + _ROW_WEIGHT * len(rows)
    )


def _read(
    store: TableStore, row: RowFilter, file: DataFileMeta, path: str, columns: Sequence[str]
) -> Iterator[StoredRow]:
    requested = sorted(referenced_columns(row.where))
    chosen = row_group_filter(row.pruning, row.schema, row.schema.trimmed_primary_keys)
    stored = open_stored_file(store, path, file, row.schema, chosen)
    for part in stored.parts(_PART_ROWS):
        rows = open_rows(store, part, None)
        found = np.flatnonzero(filter_mask(row.where, rows.read(requested)))
        if not len(found):
            continue
        positions = np.concatenate([np.arange(each.start, each.stop) for each in part.row_ranges])[found]
        values = rows.read(columns).take(pa.array(found))
        yield from (StoredRow(int(each), values.slice(number, 1)) for number, each in enumerate(positions.tolist()))


def columns_in(store: TableStore, file: DataFileMeta) -> frozenset[str]:
    """Return the columns of the table that a file has, by their current names."""
    return frozenset(stored_names(store, file, store.schema))


@dataclass(frozen=True)
class KeyRows:
    """The rows of one key in a file, as a data file that has no other rows."""

    path: str
    file: DataFileMeta
    table: pa.Table

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.table.num_rows)

    @property
    def uncompressed_size(self) -> int:
        """The size of the rows in bytes."""
        return int(self.table.nbytes)

    def parts(self, rows: int) -> Sequence[DataFile]:  # noqa: ARG002
        """Return the file itself."""
        return [self]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Return the rows."""
        return self.table.select(list(columns))

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """Return the rows."""
        return self.read(columns)

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """Return no rows."""
        return self.read(columns).slice(0, 0)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:  # noqa: ARG002
        """Yield all rows as one table."""
        yield self.read(columns)
