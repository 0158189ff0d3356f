"""DELETE from a primary-key table where rows of kind -D delete nothing: tasks remove the rows from their files."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, functions

from workbench.format.spec.snapshot import Operation, Snapshot
from workbench.spark.bucket import quoted
from workbench.spark.changes.key_file_tasks import BUCKET as NUMBER
from workbench.spark.changes.key_file_tasks import KeyFilesTask
from workbench.spark.changes.outcomes import files_of, publish_outcomes
from workbench.spark.progress import run_job
from workbench.spark.reading.metadata_columns import BUCKET, ROW
from workbench.spark.session import map_in_arrow
from workbench.spark.writing import placement
from workbench.write.changes.key_deletes import KeyDeletes, stored_buckets

if TYPE_CHECKING:
    from workbench.base.progress import Progress
    from workbench.spark.changes.tasks import TaskResult
    from workbench.table.dml.result import RowChanges
    from workbench.table.table import Table


def delete_rows(
    table: Table, snapshot: Snapshot | None, rows: DataFrame, progress: Progress, properties: Mapping[str, str]
) -> RowChanges:
    """Remove the rows that Spark found in a version from their files, identified by bucket and key.

    Raises:
        Unsupported: Rows wait for their buckets.
        CommitConflict: Another writer removed one of these files, or marked rows in it, first; nothing is visible.
    """
    store = table.store
    started = store.clock.monotonic()
    buckets = stored_buckets(store, snapshot)
    task = KeyFilesTask(KeyDeletes(store), buckets)
    results = map_in_arrow(_placed(rows, task), task.run, "result binary")
    collected = run_job(rows.sparkSession, f"Changing rows of {store.name}", results.collect, progress)
    done: list[TaskResult] = [pickle.loads(row.result) for row in collected]
    changed = (each for result in done for each in result.files)
    deleted = sum(result.deleted for result in done)
    files = files_of(buckets.values())
    return publish_outcomes(store, snapshot, files, changed, (), Operation.DELETE, properties, started, deleted=deleted)


def _placed(rows: DataFrame, task: KeyFilesTask) -> DataFrame:
    """Return the partitions, buckets and keys of deleted rows, with all rows of a bucket consecutive in one task."""
    tasks = placement.parallelism(rows.sparkSession)
    columns = [functions.col(ROW).getField(name).alias(name) for name in task.columns]
    found = rows.select(functions.col(BUCKET).alias(NUMBER), *columns)
    together = [NUMBER, *map(quoted, task.deletes.store.schema.partition_keys)]
    return found.repartition(tasks, *together).sortWithinPartitions(*together)
