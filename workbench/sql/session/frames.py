"""Results of statements as DataFrames of a Spark session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from workbench.sql.result import Result


def frame_of(session: SparkSession, result: Result) -> DataFrame:
    """Return the result of a statement as a DataFrame."""
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    from workbench.spark.frames import frame_of_rows

    if result.frame is not None:
        return result.frame
    if result.message is not None:
        return session.createDataFrame([], StructType([]))
    # Spark Connect cannot infer types from a table without rows.
    return frame_of_rows(session, result.rows, from_arrow_schema(result.rows.schema, prefer_timestamp_ntz=True))
