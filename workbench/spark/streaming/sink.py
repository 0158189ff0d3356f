"""``df.writeStream``: each micro-batch becomes one commit, exactly once.

The commit user is the query's id, which its checkpoint keeps, and the commit identifier is the number of the batch. A
batch that Spark repeats after a failure is recognized by both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import datasource as source
from pyspark.sql.types import StructType

from workbench.base.errors import Unsupported, WorkbenchError
from workbench.commit.commit import TableCommit
from workbench.commit.publication import Publication
from workbench.format.options.values import parse_option
from workbench.metadata.store import TableStore
from workbench.spark.storing.assignment import names_like, with_names_of
from workbench.spark.table_columns import check_columns
from workbench.spark.types import arrow_schema
from workbench.spark.writing.writer import write, write_task
from workbench.table.read_options import with_dynamic_options
from workbench.table.table import Table
from workbench.write.rows.spelling import spelled_batches
from workbench.write.rules import each_writer_compacts

QUERY_ID = "sql.streaming.queryId"
"""The local property in which Spark passes the id of the query to its tasks."""
_ROW_KIND, _MERGE_SCHEMA = "row_kind", "write.merge-schema"


@dataclass(frozen=True)
class SinkOptions:
    """The options of a sink: the column with the row kinds, whether the schema of the table is adapted to the
    rows, and table options that apply to this query."""

    row_kind: str | None
    merge_schema: bool | None
    table: Mapping[str, str]

    @classmethod
    def of(cls, given: Mapping[str, str]) -> SinkOptions:
        """Return the options that a query has set, without those that name the table."""
        options = dict(given)
        row_kind, merge_schema = options.pop(_ROW_KIND, None), options.pop(_MERGE_SCHEMA, None)
        return cls(
            row_kind, None if merge_schema is None else parse_option(_MERGE_SCHEMA, "bool", merge_schema), options
        )

    def applied(self, table: Table) -> Table:
        """Return the table with the options that apply to this query.

        Raises:
            WorkbenchError: The table is a system table.
            UnknownOption: An option does not exist.
        """
        if not isinstance(table, Table):
            raise WorkbenchError(f"{table.name} is read-only.", "Write to the table itself.")
        return with_dynamic_options(table, self.table) if self.table else table


def write_batch(
    frame: DataFrame, table: Table, options: SinkOptions, query_id: str, batch_id: int, *, complete: bool
) -> None:
    """Write the rows of a micro-batch, with a shuffle by bucket, unless they have been committed.

    Args:
        frame: The rows.
        table: The table.
        options: The options of the sink.
        query_id: The id of the query, which its checkpoint keeps.
        batch_id: The number of the batch.
        complete: Whether the rows replace all rows of the table.
    """
    target, user = options.applied(table), stream_user(table.store, query_id)
    if TableCommit(Publication(target.store, user, batch_id)).is_committed():
        return
    write(
        _aligned(frame, target, options),
        target,
        "overwrite" if complete else "append",
        dynamic=False if complete else None,
        merge_schema=options.merge_schema,
        row_kind=options.row_kind,
        identifier=batch_id,
        commit_user=user,
    )


def _aligned(frame: DataFrame, table: Table, options: SinkOptions) -> DataFrame:
    """Return the rows of a batch with the names of the table's columns.

    Names are matched regardless of case. If the names differ but the number of columns does not, columns are matched by
    position.
    """
    fields = table.schema.fields
    frame = with_names_of(frame, fields)
    merges = table.schema.core.write_merge_schema if options.merge_schema is None else options.merge_schema
    names = [field.name for field in fields]
    if merges or options.row_kind is not None or len(frame.columns) != len(names) or set(frame.columns) == set(names):
        return frame
    return frame.toDF(*names)


def stream_user(store: TableStore, query_id: str) -> str:
    """Return the commit user of a query."""
    prefix = store.schema.core.commit_user_prefix
    return query_id if prefix is None else f"{prefix}_{query_id}"


@dataclass
class StreamMessages(source.WriterCommitMessage):
    """The commit messages of one task, and the query that it belongs to."""

    messages: list[bytes]
    query_id: str


class PaimonStreamWriter(source.DataSourceStreamArrowWriter):
    """The writer of a query whose rows Spark does not shuffle first: several tasks write into one bucket, and the
    buckets are compacted after the commit."""

    def __init__(self, table: Table, options: SinkOptions, schema: StructType, overwrite: bool) -> None:
        target = options.applied(table)
        if target.schema.core.write_merge_schema if options.merge_schema is None else options.merge_schema:
            rows = [field for field in schema.fields if field.name != options.row_kind]
            target.merge_schema(arrow_schema(StructType(rows)))
        schema = names_like(schema, target.schema.fields, options.row_kind)
        check_columns(schema, target.schema.fields, [] if options.row_kind is None else [options.row_kind])
        if not target.schema.kind.bucket_mode.is_known:
            raise Unsupported(
                f"A stream cannot write {target.name} in a session that is not attached: its option 'bucket' is "
                f"'{target.schema.core.bucket}'.",
                "Attach the session with wb.spark.attach.",
            )
        self._table, self._overwrite = target, overwrite
        self._task = write_task(target, overwrite=overwrite, row_kind=options.row_kind)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> StreamMessages:
        """Write the rows of one task."""
        context = TaskContext.get()
        assert context is not None
        rows = spelled_batches(iterator, self._table.schema.fields, self._task.row_kind)
        written = self._task.for_shared_buckets(context.partitionId()).write(rows)
        return StreamMessages(written, context.getLocalProperty(QUERY_ID) or "")

    def commit(self, messages: list[source.WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Commit the files of all tasks, unless the batch has been committed."""
        tasks = [each for each in messages if isinstance(each, StreamMessages)]
        if not tasks:
            return
        table, written = self._table, [message for task in tasks for message in task.messages]
        user = stream_user(table.store, tasks[0].query_id)
        if self._overwrite:
            table.overwrite(written, dynamic=False, identifier=batchId, commit_user=user, operation="OVERWRITE")
        else:
            table.commit(written, batchId, user, operation="WRITE")
        if each_writer_compacts(table.schema, overwrite=self._overwrite):
            table.compact()
