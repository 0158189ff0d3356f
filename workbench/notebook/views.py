"""Static views: tables for every front end, with a picture above them where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.sql.grid import Grid, GridColumn, Shown, grid_html, grid_of, grid_text

# Rows shown without an explicit limit; the values hold all of them.
MAX_ROWS = 200


@dataclass(frozen=True, eq=False, repr=False)
class View(Shown):
    """Tables of a lens ``value``. ``rows`` is what `to_arrow` returns, ``picture`` is HTML or ''."""

    grids: tuple[Grid, ...]
    rows: pa.Table
    value: Any = None
    picture: str = ""

    def to_arrow(self) -> pa.Table:
        """Return the main table, with numbers as numbers."""
        return self.rows

    def to_pandas(self) -> Any:
        """Return the main table as a pandas DataFrame."""
        return self.rows.to_pandas()

    def _text(self) -> str:
        return "\n\n".join(grid_text(grid) for grid in self.grids)

    def _html(self) -> str:
        return self.picture + "".join(grid_html(grid) for grid in self.grids)


def names_view(heading: str, names: Sequence[str], caption: str) -> View:
    """Return the view of a list of names."""
    rows = pa.table({heading: pa.array(names, pa.string())})
    return View((without_types(grid_of(rows, caption, len(names), len(names), unit=heading)),), rows, tuple(names))


def without_types(grid: Grid) -> Grid:
    """Return a grid with plain headings: without types, and with spaces instead of underscores."""
    columns = tuple(GridColumn(column.name.replace("_", " "), "", column.number) for column in grid.columns)
    return Grid(grid.caption, columns, grid.rows, grid.notes)


def at_text(snapshot: int | None) -> str:
    """Return ``snapshot 3``, or ``never written``."""
    return "never written" if snapshot is None else f"snapshot {snapshot}"
