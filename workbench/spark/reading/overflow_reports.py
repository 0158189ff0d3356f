"""Warnings about totals that overflow in a read on Spark: tasks find them, and the process of the user warns."""

from __future__ import annotations

import logging
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

from pyspark.accumulators import Accumulator, AccumulatorParam

from workbench.scan.overflows import Overflows
from workbench.spark.progress import classic_context
from workbench.spark.tasks import Found, TaskOverflows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_log = logging.getLogger("workbench.spark")
_numbers = count()


def overflows_of_tasks(session: SparkSession) -> TaskOverflows | None:
    """Return what the tasks of one scan report their overflows to. This process warns of each column once.

    Args:
        session: The session.

    Returns:
        A value to send to the tasks; None with Spark Connect, whose tasks can only write their log.
    """
    context = classic_context(session)
    if context is None:
        return None
    return TaskOverflows(_accumulator(str(context.applicationId)), next(_numbers))


@lru_cache
def _accumulator(application: str) -> Accumulator[list[Found]]:
    """Return the accumulator of an application. PySpark keeps every accumulator until the process ends."""
    from pyspark import SparkContext

    context = SparkContext.getOrCreate()
    assert context.applicationId == application
    return context.accumulator([], _Warning())


class _Collecting(AccumulatorParam[list[Found]]):
    """Collects what a task finds."""

    def zero(self, value: list[Found]) -> list[Found]:
        return value[:0]

    def addInPlace(self, value1: list[Found], value2: list[Found]) -> list[Found]:  # noqa: N802
        return value1 + value2


class _Warning(_Collecting):
    """Warns of what tasks have found. Spark waits for it before a job succeeds."""

    def __init__(self) -> None:
        self._warned: set[tuple[int, str]] = set()

    def __reduce__(self) -> tuple[Any, ...]:
        return _Collecting, ()

    def addInPlace(self, value1: list[Found], value2: list[Found]) -> list[Found]:  # noqa: N802
        for each in value2:
            overflows = Overflows()
            for name, (overflow, key) in each.columns.items():
                if (each.scan, name) not in self._warned:
                    self._warned.add((each.scan, name))
                    overflows.add(overflow, key)
            try:
                overflows.warn(each.table)
            except UserWarning as error:
                # Filters may turn warnings into errors. An error would end the thread that receives results from Spark.
                _log.warning("%s", error)
        return value1
