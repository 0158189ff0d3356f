"""Data frames that queries read by name."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from workbench.base.errors import SchemaMismatch


def arrow_rows(frame: Any) -> pa.Table:
    """Return the rows of a data frame: Arrow, pandas, Polars, Spark, or anything with ``__arrow_c_stream__``.

    Raises:
        SchemaMismatch: If the value cannot be read as rows.
    """
    if isinstance(frame, pa.Table):
        return frame
    if type(frame).__module__.startswith("pyspark."):
        from workbench.spark.frames import arrow_of

        return arrow_of(frame)
    try:
        if hasattr(frame, "iloc"):
            return pa.Table.from_pandas(frame, preserve_index=False)
        return pa.table(frame)
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise SchemaMismatch(
            f"A value of type {type(frame).__name__} cannot be read as rows.",
            "Pass a pandas, Polars, Spark or Arrow table.",
        ) from error
