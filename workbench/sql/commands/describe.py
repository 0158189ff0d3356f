"""The DESCRIBE statements, with Spark's result columns."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import SchemaMismatch, Unsupported, did_you_mean
from workbench.sql.commands.protocol import Command
from workbench.sql.commands.spark_types import spark_type
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.partitions import selected
from workbench.sql.result import Result, rows_result
from workbench.sql.statements import TableRef

if TYPE_CHECKING:
    from workbench.catalog.descriptions import View
    from workbench.catalog.identifier import Identifier
    from workbench.format.types import DataField

# The maximum number of columns that are displayed.
_ALL = 1000
_Row = tuple[str, str, str | None]


@dataclass(frozen=True)
class DescribeTable:
    """``DESCRIBE [TABLE] [EXTENDED|FORMATTED] table [PARTITION (…)|column]``; a partition has the columns of its
    table."""

    text: str
    table: TableRef
    extended: bool = False
    column: str | None = None
    partition: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def run(self, context: Context) -> Result:
        """Return the columns of the table, or the facts of one column."""
        view = context.find_view(self.table)
        if view is not None:
            return self._of_view(*view)
        table = context.readable(self.table)
        selected(table, self.partition, [])
        if self.column is not None:
            facts = _column_facts(table.name, table.schema.fields, self.column)
            return _rows(("info_name", "info_value"), facts, f"Column of {table.name}")
        rows = list(_columns(table))
        if self.extended:
            rows += _extended(table, *context.full_name(self.table))
        return _rows(("col_name", "data_type", "comment"), rows, f"Columns of {table.name}")

    def _of_view(self, identifier: Identifier, view: View) -> Result:
        if self.partition:
            raise Unsupported(f"{identifier} is a view and has no partitions.", "Describe its tables.")
        if self.column is not None:
            facts = _column_facts(str(identifier), view.fields, self.column)
            return _rows(("info_name", "info_value"), facts, f"Column of {identifier}")
        rows: list[_Row] = [(each.name, spark_type(each.type), each.description) for each in view.fields]
        if self.extended:
            rows += [("", "", ""), ("# Detailed View Information", "", "")]
            rows += [(key, value, "") for key, value in _view_details(identifier, view)]
        return _rows(("col_name", "data_type", "comment"), rows, f"Columns of {identifier}")


@dataclass(frozen=True)
class DescribeFunction:
    """``DESCRIBE FUNCTION [EXTENDED] name``, for a function of the catalog."""

    text: str
    name: TableRef
    extended: bool = False

    def run(self, context: Context) -> Result:
        """Return the facts of the function, and its definitions if EXTENDED is given."""
        name = ".".join(context.full_name(self.name))
        found = context.catalog.get_function(name)
        inputs = ", ".join(f"{each.name} {spark_type(each.type).upper()}" for each in found.inputs)
        facts = [
            ("Function", f"{context.catalog_name}.{name}"),
            ("Input", inputs or "()"),
            ("Returns", ", ".join(spark_type(each.type).upper() for each in found.outputs)),
            ("Comment", found.comment or ""),
            ("Deterministic", str(found.is_deterministic).lower()),
        ]
        if self.extended:
            facts += [
                (f"Definition for {key}", json.dumps(dict(text))) for key, text in sorted(found.definitions.items())
            ]
        return _rows(("function_desc",), [(f"{key}: {value}",) for key, value in facts if value], f"Function {name}")


@dataclass(frozen=True)
class DescribeDatabase:
    """``DESCRIBE DATABASE [EXTENDED] name``."""

    text: str
    name: str

    def run(self, context: Context) -> Result:
        """Return the name and the location of the database."""
        found = context.catalog.get_database(self.name)
        rows = [("Namespace Name", self.name)]
        rows += [("Comment", found.comment)] if found.comment else []
        rows += [("Location", found.location)] if found.location else []
        return _rows(("info_name", "info_value"), rows, f"Database {self.name}")


def describe(text: str) -> Command:
    """Parse DESCRIBE.

    Raises:
        InvalidExpression: If the text cannot be parsed.
    """
    cursor = Cursor(text)
    if cursor.choose("DESCRIBE", "DESC") is None:
        cursor.fail("expected DESCRIBE")
    if cursor.choose("DATABASE", "SCHEMA", "NAMESPACE"):
        cursor.accept("EXTENDED")
        database = DescribeDatabase(text, cursor.path()[-1])
        cursor.expect_end()
        return database
    if cursor.accept("FUNCTION"):
        extended = cursor.accept("EXTENDED")
        function = DescribeFunction(text, cursor.table(), extended)
        cursor.expect_end()
        return function
    cursor.accept("TABLE")
    extended = cursor.choose("EXTENDED", "FORMATTED") is not None
    table = cursor.table()
    partition = cursor.partition() if cursor.accept("PARTITION") else {}
    column = None if cursor.is_at_end else cursor.name()
    cursor.expect_end()
    return DescribeTable(text, table, extended, column, partition)


def details_text(table: Any, database: str, name: str) -> str:
    """Return the facts of a table as the lines of SHOW TABLE EXTENDED."""
    return "".join(f"{key}: {value}\n" for key, value in _details(table, database, name))


def _columns(table: Any) -> Iterator[_Row]:
    by_name = {field.name: field for field in table.schema.fields}
    for field in table.schema.fields:
        yield field.name, spark_type(field.type), field.description
    if table.partition_keys:
        yield "# Partition Information", "", ""
        yield "# col_name", "data_type", "comment"
        for key in table.partition_keys:
            yield key, spark_type(by_name[key].type), by_name[key].description


def _extended(table: Any, database: str, name: str) -> Iterator[_Row]:
    yield "", "", ""
    yield "# Detailed Table Information", "", ""
    for key, value in _details(table, database, name):
        yield key, value, ""


def _details(table: Any, database: str, name: str) -> Iterator[tuple[str, str]]:
    yield "Catalog", "paimon"
    yield "Namespace", database
    yield "Table", name
    yield "Type", "MANAGED"
    if table.schema.comment:
        yield "Comment", table.schema.comment
    yield "Location", table.location
    yield "Provider", "paimon"
    options = dict(table.options)
    if table.primary_key:
        options["primary-key"] = ",".join(table.primary_key)
    yield "Table Properties", f"[{','.join(f'{key}={value}' for key, value in sorted(options.items()))}]"


def _view_details(identifier: Identifier, view: View) -> Iterator[tuple[str, str]]:
    yield "Name", str(identifier)
    yield "Comment", view.comment or ""
    yield "View Text", view.query_for("spark")
    yield "View Query Output Columns", f"[{', '.join(each.name for each in view.fields)}]"
    yield "View Properties", f"[{', '.join(f'{key}={value}' for key, value in sorted(view.options.items()))}]"


def _column_facts(table: str, fields: Sequence[DataField], name: str) -> list[tuple[str, str]]:
    for field in fields:
        if field.name.lower() == name.lower():
            facts = [("col_name", field.name), ("data_type", spark_type(field.type))]
            return [*facts, ("comment", field.description or "NULL")]
    raise SchemaMismatch(f"{table} has no column '{name}'.", did_you_mean(name, [each.name for each in fields]))


def _rows(columns: tuple[str, ...], rows: Any, caption: str) -> Result:
    arrays = [pa.array([row[at] for row in rows], pa.string()) for at in range(len(columns))]
    return rows_result(pa.table(arrays, names=list(columns)), caption, _ALL)
