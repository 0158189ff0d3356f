"""Runs a query on the engine that the registry chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.sql.context import Context
from workbench.sql.engines.registry import run_on_engine
from workbench.sql.result import Result
from workbench.sql.statements import Select

if TYPE_CHECKING:
    import pyarrow as pa


def run_select(context: Context, select: Select) -> Result:
    """Run a query and return its result."""
    return run_on_engine(context, select, lambda query: query.result())


def query_schema(context: Context, select: Select) -> pa.Schema:
    """Return the columns of a query, which is not run."""
    return run_on_engine(context, select, lambda query: query.schema)


def query_rows(context: Context, select: Select) -> tuple[Any, int]:
    """Return the rows of a query as Arrow rows or as a Spark DataFrame, and their number of columns."""
    return run_on_engine(context, select, lambda query: (query.rows(), query.width))
