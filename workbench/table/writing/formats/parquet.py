"""Parquet files (format §13)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pyarrow as pa

from workbench.format.core_options import CoreOptions
from workbench.format.parquet import parquet_schema, write_arguments
from workbench.format.types import DataField
from workbench.table.writing.formats.protocol import FileShape

_SAMPLE_ROWS = 1 << 14


class ParquetWriter:
    """One file; each call of `write` makes one row group."""

    def __init__(self, output: Any, shape: FileShape, first_rows: pa.Table) -> None:
        import pyarrow.parquet as pq

        unique = tuple(_rarely_repeated(first_rows))
        self._schema, arguments = _prepared(shape.options, shape.compression, tuple(shape.fields), unique)
        self._writer = pq.ParquetWriter(output, self._schema, **arguments)

    def write(self, table: pa.Table) -> None:
        """See `FormatWriter`."""
        rows = pa.Table.from_arrays(table.columns, schema=self._schema)
        self._writer.write_table(rows, row_group_size=max(table.num_rows, 1))

    def close(self) -> None:
        """See `FormatWriter`."""
        self._writer.close()


@lru_cache(maxsize=64)
def _prepared(
    options: CoreOptions, compression: str, fields: tuple[DataField, ...], unique: tuple[str, ...]
) -> tuple[pa.Schema, dict[str, Any]]:
    """The schema and the arguments of a writer, which most files of a table share."""
    return parquet_schema(fields), write_arguments(options, compression, fields, unique)


def _rarely_repeated(table: pa.Table) -> list[str]:
    """Columns in which a dictionary finds too little to share, judged by the first rows of the file."""
    sample = table.slice(0, _SAMPLE_ROWS)
    return [name for name in sample.column_names if _repeats_rarely(sample.column(name))]


def _repeats_rarely(sample: pa.ChunkedArray) -> bool:
    """Whether about half of the values of a full row group differ: so few of a sample of an eighth meet again then."""
    import pyarrow.compute as pc

    if pa.types.is_nested(sample.type):
        return False
    return bool(pc.count_distinct(sample, mode="all").as_py() > len(sample) * 7 // 8)
