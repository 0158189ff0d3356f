"""The first rows of a version as texts, page by page, in bounded time and memory."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from workbench.base.errors import InvalidRequest
from workbench.base.progress import Progress
from workbench.base.session import session_options
from workbench.expr.cells import cell_texts, is_number
from workbench.format.types import DataField, holds
from workbench.lens.catalog import check_limit
from workbench.lens.schema import role_of
from workbench.lens.wire import Int64
from workbench.scan.scan import Scan
from workbench.table.readable_table import ReadableTable

MAX_ROWS = 10_000
"""Rows that can be paged through. A page is read from the beginning, because a version has no index of positions."""

_PAGE_ROWS = 100
_BATCH_ROWS = 1024
_SECONDS = 10.0
_NOT_READ = "(not read)"


@dataclass(frozen=True)
class RowsColumnValue:
    """A column of a page of rows. ``type`` is in Paimon's grammar, ``role`` as in `FieldValue`; numbers are
    right-aligned."""

    name: str
    type: str
    number: bool
    role: str


@dataclass(frozen=True)
class RowsValue:
    """A page of rows, the first of which is at position ``start`` in the order in which the table is read.

    ``rows`` have the values of the columns as text, None for NULL; long values are cut. ``state`` is ``more`` if more
    rows follow, ``end`` after the last row, ``cut`` at the last row that can be paged to, and ``slow`` if the search
    was stopped because it took too long, so that more rows may match. ``zone`` is the time zone of instants.
    """

    table: str
    snapshot: Int64 | None
    columns: tuple[RowsColumnValue, ...]
    start: int
    rows: tuple[tuple[str | None, ...], ...]
    state: str
    zone: str


def collect_rows(
    table: ReadableTable,
    where: str = "",
    start: int = 0,
    limit: int = _PAGE_ROWS,
    progress: Progress | None = None,
    seconds: float = _SECONDS,
) -> RowsValue:
    """Return a page of the rows of a table's version.

    Large objects (BLOB) are not read.

    Args:
        table: The table, at its version.
        where: A condition as SQL; all rows if it is empty.
        start: The number of rows before the page.
        limit: The size of the page.
        progress: Where progress is reported, and cancellation requested.
        seconds: How long to search for rows that match.

    Raises:
        InvalidRequest: The page is not within the first `MAX_ROWS` rows.
        InvalidExpression: The condition is not valid or does not fit the columns.
        CorruptFile: A file is missing or damaged.
    """
    check_limit(limit)
    if not 0 <= start < MAX_ROWS:
        raise InvalidRequest(f"start must be from 0 to {MAX_ROWS - 1}, got {start}.", "Narrow the rows by a filter.")
    fields = [field for field in table.schema.fields if not holds(field.type, "BLOB")]
    scan = table.scan([field.name for field in fields], where.strip() or None, progress=progress)
    end = min(start + limit, MAX_ROWS)
    found, state = _first(scan, end, seconds)
    rows = found.slice(start, end - start)
    snapshot = scan.snapshot
    return RowsValue(
        table=table.name,
        snapshot=None if snapshot is None else snapshot.id,
        columns=tuple(_column(table, field) for field in table.schema.fields),
        start=start,
        rows=_texts(table.schema.fields, rows),
        state="cut" if state == "more" and end == MAX_ROWS else state,
        zone=session_options.timezone,
    )


def _first(scan: Scan, count: int, seconds: float) -> tuple[pa.Table, str]:
    """Return the first rows of a scan, and whether there are more."""
    pieces, rows = [scan.reader.arrow_schema.empty_table()], 0
    deadline = time.monotonic() + seconds
    for piece in _pieces(scan):
        pieces.append(piece)
        rows += piece.num_rows
        if rows > count:
            return pa.concat_tables(pieces).slice(0, count), "more"
        if time.monotonic() > deadline:
            return pa.concat_tables(pieces), "slow"
    return pa.concat_tables(pieces), "end"


def _pieces(scan: Scan) -> Iterator[pa.Table]:
    if scan.reader.columns:
        yield from scan.stream(_BATCH_ROWS)


def _column(table: ReadableTable, field: DataField) -> RowsColumnValue:
    schema = table.schema
    kind = schema.arrow_schema.field(field.name).type
    return RowsColumnValue(field.name, field.type.sql(), is_number(kind), role_of(schema, field.name))


def _texts(fields: Sequence[DataField], rows: pa.Table) -> tuple[tuple[str | None, ...], ...]:
    if not rows.num_rows:
        return ()
    unread = [_NOT_READ] * rows.num_rows
    columns = [cell_texts(rows[field.name]) if field.name in rows.schema.names else unread for field in fields]
    return tuple(zip(*columns, strict=True))
