"""The SHOW statements, with Spark's result columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.sql.commands.create_text import create_table_text, create_view_text
from workbench.sql.commands.describe import details_text
from workbench.sql.commands.partition_details import partition_details
from workbench.sql.commands.protocol import Command
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.partitions import partitions_of, selected, shown_partition
from workbench.sql.result import Result, rows_result
from workbench.sql.statements import TableRef

# The maximum number of names that are displayed.
_ALL = 1000


@dataclass(frozen=True)
class Show:
    """A SHOW statement; ``rows`` returns its rows in a context, and ``columns`` are the names of their columns."""

    text: str
    caption: str
    columns: tuple[str, ...]
    rows: Callable[[Context], Iterable[Sequence[Any]]]

    def run(self, context: Context) -> Result:
        """Return the rows."""
        rows = list(self.rows(context))
        types = [pa.bool_() if name == "isTemporary" else pa.string() for name in self.columns]
        arrays = [pa.array([row[at] for row in rows], types[at]) for at in range(len(self.columns))]
        return rows_result(pa.table(arrays, names=list(self.columns)), self.caption, _ALL)


def show(text: str) -> Command:
    """Parse SHOW.

    Raises:
        InvalidExpression: If the text cannot be parsed.
        Unsupported: If Spark has the statement but this library does not run it.
    """
    cursor = Cursor(text)
    cursor.expect("SHOW")
    for words, parse in _FORMS:
        if cursor.accept(*words):
            command = parse(cursor)
            cursor.expect_end()
            return command
    kinds = ", ".join(" ".join(words) for words, _ in _FORMS)
    raise Unsupported(f"'{text}' is not supported.", f"Supported are SHOW {kinds}.")


def like(names: Iterable[str], pattern: str | None) -> list[str]:
    """Return the names that match a SHOW pattern, ignoring case: ``*`` matches any text, ``|`` separates choices."""
    if pattern is None:
        return list(names)
    parts = [".*".join(map(re.escape, part.strip().split("*"))) for part in pattern.split("|")]
    matcher = re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE | re.DOTALL)
    return [name for name in names if matcher.fullmatch(name)]


def _databases(cursor: Cursor) -> Show:
    if cursor.choose("IN", "FROM"):
        cursor.name()
    pattern = _pattern(cursor)
    return Show(
        cursor.text,
        "Databases",
        ("namespace",),
        lambda context: [(name,) for name in like(context.catalog.list_databases(), pattern)],
    )


def _tables(cursor: Cursor) -> Show:
    database, pattern = _database(cursor), _pattern(cursor)

    def rows(context: Context) -> list[tuple[str, str, bool]]:
        chosen = context.database_named(database)
        return [(chosen, name, False) for name in like(context.catalog.list_tables(chosen), pattern)]

    return Show(cursor.text, f"Tables{_in(database)}", ("namespace", "tableName", "isTemporary"), rows)


def _views(cursor: Cursor) -> Show:
    database, pattern = _database(cursor), _pattern(cursor)

    def rows(context: Context) -> list[tuple[str, str, bool]]:
        chosen = context.database_named(database)
        return [(chosen, name, False) for name in like(context.catalog.list_views(chosen), pattern)]

    return Show(cursor.text, f"Views{_in(database)}", ("namespace", "viewName", "isTemporary"), rows)


def _functions(cursor: Cursor) -> Show:
    """Parse ``SHOW FUNCTIONS``, which lists the functions of the catalog; Spark's own are the same everywhere."""
    database = _database(cursor)
    pattern = cursor.name() if not (cursor.is_at_end or cursor.has_string() or cursor.peek() == "LIKE") else None
    pattern = pattern or _pattern(cursor)

    def rows(context: Context) -> list[tuple[str]]:
        chosen = context.database_named(database)
        return [(f"{chosen}.{name}",) for name in like(context.catalog.list_functions(chosen), pattern)]

    return Show(cursor.text, f"Functions{_in(database)}", ("function",), rows)


def _extended(cursor: Cursor) -> Show:
    database = _database(cursor)
    cursor.expect("LIKE")
    pattern = cursor.string()
    partition = cursor.partition() if cursor.accept("PARTITION") else None

    def rows(context: Context) -> Iterable[tuple[str, str, bool, str]]:
        chosen = context.database_named(database)
        for name in like(context.catalog.list_tables(chosen), pattern):
            table = context.catalog.get_table(f"{chosen}.{name}")
            if partition is None:
                yield chosen, name, False, details_text(table, chosen, name)
            else:
                yield chosen, name, False, partition_details(context, table, partition)

    return Show(cursor.text, f"Tables{_in(database)}", ("namespace", "tableName", "isTemporary", "information"), rows)


def _columns(cursor: Cursor) -> Show:
    if cursor.choose("IN", "FROM") is None:
        cursor.fail("expected IN or FROM")
    table = cursor.table()
    if cursor.choose("IN", "FROM"):
        table = TableRef((cursor.name(), table.parts[-1]))
    return Show(
        cursor.text,
        f"Columns of {table}",
        ("col_name",),
        lambda context: [(name,) for name in _column_names(context, table)],
    )


def _column_names(context: Context, table: TableRef) -> list[str]:
    found = context.find_view(table)
    return context.readable(table).arrow_schema.names if found is None else [each.name for each in found[1].fields]


def _partitions(cursor: Cursor) -> Show:
    table = cursor.table()
    wanted = cursor.partition() if cursor.accept("PARTITION") else None
    return Show(
        cursor.text, f"Partitions of {table}", ("partition",), lambda context: _partition_rows(context, table, wanted)
    )


def _partition_rows(context: Context, table: TableRef, wanted: Mapping[str, Any] | None) -> list[tuple[str]]:
    opened = context.readable(table)
    if not opened.partition_keys:
        raise Unsupported(f"{opened.name} is not partitioned.", "Read a table with PARTITIONED BY.")
    # A table may be read from two branches.
    existing = [each for part in opened.scan().parts for each in partitions_of(part.store, part.snapshot)]
    chosen = selected(opened, wanted or {}, existing)
    return [(name,) for name in sorted({shown_partition(opened, each) for each in chosen})]


def _properties(cursor: Cursor) -> Show:
    table = cursor.table()
    key = cursor.keys()[0] if cursor.peek() == "(" else None

    def rows(context: Context) -> list[tuple[str, str]]:
        view = context.find_view(table)
        found = table_properties(context.readable(table)) if view is None else dict(view[1].options)
        if key is None:
            return sorted(found.items())
        missing = f"Table {context.catalog_name}.{'.'.join(context.full_name(table))} does not have property: {key}"
        return [(key, found.get(key, missing))]

    return Show(cursor.text, f"Properties of {table}", ("key", "value"), rows)


def table_properties(table: Any) -> dict[str, str]:
    """Return the properties of a table in SQL: its options, its keys and its path."""
    # Spark does not list who owns a table.
    found = {key: value for key, value in table.options.items() if key != "owner"} | {"path": table.location}
    if table.primary_key:
        found["primary-key"] = ",".join(table.primary_key)
    return found


def _create(cursor: Cursor) -> Show:
    table = cursor.table()
    cursor.accept("AS", "SERDE")
    return Show(
        cursor.text,
        f"Definition of {table}",
        ("createtab_stmt",),
        lambda context: [(_create_text(context, table),)],
    )


def _create_text(context: Context, table: TableRef) -> str:
    view, name = context.find_view(table), _name_to_create(context, table)
    return create_table_text(context.readable(table).schema, name) if view is None else create_view_text(view[1], name)


def _name_to_create(context: Context, table: TableRef) -> tuple[str, ...]:
    """Return the name of a table, including the catalog in sessions, which have several catalogs."""
    name = context.full_name(table)
    return name if context.settings is None else (context.catalog_name, *name)


def _tags(cursor: Cursor) -> Show:
    table = cursor.table()
    return Show(
        cursor.text,
        f"Tags of {table}",
        ("tag",),
        lambda context: [(name,) for name in sorted(context.table(table).tags())],
    )


def _database(cursor: Cursor) -> str | None:
    return cursor.path()[-1] if cursor.choose("IN", "FROM") else None


def _pattern(cursor: Cursor) -> str | None:
    return cursor.string() if cursor.accept("LIKE") or cursor.has_string() else None


def _in(database: str | None) -> str:
    return f" in {database}" if database else ""


_FORMS: tuple[tuple[tuple[str, ...], Callable[[Cursor], Command]], ...] = (
    (("DATABASES",), _databases),
    (("SCHEMAS",), _databases),
    (("NAMESPACES",), _databases),
    (("TABLES",), _tables),
    (("VIEWS",), _views),
    (("FUNCTIONS",), _functions),
    (("USER", "FUNCTIONS"), _functions),
    (("ALL", "FUNCTIONS"), _functions),
    (("TABLE", "EXTENDED"), _extended),
    (("COLUMNS",), _columns),
    (("PARTITIONS",), _partitions),
    (("TBLPROPERTIES",), _properties),
    (("CREATE", "TABLE"), _create),
    (("TAGS",), _tags),
)
