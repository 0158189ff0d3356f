"""Changing rows of an append table: tasks replace files or mark their rows, each file in one task."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, functions

from workbench.base.errors import CommitConflict, CorruptFile, SchemaMismatch, Unsupported
from workbench.base.progress import Progress
from workbench.commit import publish
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER, Operation, Snapshot
from workbench.metadata.store import TableStore
from workbench.scan.scan import Scan
from workbench.scan.split import Split
from workbench.spark.bucket import quoted
from workbench.spark.changes.key_tables import has_values
from workbench.spark.changes.tasks import OPERATION, PATH, POSITION, ChangedFile, FilesTask, TaskResult
from workbench.spark.metadata_columns import FILE_PATH, ROW_INDEX, one_file
from workbench.spark.progress import run_job
from workbench.spark.session import map_in_arrow
from workbench.spark.writing import placement
from workbench.spark.writing.placement import PLACE
from workbench.spark.writing.tasks import ORDER
from workbench.spark.writing.writer import task_of_plan
from workbench.table.dml.result import RowChanges, row_changes
from workbench.write.batch import WritePlan
from workbench.write.changes.rewrite import Outcome, outcome_messages
from workbench.write.changes.stored_rows import StoredRows
from workbench.write.deletion_vectors import BucketVectors

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
    """Change the rows that Spark found in a version, by their files and positions.

    Raises:
        CommitConflict: Another writer removed or marked one of these files first; nothing is visible.
    """
    store = table.store
    started = store.clock.monotonic()
    splits = _files(store, snapshot, progress)
    plan = WritePlan(store, table.new_write_plan(False).buckets)
    task = FilesTask(task_of_plan(plan, overwrite=False, row_kind=None), splits)
    results = map_in_arrow(_placed(rows, table.schema), task.run, "result binary")
    collected = run_job(rows.sparkSession, f"Changing rows of {store.name}", results.collect, progress)
    done: list[TaskResult] = [pickle.loads(row.result) for row in collected]
    outcomes = [_outcome(store, splits, each) for result in done for each in result.files]
    added = [CommitMessage.from_bytes(message) for result in done for message in result.messages]
    messages = _messages(store, snapshot, outcomes, added)
    try:
        commit = publish.commit(store, messages, BATCH_COMMIT_IDENTIFIER, None, properties, operation)
    except (SchemaMismatch, CommitConflict, CorruptFile):
        publish.remove_files(store, messages)
        raise
    counts = _sums(each.counts() for each in outcomes)
    counts["inserted"] = sum(result.inserted for result in done)
    return row_changes(commit, store.clock.monotonic() - started, **counts)


def _files(store: TableStore, snapshot: Snapshot | None, progress: Progress) -> dict[str, Split]:
    """Return the files of a version by their paths, one in each split."""
    scan = Scan(store, snapshot, None, None, None, progress)
    return {split.path(file): one_file(split, file) for split in scan.plan() for file in split.files}


def _outcome(store: TableStore, splits: Mapping[str, Split], changed: ChangedFile) -> Outcome:
    split = splits[changed.path]
    stored = StoredRows(store, split, split.files[0], None, Progress())
    return Outcome(stored, changed.new, changed.marks, changed.deleted, changed.updated)


def _messages(
    store: TableStore, snapshot: Snapshot | None, outcomes: list[Outcome], added: list[CommitMessage]
) -> list[CommitMessage]:
    vectors: list[BucketVectors] = []
    try:
        return [*outcome_messages(store, snapshot, outcomes, vectors), *added]
    except BaseException:
        for each in vectors:
            each.abort()
        publish.remove_files(store, [*(each.message() for each in outcomes), *added])
        raise


def _placed(rows: DataFrame, schema: TableSchema) -> DataFrame:
    """Return changed rows, those of one file in one task and in their order, and new rows where they are written."""
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
    """Return the task of a new row: that of its bucket, or of the rows that are computed with it."""
    if schema.core.bucket <= 0 or not has_values(rows, schema):
        return functions.pmod(functions.spark_partition_id(), functions.lit(tasks))
    try:
        return placement.spread(schema, placement.bucket_of(schema), tasks)
    except Unsupported:
        # One task knows all buckets.
        return functions.lit(0)


def _sums(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for each in counts:
        for name, count in each.items():
            total[name] = total.get(name, 0) + count
    return total
