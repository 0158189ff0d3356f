"""Conversions between DataFrames and Arrow tables, for PySpark 3.5 and newer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def arrow_of(frame: DataFrame) -> pa.Table:
    """Return all rows of a DataFrame."""
    if hasattr(frame, "toArrow"):
        rows: pa.Table = frame.toArrow()
        return rows
    from pyspark.sql.pandas.types import to_arrow_schema

    # PySpark 3.5 has no public method for it.
    old: Any = frame
    batches = old._collect_as_arrow()
    return pa.Table.from_batches(batches) if batches else to_arrow_schema(frame.schema).empty_table()


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
