"""Runs queries on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.sql.context import Context
from workbench.sql.engines.footer import footer
from workbench.sql.engines.spark_views import is_spark_view
from workbench.sql.engines.tables import find_frame
from workbench.sql.engines.typos import refuse_typos
from workbench.sql.result import Result
from workbench.sql.statements import Select, TableRef, with_full_names

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def prepare_spark(context: Context, select: Select) -> OnSpark:
    """Return the query as a Spark DataFrame, which is not run yet."""
    return OnSpark(context, select, spark_frame(context, select))


def prepare_automatic(context: Context, select: Select) -> OnSpark:
    """Return the query as a Spark DataFrame if Spark is installed.

    Raises:
        Unsupported: If Spark is not installed; the message names what DuckDB does not run.
        InvalidExpression: If the query would start Spark for a function that is misspelled.
    """
    if context.session is None:
        refuse_typos(select)
    if find_spec("pyspark") is None and context.refusal is not None:
        raise Unsupported(
            context.refusal.message,
            "Run: pip install 'paimon-workbench[spark]'; or write the query in DuckDB's dialect, with --engine duckdb.",
        )
    return prepare_spark(context, select)


@dataclass
class OnSpark:
    """A query on Spark."""

    context: Context
    select: Select
    frame: DataFrame

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.frame.columns)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the result."""
        from pyspark.sql.pandas.types import to_arrow_schema

        return to_arrow_schema(self.frame.schema)

    def rows(self) -> DataFrame:
        """Return the query itself, which Spark runs when its rows are written."""
        return self.frame

    def result(self) -> Result:
        """Return the first rows; one more than shown is read to learn whether there are more."""
        from workbench.spark.reading.reader import read_by

        context = self.context
        begin = context.clock.monotonic()
        rows = collect(context, self.frame.limit(context.limit + 1), "SELECT")
        total = rows.num_rows if rows.num_rows <= context.limit else None
        names = dict.fromkeys(str(table) for table in self.select.tables)
        shown = rows.slice(0, context.limit)
        choice = " · ".join(filter(None, (read_by(self.frame), context.choice)))
        notes = (footer("Spark", context.clock.monotonic() - begin, None, (), shown, choice),)
        caption = f"{', '.join(names) or 'Query'}, by Spark"
        return Result(caption, rows, total, context.limit, frame=self.frame, engine="spark", notes=notes)


def spark_frame(context: Context, select: Select) -> DataFrame:
    """Return the query as a Spark DataFrame without running it."""
    from workbench.spark.query import query
    from workbench.spark.session import get_session
    from workbench.spark.zone import with_statement_zone

    run_query = context.run_query or (None if context.session is None else context.session.sql)
    if run_query is not None:
        with short_spark_errors():
            return run_query(select.text)
    names: dict[TableRef, tuple[str, ...]] = {}
    for table in select.tables:
        is_view = is_spark_view(context, table) or _is_registered(context, table)
        names[table] = table.parts if is_view else context.full_name(table)
    text = with_full_names(select, names, context.version)
    with short_spark_errors():
        session = with_statement_zone(get_session(context.progress))
        frame: DataFrame = query(text, context.catalog, session=session, progress=context.progress)
    return frame


def _is_registered(context: Context, table: TableRef) -> bool:
    """Make a registered data frame a temporary view. Return False if there is none, or a table has the name."""
    frame = find_frame(context, table)
    if frame is None:
        return False
    from workbench.spark.frames import frame_of_rows
    from workbench.spark.session import get_session

    frame_of_rows(get_session(), frame.rows).createOrReplaceTempView(table.parts[0])
    return True


@contextmanager
def short_spark_errors() -> Iterator[None]:
    """Shorten Spark's errors about the user's SQL and values to one sentence; internal errors are unchanged."""
    from pyspark.errors import AnalysisException, ArithmeticException, DateTimeException, NumberFormatException

    try:
        yield
    except (AnalysisException, ArithmeticException, DateTimeException, NumberFormatException) as error:
        first = (str(error).strip().splitlines() or ["no reason given"])[0]
        raise InvalidExpression(f"Spark says: {first.split(' SQLSTATE:')[0]}") from error


def collect(context: Context, frame: DataFrame, label: str) -> pa.Table:
    """Return all rows of a DataFrame; the query is watched and can be canceled."""
    from workbench.spark.frames import arrow_of
    from workbench.spark.progress import run_job

    with short_spark_errors():
        rows: pa.Table = run_job(frame.sparkSession, label, lambda: arrow_of(frame), context.progress)
    return rows
