"""Static views: tables for every front end, with a picture above them where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.base.markup import escape, printable
from workbench.notebook.drawings.drawing import Drawing, drawing_html
from workbench.notebook.drawings.png import PngForm, png_form
from workbench.sql.grid import Grid, GridColumn, Shown, grid_html, grid_of, grid_text, line_html

# Rows shown without an explicit limit; the values hold all of them.
MAX_ROWS = 200
# Columns whose numbers are identifiers, not counts.
_NUMBERED = frozenset({"snapshot", "schema", "bucket", "level"})
# Longer tables below a picture are folded.
_MAX_OPEN_ROWS = 12


@dataclass(frozen=True, eq=False, repr=False)
class View(Shown):
    """Tables of a lens ``value``, below a ``line`` of text and ``drawings``. ``rows`` is what `to_arrow` returns."""

    grids: tuple[Grid, ...]
    rows: pa.Table
    value: Any = None
    drawings: tuple[Drawing, ...] = ()
    line: str = ""

    def to_arrow(self) -> pa.Table:
        """Return the main table, with unformatted numbers."""
        return self.rows

    def to_pandas(self) -> Any:
        """Return the main table as a pandas DataFrame."""
        return self.rows.to_pandas()

    def _text(self) -> str:
        return "\n\n".join((*([printable(self.line)] if self.line else []), *map(grid_text, self.grids)))

    def _html(self) -> str:
        line = line_html(self.line) if self.line else ""
        return "".join((line, *map(drawing_html, self.drawings), *map(self._grid_html, self.grids)))

    def _repr_png_(self) -> PngForm | None:
        return png_form(self.drawings)

    def _grid_html(self, grid: Grid) -> str:
        if not (self.drawings or self.line) or len(grid.rows) <= _MAX_OPEN_ROWS:
            return grid_html(grid)
        # Folded without CSS, which some pages remove: the table is complete on every page.
        return f"<details><summary>{escape(grid.caption)}: show as table</summary>{grid_html(grid)}</details>"


def names_view(heading: str, names: Sequence[str], caption: str) -> View:
    """Return the view of a list of names."""
    rows = pa.table({heading: pa.array(names, pa.string())})
    return View((without_types(grid_of(rows, caption, len(names), len(names), unit=heading)),), rows, tuple(names))


def without_types(grid: Grid) -> Grid:
    """Return a grid for people: headings without types and underscores, counts with thousands separators."""
    columns = tuple(GridColumn(column.name.replace("_", " "), "", column.number) for column in grid.columns)
    rows = tuple(tuple(map(_shown_text, grid.columns, row)) for row in grid.rows)
    return Grid(grid.caption, columns, rows, grid.notes)


def _shown_text(column: GridColumn, text: str | None) -> str | None:
    counted = column.number and column.name not in _NUMBERED and text is not None
    return f"{int(text):,}" if counted and text is not None else text


def at_text(snapshot: int | None) -> str:
    """Return ``snapshot 3``, or ``never written``."""
    return "never written" if snapshot is None else f"snapshot {snapshot}"
