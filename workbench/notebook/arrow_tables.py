"""Arrow tables in notebooks, such as those of `Table.changes` and of ``--out``: their first rows as HTML."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from workbench.base.counting import counted
from workbench.sql.grid import grid_html, grid_of

MAX_ROWS, MAX_COLUMNS = 50, 50


def arrow_html(rows: pa.Table) -> str:
    """Return the first rows and columns of an Arrow table."""
    columns = rows.schema.names[:MAX_COLUMNS]
    more = rows.num_columns - len(columns)
    notes = [f"The last {counted(more, 'columns')} are not shown."] if more else []
    caption = f"Arrow table, {counted(rows.num_columns, 'columns')}"
    return grid_html(grid_of(rows.select(range(len(columns))), caption, MAX_ROWS, rows.num_rows, notes))


def show_arrow_tables(shell: Any) -> None:
    """Make a shell show Arrow tables as HTML, unless the user has already chosen another form."""
    formatter = shell.display_formatter.formatters["text/html"]
    if pa.Table not in formatter:
        formatter.for_type(pa.Table, arrow_html)


def hide_arrow_tables(shell: Any) -> None:
    """Undo `show_arrow_tables`."""
    formatter = shell.display_formatter.formatters["text/html"]
    if pa.Table in formatter and formatter.lookup_by_type(pa.Table) is arrow_html:
        formatter.pop(pa.Table)
