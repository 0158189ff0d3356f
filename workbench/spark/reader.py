"""Read a table as a DataFrame: planned once, with the version pinned; files that need no merge never meet Python.

Parquet files that can be read one by one go to Spark's own reader, with its column pruning and push-down. Everything
else is read and merged by Python tasks, one for each split; from Python to the JVM is the cheap direction. Conditions
mean the same on both ways: those that Spark may see otherwise are left to the tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, functions

from workbench.expr.tree import referenced_columns
from workbench.format.types import AtomicType, DataField, DataType, RowType
from workbench.spark.bucket import quoted
from workbench.spark.condition import spark_condition
from workbench.spark.session import get_session, map_in_arrow
from workbench.spark.tasks import ReadTask, pickled
from workbench.spark.types import spark_schema, to_spark
from workbench.table.split import Split, is_raw
from workbench.table.system.system_table import ComputedScan

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr
    from workbench.format.data_file import DataFileMeta
    from workbench.table.scan import Scan
    from workbench.table.table import Table

_MOST_TASKS = 10_000
_SPLIT, _PLACE = "split", "place"


def read(
    table: Table,
    columns: Sequence[str] | None = None,
    where: str | Expr | None = None,
    *,
    session: SparkSession | None = None,
) -> DataFrame:
    """The table, or a version of it (``t.at(…)``), as a DataFrame.

    The version is fixed now: the DataFrame gives the same rows however often it is used and whatever is written
    meanwhile, as long as the version has not expired. ``columns`` and ``where`` are those of `Table.to_arrow`.

    Raises:
        Unsupported: a column of a type that Spark does not have (TIME, VARIANT …); leave it out of ``columns``.
    """
    session = session or get_session()
    scan = table.scan(columns, where)
    if isinstance(scan, ComputedScan):
        return _computed(session, scan)
    fields = [scan.schema.field(name) for name in scan.reader.columns]
    schema = spark_schema(fields)
    stored = _stored_fields(scan)
    condition = functions.lit(True) if scan.where is None else spark_condition(scan.where)
    files, splits = _shared_out(scan, jvm_reads=condition is not None and _jvm_readable(scan, stored))
    frames = []
    if files and condition is not None:
        rows = _parquet(session, files, stored).where(condition)
        frames.append(rows.select(*(functions.col(quoted(field.name)) for field in fields)))
    if splits:
        task = ReadTask(scan.store, scan.schema, scan.reader.columns, scan.where)
        frames.append(map_in_arrow(_one_task_each(session, splits), task.run, schema))
    if not frames:
        return session.createDataFrame([], schema)
    return frames[0] if len(frames) == 1 else frames[0].unionByName(frames[1])


def _computed(session: SparkSession, scan: ComputedScan) -> DataFrame:
    """The rows of a system table, which are made here."""
    rows = scan.to_arrow()
    return session.createDataFrame(rows, spark_schema([scan.schema.field(name) for name in rows.column_names]))


def _parquet(session: SparkSession, files: Sequence[str], fields: Sequence[DataField]) -> DataFrame:
    """Spark's own reader on exactly these files. Names of partitions may hold what it would take for wildcards."""
    rows = session.read.schema(spark_schema(fields)).option("__globPaths__", "false").parquet(*files)
    return rows.select(*map(_without_push_down_of_reals, fields))


def _without_push_down_of_reals(field: DataField) -> Column:
    """The column; one that may hold NaN as an expression that changes nothing and is not pushed down into files.

    Statistics in Parquet leave NaN out, and to Spark it is the greatest number: a pushed ``d > 5`` would lose rows.
    """
    column = functions.col(quoted(field.name))
    if field.type.root not in ("FLOAT", "DOUBLE"):
        return column
    return functions.nanvl(column, functions.lit(float("nan")).cast(to_spark(field.type))).alias(field.name)


def _stored_fields(scan: Scan) -> list[DataField]:
    """The columns to read: those asked for, and those that the condition looks at."""
    names = dict.fromkeys(scan.reader.columns)
    if scan.where is not None:
        names |= dict.fromkeys(sorted(referenced_columns(scan.where)))
    return [scan.schema.field(name) for name in names]


def _shared_out(scan: Scan, *, jvm_reads: bool) -> tuple[list[str], list[Split]]:
    """Paths of the files that the JVM can read by itself, and splits of everything else."""
    files: list[str] = []
    splits: list[Split] = []
    for split in scan.plan():
        rest = []
        for section in split.sections:
            if jvm_reads and is_raw(section) and all(_is_jvm_file(scan, split, file) for file in section[0]):
                files.extend(split.path(file) for file in section[0])
            else:
                rest.append(section)
        if rest:
            splits.append(replace(split, sections=tuple(rest)))
    return files, splits


def _is_jvm_file(scan: Scan, split: Split, file: DataFileMeta) -> bool:
    """Whether Spark's reader gives the rows of the file as they are."""
    plain = split.path(file).endswith(".parquet") and file.file_name not in split.deletions
    return plain and file.schema_id == scan.schema.id


def _one_task_each(session: SparkSession, splits: Sequence[Split]) -> DataFrame:
    """A DataFrame of pickled splits, the largest first, so that each task of the next step finds one of them."""
    ordered = sorted(splits, key=lambda split: split.size, reverse=True)
    tasks = min(len(ordered), _MOST_TASKS)
    places = pa.array([index % tasks for index in range(len(ordered))], pa.int32())
    rows = pa.table({_SPLIT: pa.array([pickled(split) for split in ordered], pa.binary()), _PLACE: places})
    return session.createDataFrame(rows).repartitionById(tasks, _PLACE).select(_SPLIT)


def _is_plain(data_type: DataType) -> bool:
    """False where Spark's reader takes the stored form for something else: INT96 is never ``timestamp_ntz`` to it."""
    if isinstance(data_type, AtomicType):
        return data_type.root not in ("TIME", "BLOB") and not (
            data_type.root.startswith("TIMESTAMP") and (data_type.precision or 0) > 6
        )
    inner = [each.type for each in data_type.fields] if isinstance(data_type, RowType) else data_type.children()
    return all(_is_plain(child) for child in inner)


def _jvm_readable(scan: Scan, stored: Sequence[DataField]) -> bool:
    """Whether Spark's reader, which ignores the case of names, reaches the files and knows these columns."""
    names = scan.schema.field_names
    distinct = len({name.lower() for name in names}) == len(names)
    in_files = all(field.name in scan.store.schema.field_names and _is_plain(field.type) for field in stored)
    return scan.store.file_io.is_local and distinct and in_files
