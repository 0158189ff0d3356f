"""What all data files can do, whatever their format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import pyarrow as pa

from workbench.base.errors import CorruptFile, Unsupported
from workbench.format.data_file import DataFileMeta
from workbench.table.store import MISSING_HINT


class DataFile(Protocol):
    """Rows of one data file, as columns of the table. Columns the file's schema does not have come as nulls."""

    @property
    def path(self) -> str:
        """Where it lies."""
        ...

    @property
    def file(self) -> DataFileMeta:
        """What its manifest says of it."""
        ...

    @property
    def rows(self) -> int:
        """How many rows reading brings."""
        ...

    @property
    def uncompressed_size(self) -> int:
        """About how many bytes the rows take in memory, all columns together."""
        ...

    def parts(self, rows: int) -> Sequence[DataFile]:
        """Readers of about ``rows`` rows each, as far as the file can be cut, which together read what this one
        reads."""
        ...

    def read(self, columns: Sequence[str]) -> pa.Table:
        """All its rows. Raises CorruptFile naming the file where it is missing or damaged."""
        ...

    def read_kept(self, columns: Sequence[str]) -> pa.Table:
        """As `read`. What comes is kept in memory, as far as there is room, for it will be asked for again."""
        ...

    def read_none(self, columns: Sequence[str]) -> pa.Table:
        """No rows, shaped as those of `read`."""
        ...

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[pa.Table]:
        """The same rows, at most ``batch_rows`` at a time."""
        ...


class StoredFile(DataFile, Protocol):
    """A data file that knows where its rows lie."""

    @property
    def row_ranges(self) -> Sequence[range]:
        """The places in the file of the rows that reading brings, in the order in which it brings them."""
        ...

    def parts(self, rows: int) -> Sequence[StoredFile]:
        """As those of every data file."""
        ...


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Turn what a broken file makes Arrow say into a CorruptFile that names it."""
    try:
        yield
    except FileNotFoundError as error:
        raise CorruptFile(path, "the file is missing", MISSING_HINT) from error
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            # The store failed, which says nothing of the file.
            raise CorruptFile(path, f"the store gave an error ({error.strerror})", "Try again.") from error
        raise CorruptFile(path, f"it is truncated or garbled ({str(error).splitlines()[0][:200]})") from error


def beyond_nanoseconds(path: str, columns: Sequence[str]) -> Unsupported:
    """The refusal of times that 64-bit nanoseconds cannot tell."""
    return Unsupported(
        f"Data file {path} has times of more than 6 digits before 1677 or after 2262, which are not supported.",
        f"Leave columns out: {', '.join(columns)}.",
    )


def side_by_side(parts: Sequence[pa.Table], columns: Sequence[str]) -> pa.Table:
    """The columns of tables of equal length, in the order asked for."""
    if len(parts) == 1:
        return parts[0]
    found = {field.name: (part.column(field.name), field) for part in parts for field in part.schema}
    return pa.Table.from_arrays(
        [found[name][0] for name in columns], schema=pa.schema([found[name][1] for name in columns])
    )


def stacked(tables: Sequence[pa.Table]) -> pa.Table:
    """The rows of tables of the same columns, which may be none: Arrow then forgets the number of rows."""
    if tables[0].num_columns:
        return pa.concat_tables(tables)
    return rows_without_columns(sum(table.num_rows for table in tables))


def rows_without_columns(rows: int) -> pa.Table:
    """A table that has only a number of rows."""
    return pa.table({"": pa.nulls(rows)}).select([])
