"""One statement in, one result out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from workbench.base.errors import CatalogError, TableNotFound, Unsupported
from workbench.base.progress import Progress
from workbench.sql.context import Context
from workbench.sql.insert import CREATE_AS, run_insert, write_rows
from workbench.sql.parse import parse
from workbench.sql.query import query_rows, run_select
from workbench.sql.result import Result, done, rows_result
from workbench.sql.statements import (
    CreateDatabase,
    CreateTable,
    Describe,
    DropDatabase,
    DropTable,
    InsertInto,
    Select,
    ShowDatabases,
    ShowTables,
    Statement,
    Version,
)

if TYPE_CHECKING:
    from workbench.catalog.filesystem import FileSystemCatalog
    from workbench.table.table import Table

# Name, type and comment of each.
_Columns: TypeAlias = list[tuple[str, str, str | None]]
# Lists of names and columns are shown whole up to here.
_ALL = 1000


def execute(
    text: str,
    catalog: FileSystemCatalog,
    database: str | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    limit: int = 50,
    version: Version | None = None,
) -> Result:
    """Run one statement.

    ``database`` is where names without one are looked up. ``engine``: 'local' needs no Spark and takes queries of one
    table; 'spark' runs queries on Spark; 'auto' picks. ``limit`` is how many rows are shown, not how many there are.
    ``version`` is what tables are read at where the text says nothing else.

    Raises:
        InvalidExpression: text that cannot be understood.
        Unsupported: a statement, or a part of one, that the engine does not run.
        WorkbenchError: what the catalog, the table or the commit say.
    """
    context = Context(catalog, database, engine, progress or Progress(), limit, version, text)
    context.check_engine()
    return run_statement(context, parse(text))


def run_statement(context: Context, statement: Statement) -> Result:
    """Run a parsed statement."""
    if isinstance(statement, Select):
        return run_select(context, statement)
    if context.version is not None:
        raise Unsupported("A version can be chosen for queries only.", "Leave --snapshot and --tag out.")
    if isinstance(statement, InsertInto):
        return run_insert(context, statement)
    if isinstance(statement, CreateTable):
        return _create_table(context, statement)
    if isinstance(statement, CreateDatabase):
        context.catalog.create_database(statement.name, exist_ok=statement.if_not_exists)
        return done(f"CREATE DATABASE {statement.name}")
    if isinstance(statement, DropTable | DropDatabase):
        return _drop(context, statement)
    return _look(context, statement)


def _create_table(context: Context, statement: CreateTable) -> Result:
    name = ".".join(context.full_name(statement.table))
    label = f"CREATE TABLE {name}"
    if statement.query is not None:
        return _create_as(context, statement, name)
    exists = _exists(context, name)
    if not (exists and statement.if_not_exists):
        _create(context, statement, name, _columns(statement))
    return done(f"{label}: exists already, left as it is" if exists else label)


def _create_as(context: Context, statement: CreateTable, name: str) -> Result:
    assert statement.query is not None
    if statement.columns:
        raise Unsupported("CREATE TABLE with columns and AS is not supported.", "Leave the column list out.")
    label = f"CREATE TABLE {name}"
    if statement.if_not_exists and _exists(context, name):
        return done(f"{label}: exists already, left as it is")
    is_written = False
    with context.timed() as took, context.progress.step(label, unit="rows"):
        rows, _ = query_rows(context, statement.query)
        table = _create(context, statement, name, rows.schema if isinstance(rows, pa.Table) else _spark_schema(rows))
        try:
            result = write_rows(context, table, rows, CREATE_AS, took)
            is_written = True
        finally:
            # This statement made the table; without its rows it is not what was asked for.
            if not is_written:
                context.catalog.drop_table(name)
    return result


def _spark_schema(frame: Any) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(frame.schema)


def _columns(statement: CreateTable) -> _Columns:
    return [
        (column.name, f"{column.type}{'' if column.nullable else ' NOT NULL'}", column.comment)
        for column in statement.columns
    ]


def _create(context: Context, statement: CreateTable, name: str, columns: _Columns | pa.Schema) -> Table:
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
        if statement.if_exists and not _exists(context, name):
            return done(f"DROP TABLE {name}: there is none")
        context.catalog.drop_table(name)
        return done(f"DROP TABLE {name}")
    if statement.if_exists and statement.name not in context.catalog.list_databases():
        return done(f"DROP DATABASE {statement.name}: there is none")
    context.catalog.drop_database(statement.name, cascade=statement.cascade)
    return done(f"DROP DATABASE {statement.name}")


def _look(context: Context, statement: ShowDatabases | ShowTables | Describe) -> Result:
    if isinstance(statement, ShowDatabases):
        return rows_result(
            pa.table({"database": pa.array(context.catalog.list_databases(), pa.string())}), "Databases", 1000
        )
    if isinstance(statement, ShowTables):
        database = statement.database or context.database
        if database is None:
            raise CatalogError("SHOW TABLES needs a database.", "Write SHOW TABLES IN <database>.")
        return _names("table", context.catalog.list_tables(database), f"Tables in {database}")
    table = context.table(statement.table)
    return rows_result(describe_columns(table), f"Columns of {table.name}", _ALL)


def _names(heading: str, names: list[str], caption: str) -> Result:
    return rows_result(pa.table({heading: pa.array(names, pa.string())}), caption, _ALL)


def describe_columns(table: Table) -> pa.Table:
    """One row a column: column, type, nullable, key ('PRIMARY KEY', 'PARTITION'), default, comment."""
    schema = table.schema
    roles = [
        ", ".join(
            role
            for role, names in (("PRIMARY KEY", schema.primary_keys), ("PARTITION", schema.partition_keys))
            if field.name in names
        )
        for field in schema.fields
    ]
    return pa.table(
        {
            "column": pa.array([field.name for field in schema.fields], pa.string()),
            "type": pa.array([str(field.type.as_nullable()) for field in schema.fields], pa.string()),
            "nullable": pa.array([field.type.nullable for field in schema.fields], pa.bool_()),
            "key": pa.array([role or None for role in roles], pa.string()),
            "default": pa.array([field.default_value for field in schema.fields], pa.string()),
            "comment": pa.array([field.description for field in schema.fields], pa.string()),
        }
    )
