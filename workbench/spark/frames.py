"""The rows of DataFrames as Arrow tables, with every version of PySpark from 3.5 on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
