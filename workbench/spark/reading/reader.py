"""Reads a table as a DataFrame: planned once, with the version pinned; files that need no merge bypass Python.

Spark's own reader, with its column pruning and push-down, reads Parquet files that need no merge, and those that the
JVM merges, see `merging`. All other files are read and merged by Python tasks, one per split; passing rows from Python
to the JVM is the cheap direction. Conditions mean the same on all paths: those that Spark may evaluate differently are
left to the tasks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, functions

from workbench.base.arguments import checked
from workbench.expr.tree import referenced_columns
from workbench.format.types import AtomicType, DataField, DataType, RowType
from workbench.scan.split import Split, is_raw
from workbench.spark.bucket import quoted
from workbench.spark.frames import frame_of_rows
from workbench.spark.items import items_frame
from workbench.spark.progress import classic_context
from workbench.spark.reach import Reach, reach
from workbench.spark.reading.condition import spark_condition
from workbench.spark.reading.merging import can_merge_in_jvm, is_worth_merging_in_jvm, merged_rows
from workbench.spark.reading.overflow_reports import overflows_of_tasks
from workbench.spark.reading.stored_columns import Names, StoredColumns
from workbench.spark.reading.watched_frames import watched
from workbench.spark.session import get_session, map_in_arrow
from workbench.spark.tasks import Labeled, ReadTask, pickled
from workbench.spark.types import spark_schema, to_spark
from workbench.table.system.system_table import ComputedScan

BY_TASKS = "files read by Python tasks: "
"""What plans show where Spark's own reader does not read the files of a table, before the reason."""
_READ_BY_TASKS = re.compile(rf"{BY_TASKS}[^(\[\n]+")
_READERS_OF_SPARK = ("FileScan parquet", "ParquetScan", "PaimonMerge")

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

    from workbench.expr.expressions import Expr
    from workbench.format.spec.data_file import DataFileMeta
    from workbench.scan.scan import Scan
    from workbench.table.readable_table import ReadableTable


@checked
def read(
    table: ReadableTable,
    columns: Sequence[str] | None = None,
    where: str | Expr | None = None,
    *,
    session: SparkSession | None = None,
) -> DataFrame:
    """Read a table, or a version of it (``t.at(…)``), as a DataFrame.

    The version is fixed now: the DataFrame returns the same rows no matter how often it is used and what is written
    later, as long as the version has not expired.

    Args:
        table: The table or a version of it.
        columns: The columns to read, as in `Table.to_arrow`; all by default.
        where: The rows to read, as in `Table.to_arrow`; all by default.
        session: The Spark session; by default the current one, or a new local one.

    Returns:
        A lazy DataFrame.

    Raises:
        Unsupported: If Spark does not have the type of a column (TIME, BLOB …); exclude such a column with ``columns``.
        TableNotFound: When the DataFrame is used, if the table was dropped, renamed or created again.

    Example:
        >>> wb.spark.read(catalog.get_table("shop.orders"), where="amount > 10").count()
    """
    scan = table.scan(columns, where)
    return watched(rows_of(scan, session or get_session()), [scan.store])


def rows_of(scan: Scan, session: SparkSession) -> DataFrame:
    """Return the rows of a scan as a lazy DataFrame."""
    if isinstance(scan, ComputedScan):
        return _computed(session, scan)
    return reduce(DataFrame.unionByName, [_planned(part, session) for part in scan.parts])


def _planned(scan: Scan, session: SparkSession) -> DataFrame:
    fields = [scan.schema.field(name) for name in scan.reader.columns]
    schema = spark_schema(fields)
    stored = _stored_fields(scan)
    condition, columns = _spark_condition(scan), StoredColumns(scan, stored)
    reached = reach(session, scan.store)
    reason = _why_by_tasks(scan, stored, reached)
    if reason is None and condition is None:
        reason = "Spark evaluates the condition differently"
    jvm_reads = reason is None
    files, splits = _divide_files(scan, columns, jvm_reads=jvm_reads)
    in_jvm = [_parquet(session, reached, paths, stored, names) for names, paths in files.items()]
    if jvm_reads and reached.scheme is None and _is_merged_by_jvm(scan, session, columns, splits):
        merged = merged_rows(session, scan.schema, splits, stored)
        if merged is not None:
            in_jvm.append(merged)
            splits = []
    names = [functions.col(quoted(field.name)) for field in fields]
    frames = [rows.where(condition).select(*names) for rows in in_jvm if condition is not None]
    if splits:
        task = ReadTask(
            scan.store,
            scan.schema,
            scan.reader.columns,
            scan.where,
            snapshot=scan.snapshot,
            overflows=overflows_of_tasks(session),
        )
        by_tasks = Labeled(task.run, f"{BY_TASKS}{reason or 'their rows are merged or converted'}")
        frames.append(map_in_arrow(one_task_each(session, splits), by_tasks, schema))
    if not frames:
        return session.createDataFrame([], schema)
    return reduce(DataFrame.unionByName, frames)


def _is_merged_by_jvm(scan: Scan, session: SparkSession, columns: StoredColumns, splits: Sequence[Split]) -> bool:
    """Return whether to merge the rows of splits inside the JVM."""
    if not is_worth_merging_in_jvm(splits) or not can_merge_in_jvm(scan.schema, session):
        return False
    return all(
        not split.waiting and _is_plain(split, file) and columns.are_current(file.schema_id)
        for split in splits
        for file in split.files
    )


def read_by(frame: DataFrame) -> str | None:
    """Return whether Spark's own readers or Python tasks read the files of a query, as its plan shows; None if the plan
    does not show it."""
    if classic_context(frame.sparkSession) is None:
        return None
    plan = str(frame._jdf.queryExecution().executedPlan().toString())
    by_spark = ["files read by Spark"] if any(name in plan for name in _READERS_OF_SPARK) else []
    return ", ".join(dict.fromkeys([*by_spark, *(found.strip() for found in _READ_BY_TASKS.findall(plan))])) or None


def plain_files(scan: Scan, session: SparkSession) -> tuple[list[str], Mapping[str, str]] | None:
    """Return the paths of the files of a scan, and the options of the reader, if Spark's own reader returns the rows of
    all of them unchanged."""
    if isinstance(scan, ComputedScan) or not scan.has_plan:
        return None
    reached = reach(session, scan.store)
    if _why_by_tasks(scan, _stored_fields(scan), reached) is not None:
        return None
    columns = StoredColumns(scan, _stored_fields(scan))
    if any(not columns.are_current(file.schema_id) for split in scan.plan() for file in split.files):
        return None
    files, splits = _divide_files(scan, columns, jvm_reads=True)
    if splits:
        return None
    return [reached.path(path) for paths in files.values() for path in paths], reached.options


def _spark_condition(scan: Scan) -> Column | None:
    return functions.lit(True) if scan.where is None else spark_condition(scan.where)


def _computed(session: SparkSession, scan: ComputedScan) -> DataFrame:
    """Return the rows of a system table, which this process computes."""
    rows = scan.to_arrow()
    return frame_of_rows(session, rows, spark_schema([scan.schema.field(name) for name in rows.column_names]))


def _parquet(
    session: SparkSession, reached: Reach, files: Sequence[str], fields: Sequence[DataField], names: Names
) -> DataFrame:
    """Read exactly these files with Spark's own reader, although partition names may contain wildcard characters."""
    stored = [replace(field, name=name) for field, name in zip(fields, names, strict=True) if name is not None]
    reader = session.read.schema(spark_schema(stored)).option("__globPaths__", "false").options(**reached.options)
    rows = reader.parquet(*map(reached.path, files))
    return rows.select(*map(_declared, fields, names))


def _declared(field: DataField, name: str | None) -> Column:
    """Return a column of the table, given its name in the files; NULL if the files do not have it."""
    if name is None:
        return functions.lit(None).cast(to_spark(field.type)).alias(field.name)
    return _without_push_down_of_reals(replace(field, name=name)).alias(field.name)


def _without_push_down_of_reals(field: DataField) -> Column:
    """Return the column, protected from push-down into files by an identity expression if it may hold NaN.

    Parquet statistics exclude NaN, which Spark treats as the largest number: pushing down ``d > 5`` would lose rows.
    """
    column = functions.col(quoted(field.name))
    if field.type.root not in ("FLOAT", "DOUBLE"):
        return column
    return functions.nanvl(column, functions.lit(float("nan")).cast(to_spark(field.type))).alias(field.name)


def _stored_fields(scan: Scan) -> list[DataField]:
    """Return the columns to read: the requested columns and the columns of the condition."""
    names = dict.fromkeys(scan.reader.columns)
    if scan.where is not None:
        names |= dict.fromkeys(sorted(referenced_columns(scan.where)))
    return [scan.schema.field(name) for name in names]


def _divide_files(scan: Scan, columns: StoredColumns, *, jvm_reads: bool) -> tuple[dict[Names, list[str]], list[Split]]:
    """Return the paths of the files that the JVM can read by itself, grouped by the names of the columns in them, and
    splits of everything else."""
    files: defaultdict[Names, list[str]] = defaultdict(list)
    splits: list[Split] = []
    for split in scan.plan():
        rest = []
        for section in split.sections:
            found = [columns.names(file.schema_id) if _is_plain(split, file) else None for file in section[0]]
            if jvm_reads and is_raw(section) and None not in found:
                for names, file in zip(found, section[0], strict=True):
                    files[names or ()].append(split.path(file))
            else:
                rest.append(section)
        if rest:
            splits.append(replace(split, sections=tuple(rest)))
    return dict(files), splits


def _is_plain(split: Split, file: DataFileMeta) -> bool:
    """Return whether Spark's reader returns exactly the rows of the file: it is Parquet without a deletion vector."""
    return split.path(file).endswith(".parquet") and file.file_name not in split.deletions


def one_task_each(session: SparkSession, splits: Sequence[Split]) -> DataFrame:
    """Return a DataFrame of pickled splits, the largest first."""
    ordered = sorted(splits, key=lambda split: split.size, reverse=True)
    return items_frame(session, [pickled(split) for split in ordered])


def _is_readable(data_type: DataType) -> bool:
    """Return whether Spark's reader interprets the stored form correctly; it never reads INT96 as ``timestamp_ntz``."""
    if isinstance(data_type, AtomicType):
        return data_type.root not in ("TIME", "BLOB") and not (
            data_type.root.startswith("TIMESTAMP") and (data_type.precision or 0) > 6
        )
    inner = [each.type for each in data_type.fields] if isinstance(data_type, RowType) else data_type.children()
    return all(_is_readable(child) for child in inner)


def _why_by_tasks(scan: Scan, stored: Sequence[DataField], reached: Reach) -> str | None:
    """Return why Spark's reader, which ignores the case of names, reads none of the files; None if it may."""
    names = scan.schema.field_names
    distinct = len({name.lower() for name in names}) == len(names)
    in_files = all(field.name in scan.store.schema.field_names and _is_readable(field.type) for field in stored)
    return reached.reason if distinct and in_files else "Spark does not have the names or types of the columns"
