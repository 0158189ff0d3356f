"""Expressions by which tasks notice that their job was canceled."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession, functions

from workbench.spark.progress import classic_context

# A row of a nested loop may take milliseconds, a plain row microseconds.
_ROWS_BETWEEN_CHECKS = 64


def unless_cancelled(session: SparkSession, value: Column, number: Column, rows_between_checks: int) -> Column:
    """Return ``value`` as an expression that ends the task if its job is canceled. ``number`` numbers the task's rows.

    Spark itself checks for cancellation only where a task requests its next batch of rows, and never between a source
    such as ``range`` and a shuffle. `run_job` sends the interrupt.
    """
    if classic_context(session) is None:
        return value  # Servers may not allow users to call Java.
    due = number % rows_between_checks == 0
    interrupted = functions.java_method(functions.lit("java.lang.Thread"), functions.lit("interrupted")) == "true"
    canceled = functions.raise_error("The job was canceled.")
    return functions.when(due & interrupted, canceled.cast("int")).otherwise(value)


def stopping_when_cancelled(frame: DataFrame) -> DataFrame:
    """Return rows whose tasks stop when canceled, for queries with much work per row, such as a nested-loop join."""
    number = functions.monotonically_increasing_id()
    return frame.where(unless_cancelled(frame.sparkSession, functions.lit(1), number, _ROWS_BETWEEN_CHECKS) == 1)
