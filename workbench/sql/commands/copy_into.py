"""``COPY INTO``: loads files into a table, or writes the rows of a table or query to files. Spark runs both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from workbench.base.errors import InvalidExpression
from workbench.base.modules import exp
from workbench.sql.commands.protocol import Command
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.parts import parse_tree, select_of
from workbench.sql.result import Result, rows_result
from workbench.sql.statements import Select, TableRef, quote_name

# The maximum number of files that are displayed.
_ALL = 1000
_Options = Mapping[str, str | tuple[str, ...]]
_LOADED = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in ("file_name", "status")),
        *(pa.field(name, pa.int64()) for name in ("rows_loaded", "rows_parsed", "errors_seen")),
        pa.field("first_error", pa.string()),
    ]
)


@dataclass(frozen=True)
class CopyFiles:
    """``COPY INTO table [(columns)] FROM 'path' FILE_FORMAT = (…) [PATTERN = …] [FORCE = …] [ON_ERROR = …]``."""

    text: str
    table: TableRef
    columns: tuple[str, ...]
    path: str
    options: _Options
    pattern: str | None
    force: bool
    on_error: str

    def run(self, context: Context) -> Result:
        """Load the files and return the outcome for each file."""
        from workbench.spark.copying.file_format import format_to_load
        from workbench.spark.copying.load import Load, load_files
        from workbench.spark.session import get_session
        from workbench.sql.engines.spark_engine import short_spark_errors

        form = format_to_load(self.options)
        table = context.table_to_change(self.table)
        load = Load(self.path, form, self.columns, self.pattern, self.force, self.on_error)
        with context.progress.step(f"COPY INTO {table.name}"), short_spark_errors():
            session = get_session(context.progress)
            found = load_files(table, load, session, context.progress, context.snapshot_properties)
        rows = pa.Table.from_pylist([asdict(each) for each in found], _LOADED)
        return rows_result(rows, f"COPY INTO {table.name}", _ALL)


@dataclass(frozen=True)
class CopyRows:
    """``COPY INTO 'path' FROM table|(query) FILE_FORMAT = (…) [OVERWRITE = …]``."""

    text: str
    path: str
    query: Select
    options: _Options
    overwrite: bool

    def run(self, context: Context) -> Result:
        """Write the files, and return how many files and rows were written."""
        from workbench.spark.copying.export import export_rows
        from workbench.spark.copying.file_format import format_to_write
        from workbench.sql.engines.spark_engine import short_spark_errors, spark_frame

        form = format_to_write(self.options)
        with context.progress.step(f"COPY INTO '{self.path}'"), short_spark_errors():
            frame = spark_frame(replace(context, engine="spark"), self.query)
            files, rows = export_rows(frame, self.path, form, overwrite=self.overwrite, progress=context.progress)
        columns = [pa.array([self.path]), pa.array([files], pa.int32()), pa.array([rows], pa.int64())]
        result = pa.table(columns, names=["output_path", "file_count", "rows_written"])
        return rows_result(result, f"COPY INTO '{self.path}'", _ALL)


def copy_into(text: str) -> Command:
    """Parse COPY INTO.

    Raises:
        InvalidExpression: If the text cannot be parsed.
    """
    cursor = Cursor(text)
    cursor.expect("COPY", "INTO")
    command = _rows(cursor) if cursor.has_string() else _files(cursor)
    cursor.expect_end()
    return command


def _files(cursor: Cursor) -> CopyFiles:
    table = cursor.table()
    columns = _names(cursor) if cursor.accept("(") else ()
    cursor.expect("FROM")
    path, options = cursor.string(), _format(cursor)
    pattern = cursor.string() if cursor.accept("PATTERN", "=") else None
    force = _is_true(cursor) if cursor.accept("FORCE", "=") else False
    on_error: str | None = "ABORT_STATEMENT"
    if cursor.accept("ON_ERROR", "="):
        on_error = cursor.choose("ABORT_STATEMENT", "CONTINUE", "SKIP_FILE")
    if on_error is None:
        cursor.fail("expected ABORT_STATEMENT, CONTINUE or SKIP_FILE")
    return CopyFiles(cursor.text, table, columns, path, options, pattern, force, on_error)


def _rows(cursor: Cursor) -> CopyRows:
    path = cursor.string()
    cursor.expect("FROM")
    text = _query_text(cursor)
    options = _format(cursor)
    overwrite = _is_true(cursor) if cursor.accept("OVERWRITE", "=") else False
    tree = parse_tree(text)
    if not isinstance(tree, exp.Query | exp.Values):
        raise InvalidExpression("COPY INTO writes the rows of a query or table.", "Write FROM (SELECT …).")
    if isinstance(tree, exp.Values):
        text = f"SELECT * FROM {text}"
        tree = parse_tree(text)
    return CopyRows(cursor.text, path, select_of(tree, text), options, overwrite)


def _query_text(cursor: Cursor) -> str:
    if not cursor.accept("("):
        return f"SELECT * FROM {'.'.join(map(quote_name, cursor.table().parts))}"
    text = cursor.text_until(")")
    cursor.expect(")")
    return text


def _format(cursor: Cursor) -> _Options:
    found: dict[str, str | tuple[str, ...]] = {}
    cursor.expect("FILE_FORMAT", "=", "(")
    while True:
        key = cursor.name().upper()
        cursor.expect("=")
        found[key] = _texts(cursor) if cursor.accept("(") else cursor.property_value()
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return found


def _names(cursor: Cursor) -> tuple[str, ...]:
    found = [cursor.name()]
    while cursor.accept(","):
        found.append(cursor.name())
    cursor.expect(")")
    return tuple(found)


def _texts(cursor: Cursor) -> tuple[str, ...]:
    found = [cursor.string()]
    while cursor.accept(","):
        found.append(cursor.string())
    cursor.expect(")")
    return tuple(found)


def _is_true(cursor: Cursor) -> bool:
    word: Any = cursor.choose("TRUE", "FALSE")
    if word is None:
        cursor.fail("expected TRUE or FALSE")
    return bool(word == "TRUE")
