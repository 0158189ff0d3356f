"""Conversions between DataFrames and Arrow tables, for PySpark 3.5 and newer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.format.types import char_length, parse_type
from workbench.format.types.arrow_types import with_char_length

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def arrow_of(frame: DataFrame) -> pa.Table:
    """Return all rows of a DataFrame."""
    if hasattr(frame, "toArrow"):
        return _with_char_lengths(frame.toArrow(), frame.schema)
    from pyspark.sql.pandas.types import to_arrow_schema

    # PySpark 3.5 has no public method for it.
    old: Any = frame
    batches = old._collect_as_arrow()
    rows = pa.Table.from_batches(batches) if batches else to_arrow_schema(frame.schema).empty_table()
    return _with_char_lengths(rows, frame.schema)


def _with_char_lengths(rows: pa.Table, schema: StructType) -> pa.Table:
    from workbench.spark.types import DECLARED_TYPE

    declared = [str(field.metadata.get(DECLARED_TYPE, "")) for field in schema.fields]
    lengths = [char_length(parse_type(text)) if text else None for text in declared]
    if not any(lengths):
        return rows
    return pa.table(rows.columns, schema=pa.schema(map(with_char_length, rows.schema, lengths)))


def frame_of_rows(session: SparkSession, rows: pa.Table, schema: StructType | None = None) -> DataFrame:
    """Return an Arrow table as a DataFrame.

    Spark drops the rows of a table whose first chunks are empty, so the chunks are combined.

    Args:
        session: The Spark session.
        rows: The rows.
        schema: The Spark types of the rows; by default, the types that correspond to the Arrow types.
    """
    combined = rows.combine_chunks()
    return session.createDataFrame(combined) if schema is None else session.createDataFrame(combined, schema)
