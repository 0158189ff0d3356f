"""Writes whose Parquet files Spark's own writer makes: no row passes to Python (format §12, §13).

The JVM computes the bucket of each row, keeps the last row of each key, and writes the columns of the table's files
into a directory inside the table. This process reads the footers, moves the files to their buckets and commits them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from pyspark.sql import Column, DataFrame, SparkSession, functions

from workbench.base.errors import Unsupported
from workbench.format.rows.binary_row_layout import Slot, slot_of
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.data_file_fields import KEY_PREFIX, SEQUENCE_NUMBER, VALUE_KIND, data_file_fields
from workbench.format.spec.schema import TableSchema
from workbench.format.types import AtomicType, DataField, DataType
from workbench.metadata.bucket_states import KnownBuckets
from workbench.metadata.store import TableStore
from workbench.spark.bucket import binary_row_expression, quoted
from workbench.spark.reach import Reach
from workbench.spark.storing.value_limits import in_utf8, naming_fields
from workbench.spark.writing import placement
from workbench.spark.writing.jvm_choice import CODECS
from workbench.spark.writing.placement import PLACE, Placement
from workbench.spark.writing.tasks import ORDER
from workbench.write.elsewhere.adopted_files import AdoptedFiles, ForeignFile, discard_directory
from workbench.write.elsewhere.assigned import BUCKET

_PARTITION = "__workbench_partition"
_SETTINGS = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.writeLegacyFormat": "false",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.fieldId.write.enabled": "true",
    # Rows are sorted by key. Another sort by directory would not keep that order.
    "spark.sql.execution.removeRedundantSorts": "true",
    "spark.sql.optimizer.plannedWrite.enabled": "true",
    "spark.sql.maxConcurrentOutputFileWriters": "0",
}


@dataclass
class JvmFiles:
    """One write by Spark's own writer into a temporary directory, which `close` deletes."""

    store: TableStore
    buckets: KnownBuckets
    reached: Reach
    directory: str = field(init=False)
    _tasks_are_buckets: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        # Orphan cleaning recognizes temporary directories by this form of the name.
        self.directory = self.store.path(f".workbench-{uuid4()}.tmp")
        states = self.buckets.buckets.values()
        newest = max((state.next_sequence for state in states), default=0)
        self._adopted = AdoptedFiles(self.store, self.buckets, max(newest, self.buckets.min_sequence))

    def write(self, rows: DataFrame, chosen: Placement) -> None:
        """Run the job that writes the rows of `placement.project_to_table`."""
        schema = self.store.schema
        prepared, directories = _prepared(rows, schema, chosen, self._adopted.sequence)
        self._tasks_are_buckets = _tasks_are_buckets(rows, schema, chosen)
        options = {**self.reached.options, **_options(schema)}
        _save(prepared, directories, self.reached.path(self.directory), options)

    def messages(self) -> list[CommitMessage]:
        """Move the files into the table, and return their messages.

        Raises:
            SchemaMismatch: A column that is NOT NULL has nulls.
        """
        return self._adopted.messages(sorted(self._files(self.directory, 0), key=lambda each: each.path))

    def abort(self) -> None:
        """Delete the files that are already in the table."""
        self._adopted.abort()

    def close(self) -> None:
        """Delete what is left of the directory."""
        discard_directory(self.store, self.directory)

    def _files(self, directory: str, bucket: int) -> list[ForeignFile]:
        found = []
        for status in self.store.file_io.list_files(directory):
            if status.is_directory:
                name, _, value = status.name.partition("=")
                found += self._files(status.path, int(value) if name == BUCKET else bucket)
            elif status.name.endswith(".parquet") and not status.name.startswith((".", "_")):
                found.append(ForeignFile(status.path, _task(status.name) if self._tasks_are_buckets else bucket))
        return found


def _prepared(rows: DataFrame, schema: TableSchema, chosen: Placement, sequence: int) -> tuple[DataFrame, list[str]]:
    """Return the rows in stored form, and the columns that become directories. Rows of a file share one directory."""
    directories = [_PARTITION] if schema.partition_keys else []
    if schema.partition_keys:
        rows = rows.withColumn(_PARTITION, _partition(schema))
    if chosen is Placement.BUCKET:
        directories = [] if _tasks_are_buckets(rows, schema, chosen) else [PLACE, *directories, BUCKET]
        rows = _by_bucket(rows, schema, directories)
    stored = data_file_fields(schema, schema.core.thin_mode)
    named_by = naming_fields(schema)
    columns = [_stored(each, sequence, max(schema.core.bucket, 1), named_by) for each in stored]
    return rows.select(*columns, *map(functions.col, directories)), directories


def _tasks_are_buckets(rows: DataFrame, schema: TableSchema, chosen: Placement) -> bool:
    """Return whether task N writes bucket N and nothing else, so that files need no directories."""
    if chosen is not Placement.BUCKET or schema.partition_keys:
        return False
    return placement.task_count(rows.sparkSession, schema, chosen) == max(schema.core.bucket, 1)


def _by_bucket(rows: DataFrame, schema: TableSchema, directories: list[str]) -> DataFrame:
    """Return the rows of each bucket in one task, in the order of their files, with only the last row of each key.

    Where task N writes bucket N, rows are sorted by key first, because Spark compares the first 8 bytes of the first
    sort column without reading the rows. The bucket follows: finding equal keys of a bucket needs no further shuffle.
    """
    tasks = placement.task_count(rows.sparkSession, schema, Placement.BUCKET)
    rows = rows.withColumns({ORDER: functions.monotonically_increasing_id(), BUCKET: placement.bucket_of(schema)})
    if directories:
        rows = rows.withColumn(PLACE, placement.spread(schema, functions.col(BUCKET), tasks))
    placed = rows.repartitionById(tasks, PLACE if directories else BUCKET)
    keys = [quoted(each.name) for each in schema.key_fields]
    if not keys:
        return placed.sortWithinPartitions(*directories, ORDER)
    order = [*directories, *keys] if directories else [*keys, BUCKET]
    return _firsts(placed.sortWithinPartitions(*order, functions.col(ORDER).desc()), len(order))


def _task(name: str) -> int:
    """Return the number of the task that wrote a file, from a name such as ``part-00003-….parquet``."""
    return int(name.split("-")[1])


def _firsts(ordered: DataFrame, count: int) -> DataFrame:
    """Return only the first of the sorted rows that are equal in the first ``count`` columns of the sort order.

    Spark plans this operator for conditions on ``row_number()``, together with a window that is not needed here. NULLs
    are equal to each other, so that one NULL remains in the file, where it is found and refused.
    """
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

    session = ordered.sparkSession
    jvm: Any = session._jvm
    plan = ordered._jdf.queryExecution().analyzed()
    orders = [plan.order().apply(position) for position in range(plan.order().size())]
    limited = jvm.org.apache.spark.sql.catalyst.plans.logical.WindowGroupLimit(
        _scala(jvm, [each.child() for each in orders[:count]]),
        _scala(jvm, orders[count:]),
        jvm.org.apache.spark.sql.catalyst.expressions.RowNumber(),
        1,
        plan,
    )
    return ClassicDataFrame(jvm.org.apache.spark.sql.classic.Dataset.ofRows(session._jsparkSession, limited), session)


def _scala(jvm: Any, values: Sequence[Any]) -> Any:
    """Return values as a Scala sequence."""
    listed = jvm.java.util.ArrayList()
    for each in values:
        listed.add(each)
    return jvm.scala.jdk.javaapi.CollectionConverters.asScala(listed).toSeq()


def _stored(field: DataField, sequence: int, buckets: int, named_by: Sequence[DataField]) -> Column:
    """Return a column of the files, with its field id. ``named_by`` are the columns that name a row in errors."""
    name = field.name
    if name == SEQUENCE_NUMBER:
        # Spark compiles numbers into its code, but not arrays. With an array, all commits of a table share one code.
        column = functions.expr(f"get(array_repeat({sequence}L, {buckets}), {BUCKET})")
    elif name == VALUE_KIND:
        column = functions.lit(0).cast("tinyint")
    else:
        source = name.removeprefix(KEY_PREFIX)
        column = in_utf8(functions.col(quoted(source)), field.type, source, named_by)
    return column.alias(name, metadata={"parquet.field.id": field.id})


def _partition(schema: TableSchema) -> Column:
    """Return a digest of each row's partition, which unlike the partition's values is always a valid directory name."""
    fields = [schema.field(name) for name in schema.partition_keys]
    try:
        return binary_row_expression(fields, "md5({})")
    except Unsupported:
        values = functions.struct(*(functions.col(quoted(each.name)) for each in fields))
        return functions.md5(functions.to_json(values, {"ignoreNullFields": "false"}).cast("binary"))


def _options(schema: TableSchema) -> dict[str, str]:
    """Return the options of Spark's writer that correspond to those of the table."""
    core, kind = schema.core, schema.kind
    width = sum(_width(each.type) for each in schema.fields)
    rows = max(1, min(core.target_file_row_num, kind.target_file_size // max(width, 1)))
    options = {
        "compression": CODECS[kind.of_new_files()[1].lower()],
        "parquet.compression.codec.zstd.level": str(core.zstd_level),
        "maxRecordsPerFile": str(rows),
        "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    }
    if core.file_block_size is not None:
        options["parquet.block.size"] = str(core.file_block_size)
    return options | _unique_columns(schema) | {k: v for k, v in schema.options.items() if k.startswith("parquet.")}


def _unique_columns(schema: TableSchema) -> dict[str, str]:
    """Return the options that disable the dictionary of a single-column key, whose values are unique in a file. Such a
    dictionary would be built, but not stored."""
    keys = schema.key_fields
    if len(keys) != 1:
        return {}
    return {f"parquet.enable.dictionary#{name}": "false" for name in (keys[0].name, f"{KEY_PREFIX}{keys[0].name}")}


def _width(data_type: DataType) -> int:
    """Return about how many bytes a value occupies in a compressed file."""
    return 4 if isinstance(data_type, AtomicType) and slot_of(data_type) not in (Slot.STRING, Slot.BINARY) else 12


def _save(frame: DataFrame, directories: list[str], path: str, options: Mapping[str, str]) -> None:
    """Write the rows in a copy of their session, which has the settings that the files require."""
    session: SparkSession = frame.sparkSession
    jvm: Any = session._jvm
    copied = session._jsparkSession.cloneSession()
    for key, value in _SETTINGS.items():
        copied.conf().set(key, value)
    rows = jvm.org.apache.spark.sql.classic.Dataset.ofRows(copied, frame._jdf.queryExecution().analyzed())
    writer = rows.write().format("parquet").mode("append")
    for key, value in options.items():
        writer = writer.option(key, value)
    gateway: Any = session.sparkContext._gateway
    names = gateway.new_array(jvm.String, len(directories))
    for position, name in enumerate(directories):
        names[position] = name
    writer.partitionBy(names).save(path)
