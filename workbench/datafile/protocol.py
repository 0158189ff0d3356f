"""The interface of all data files, regardless of their format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.format.spec.data_file import DataFileMeta


class DataFile(Protocol):
    """Rows of one data file, as columns of the table. Columns that the file's schema does not have are null."""

    @property
    def path(self) -> str:
        """The path of the file."""
        ...

    @property
    def file(self) -> DataFileMeta:
        """The file's manifest entry."""
        ...

    @property
    def rows(self) -> int:
        """The number of rows that this reader returns."""
        ...

    @property
    def uncompressed_size(self) -> int:
        """The approximate size of the rows in memory in bytes, all columns together."""
        ...

    def parts(self, rows: int) -> Sequence[DataFile]:
        """Return readers of about ``rows`` rows each, as far as the file can be divided, which together read the same
        rows."""
        ...

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Read all rows. Raises CorruptFile naming the file if it is missing or damaged."""
        ...

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """Read all rows as `read`, and keep the result in memory if there is room, as it will be requested again."""
        ...

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """Return no rows, with the schema of `read`."""
        ...

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """Yield the same rows, at most ``batch_rows`` at a time."""
        ...


class StoredFile(DataFile, Protocol):
    """A data file that knows the positions of its rows."""

    @property
    def row_ranges(self) -> Sequence[range]:
        """The positions in the file of the rows that this reader returns, in the same order."""
        ...

    def parts(self, rows: int) -> Sequence[StoredFile]:
        """Return readers of about ``rows`` rows each, as `DataFile.parts`."""
        ...


def beyond_nanoseconds(path: str, columns: Sequence[str]) -> Unsupported:
    """Return the error for times that 64-bit nanoseconds cannot represent."""
    return Unsupported(
        f"Data file {path} has times with more than 6 fractional digits before 1677 or after 2262, which "
        "are not supported.",
        f"Do not select {', '.join(columns)}.",
    )


def side_by_side(parts: Sequence[pa.Table], columns: Sequence[str]) -> pa.Table:
    """Return the columns of tables of equal length, in the requested order."""
    if len(parts) == 1:
        return parts[0]
    by_name = {field.name: (part.column(field.name), field) for part in parts for field in part.schema}
    return pa.Table.from_arrays(
        [by_name[name][0] for name in columns], schema=pa.schema([by_name[name][1] for name in columns])
    )


def stacked(tables: Sequence[pa.Table]) -> pa.Table:
    """Concatenate tables with the same columns. If there are no columns, the number of rows is still kept, which Arrow
    by itself would lose."""
    if tables[0].num_columns:
        return pa.concat_tables(tables)
    return rows_without_columns(sum(table.num_rows for table in tables))


def rows_without_columns(rows: int) -> pa.Table:
    """Return a table that has rows but no columns."""
    return pa.table({"": pa.nulls(rows)}).select([])
