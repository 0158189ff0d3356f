"""Runs INSERT: maps rows of literals or of a query to the table's columns by position and writes them in one commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.errors import SchemaMismatch, did_you_mean
from workbench.format.types.implicit_values import value_of_text
from workbench.sql.context import Context
from workbench.sql.engines.choice import for_pipeline
from workbench.sql.engines.spark_engine import short_spark_errors
from workbench.sql.grid import count_text
from workbench.sql.literals import literal_value
from workbench.sql.partitions import with_own_names
from workbench.sql.query import query_rows
from workbench.sql.result import Result, written
from workbench.sql.statements import InsertInto, Rows, Select
from workbench.sql.stored_values import FieldMatching
from workbench.table.dml.assignments import with_char_padding

if TYPE_CHECKING:
    from workbench.table.table import Table


@dataclass(frozen=True)
class ResultMessage:
    """Wording of a write's result message: ``Inserted`` (4 rows) ``into`` shop.orders. ``label`` names the running
    write.
    """

    label: str
    verb: str
    joint: str
    rows_first: bool = True

    def sentence(self, table: str, rows: int, snapshots: Sequence[Any]) -> str:
        """Return ``Inserted 4 rows into shop.orders: snapshot 2.``, with the id of every snapshot created."""
        counted = count_text(rows) if rows else "no rows"
        first, second = (counted, table) if self.rows_first else (table, counted)
        return f"{self.verb} {first} {self.joint} {second}: {named_snapshots(snapshots)}."


INSERT = ResultMessage("INSERT INTO", "Inserted", "into")
OVERWRITE = ResultMessage("INSERT OVERWRITE", "Overwrote", "with", rows_first=False)
CREATE_AS = ResultMessage("CREATE TABLE AS", "Created", "with", rows_first=False)


def named_snapshots(snapshots: Sequence[Any]) -> str:
    """Return ``snapshot 2``, or the snapshots with their kinds if there are several."""
    if len(snapshots) < 2:
        return f"snapshot {snapshots[0].id}" if snapshots else "no snapshot"
    *others, last = (f"{snapshot.id} ({snapshot.commit_kind})" for snapshot in snapshots)
    return f"snapshots {', '.join(others)} and {last}"


def run_insert(context: Context, statement: InsertInto) -> Result:
    """Write the rows and return a result that names the snapshots created.

    Raises:
        SchemaMismatch: If a column does not exist, the number of values is wrong, or a value does not fit its column.
    """
    table = context.table(statement.table)
    if isinstance(statement.source, Select):
        context = for_pipeline(context, statement.source)
    names = _target_columns(table, statement)
    message = OVERWRITE if statement.overwrite else INSERT
    with context.timed() as took, context.progress.step(f"{message.label} {table.name}", unit="rows"):
        rows = _rows(context, table, statement, names)
        fixed = statement.overwrite and statement.partition
        partition = with_own_names(table, statement.partition) if fixed else None
        return write_rows(context, table, rows, message, took, partition)


def write_rows(
    context: Context,
    table: Table,
    rows: Any,
    message: ResultMessage,
    took: Callable[[], str],
    partition: dict[str, Any] | None = None,
) -> Result:
    """Write the rows of an Arrow table or of a Spark DataFrame and return a result with a one-line message."""
    mode = "overwrite" if message is OVERWRITE else "append"
    engine = "local" if isinstance(rows, pa.Table) else "spark"
    noted = context.snapshot_properties
    context.progress.check()
    if engine == "local":
        rows = with_char_padding(rows, table.schema)
        commit: Any = table.write(rows, mode, partition, progress=context.progress, properties=noted)
    else:
        from workbench.spark.writing.writer import write as write_on_spark

        with short_spark_errors():
            commit = write_on_spark(
                rows, table, mode=mode, partition=partition, progress=context.progress, properties=noted
            )
    snapshots = tuple(commit.snapshots)
    sentence = message.sentence(table.name, commit.rows, snapshots) + took()
    where = f" On Spark, {context.choice}." if engine == "spark" else ""
    return written(sentence + where, table.name, snapshots, engine)


def _target_columns(table: Table, statement: InsertInto) -> list[str]:
    """Return the table's columns that the source fills, in the source's order."""
    names = list(table.arrow_schema.names)
    by_lower = {name.lower(): name for name in names}
    for given in (*statement.columns, *statement.partition, *statement.partition_from_rows):
        if given.lower() not in by_lower:
            raise SchemaMismatch(
                f"Table {table.name} has no column '{given}'.",
                did_you_mean(given, names) or f"Columns: {', '.join(names)}.",
            )
    fixed = {by_lower[name.lower()] for name in statement.partition}
    if statement.columns:
        return [by_lower[name.lower()] for name in statement.columns]
    last = [by_lower[name.lower()] for name in statement.partition_from_rows]
    return [*(name for name in names if name not in fixed and name not in last), *last]


def _check_count(table: Table, names: Sequence[str], given: int) -> None:
    if given != len(names):
        raise SchemaMismatch(
            f"{table.name} expects {counted(len(names), 'values')} per row ({', '.join(names)}), but the statement "
            f"has {given}.",
            "List the columns to fill: INSERT INTO t (a, b) ….",
        )


def _rows(context: Context, table: Table, statement: InsertInto, names: Sequence[str]) -> Any:
    """Return the rows to write as an Arrow table or a Spark DataFrame, with the table's column names."""
    matching = FieldMatching(statement.by_name)
    if isinstance(statement.source, Rows):
        width = len(statement.source.rows[0])
        if statement.by_name:
            names = _names_of(table, [f"col{number}" for number in range(1, width + 1)], names)
        _check_count(table, names, width)
        rows: Any = _literal_rows(table, statement.source, names, matching)
    else:
        rows, width = query_rows(context, statement.source)
        if statement.by_name:
            names = _names_of(table, rows.column_names if isinstance(rows, pa.Table) else rows.columns, names)
        _check_count(table, names, width)
        if not isinstance(rows, pa.Table):
            with short_spark_errors():
                return _spark_rows(rows.toDF(*names), table, statement)
        fields = [table.arrow_schema.field(name) for name in names]
        rows = pa.table([matching.column(*each) for each in zip(rows.columns, fields, strict=True)], names=list(names))
    for name, value in statement.partition.items():
        field = table.arrow_schema.field(name)
        rows = rows.append_column(field.name, pa.repeat(_constant(value, field, matching)[0], rows.num_rows))
    return rows


def _names_of(table: Table, given: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the table's columns that have the names of the query's columns; columns left out become NULL or their
    default."""
    by_lower = {name.lower(): name for name in names}
    for name in given:
        if name.lower() not in by_lower:
            raise SchemaMismatch(
                f"Table {table.name} has no column '{name}'.",
                did_you_mean(name, names) or f"Columns: {', '.join(names)}.",
            )
    return [by_lower[name.lower()] for name in given]


def _spark_rows(frame: Any, table: Table, statement: InsertInto) -> Any:
    """Return the DataFrame with the types of the table, cast as in Paimon's connector, and the values of PARTITION."""
    from pyspark.sql import functions

    from workbench.spark.storing.assignment import by_name, by_position
    from workbench.spark.storing.value_limits import within_limits
    from workbench.spark.types import to_spark

    fields = [table.schema.field(name) for name in frame.columns]
    frame = (by_name if statement.by_name else by_position)(frame, fields, casts=True)
    for name, value in statement.partition.items():
        field = table.schema.field(table.arrow_schema.field(name).name)
        constant = functions.lit(value).cast(to_spark(field.type))
        frame = frame.withColumn(field.name, within_limits(constant, field, pads=True))
    return frame


def _literal_rows(table: Table, source: Rows, names: Sequence[str], matching: FieldMatching) -> pa.Table:
    columns = zip(*source.rows, strict=True)
    fields = [table.arrow_schema.field(name) for name in names]
    arrays = [
        _array([literal_value(node) for node in column], field, matching)
        for column, field in zip(columns, fields, strict=True)
    ]
    return pa.table(arrays, names=list(names))


def _constant(value: Any, field: pa.Field, matching: FieldMatching) -> pa.Array:
    """Return the value of a PARTITION clause, which may be its text."""
    if not isinstance(value, str):
        return _array([value], field, matching)
    try:
        return value_of_text(value, field.type)
    except (pa.ArrowException, ValueError) as error:
        raise SchemaMismatch(f"{value!r} is not a value of column '{field.name}', which is {field.type}.") from error


def _array(values: Sequence[Any], field: pa.Field, matching: FieldMatching) -> pa.Array:
    try:
        return pa.array([matching.literal(value, field.type, field.name) for value in values], field.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        wrong = next((value for value in values if not _fits(value, field, matching)), None)
        raise SchemaMismatch(
            f"Column '{field.name}' has type {field.type}, which cannot hold {wrong!r}.",
            "Write it as a literal of that type.",
        ) from error


def _fits(value: Any, field: pa.Field, matching: FieldMatching) -> bool:
    try:
        pa.array([matching.literal(value, field.type, field.name)], field.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True
