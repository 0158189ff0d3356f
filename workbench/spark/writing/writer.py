"""Writes a DataFrame: the JVM sends each bucket's rows to one task, tasks write files, this process commits once.

Every row passes from the JVM to Python once, in the task that writes it. A task that fails or runs twice leaves files
that no version refers to; only the messages of the attempts that Spark counts as successful are committed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession, functions

from workbench.base.arguments import checked
from workbench.base.errors import Unsupported
from workbench.base.progress import Progress
from workbench.format.spec.schema import TableSchema
from workbench.spark.bucket import bucket_expression, quoted
from workbench.spark.interrupts import unless_cancelled
from workbench.spark.progress import run_job
from workbench.spark.session import map_in_arrow
from workbench.spark.types import check_columns, table_columns, to_spark
from workbench.spark.writing.tasks import WriteTask, without_files
from workbench.write.rules import check_write, writer_compacts
from workbench.write.static_partition import static_partition

if TYPE_CHECKING:
    from workbench.commit.commit import Commit
    from workbench.table.table import Table

_ARRIVAL = "__workbench_arrival"
_PLACE = "__workbench_place"
_MAX_TASKS = 200
_ROWS_BETWEEN_CHECKS = 1 << 14


@checked(table="workbench.Table")
def write(
    frame: DataFrame,
    table: Table,
    mode: str = "append",
    *,
    partition: Mapping[str, Any] | None = None,
    row_kind: str | None = None,
    progress: Progress | None = None,
    properties: Mapping[str, str] | None = None,
) -> Commit:
    """Write a DataFrame into a table as one commit.

    Primary-key tables upsert; of two rows with one key, the later wins. "Later" is the DataFrame's own order (by
    `monotonically_increasing_id`), regardless of the shuffle. Columns are matched by name, see
    `workbench.spark.types.check_columns`.

    Args:
        frame: The rows to write.
        table: The table to write to.
        mode: ``'append'`` or ``'overwrite'``, as in `Table.write`.
        partition: The partition to overwrite, as in `Table.write`.
        row_kind: The column with the row kinds, as in `Table.write`.
        progress: Receives progress reports and cancels the write.
        properties: Properties of the snapshot, as in `Table.write`.

    Returns:
        The commit.

    Raises:
        SchemaMismatch: If columns or types do not fit (raised before any job), or if a task finds nulls in NOT NULL
            columns.
        CommitConflict: If a concurrent commit conflicts; nothing is visible then.
        Cancelled: If the write was canceled; nothing is visible then.

    Example:
        >>> wb.spark.write(frame, catalog.get_table("shop.orders"), mode="overwrite")
    """
    check_write(table.store, mode, partition, row_kind)
    overwrite = mode == "overwrite"
    task = write_task(table, overwrite=overwrite, row_kind=row_kind)
    frame = _with_partition(frame, table, partition or {})
    written = map_in_arrow(rows_by_bucket(frame, table.schema, row_kind), task.run, "message binary")
    rows = run_job(frame.sparkSession, f"Writing {table.name}", written.collect, progress)
    messages = [bytes(row.message) for row in rows]
    if overwrite:
        return table.overwrite(messages, partition, properties=properties, operation="OVERWRITE")
    return table.commit(messages, properties=properties, operation="WRITE")


def _with_partition(frame: DataFrame, table: Table, partition: Mapping[str, Any]) -> DataFrame:
    """Return the DataFrame with the named partition columns added where they are missing."""
    static_partition(table.store, partition)  # Raises for invalid names and values.
    for name, value in partition.items():
        if name not in frame.columns:
            frame = frame.withColumn(name, functions.lit(value).cast(to_spark(table.schema.field(name).type)))
    return frame


def write_task(table: Table, *, overwrite: bool, row_kind: str | None = None) -> WriteTask:
    """Return the task that writes rows; for an overwrite it ignores the table's contents.

    Raises:
        Unsupported: If a row's bucket is not known before its task, so that one writer has to assign all of them.
    """
    bucket = table.schema.core.bucket
    if table.schema.is_primary_key_table and bucket < 1:
        raise Unsupported(
            f"Writing a primary-key table with option 'bucket' = '{bucket}' from Spark is not supported.",
            "Write it with t.write, or set 'bucket' to a number greater than 0.",
        )
    plan = table.new_write_plan(overwrite)
    # Several tasks may write into one bucket of an append table.
    compacts = table.schema.is_primary_key_table and writer_compacts(table.schema.core, overwrite=overwrite)
    buckets = plan.buckets if compacts else without_files(plan.buckets)
    return WriteTask(plan.store, buckets, row_kind, compacts, keeps_changelog=not overwrite)


def rows_by_bucket(frame: DataFrame, schema: TableSchema, row_kind: str | None = None) -> DataFrame:
    """Return the rows with the table's columns, all rows of one bucket in one task, in the order of the DataFrame.

    Tables without buckets are not shuffled.
    """
    extra = [] if row_kind is None else [row_kind]
    check_columns(frame.schema, schema.fields, extra)
    kept = [functions.col(quoted(name)) for name in extra]
    projected = frame.select(*table_columns(frame.schema, schema.fields), *kept)
    buckets = schema.core.bucket
    if buckets <= 0 and not schema.is_primary_key_table:
        return projected
    names = projected.columns
    numbered = projected.withColumn(_ARRIVAL, functions.monotonically_increasing_id())
    tasks_wanted = _task_count(frame, schema)
    arrival = functions.col(_ARRIVAL)
    bucket_column = unless_cancelled(frame.sparkSession, _place(schema, tasks_wanted), arrival, _ROWS_BETWEEN_CHECKS)
    placed = numbered.withColumn(_PLACE, bucket_column).repartitionById(tasks_wanted, _PLACE)
    return placed.sortWithinPartitions(_ARRIVAL).select(*map(quoted, names))


def _place(schema: TableSchema, tasks_wanted: int) -> Column:
    """Return the task of each row. Rows of one partition and bucket share it; buckets of a partition are spread."""
    if schema.core.bucket_function != "default":
        raise Unsupported(
            f"Writing a table with option 'bucket-function.type' = '{schema.core.bucket_function}' from Spark is not "
            "supported.",
            "Write it with t.write instead.",
        )
    key_fields = [schema.field(name) for name in schema.bucket_keys]
    bucket = bucket_expression(key_fields, schema.core.bucket) if schema.core.bucket > 1 else functions.lit(0)
    if not schema.partition_keys:
        return bucket % tasks_wanted
    partition = functions.hash(*(functions.col(quoted(name)) for name in schema.partition_keys))
    return functions.pmod(partition.cast("bigint") + bucket, functions.lit(tasks_wanted)).cast("int")


def _task_count(frame: DataFrame, schema: TableSchema) -> int:
    buckets = max(schema.core.bucket, 1)
    if schema.partition_keys:
        buckets = max(buckets, 2 * _parallelism(frame.sparkSession))
    return min(buckets, _MAX_TASKS)


def _parallelism(session: SparkSession) -> int:
    try:
        return int(session.sparkContext.defaultParallelism)
    except PySparkException:
        return int(session.conf.get("spark.sql.shuffle.partitions") or _MAX_TASKS)
