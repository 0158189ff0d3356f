"""Row changes in append tables: tasks replace files or mark rows as deleted, and each file is handled by one task."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, functions

from workbench.base.errors import Unsupported
from workbench.base.progress import Progress
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Operation, Snapshot
from workbench.scan.scan import Scan
from workbench.spark.bucket import quoted
from workbench.spark.changes.key_tables import has_values
from workbench.spark.changes.outcomes import files_of, publish_outcomes
from workbench.spark.changes.tasks import OPERATION, PATH, POSITION, FilesTask, TaskResult
from workbench.spark.progress import run_job
from workbench.spark.reading.metadata_columns import FILE_PATH, ROW_INDEX
from workbench.spark.session import map_in_arrow
from workbench.spark.writing import placement
from workbench.spark.writing.placement import PLACE
from workbench.spark.writing.tasks import ORDER
from workbench.spark.writing.writer import task_of_plan
from workbench.table.dml.result import RowChanges
from workbench.write.batch import WritePlan

if TYPE_CHECKING:
    from workbench.table.table import Table


def change_rows(
    table: Table,
    snapshot: Snapshot | None,
    rows: DataFrame,
    operation: Operation,
    progress: Progress,
    properties: Mapping[str, str],
) -> RowChanges:
    """Change the rows that Spark found in a version, identified by file and position.

    Raises:
        CommitConflict: Another writer removed one of these files, or marked rows in it, first; nothing is visible.
    """
    store = table.store
    started = store.clock.monotonic()
    files = files_of(Scan(store, snapshot, None, None, None, progress).plan())
    plan = WritePlan(store, table.new_write_plan(False).buckets)
    task = FilesTask(task_of_plan(plan, overwrite=False, row_kind=None), files)
    results = map_in_arrow(_placed(rows, table.schema), task.run, "result binary")
    collected = run_job(rows.sparkSession, f"Changing rows of {store.name}", results.collect, progress)
    done: list[TaskResult] = [pickle.loads(row.result) for row in collected]
    changed = (each for result in done for each in result.files)
    added = [CommitMessage.from_bytes(message) for result in done for message in result.messages]
    inserted = sum(result.inserted for result in done)
    return publish_outcomes(store, snapshot, files, changed, added, operation, properties, started, inserted=inserted)


def _placed(rows: DataFrame, schema: TableSchema) -> DataFrame:
    """Return changed rows, all rows of a file ordered in one task, and new rows in the tasks that write them."""
    tasks = placement.parallelism(rows.sparkSession)
    path, position = functions.col(FILE_PATH), functions.col(ROW_INDEX)
    of_file = functions.pmod(functions.hash(path), functions.lit(tasks))
    place = functions.when(path.isNotNull(), of_file).otherwise(_place_of_new(rows, schema, tasks)).cast("int")
    numbered = rows.withColumns({ORDER: functions.monotonically_increasing_id(), PLACE: place})
    ordered = numbered.repartitionById(tasks, PLACE).sortWithinPartitions(path.asc_nulls_first(), position, ORDER)
    # A DELETE has no values.
    columns = [functions.col(quoted(name)) for name in schema.field_names if has_values(rows, schema)]
    return ordered.select(OPERATION, *columns, path.alias(PATH), position.alias(POSITION))


def _place_of_new(rows: DataFrame, schema: TableSchema, tasks: int) -> Column:
    """Return the task of a new row: the task of its bucket or, without buckets, of its Spark partition."""
    if schema.core.bucket <= 0 or not has_values(rows, schema):
        return functions.pmod(functions.spark_partition_id(), functions.lit(tasks))
    try:
        return placement.spread(schema, placement.bucket_of(schema), tasks)
    except Unsupported:
        # The JVM cannot compute the buckets, so one task writes all new rows.
        return functions.lit(0)
