"""Expressions by which tasks notice that their job was canceled."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession, functions

from workbench.spark.progress import classic_context

# A row of a nested loop may cost milliseconds, a plain one microseconds.
_ROWS_BETWEEN_CHECKS = 64


def unless_cancelled(session: SparkSession, value: Column, number: Column, rows_between_checks: int) -> Column:
    """Return ``value`` such that the task ends when its job is canceled. ``number`` numbers the rows of a task.

    Spark itself checks for cancellation only where a task requests its next batch of rows, and never between a source
    such as ``range`` and a shuffle. `run_job` sends the interrupt.
    """
    if classic_context(session) is None:
        return value  # Servers may forbid their users to call Java.
    due = number % rows_between_checks == 0
    interrupted = functions.java_method(functions.lit("java.lang.Thread"), functions.lit("interrupted")) == "true"
    canceled = functions.raise_error("The job was canceled.")
    return functions.when(due & interrupted, canceled.cast("int")).otherwise(value)


def stopping_when_cancelled(frame: DataFrame) -> DataFrame:
    """Return the same rows, for a query that does much work for each of them, such as a nested loop over a join."""
    number = functions.monotonically_increasing_id()
    return frame.where(unless_cancelled(frame.sparkSession, functions.lit(1), number, _ROWS_BETWEEN_CHECKS) == 1)
