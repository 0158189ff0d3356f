"""Writer of Parquet files (format §13)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pyarrow as pa

from workbench.base.modules import pc, pq
from workbench.datafile.writer_protocol import FileShape
from workbench.format.options.core_options import CoreOptions
from workbench.format.parquet.schema import parquet_schema, write_arguments
from workbench.format.types import DataField

_SAMPLE_ROWS = 1 << 14


class ParquetWriter:
    """Writer of one file; each call of `write` makes one row group."""

    def __init__(self, output: Any, shape: FileShape, first_rows: pa.Table) -> None:
        unique = tuple(_rarely_repeated(first_rows))
        self._schema, arguments = _prepared(shape.options, shape.compression, tuple(shape.fields), unique)
        self._writer = pq.ParquetWriter(output, self._schema, **arguments)

    def write(self, table: pa.Table) -> None:
        """Write rows; see `FormatWriter`."""
        rows = pa.Table.from_arrays(table.columns, schema=self._schema)
        self._writer.write_table(rows, row_group_size=max(table.num_rows, 1))

    def close(self) -> None:
        """Finish the file; see `FormatWriter`."""
        self._writer.close()


@lru_cache(maxsize=64)
def _prepared(
    options: CoreOptions, compression: str, fields: tuple[DataField, ...], unique: tuple[str, ...]
) -> tuple[pa.Schema, dict[str, Any]]:
    """Return the schema and the arguments of a writer, which most files of a table share."""
    return parquet_schema(fields), write_arguments(options, compression, fields, unique)


def _rarely_repeated(table: pa.Table) -> list[str]:
    """Return the columns in which a dictionary saves too little, judged by the first rows of the file."""
    sample = table.slice(0, _SAMPLE_ROWS)
    return [name for name in sample.column_names if _repeats_rarely(sample.column(name))]


def _repeats_rarely(sample: pa.ChunkedArray) -> bool:
    """Return whether about half of the values of a full row group are distinct: then few values occur twice in a sample
    of an eighth of its size."""
    if pa.types.is_nested(sample.type):
        return False
    if len(sample) == 1:
        return True
    return bool(pc.count_distinct(sample, mode="all").as_py() > len(sample) * 7 // 8)
