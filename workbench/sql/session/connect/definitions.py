"""CREATE and REPLACE of tables, databases and temporary views in a session of Spark Connect."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.base.errors import AlreadyExists, InvalidExpression, SchemaMismatch, TableNotFound, Unsupported
from workbench.base.secrets import shown_value
from workbench.catalog.default_database import properties_of
from workbench.format.types import DataType, parse_type
from workbench.spark.storing.assignment import can_up_cast
from workbench.spark.types import PAIMON_TYPE, declared_schema, to_spark
from workbench.sql.commands.alter import AlterTable
from workbench.sql.commands.databases import create_database as create_statement
from workbench.sql.cursor import Cursor
from workbench.sql.execute import columns_of
from workbench.sql.session.connect.writes import Target, send_to_bridge
from workbench.sql.statements import CreateTable, quote_text

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.sql.session.connect.position import Position
    from workbench.table.table import Table


# The properties that have a row of their own in Spark's DESCRIBE DATABASE.
_OF_NAMESPACES = ("comment", "location", "owner")


@dataclass(frozen=True)
class Replacing:
    """Whether a statement may create a new table, and whether it may replace an existing one."""

    creates: bool = True
    replaces: bool = False


def as_create(text: str) -> tuple[str, Replacing]:
    """Return a statement, with ``REPLACE TABLE`` written as ``CREATE TABLE``, and what it may create or replace."""
    cursor = Cursor(text)
    if cursor.accept("CREATE", "OR", "REPLACE", "TABLE"):
        return f"CREATE TABLE {cursor.rest()}", Replacing(replaces=True)
    if cursor.accept("REPLACE", "TABLE"):
        return f"CREATE TABLE {cursor.rest()}", Replacing(creates=False, replaces=True)
    return text, Replacing()


def create_table(target: Target, statement: CreateTable, how: Replacing, run_query: Callable[[str], Any]) -> None:
    """Create or replace a table, and write the rows of its query.

    Args:
        target: The table.
        statement: The parsed statement, as CREATE TABLE.
        how: Whether the statement may create a table or replace one.
        run_query: Returns the rows of a query.

    Raises:
        AlreadyExists: If there is a table of that name that may not be replaced.
        TableNotFound: If there is no table to replace.
    """
    exists = target.table() is not None
    if exists and statement.if_not_exists:
        return
    if exists and not how.replaces:
        raise AlreadyExists(f"Table {target.name} already exists.", "Write IF NOT EXISTS or OR REPLACE.")
    if not exists and not how.creates:
        raise TableNotFound(f"There is no table '{target.name}'.", "Write CREATE OR REPLACE TABLE.")
    properties = {**statement.options, "provider": "paimon", "owner": getpass.getuser()}
    if statement.primary_key:
        properties["primary-key"] = ",".join(statement.primary_key)
    if statement.comment:
        properties["comment"] = statement.comment
    if statement.query is None:
        schema = declared_schema(columns_of(statement))
        for column, field in zip(statement.columns, schema.fields, strict=True):
            field.metadata[PAIMON_TYPE] = column.type
            if column.default is not None:
                field.metadata["CURRENT_DEFAULT"] = quote_text(column.default)
        target.define(schema.json(), statement.partition_by, properties, replace=exists)
        return
    if statement.columns:
        raise Unsupported("CREATE TABLE with columns and AS is not supported.", "Remove the column list.")
    frame = run_query(statement.query.text)
    target.create(frame, statement.partition_by, properties, replace=exists)


def create_database(catalog: Catalog, name: str, text: str) -> bool:
    """Create the database of a CREATE DATABASE statement; return False for other statements."""
    parsed = create_statement(text)
    if parsed is None:
        return False
    if parsed.if_not_exists and parsed.name in catalog.list_databases():
        return True
    made = {"operation": "create_database", "database": parsed.name, "properties": dict(parsed.properties)}
    send_to_bridge(catalog, name, made)
    return True


def create_view(text: str, position: Position, run_query: Callable[[str], Any]) -> bool:
    """Create the temporary view that a statement defines; return False for other statements.

    The server keeps the rows of the view. The session keeps its text, so that queries read the newest rows.
    """
    cursor = Cursor(text)
    if cursor.accept("DROP", "VIEW"):
        cursor.accept("IF", "EXISTS")
        position.views.pop(cursor.path()[-1].lower(), None)
        return False
    replaces = cursor.accept("CREATE", "OR", "REPLACE") or not cursor.accept("CREATE")
    if cursor.choose("TEMPORARY", "TEMP") is None or not cursor.accept("VIEW"):
        return False
    skips = cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.name()
    if skips and name.lower() in position.views:
        return True
    if not cursor.accept("AS"):
        return False
    query = cursor.rest()
    frame = run_query(query)
    (frame.createOrReplaceTempView if replaces else frame.createTempView)(name)
    position.views[name.lower()] = query
    return True


def check_change(statement: Any, open_table: Callable[[Any], Table]) -> None:
    """Check that a statement changes types and properties only as Spark allows it.

    Raises:
        SchemaMismatch: If values of a column may not fit its new type.
        Unsupported: If a property would change the primary key or the partition keys of the table.
    """
    from workbench.table.schema_changes.changes import SetOption, UpdateColumnType

    if not isinstance(statement, AlterTable):
        return
    for change in statement.changes:
        if isinstance(change, SetOption) and change.key in ("primary-key", "partition"):
            raise Unsupported(f"Property '{change.key}' of a table cannot be changed.", "Create another table.")
        if not isinstance(change, UpdateColumnType) or not isinstance(change.name, str):
            continue
        fields = {field.name: field for field in open_table(statement.table).schema.fields}
        if change.name not in fields:
            continue
        given, target = to_spark(fields[change.name].type), to_spark(_parsed(change.type))
        if not can_up_cast(given, target):
            raise SchemaMismatch(
                f"Column '{change.name}' is {given.simpleString()}, which cannot become {target.simpleString()}.",
                "Choose a type that holds all values.",
            )


def described_database(catalog: Catalog, name: str, text: str) -> list[tuple[str, str]] | None:
    """Return the rows of DESCRIBE DATABASE; None for other statements. Raises DatabaseNotFound."""
    cursor = Cursor(text)
    if cursor.choose("DESCRIBE", "DESC") is None or cursor.choose("DATABASE", "SCHEMA", "NAMESPACE") is None:
        return None
    extended = cursor.accept("EXTENDED")
    database = cursor.path()[-1]
    properties = properties_of(catalog, database)
    rows = [("Catalog Name", name), ("Namespace Name", database)]
    rows += [(key.capitalize(), properties.pop(key)) for key in _OF_NAMESPACES if key in properties]
    others = ", ".join(f"({key},{shown_value(key, value)})" for key, value in sorted(properties.items()))
    return [*rows, ("Properties", others and f"({others})")] if extended else rows


def _parsed(given: str | DataType) -> DataType:
    return parse_type(given) if isinstance(given, str) else given


def is_creation(text: str) -> bool:
    """Return whether a statement creates what it names."""
    try:
        return Cursor(text).peek() in ("CREATE", "REPLACE")
    except InvalidExpression:
        return False
