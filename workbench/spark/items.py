"""Jobs over items of work that this process lists, such as splits to read or buckets to compact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.spark.progress import run_job
from workbench.spark.session import map_in_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from workbench.base.progress import Progress

_MAX_TASKS = 10_000
_ITEM, _PLACE = "item", "place"
_Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def items_frame(session: SparkSession, items: Sequence[bytes]) -> DataFrame:
    """Return pickled items, passed largest first, as a DataFrame whose next step has one task per item."""
    tasks = min(len(items), _MAX_TASKS)
    task_numbers = pa.array([index % tasks for index in range(len(items))], pa.int32())
    rows = pa.table({_ITEM: pa.array(items, pa.binary()), _PLACE: task_numbers})
    return session.createDataFrame(rows).repartitionById(tasks, _PLACE).select(_ITEM)


def run_on_items(
    session: SparkSession, items: Sequence[bytes], task: _Task, label: str, progress: Progress | None
) -> list[bytes]:
    """Run a task on all items, and return its results, which are a binary column."""
    if not items:
        return []
    results = map_in_arrow(items_frame(session, items), task, "result binary")
    return [bytes(row.result) for row in run_job(session, label, results.collect, progress)]
