"""Views of catalogs in the statements of a Spark session: each becomes its query."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException

from workbench.base.errors import InvalidExpression, WorkbenchError
from workbench.base.modules import exp, sqlglot
from workbench.expr.dialect import tokens_of, with_selects
from workbench.sql.engines.spark_engine import short_spark_errors
from workbench.sql.engines.views import Expanded, naming_views, with_views_expanded
from workbench.sql.parts import parse_tree, select_of
from workbench.sql.statements import Select

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.sql.context import Context

_Run = Callable[[str], "DataFrame"]
# The first words of queries, and of statements that contain one.
_BEGINNINGS = ("(", "WITH", "SELECT", "FROM", "VALUES", "INSERT", "CREATE")


def with_catalog_views(text: str, contexts: Iterable[Context], run: _Run, analyze: _Run) -> DataFrame:
    """Run a query, or a statement that contains one, in which views of catalogs are replaced by their queries.

    Args:
        text: The statement.
        contexts: The context of each catalog.
        run: Runs a statement without views.
        analyze: Returns a query without views as a DataFrame, which is not run.

    Raises:
        InvalidExpression, Unsupported, TableNotFound: If a view cannot be read; the message names it.

    Example:
        >>> with_catalog_views("INSERT INTO t SELECT id FROM shop.large", [context], spark.sql, spark.sql)
    """

    def width(_context: Context, select: Select) -> int:
        with short_spark_errors():
            return len(analyze(select.text).columns)

    found = []
    for context in contexts:
        expanded = _expanded(context, text, width) if context.catalog.has_views else None
        if expanded is not None and expanded.views:
            found.append(expanded)
            text = expanded.select.text
    try:
        return run(text)
    except (AnalysisException, WorkbenchError) as error:
        for each in found:
            _refuse_views(each, error, width)
        raise


def _expanded(context: Context, text: str, width: Callable[[Context, Select], int]) -> Expanded | None:
    body = with_selects(text)
    query = _query_in(body)
    return None if query is None else with_views_expanded(context, select_of(query, body), width)


def _refuse_views(expanded: Expanded, error: Exception, width: Callable[[Context, Select], int]) -> None:
    """Raise an error that names the view whose own query Spark refuses, because Spark's error does not name it."""
    refusal = InvalidExpression(str(error))
    named = naming_views(expanded, refusal, width)
    if named is not refusal:
        raise named from error


def _query_in(body: str) -> Any:
    """Return the tree of the query in a statement; None if there is none, or if only Spark can parse it."""
    try:
        words = [each.text.upper() for each in tokens_of(body)]
        # The parser would warn about statements that only Spark knows.
        if not words or words[0] not in _BEGINNINGS or ("SELECT" not in words and "FROM" not in words):
            return None
        tree: Any = parse_tree(body)
    except (InvalidExpression, sqlglot.errors.SqlglotError):
        return None
    inner = tree.expression if isinstance(tree, exp.Insert | exp.Create) else tree
    return inner if isinstance(inner, exp.Query) else None
