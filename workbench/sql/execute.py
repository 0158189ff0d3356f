"""Runs one SQL statement and returns its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from workbench.base.errors import TableNotFound, Unsupported
from workbench.base.progress import Progress
from workbench.catalog.default_database import create_if_default
from workbench.expr.depth import refused_depth
from workbench.format.types import DataField, parse_type
from workbench.sql.commands.protocol import Command
from workbench.sql.context import Context
from workbench.sql.engines.choice import for_pipeline
from workbench.sql.engines.protocol import Written
from workbench.sql.engines.registry import chosen_engine, runs_as_written
from workbench.sql.frames import arrow_rows
from workbench.sql.insert import CREATE_AS, run_insert, write_rows
from workbench.sql.parse import is_query, only_statement, parse
from workbench.sql.query import query_rows, run_select
from workbench.sql.result import Result, done
from workbench.sql.statements import (
    CreateTable,
    CreateTableLike,
    DropDatabase,
    DropTable,
    InsertInto,
    Select,
    Statement,
    TimeTravel,
)

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.table import Table

_Columns: TypeAlias = list[DataField]


def execute(
    text: str,
    catalog: Catalog,
    database: str | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    limit: int = 50,
    version: TimeTravel | None = None,
    frames: Mapping[str, Any] | None = None,
    cell: str = "",
) -> Result:
    """Run one SQL statement.

    Args:
        text: The statement.
        catalog: The catalog that resolves table names.
        database: The database of table names that have no database part.
        engine: ``'auto'`` runs a query on DuckDB if DuckDB is known to return the same result as Spark, and on Spark
            otherwise; ``'spark'`` runs it on Spark; ``'duckdb'`` takes queries in DuckDB's own dialect;
            ``'jar'`` sends the statement to the official connector of the active Spark session.
        progress: Receives progress reports and cancels the statement.
        limit: The maximum number of rows to show; the result still has all of them.
        version: The version at which tables are read, unless the text names another.
        frames: Data frames that queries can read by these names: pandas, Arrow, Polars or anything with
            ``__arrow_c_stream__``. The name of a table takes precedence.
        cell: The name of the cell that runs the statement, which its snapshots record.

    Returns:
        The rows of a query, or a message about the change.

    Raises:
        InvalidExpression: If the text cannot be parsed.
        Unsupported: If the engine does not support the statement or a part of it.
        WorkbenchError: If the catalog, the table or the commit fails.

    Example:
        >>> execute("SELECT count(*) FROM shop.orders", catalog)
    """
    run = runs_as_written(engine, version)
    if run is not None:
        return run(Written(text, progress or Progress(), limit))
    chosen = chosen_engine(engine)
    known = {name.lower(): arrow_rows(frame) for name, frame in (frames or {}).items()}
    context = Context(catalog, database, engine, progress or Progress(), limit, version, text, frames=known, cell=cell)
    if chosen is not None and chosen.own_dialect and is_query(text):
        return run_statement(context, Select(only_statement(text), (), None, None))
    return run_statement(context, parse(text))


def run_statement(context: Context, statement: Statement | Command) -> Result:
    """Run a parsed statement.

    Raises:
        InvalidExpression: If an expression is nested too deeply.
    """
    with refused_depth():
        return _run(context, statement)


def _run(context: Context, statement: Statement | Command) -> Result:
    if isinstance(statement, Select):
        return run_select(context, statement)
    if context.version is not None:
        raise Unsupported("Only queries accept a version.", "Remove --snapshot and --tag.")
    if isinstance(statement, InsertInto):
        return run_insert(context, statement)
    if isinstance(statement, CreateTable):
        return _create_table(context, statement)
    if isinstance(statement, CreateTableLike):
        return _create_like(context, statement)
    if isinstance(statement, DropTable | DropDatabase):
        return _drop(context, statement)
    return statement.run(context)


def _create_table(context: Context, statement: CreateTable) -> Result:
    name = ".".join(context.full_name(statement.table))
    label = f"CREATE TABLE {name}"
    if statement.query is not None:
        return _create_as(context, statement, name)
    exists = _exists(context, name)
    if not (exists and statement.if_not_exists):
        _create(context, statement, name, columns_of(statement))
    return done(f"{label}: already exists, unchanged" if exists else label)


def _create_as(context: Context, statement: CreateTable, name: str) -> Result:
    assert statement.query is not None
    if statement.columns:
        raise Unsupported("CREATE TABLE with columns and AS is not supported.", "Remove the column list.")
    label = f"CREATE TABLE {name}"
    if statement.if_not_exists and _exists(context, name):
        return done(f"{label}: already exists, unchanged")
    is_written = False
    context = for_pipeline(context, statement.query)
    with context.timed() as took, context.progress.step(label, unit="rows"):
        rows, _ = query_rows(context, statement.query)
        table = _create(context, statement, name, rows.schema if isinstance(rows, pa.Table) else _spark_schema(rows))
        try:
            result = write_rows(context, table, rows, CREATE_AS, took)
            is_written = True
        finally:
            # Drop the table that this statement created: without its rows it is not the requested table.
            if not is_written:
                context.catalog.drop_table(name)
    return result


def _spark_schema(frame: Any) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(frame.schema)


def _create_like(context: Context, statement: CreateTableLike) -> Result:
    name, source = ".".join(context.full_name(statement.table)), context.readable(statement.source).schema
    label = f"CREATE TABLE {name}"
    if statement.if_not_exists and _exists(context, name):
        return done(f"{label}: already exists, unchanged")
    context.catalog.create_table(
        name,
        source.fields,
        primary_key=list(source.primary_keys),
        partition_by=list(source.partition_keys),
        options={**source.options, **statement.options},
        comment=source.comment,
    )
    return done(label)


def columns_of(statement: CreateTable) -> _Columns:
    """Return the columns of a CREATE TABLE statement."""
    from workbench.table.schema_changes.schema import with_default

    fields = []
    for number, column in enumerate(statement.columns):
        data_type = parse_type(f"{column.type}{'' if column.nullable else ' NOT NULL'}")
        plain = DataField(number, column.name, data_type, column.comment)
        fields.append(plain if column.default is None else with_default(plain, column.default))
    return fields


def _create(context: Context, statement: CreateTable, name: str, columns: _Columns | pa.Schema) -> Table:
    create_if_default(context.catalog, name.partition(".")[0])
    return context.catalog.create_table(
        name,
        columns,
        primary_key=list(statement.primary_key),
        partition_by=list(statement.partition_by),
        options=dict(statement.options),
        comment=statement.comment,
    )


def _exists(context: Context, name: str) -> bool:
    try:
        context.catalog.get_table(name)
    except TableNotFound:
        return False
    return True


def _drop(context: Context, statement: DropTable | DropDatabase) -> Result:
    if isinstance(statement, DropTable):
        name = ".".join(context.full_name(statement.table))
        if context.find_view(statement.table) is not None:
            raise TableNotFound(f"{name} is a view, not a table.", f"Write DROP VIEW {name}.")
        if statement.if_exists and not _exists(context, name):
            return done(f"DROP TABLE {name}: does not exist, nothing to drop")
        context.catalog.drop_table(name)
        return done(f"DROP TABLE {name}")
    if statement.if_exists and statement.name not in context.catalog.list_databases():
        return done(f"DROP DATABASE {statement.name}: does not exist, nothing to drop")
    context.catalog.drop_database(statement.name, cascade=statement.cascade)
    return done(f"DROP DATABASE {statement.name}")
