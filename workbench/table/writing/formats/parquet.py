"""Parquet files (format §13)."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from workbench.format.parquet import parquet_schema, write_arguments
from workbench.table.writing.formats.protocol import FileShape

_SAMPLE_ROWS = 1 << 14


class ParquetWriter:
    """One file; each call of `write` makes one row group."""

    def __init__(self, output: Any, shape: FileShape, first_rows: pa.Table) -> None:
        import pyarrow.parquet as pq

        self._schema = parquet_schema(shape.fields)
        arguments = write_arguments(shape.options, shape.compression, shape.fields, _rarely_repeated(first_rows))
        self._writer = pq.ParquetWriter(output, self._schema, **arguments)

    def write(self, table: pa.Table) -> None:
        """See `FormatWriter`."""
        rows = pa.Table.from_arrays(table.columns, schema=self._schema)
        self._writer.write_table(rows, row_group_size=max(table.num_rows, 1))

    def close(self) -> None:
        """See `FormatWriter`."""
        self._writer.close()


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
