"""Runs a query on the suitable engine: locally if it is simple and small, on Spark otherwise."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.base.modules import exp
from workbench.sql.context import Context
from workbench.sql.local import Bound, bind, known_column, run
from workbench.sql.local_query import local_query
from workbench.sql.result import Result, rows_result
from workbench.sql.statements import Select, TableRef, quote_name, with_full_names

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.table.table import Table

# With more stored rows, Spark's parallelism is worth its startup time.
LOCAL_ROWS = 5_000_000


def run_select(context: Context, select: Select) -> Result:
    """Run a query on the engine that `local_plan` chooses."""
    plan = local_plan(context, select)
    if plan is None:
        names = dict.fromkeys(str(table) for table in select.tables)
        return _spark_result(context, spark_frame(context, select), f"{', '.join(names) or 'Query'}, by Spark")
    bound, table = plan
    rows, snapshot = run(bound, table, context.progress)
    context.progress.check()
    return rows_result(rows, _caption(table, snapshot), context.limit)


def _caption(table: Table | None, snapshot: int | None) -> str:
    if table is None:
        return "Query"
    if snapshot is not None:
        return f"{table.name}, snapshot {snapshot}"
    return table.name if _is_metadata(table) else f"{table.name}, empty"


def _is_metadata(table: Table) -> bool:
    from workbench.table.system.system_table import MetadataTable

    return isinstance(table, MetadataTable)


def local_plan(context: Context, select: Select) -> tuple[Bound, Table | None] | None:
    """Return the query bound to its table, or None if Spark is to run it.

    Raises:
        WorkbenchError: If the query is invalid, or if only the local engine is available and does not support it.
    """
    if context.engine == "spark":
        return None
    may_use_spark = context.engine == "auto" and find_spec("pyspark") is not None
    try:
        query = local_query(select)
    except Unsupported:
        if may_use_spark:
            return None
        raise
    if may_use_spark and query.table is not None and _is_spark_view(context, query.table):
        return None
    table = context.table(query.table, context.version) if query.table else None
    try:
        bound = bind(query, table)
    except (InvalidExpression, Unsupported):
        # A wrong column is wrong on every engine; other failures may be functions that only Spark has.
        _check_columns(select, table)
        if may_use_spark:
            return None
        raise
    return None if may_use_spark and _stored_rows(table) > LOCAL_ROWS else (bound, table)


def _is_spark_view(context: Context, table: TableRef) -> bool:
    """Return whether a plain name is a temporary view of the running Spark session; catalog tables take precedence."""
    if len(table.parts) > 1 or "pyspark" not in sys.modules:
        return False
    if context.database is not None and table.parts[0] in context.catalog.list_tables(context.database):
        return False
    from pyspark import SparkContext

    from workbench.spark.session import get_session

    running = SparkContext._active_spark_context is not None
    return running and bool(get_session().catalog.tableExists(quote_name(table.parts[0])))


def _check_columns(select: Select, table: Table | None) -> None:
    names = table.arrow_schema.names if table is not None else []
    for column in select.tree.find_all(exp.Column):
        if len(column.parts) == 1 and not isinstance(column.this, exp.Star):
            known_column(column.name, [*names, *(alias.alias for alias in select.tree.find_all(exp.Alias))])


def _stored_rows(table: Table | None) -> int:
    snapshot = table.version if table is not None and not _is_metadata(table) else None
    return (snapshot.total_record_count or 0) if snapshot is not None else 0


def spark_frame(context: Context, select: Select) -> DataFrame:
    """Return the query as a Spark DataFrame without running it."""
    import workbench.spark as spark

    names = {
        table: table.parts if _is_spark_view(context, table) else context.full_name(table) for table in select.tables
    }
    text = with_full_names(select, names, context.version)
    with short_spark_errors():
        frame: DataFrame = spark.sql(text, catalog=context.catalog, progress=context.progress)
    return frame


@contextmanager
def short_spark_errors() -> Iterator[None]:
    """Shorten Spark's errors about the user's SQL and values to one sentence; internal errors are unchanged."""
    from pyspark.errors import AnalysisException, ArithmeticException, DateTimeException, NumberFormatException

    try:
        yield
    except (AnalysisException, ArithmeticException, DateTimeException, NumberFormatException) as error:
        first = (str(error).strip().splitlines() or ["no reason given"])[0]
        raise InvalidExpression(f"Spark says: {first.split(' SQLSTATE:')[0]}") from error


def _spark_result(context: Context, frame: DataFrame, caption: str) -> Result:
    """Return the first rows; one more than shown is read to learn whether there are more."""
    rows = collect(context, frame.limit(context.limit + 1), "SELECT")
    total = rows.num_rows if rows.num_rows <= context.limit else None
    return Result(caption, rows, total, context.limit, frame=frame, engine="spark")


def collect(context: Context, frame: DataFrame, label: str) -> pa.Table:
    """Return all rows of a DataFrame; the query is watched and can be canceled."""
    from workbench.spark.progress import run_job

    with short_spark_errors():
        rows: pa.Table = run_job(frame.sparkSession, label, frame.toArrow, context.progress)
    return rows


def query_rows(context: Context, select: Select) -> tuple[Any, int]:
    """Return the rows of a query as Arrow rows or as a Spark DataFrame, and their number of columns."""
    plan = local_plan(context, select)
    if plan is None:
        frame = spark_frame(context, select)
        return frame, len(frame.columns)
    rows, _ = run(*plan, context.progress)
    return rows, rows.num_columns
