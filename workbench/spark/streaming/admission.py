"""Spark's own types for the limits of batches, which Spark 4.1 does not have yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.scan.stream.admission import ReadLimits

if TYPE_CHECKING:
    from pyspark.sql.streaming.datasource import ReadAllAvailable as ReadAllAvailable
    from pyspark.sql.streaming.datasource import ReadMaxRows as ReadMaxRows
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow as SupportsTriggerAvailableNow
else:
    try:
        from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows, SupportsTriggerAvailableNow
    except ImportError:
        # Spark 4.1 neither requests limits nor looks for this base class, so these placeholders are not used.
        ReadAllAvailable = ReadMaxRows = SupportsTriggerAvailableNow = object

_MOST_ROWS = (1 << 31) - 1


def default_limit(limits: ReadLimits) -> Any:
    """Return the limit that Spark passes to each batch. Spark supports only one limit at a time, so the reader
    applies its own limits unless Spark requests everything."""
    return ReadAllAvailable() if limits.is_unlimited else ReadMaxRows(limits.max_rows or _MOST_ROWS)
