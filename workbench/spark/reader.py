"""Read a table as a DataFrame: planned once, with the version pinned; files that need no merge never meet Python.

Parquet files that can be read one by one go to Spark's own reader, with its column pruning and push-down. Everything
else is read and merged by Python tasks, one for each split; from Python to the JVM is the cheap direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, functions

from workbench.expr.tree import referenced_columns
from workbench.format.types import AtomicType, DataField, DataType, RowType
from workbench.spark.bucket import quoted
from workbench.spark.session import get_session
from workbench.spark.tasks import ReadTask, pickled
from workbench.spark.types import spark_schema
from workbench.table.split import Split, is_raw

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr
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
    fields = [scan.schema.field(name) for name in scan.reader.columns]
    schema = spark_schema(fields)
    stored = _stored_fields(scan)
    files, splits = _shared_out(scan, stored)
    frames = []
    if files:
        # Names of partitions may hold characters that Spark would take for wildcards.
        rows = session.read.schema(spark_schema(stored)).option("__globPaths__", "false").parquet(*files)
        rows = rows if where is None else rows.where(str(where))
        frames.append(rows.select(*(functions.col(quoted(field.name)) for field in fields)))
    if splits:
        task = ReadTask(scan.store, scan.schema, scan.reader.columns, scan.where)
        frames.append(_one_task_each(session, splits).mapInArrow(task.run, schema))
    if not frames:
        return session.createDataFrame([], schema)
    return frames[0] if len(frames) == 1 else frames[0].unionByName(frames[1])


def _stored_fields(scan: Scan) -> list[DataField]:
    """The columns to read: those asked for, and those that the condition looks at."""
    names = dict.fromkeys(scan.reader.columns)
    if scan.where is not None:
        names |= dict.fromkeys(sorted(referenced_columns(scan.where)))
    return [scan.schema.field(name) for name in names]


def _shared_out(scan: Scan, stored: Sequence[DataField]) -> tuple[list[str], list[Split]]:
    """Paths of the files that the JVM can read by itself, and splits of everything else."""
    jvm_reads = (
        scan.store.file_io.is_local
        and all(_is_plain(field.type) for field in stored)
        and _distinct_ignoring_case(scan.schema.field_names)
    )
    files: list[str] = []
    splits: list[Split] = []
    for split in scan.plan():
        rest = []
        for section in split.sections:
            if jvm_reads and is_raw(section) and all(file.schema_id == scan.schema.id for file in section[0]):
                files.extend(split.path(file) for file in section[0])
            else:
                rest.append(section)
        if rest:
            splits.append(replace(split, sections=tuple(rest)))
    return files, splits


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
        return not (data_type.root.startswith("TIMESTAMP") and (data_type.precision or 0) > 6)
    inner = [each.type for each in data_type.fields] if isinstance(data_type, RowType) else data_type.children()
    return all(_is_plain(child) for child in inner)


def _distinct_ignoring_case(names: Sequence[str]) -> bool:
    return len({name.lower() for name in names}) == len(names)
