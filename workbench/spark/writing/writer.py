"""Writes a DataFrame: the JVM sends each bucket's rows to one task, tasks write files, this process commits once.

Rows pass from the JVM to Python only if Spark's own writer cannot make the files, see `ways`. A task that fails or runs
twice leaves files that no version refers to; only files of attempts that Spark counts as successful are committed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, functions
from pyspark.sql import types as spark

from workbench.base.arguments import checked
from workbench.base.errors import InvalidRequest, Unsupported
from workbench.base.progress import Progress
from workbench.commit.overwrite import Overwrite
from workbench.expr.expressions import Expr
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER
from workbench.spark.progress import run_job
from workbench.spark.storing.assignment import is_case_sensitive, with_names_of
from workbench.spark.table_columns import check_columns, table_columns
from workbench.spark.types import arrow_schema, to_spark
from workbench.spark.writing import placement
from workbench.spark.writing.file_writers import Writing
from workbench.spark.writing.tasks import WriteTask, without_files
from workbench.write.batch import WritePlan
from workbench.write.rules import check_write, each_writer_compacts
from workbench.write.static_partition import static_partition

if TYPE_CHECKING:
    from workbench.table.commits.commit import Commit
    from workbench.table.table import Table


@checked(table="workbench.Table")
def write(
    frame: DataFrame,
    table: Table,
    mode: str = "append",
    *,
    partition: Mapping[str, Any] | None = None,
    where: str | Expr | None = None,
    dynamic: bool | None = None,
    merge_schema: bool | None = None,
    row_kind: str | None = None,
    identifier: int = BATCH_COMMIT_IDENTIFIER,
    commit_user: str | None = None,
    files: str = "auto",
    progress: Progress | None = None,
    properties: Mapping[str, str] | None = None,
) -> Commit:
    """Write a DataFrame into a table as one commit, regardless of the table's bucket mode.

    Primary-key tables upsert; of two rows with the same key, the later wins. "Later" is the DataFrame's own order (by
    `monotonically_increasing_id`), regardless of the shuffle. Columns are matched by name, see
    `workbench.spark.table_columns.check_columns`.

    Args:
        frame: The rows to write.
        table: The table to write to.
        mode: ``'append'`` or ``'overwrite'``, as in `Table.write`.
        partition: The partition to overwrite, as in `Table.write`.
        where: A condition on partition columns that selects the partitions to overwrite.
        dynamic: Whether an overwrite replaces only the partitions for which the DataFrame has rows; true by
            default if neither ``partition`` nor ``where`` is given and option 'dynamic-partition-overwrite' is 'true'.
        merge_schema: Whether columns that the table lacks are added to it, and types are changed as the options
            'write.merge-schema.…' define; by default the value of option 'write.merge-schema'.
        row_kind: The column with the row kinds, as in `Table.write`.
        identifier: The commit identifier, such as the id of a batch of ``foreachBatch``. With ``commit_user``, a batch
            that this user has already committed is not committed again.
        commit_user: The user recorded in the snapshot; a random one by default.
        files: Which program writes the files: ``'jvm'``, Spark's own Parquet writer; ``'arrow'``, this library in
            Python tasks; by default the former for many rows of tables that it can write.
        progress: Receives progress reports and cancels the write.
        properties: Properties of the snapshot, as in `Table.write`.

    Returns:
        The commit.

    Raises:
        SchemaMismatch: If columns or types do not fit (raised before any job), or if a task finds nulls in NOT NULL
            columns.
        CommitConflict: If a concurrent commit conflicts; nothing is visible then.
        Cancelled: If the write was canceled; nothing is visible then.
        Unsupported: If Spark's writer is requested, and cannot make the files.

    Example:
        >>> wb.spark.write(frame, catalog.get_table("shop.orders"), mode="overwrite")
    """
    overwrite = mode == "overwrite"
    check_write(table.store, mode, partition, row_kind)
    replaced = _Replaced(partition, where, dynamic)
    replaced.check(table, overwrite=overwrite)
    if table.schema.core.write_merge_schema if merge_schema is None else merge_schema:
        frame = with_names_of(frame, [field for field in table.schema.fields if field.name != row_kind])
        given = spark.StructType([field for field in frame.schema.fields if field.name != row_kind])
        table.merge_schema(arrow_schema(given), case_sensitive=is_case_sensitive(frame))
    if not overwrite and table.schema.core.upsert_key:
        return _upsert(frame, table, identifier, progress, properties)
    named: dict[str, Any] = {"identifier": identifier, "commit_user": commit_user, "properties": properties}
    plan = table.new_write_plan(overwrite)
    task = task_of_plan(plan, overwrite=overwrite, row_kind=row_kind)
    rows = placement.project_to_table(_with_partition(frame, table, partition or {}), table.schema, row_kind)
    writing = Writing(rows, task, plan.buckets, files, progress)
    if overwrite:
        return writing.run(lambda messages: replaced.commit(table, messages, **named))
    return writing.run(lambda messages: table.commit(messages, **named, operation="WRITE"))


@dataclass(frozen=True)
class _Replaced:
    """The partitions that an overwrite replaces."""

    partition: Mapping[str, Any] | None
    where: str | Expr | None
    dynamic: bool | None

    def check(self, table: Table, *, overwrite: bool) -> None:
        """Check the arguments before any job runs.

        Raises:
            InvalidRequest: Arguments of an overwrite are passed, but the write is not an overwrite.
        """
        if overwrite:
            chosen = None if self.where is None else lambda _: True
            Overwrite(table.store, static_partition(table.store, self.partition), chosen, self.dynamic).check_keys()
        elif self.where is not None or self.dynamic is not None:
            raise InvalidRequest(
                "The arguments 'where' and 'dynamic' require mode='overwrite'.", "Pass mode='overwrite' or remove them."
            )

    def commit(self, table: Table, messages: Sequence[bytes | CommitMessage], **named: Any) -> Commit:
        """Replace the partitions with what tasks have written."""
        return table.overwrite(
            messages, self.partition, where=self.where, dynamic=self.dynamic, **named, operation="OVERWRITE"
        )


def _upsert(
    frame: DataFrame,
    table: Table,
    identifier: int,
    progress: Progress | None,
    properties: Mapping[str, str] | None,
) -> Commit:
    """Write rows that replace existing rows with the same upsert key; this library merges them.

    Raises:
        Unsupported: If the rows are a batch of a stream, because a merge does not recognize a repeated batch.
    """
    if identifier != BATCH_COMMIT_IDENTIFIER:
        raise Unsupported(
            f"Streams into {table.name}, a table with option 'upsert-key', are not supported.",
            "Give the table a primary key.",
        )
    fields = table.schema.fields
    check_columns(frame.schema, fields)
    rows = frame.select(*table_columns(frame.schema, fields))
    found = run_job(frame.sparkSession, f"Writing {table.name}", rows.toArrow, progress)
    return table.write(found, progress=progress, properties=properties)


def _with_partition(frame: DataFrame, table: Table, partition: Mapping[str, Any]) -> DataFrame:
    """Return the DataFrame with the named partition columns added where they are missing."""
    static_partition(table.store, partition)  # Raises for invalid names and values.
    for name, value in partition.items():
        if name not in frame.columns:
            frame = frame.withColumn(name, functions.lit(value).cast(to_spark(table.schema.field(name).type)))
    return frame


def write_task(table: Table, *, overwrite: bool, row_kind: str | None = None) -> WriteTask:
    """Return the task for rows that arrive in any distribution; for an overwrite it ignores the table's contents.

    Raises:
        Unsupported: If a row's bucket is not known before its task, so that one writer has to assign all of them.
    """
    if not table.schema.kind.bucket_mode.is_known:
        bucket = table.schema.core.bucket
        raise Unsupported(
            f"Spark's data source cannot write a primary-key table with option 'bucket' = '{bucket}'.",
            "Use wb.spark.write.",
        )
    return task_of_plan(table.new_write_plan(overwrite), overwrite=overwrite, row_kind=row_kind)


def task_of_plan(plan: WritePlan, *, overwrite: bool, row_kind: str | None) -> WriteTask:
    """Return the task for rows that are distributed as their placement defines."""
    schema = plan.store.schema
    compacts = each_writer_compacts(schema, overwrite=overwrite)
    # Where keys are unique across all partitions, tasks read the keys of the plan's version.
    keeps = compacts or schema.kind.crosses_partitions
    buckets = plan.buckets if keeps else without_files(plan.buckets)
    return WriteTask(plan.store, buckets, row_kind, compacts, keeps_changelog=not overwrite)
