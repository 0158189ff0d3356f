"""``spark.read.format("paimon")`` and ``df.write.format("paimon")``: Spark's data source API for tables.

Spark runs a Python data source in separate processes, so the partitions carry what is needed to reopen the catalog. The
API cannot shuffle before a write: several tasks write into one bucket and leave compaction to a later write.
`wb.spark.write` therefore writes fewer files and is the better choice where it is available.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import datasource as source
from pyspark.sql.types import NullType, StructType, TimestampNTZType, TimestampType

from workbench.base.errors import (
    SchemaMismatch,
    SnapshotNotFound,
    UnknownOption,
    Unsupported,
    WorkbenchError,
    did_you_mean,
)
from workbench.catalog.locations import open_path, table_at_path
from workbench.expr.expressions import Expr, col, conjunction
from workbench.metadata.definition.fixed_options import check_fixed_options
from workbench.metadata.definition.option_checks import check_user_options
from workbench.metadata.read_options import READ_OPTIONS
from workbench.scan.incremental.row_kind_reader import ROW_KIND
from workbench.spark.jvm.options import CATALOG, CHANGELOG, table_options
from workbench.spark.progress import classic_context
from workbench.spark.shipping import ship
from workbench.spark.storing.assignment import names_like
from workbench.spark.streaming.options import SHORT_OPTIONS, SOURCE_OPTIONS
from workbench.spark.table_columns import check_columns
from workbench.spark.tasks import ReadTask, pickled
from workbench.spark.types import arrow_schema, check_requested, spark_schema, to_spark
from workbench.spark.writing.writer import write_task
from workbench.table.read_options import open_for_read
from workbench.table.system.system_table import ComputedScan
from workbench.write.rows.spelling import spelled_batches
from workbench.write.rules import each_writer_compacts

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.readable_table import ReadableTable
    from workbench.table.table import Table

_Opened = TypeVar("_Opened", bound="ReadableTable")
_OPTIONS = ("path", *READ_OPTIONS, CHANGELOG, *SOURCE_OPTIONS, *SHORT_OPTIONS)


def register_format(session: SparkSession, catalog: Catalog, format_name: str) -> str:
    """Register the tables of ``catalog`` as a data source of that name, and return the name."""

    class Registered(PaimonDataSource):
        @classmethod
        def name(cls) -> str:
            return format_name

    Registered.catalog_options = {**catalog.options, "warehouse": catalog.warehouse}
    if classic_context(session) is not None:
        # Spark looks for a source of that name in the active session, which may be a different session.
        SparkSession._get_j_spark_session_class(session._jvm).setActiveSession(session._jsparkSession)
    ship(session)
    session.dataSource.register(Registered)
    session.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    return format_name


class PaimonDataSource(source.DataSource):
    """One ``load`` or ``save``. ``pinned`` is the version that ``schema`` read; all readers of the DataFrame use it."""

    catalog_options: Mapping[str, str]
    pinned: int | None = None

    def schema(self) -> StructType:
        """Return the table's schema and pin the newest version for every reader of this source."""
        try:
            table = self._version
        except SnapshotNotFound:
            # A stream may start at a version that does not exist yet or has expired. A batch fails in `reader`.
            return spark_schema(self._table.schema.fields)
        if self._with_kinds:
            return spark_schema(table.schema.fields)
        snapshot = table.scan().snapshot
        self.pinned = 0 if snapshot is None else snapshot.id
        return spark_schema(table.schema.fields)

    def reader(self, schema: StructType) -> source.DataSourceReader:
        """Return a reader of the columns in ``schema``."""
        table = self._version
        # The version may have expired but still be tagged.
        if self.pinned and (table.version is None or table.version.id != self.pinned):
            table = table.at(snapshot=self.pinned)
        return PaimonReader(table, schema, empty=self.pinned == 0)

    def writer(self, schema: StructType, overwrite: bool) -> source.DataSourceWriter:
        """Return a writer that commits after all tasks have written."""
        for key in (*READ_OPTIONS, CHANGELOG):
            if key in self.options:
                raise UnknownOption(f"Option '{key}' applies only to reading.")
        table = self._checked(table_at_path(self.catalog_options, self._path))
        return PaimonWriter(table, schema, overwrite)

    def streamReader(self, schema: StructType) -> source.DataSourceStreamReader:  # noqa: N802
        """Return the reader of a streaming query."""
        from workbench.spark.streaming.source import stream_reader

        if self._with_kinds and ROW_KIND not in schema.names:
            raise Unsupported(
                f"Option '{CHANGELOG}' is not supported with readStream.table: the table has no such column.",
                "Use readStream.load, or read the system table audit_log.",
            )
        return stream_reader(self._table, schema, self.options)

    def streamWriter(self, schema: StructType, overwrite: bool) -> source.DataSourceStreamWriter:  # noqa: N802
        """Return the writer of a streaming query."""
        from workbench.spark.streaming.sink import PaimonStreamWriter, SinkOptions

        table = table_at_path(self.catalog_options, self._path)
        options = SinkOptions.of(table_options(self.options))
        return PaimonStreamWriter(table, options, schema, overwrite)

    @property
    def _with_kinds(self) -> bool:
        return str(self.options.get(CHANGELOG, "false")).lower() == "true"

    @property
    def _table(self) -> ReadableTable:
        return self._checked(open_path(self.catalog_options, self._path, "audit_log" if self._with_kinds else None))

    def _checked(self, table: _Opened) -> _Opened:
        """Return the table after checking that the options apply to it."""
        known = {key.lower() for key in _OPTIONS}
        if CATALOG in self.options:
            # Settings of the session may be options of any table.
            others = {key: text for key, text in self.options.items() if key.lower() not in known}
            check_user_options(table_options(others))
            check_fixed_options(table.store.schema, others)
            return table
        for key in self.options:
            if key.lower().startswith("incremental-"):
                raise Unsupported(
                    f"Option '{key}' = '{self.options[key]}' is not supported in Spark.",
                    "Read the changes with Table.changes and pass them to Spark.",
                )
            if key.lower() not in known:
                raise UnknownOption(f"Option '{key}' is unknown.", did_you_mean(key, _OPTIONS))
        return table

    @property
    def _path(self) -> str:
        if "path" not in self.options:
            raise WorkbenchError(
                "The table name is missing.", "Pass it: .load('database.table') or .save('database.table')."
            )
        return str(self.options["path"])

    @property
    def _version(self) -> ReadableTable:
        requested = {key: self.options[key] for key in READ_OPTIONS if key in self.options}
        return open_for_read(self._table, requested) if requested else self._table


@dataclass
class SplitPartition(source.InputPartition):
    """One pickled split, and how to read it."""

    task: ReadTask
    split: bytes


@dataclass
class ComputedPartition(source.InputPartition):
    """The rows of a system table, computed during planning."""

    rows: pa.Table


class PaimonReader(source.DataSourceReader):
    """A reader that plans in Spark's planning process and reads in tasks."""

    def __init__(self, table: ReadableTable, schema: StructType, *, empty: bool) -> None:
        self._table = table
        self._schema = schema
        self._empty = empty
        self._where: Expr | None = None
        check_requested(schema, table.schema.fields)

    def pushFilters(self, filters: list[source.Filter]) -> Iterator[source.Filter]:  # noqa: N802
        """Prune files, and rows inside them, by the filters; Spark still evaluates them on every row."""
        conditions = [condition for condition in map(_condition, filters) if condition is not None]
        self._where = conjunction(conditions) if conditions else None
        yield from filters

    def partitions(self) -> Sequence[source.InputPartition]:
        """Return one task per split."""
        if self._empty:
            return []
        scan: Any = self._table.scan(self._schema.names, self._where)
        if isinstance(scan, ComputedScan):
            wanted = arrow_schema(self._schema)
            return [ComputedPartition(scan.to_arrow().select(wanted.names).cast(wanted))]
        nullable = frozenset(field.name for field in self._schema.fields if field.nullable)
        task = ReadTask(
            scan.store, scan.schema, tuple(self._schema.names), scan.where, nullable, snapshot=scan.snapshot
        )
        return [SplitPartition(task, pickled(split)) for split in scan.plan()]

    def read(self, partition: Any) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a split; Spark passes None if there is no partition."""
        if isinstance(partition, SplitPartition):
            yield from partition.task.read(partition.split)
        elif isinstance(partition, ComputedPartition):
            yield from partition.rows.to_batches()


_COMPARISONS: dict[type[source.Filter], str] = {
    source.EqualTo: "__eq__",
    source.GreaterThan: "__gt__",
    source.GreaterThanOrEqual: "__ge__",
    source.LessThan: "__lt__",
    source.LessThanOrEqual: "__le__",
}
_PLAIN_VALUES = (bool, int, str, Decimal, date)


def _condition(given: source.Filter) -> Expr | None:
    """Return the condition of a filter that can prune rows; None if only Spark can evaluate it."""
    if isinstance(given, source.Not):
        return None
    path: tuple[str, ...] = getattr(given, "attribute", ())
    if len(path) != 1:
        return None
    column = col(path[0])
    if isinstance(given, source.IsNotNull):
        return column.is_not_null()
    if isinstance(given, source.IsNull):
        return column.is_null()
    if isinstance(given, source.In):
        return column.isin(given.value) if given.value and all(map(_is_plain, given.value)) else None
    if type(given) in _COMPARISONS and _is_plain(given.value):  # type: ignore[attr-defined]
        compare: Expr = getattr(column, _COMPARISONS[type(given)])(given.value)  # type: ignore[attr-defined]
        return compare
    return None


def _is_plain(value: Any) -> bool:
    """Return whether a value means the same in Spark and here; times depend on time zones and are left to Spark."""
    return isinstance(value, _PLAIN_VALUES) and not isinstance(value, datetime)


@dataclass
class TaskMessages(source.WriterCommitMessage):
    """The commit messages of one task."""

    messages: list[bytes]


class PaimonWriter(source.DataSourceArrowWriter):
    """A writer whose tasks write files and whose driver-side process commits them."""

    def __init__(self, table: Table, schema: StructType, overwrite: bool) -> None:
        rows = names_like(schema, table.schema.fields)
        check_columns(rows, table.schema.fields)
        _check_moments(rows, table)
        self._looks_up = each_writer_compacts(table.schema, overwrite=True)
        if overwrite and self._looks_up:
            raise Unsupported(
                f"Spark's data source cannot overwrite {table.name}: compaction of this table looks up older rows.",
                "Use wb.spark.write.",
            )
        self._table = table
        self._overwrite = overwrite
        self._task = write_task(table, overwrite=overwrite)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskMessages:
        """Write the rows of one task."""
        context = TaskContext.get()
        task = self._task.for_shared_buckets(context.partitionId() if context is not None else 0)
        return TaskMessages(task.write(spelled_batches(iterator, self._table.schema.fields)))

    def commit(self, messages: list[source.WriterCommitMessage | None]) -> None:
        """Commit the files of all tasks at once."""
        written = [each for task in messages if isinstance(task, TaskMessages) for each in task.messages]
        if self._overwrite:
            self._table.overwrite(written, operation="OVERWRITE")
        else:
            self._table.commit(written, operation="WRITE")
            if self._looks_up:
                # Compact now, as tasks could not: level 0 would otherwise stay invisible or be missing from the
                # changelog.
                self._table.compact()


def _check_moments(schema: StructType, table: Table) -> None:
    """Check that dates and times need no cast: a data source cannot add a projection before a write, and such casts
    depend on the time zone.
    """
    for field in schema.fields:
        wanted = to_spark(table.schema.field(field.name).type)
        if isinstance(wanted, TimestampType | TimestampNTZType) and field.dataType not in (wanted, NullType()):
            raise SchemaMismatch(
                f"Column '{field.name}' is {field.dataType.simpleString()}, but the table has {wanted.simpleString()}.",
                "Cast it first, or use wb.spark.write.",
            )
