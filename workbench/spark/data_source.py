"""``spark.read.format("paimon")`` and ``df.write.format("paimon")``: Spark's names for a read and a write.

Spark runs a Python data source in processes of its own, so what travels is how to open the catalog again. It cannot
shuffle before a write: rows of one bucket come from several tasks, which leave compaction to a later write. So
`wb.spark.write` makes fewer files, and is the better choice where it can be had.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import datasource as source
from pyspark.sql.types import NullType, StructType, TimestampNTZType, TimestampType

from workbench.base.errors import SchemaMismatch, UnknownOption, Unsupported, WorkbenchError, did_you_mean
from workbench.catalog.connect import connect
from workbench.expr.expressions import Expr, col, conjunction
from workbench.spark.progress import classic_context
from workbench.spark.tasks import ReadTask, pickled
from workbench.spark.types import check_columns, spark_schema, to_spark
from workbench.spark.writer import write_task
from workbench.table.read_options import READ_OPTIONS, open_for_read

if TYPE_CHECKING:
    from workbench.catalog.filesystem import FileSystemCatalog
    from workbench.table.table import Table

_OPTIONS = ("path", *READ_OPTIONS)


def register(session: SparkSession, catalog: FileSystemCatalog) -> str:
    """Make tables of ``catalog`` known to Spark as a format; returns the name of the format.

    That is ``paimon``, or ``workbench`` where the session already has a JVM provider called ``paimon``. Then
    ``spark.read.format(…).load("db.t")`` with options such as scan.snapshot-id, scan.tag-name and scan.timestamp, and
    ``df.write.format(…).mode("append" | "overwrite").save("db.t")``.
    """
    format_name = "workbench" if _has_jvm_provider(session, "paimon") else "paimon"

    class Registered(PaimonDataSource):
        @classmethod
        def name(cls) -> str:
            return format_name

    Registered.catalog_options = {**catalog.options, "warehouse": catalog.warehouse}
    session.dataSource.register(Registered)
    if classic_context(session) is not None:
        session.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    if format_name != "paimon":
        print("This session has a provider called 'paimon' already; tables are read with format 'workbench'.")
    return format_name


def _has_jvm_provider(session: SparkSession, name: str) -> bool:
    context = classic_context(session)
    if context is None:
        return False
    lookup = context._jvm.org.apache.spark.sql.execution.datasources.DataSource.lookupDataSource
    try:
        found = lookup(name, session._jsparkSession.sessionState().conf())
    except Py4JJavaError:
        return False
    # Sources registered from Python, such as an earlier registration of ours, are found as well.
    return not str(found.getName()).endswith(".PythonDataSourceV2")


class PaimonDataSource(source.DataSource):
    """One ``load`` or ``save``. ``pinned`` is the version that ``schema`` saw; all readers of the DataFrame use it."""

    catalog_options: Mapping[str, str]
    pinned: int | None = None

    def schema(self) -> StructType:
        """The table's schema; pins the newest version for every reader made from this source."""
        table = self._version
        snapshot = table.scan().snapshot
        self.pinned = 0 if snapshot is None else snapshot.id
        return spark_schema(table.schema.fields)

    def reader(self, schema: StructType) -> source.DataSourceReader:
        """A reader of the columns in ``schema``."""
        table = self._version
        # The version may have expired and still be that of a tag.
        if self.pinned and (table.version is None or table.version.id != self.pinned):
            table = table.at(snapshot=self.pinned)
        return PaimonReader(table, schema, empty=self.pinned == 0)

    def writer(self, schema: StructType, overwrite: bool) -> source.DataSourceWriter:
        """A writer that commits once all tasks have written."""
        for key in READ_OPTIONS:
            if key in self.options:
                raise UnknownOption(f"Option '{key}' is for reading.")
        return PaimonWriter(self._table, schema, overwrite)

    @property
    def _table(self) -> Table:
        known = [key.lower() for key in _OPTIONS]
        for key in self.options:
            if key.lower().startswith("incremental-"):
                raise Unsupported(
                    f"Option '{key}' = '{self.options[key]}' is not supported in Spark.",
                    "Read the changes by Table.changes, and give them to Spark.",
                )
            if key.lower() not in known:
                raise UnknownOption(f"Option '{key}' is not known.", did_you_mean(key, _OPTIONS))
        if "path" not in self.options:
            raise WorkbenchError("No table is named.", "Name it: .load('database.table') or .save('database.table').")
        return connect(self.catalog_options).get_table(self.options["path"])

    @property
    def _version(self) -> Table:
        asked = {key: self.options[key] for key in READ_OPTIONS if key in self.options}
        return open_for_read(self._table, asked) if asked else self._table


@dataclass
class SplitPartition(source.InputPartition):
    """One split, pickled, and how to read it."""

    task: ReadTask
    split: bytes


class PaimonReader(source.DataSourceReader):
    """Plans in Spark's planning process, reads in tasks."""

    def __init__(self, table: Table, schema: StructType, *, empty: bool) -> None:
        self._table = table
        self._schema = schema
        self._empty = empty
        self._where: Expr | None = None
        known = {field.name: to_spark(field.type) for field in table.schema.fields}
        for field in schema.fields:
            if field.name not in known:
                raise SchemaMismatch(f"The table has no column '{field.name}'.", did_you_mean(field.name, known))
            if field.dataType != known[field.name]:
                raise SchemaMismatch(
                    f"Column '{field.name}' is {known[field.name].simpleString()}, not {field.dataType.simpleString()}."
                )

    def pushFilters(self, filters: list[source.Filter]) -> Iterator[source.Filter]:  # noqa: N802
        """Filters leave out files, and rows inside them; Spark looks at every row once more."""
        conditions = [condition for condition in map(_condition, filters) if condition is not None]
        self._where = conjunction(conditions) if conditions else None
        yield from filters

    def partitions(self) -> Sequence[source.InputPartition]:
        """One task for each split."""
        if self._empty:
            return []
        scan = self._table.scan(self._schema.names, self._where)
        nullable = frozenset(field.name for field in self._schema.fields if field.nullable)
        task = ReadTask(scan.store, scan.schema, tuple(self._schema.names), scan.where, nullable)
        return [SplitPartition(task, pickled(split)) for split in scan.plan()]

    def read(self, partition: Any) -> Iterator[pa.RecordBatch]:
        """The rows of a split; Spark asks with None where there is none."""
        if isinstance(partition, SplitPartition):
            yield from partition.task.read(partition.split)


_COMPARISONS: dict[type[source.Filter], str] = {
    source.EqualTo: "__eq__",
    source.GreaterThan: "__gt__",
    source.GreaterThanOrEqual: "__ge__",
    source.LessThan: "__lt__",
    source.LessThanOrEqual: "__le__",
}
_PLAIN_VALUES = (bool, int, str, Decimal, date)


def _condition(given: source.Filter) -> Expr | None:
    """The condition of a filter that can leave out rows; None where Spark alone evaluates it."""
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
    """Values that mean the same in Spark and here; times depend on zones and are left to Spark."""
    return isinstance(value, _PLAIN_VALUES) and not isinstance(value, datetime)


@dataclass
class TaskMessages(source.WriterCommitMessage):
    """The commit messages of one task."""

    messages: list[bytes]


class PaimonWriter(source.DataSourceArrowWriter):
    """Tasks write, then one process of Spark's commits."""

    def __init__(self, table: Table, schema: StructType, overwrite: bool) -> None:
        check_columns(schema, table.schema.fields)
        _check_moments(schema, table)
        core = table.schema.core
        self._looks_up = table.schema.is_primary_key_table and core.needs_lookup and not core.write_only
        if overwrite and self._looks_up:
            raise Unsupported(
                f"Spark's data source cannot overwrite {table.name}, whose compaction looks for older rows.",
                "Use wb.spark.write.",
            )
        self._table = table
        self._overwrite = overwrite
        self._task = write_task(table, overwrite=overwrite)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskMessages:
        """One task's rows."""
        context = TaskContext.get()
        task = self._task.beside_others(context.partitionId() if context is not None else 0)
        return TaskMessages(task.write(iterator))

    def commit(self, messages: list[source.WriterCommitMessage | None]) -> None:
        """All tasks at once."""
        written = [each for task in messages if isinstance(task, TaskMessages) for each in task.messages]
        if self._overwrite:
            self._table.overwrite(written, operation="OVERWRITE")
        else:
            self._table.commit(written, operation="WRITE")
            if self._looks_up:
                # The tasks could not: level 0 is not to be seen before, or not told of.
                self._table.compact()


def _check_moments(schema: StructType, table: Table) -> None:
    """Dates and times must fit as they are: nothing is projected before a data source, and casts need the zone."""
    for field in schema.fields:
        wanted = to_spark(table.schema.field(field.name).type)
        if isinstance(wanted, TimestampType | TimestampNTZType) and field.dataType not in (wanted, NullType()):
            raise SchemaMismatch(
                f"Column '{field.name}' is {field.dataType.simpleString()}, the table has {wanted.simpleString()}.",
                "Cast it first, or use wb.spark.write.",
            )
