"""Reads of the session's catalog: the plan, the rows and the aggregates that Spark's planner requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession

from workbench.base.errors import InvalidRequest, SnapshotNotFound, Unsupported
from workbench.expr.char_values import PADDED
from workbench.expr.expressions import Expr, Function, Literal, col, conjunction
from workbench.format.types import char_length
from workbench.spark.jvm.incremental import changed_rows, is_incremental
from workbench.spark.jvm.options import (
    BY_PATH,
    CHANGELOG,
    PADS_CHAR,
    PINNED,
    is_set,
    named_table,
    selects_version,
    table_options,
)
from workbench.spark.reach import reach
from workbench.spark.reading.metadata_columns import ROW, USER_METADATA_COLUMNS, with_metadata_columns
from workbench.spark.reading.reader import BY_TASKS, plain_files, rows_of
from workbench.spark.storing.value_limits import with_padding
from workbench.table.read_options import open_for_read

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.scan.scan import Scan
    from workbench.table.readable_table import ReadableTable

Request = Mapping[str, Any]
_FULL_SCAN = "read.allow.fullScan"
_PADDING = "spark.sql.readSideCharPadding"
_COMPARISONS = {
    "=": "__eq__",
    ">": "__gt__",
    ">=": "__ge__",
    "<": "__lt__",
    "<=": "__le__",
    "starts with": "startswith",
    "ends with": "endswith",
    "contains": "contains",
}


def open_table(catalog: Catalog, options: Mapping[str, str]) -> ReadableTable:
    """Return the table of a read at its version; ``options`` are those of the read, with the table's name."""
    table = named_table(catalog, options)
    given = table_options(options)
    opened = open_for_read(table, given) if given else table
    # A pinned read has the columns with which the statement was analyzed: those of the newest schema.
    return opened.pinned(int(options[PINNED])) if PINNED in options and not selects_version(given) else opened


def plan(catalog: Catalog, request: Request, session: SparkSession | None) -> dict[str, Any]:
    """Return the size of a read, and the paths of its files if Spark's own reader returns the rows of all of them
    unchanged, or a note that says why it does not. Without a session, only the size is of interest."""
    if is_set(request["reading"], CHANGELOG) and not is_set(request["reading"], BY_PATH):
        raise Unsupported(
            f"Option '{CHANGELOG}' is not supported for a batch read by name.", "Read `table$audit_log`, or use load."
        )
    if is_incremental(request["reading"]):
        return {"paths": None}
    try:
        table = open_table(catalog, request["reading"])
    except SnapshotNotFound:
        if not request.get("stream"):
            raise
        # A stream may start at a snapshot that does not exist yet.
        return {"paths": None}
    scan = table.scan(None, _where(table, request), request.get("limit"))
    found: dict[str, Any] = {"paths": None, "note": ""}
    if scan.has_plan:
        planned = [file for split in scan.plan() for file in split.files]
        _check_full_scan(table, request["reading"], len(planned))
        found |= {"bytes": sum(each.file_size for each in planned), "rows": sum(each.row_count for each in planned)}
    plain = request["columns"] and not _names_metadata(table, request) and not _pads_char(request)
    if session is None or not scan.has_plan:
        return found
    files = plain_files(_scan(table, request), session) if plain else None
    if files is not None:
        return {**found, "paths": files[0], "options": dict(files[1])}
    reason = reach(session, scan.store).reason
    return found if reason is None else {**found, "note": f"{BY_TASKS}{reason}"}
    return found


def check_reading(options: Mapping[str, str]) -> None:
    """Check the options of a batch read with unknown conditions. Raises Unsupported for options that need them."""
    if options.get(_FULL_SCAN, "true").lower() == "false":
        raise Unsupported(f"Option '{_FULL_SCAN}' = 'false' is not supported.", "Remove it, or set it to 'true'.")


def _check_full_scan(table: ReadableTable, options: Mapping[str, str], files: int) -> None:
    """Check that the conditions of a read exclude files, if option 'read.allow.fullScan' = 'false' requires it.

    Raises:
        InvalidRequest: If the conditions do not exclude any file of a partitioned table.
    """
    if options.get(_FULL_SCAN, "true").lower() != "false" or not table.partition_keys:
        return
    if files == sum(len(split.files) for split in table.scan().plan()):
        raise InvalidRequest(
            f"Option '{_FULL_SCAN}' = 'false' forbids reading all files of {table.name}.",
            f"Add a condition on {', '.join(table.partition_keys)}.",
        )


def rows(catalog: Catalog, request: Request, session: SparkSession) -> DataFrame:
    """Return the rows with the columns of a request."""
    columns = list(request["columns"])
    if is_incremental(request["reading"]):
        return changed_rows(catalog, request["reading"], session).select(*columns)
    table = open_table(catalog, request["reading"])
    if _names_metadata(table, request):
        frame = with_metadata_columns(table, columns, session, _where(table, request))
    else:
        frame = rows_of(_scan(table, request), session)
        frame = frame if columns else frame.select()
    pads = _pads_char(request) and str(session.conf.get(_PADDING, "true")).lower() == "true"
    return with_padding(frame, table.schema.fields) if pads else frame


def _pads_char(request: Request) -> bool:
    return is_set(request["reading"], PADS_CHAR) or is_set(request["settings"], PADS_CHAR)


def _names_metadata(table: ReadableTable, request: Request) -> bool:
    return not set(request["columns"]) <= set(table.schema.field_names)


def _scan(table: ReadableTable, request: Request) -> Scan:
    columns = list(request["columns"]) or list(table.schema.field_names[:1])
    return table.scan(columns, _where(table, request), request.get("limit"))


def _where(table: ReadableTable, request: Request) -> Expr | None:
    chars = {each.name: length for each in table.schema.fields if (length := char_length(each.type)) is not None}
    conditions = [made for each in request.get("filters", ()) if (made := condition(each, chars)) is not None]
    return conjunction(conditions) if conditions else None


def condition(described: Sequence[Any], chars: Mapping[str, int]) -> Expr | None:
    """Return the condition that ``Describe.java`` described; None if it selects all rows.

    In the description, the name of a column is in backquotes if it contains a dot. ``chars`` are the lengths of CHAR
    columns: Spark has padded the constants where its rule requires that.
    """
    kind, first, second = described
    if kind in ("and", "or"):
        left, right = condition(first, chars), condition(second, chars)
        if left is None or right is None:
            return None if kind == "or" else (right if left is None else left)
        return left & right if kind == "and" else left | right
    if kind == "not":
        negated = condition(first, chars)
        return None if negated is None else ~negated
    if kind == "true" or "." in first or "`" in first or first in (*USER_METADATA_COLUMNS, ROW):
        return None
    column: Expr = col(first)
    if kind == "null":
        return column.is_null()
    if kind == "not null":
        return column.is_not_null()
    given = [value(each) for each in second] if kind == "in" else value(second)
    if first in chars and any(
        each is not None and len(each) < chars[first] for each in (given if kind == "in" else [given])
    ):
        column = Function(PADDED, (column, Literal(chars[first])))
    if kind == "in":
        return column.isin(given)
    if kind not in _COMPARISONS:
        return None
    made: Expr = getattr(column, _COMPARISONS[kind])(given)
    return made


def value(described: Mapping[str, Any]) -> Any:
    """Return the value that ``Describe.java`` described."""
    text = described["value"]
    read = _VALUES.get(described["kind"])
    return text if read is None else read(text)


_VALUES: Mapping[str, Callable[[str], Any]] = {
    "decimal": Decimal,
    "date": date.fromisoformat,
    "fraction": float,
    "time": datetime.fromisoformat,
}
