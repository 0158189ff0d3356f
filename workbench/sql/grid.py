"""Renders a table on display as accessible HTML or text. All strings in it are data and are escaped."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import Any

import pyarrow as pa

from workbench.base.markup import STYLE, escape, printable
from workbench.base.session import session_options
from workbench.expr.cells import LONGEST, cell_texts, has_zone, is_number, type_name

WIDEST = 60
# The size of one text that unfolds, and of all texts of a grid, which notebooks save.
_MOST_FOLDED = 10_000
_MOST_CHARACTERS = 1_000_000
_CUT = "Texts that end in … are cut; to_pandas() of the result returns them whole."
SHORT = 24
_WIDEST_CAPTION = 80

_KIND_CLASS = {"+I": "wb-add", "+U": "wb-add", "-U": "wb-old", "-D": "wb-del"}


@dataclass(frozen=True)
class GridColumn:
    """The heading of a column. ``kind`` is a type name shown below it, or ''."""

    name: str
    kind: str = ""
    number: bool = False


@dataclass(frozen=True)
class Grid:
    """Rows of strings under headings; None is NULL. ``notes`` are lines below the table.

    In plain text, long strings are truncated or, if the grid ``wraps``, continued on further lines. In HTML, they are
    folded, unless the grid ``wraps``.
    """

    caption: str
    columns: tuple[GridColumn, ...]
    rows: tuple[tuple[str | None, ...], ...]
    notes: tuple[str, ...] = ()
    wraps: bool = False


class Shown(ABC):
    """A value that renders itself as HTML in a notebook and as text anywhere else."""

    @abstractmethod
    def _text(self) -> str: ...

    @abstractmethod
    def _html(self) -> str: ...

    def __repr__(self) -> str:
        return self._text()

    def _repr_html_(self) -> str:
        return self._html()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:  # noqa: ARG002
        return {"text/plain": self._text(), "text/html": self._html()}


def grid_of(
    rows: pa.Table,
    caption: str,
    limit: int,
    total: int | None = None,
    notes: Sequence[str] = (),
    unit: str = "row",
    *,
    whole: bool = False,
) -> Grid:
    """Return a grid of the first ``limit`` rows of an Arrow table. ``unit`` is the word for a row; ``total`` is None if
    the rows were not counted. ``whole`` is whether all texts are read, as a single text always is.
    """
    shown = rows.slice(0, limit)
    columns = tuple(GridColumn(field.name, type_name(field.type), is_number(field.type)) for field in rows.schema)
    whole = whole or (shown.num_rows == 1 and [kind.kind for kind in columns] == ["STRING"])
    room = _MOST_CHARACTERS // max(1, shown.num_rows * shown.num_columns)
    longest = max(LONGEST, room if whole else min(room, _MOST_FOLDED))
    texts = [cell_texts(column, longest) for column in shown.columns]
    more = [_limit_note(shown.num_rows, rows.num_rows, total, unit)]
    if any(has_zone(field.type) for field in rows.schema):
        more.append(f"TIMESTAMP_LTZ in {session_options.timezone}.")
    return Grid(caption, columns, tuple(zip(*texts, strict=True)), (" ".join(more), *notes), whole)


def _limit_note(shown: int, held: int, total: int | None, unit: str) -> str:
    if total is None:
        return (
            f"Showing the first {count_text(shown, unit)}; there are more."
            if held > shown
            else f"{count_text(shown, unit)}."
        )
    return f"{count_text(total, unit)}." if shown == total else f"Showing {shown:,} of {count_text(total, unit)}."


def count_text(number: int, unit: str = "row") -> str:
    """Return a count with its unit, such as ``1 row`` or ``1,234 rows``."""
    return f"{number:,} {unit}{'' if number == 1 else 's'}"


def grid_html(grid: Grid) -> str:
    """Return the grid as an HTML table with caption, column headers and notes, in a region that scrolls by keyboard."""
    caption = escape(grid.caption)
    classes = [_column_class(grid, index) for index in range(len(grid.columns))]
    head = "".join(_head_cell(column) for column in grid.columns)
    body = "".join(
        f"<tr>{''.join(_cell(grid, *each) for each in zip(grid.columns, classes, row, strict=True))}</tr>"
        for row in grid.rows
    )
    # A narrow table would break a short caption into many lines.
    short = ' class="wb-short"' if len(grid.caption) <= _WIDEST_CAPTION else ""
    notes = "".join(f'<p class="wb-note">{escape(note)}</p>' for note in grid.notes if note)
    return (
        f'{STYLE}<div class="wb-grid" role="region" tabindex="0" aria-label="{caption}">'
        f'<table class="wb-table"><caption{short}>{caption}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>{notes}</div>"
    )


def _column_class(grid: Grid, index: int) -> str:
    """Return the CSS class of a column: numbers are right-aligned, short strings never wrap, long strings get a
    minimum width.
    """
    if grid.columns[index].number:
        return ' class="wb-num"'
    if _is_one_text(grid):
        return ' class="wb-whole"'
    texts = [row[index] for row in grid.rows]
    longest = max((len(text) for text in texts if text is not None), default=0)
    return ' class="wb-short"' if longest <= SHORT else ' class="wb-long"'


def _head_cell(column: GridColumn) -> str:
    kind = f"<small>{escape(column.kind)}</small>" if column.kind else ""
    css = ' class="wb-num"' if column.number else ""
    return f'<th scope="col"{css}>{escape(column.name)}{kind}</th>'


def _is_one_text(grid: Grid) -> bool:
    """Return whether the grid consists of one text, such as the statement of SHOW CREATE TABLE."""
    return grid.wraps and len(grid.columns) == len(grid.rows) == 1 and grid.rows[0][0] is not None


def _cell(grid: Grid, column: GridColumn, css: str, text: str | None) -> str:
    if text is None:
        return f'<td{css}><span class="wb-null">NULL</span></td>'
    if column.name == "rowkind" and text in _KIND_CLASS:
        return f'<td class="wb-kind {_KIND_CLASS[text]}">{escape(text)}</td>'
    if grid.wraps or len(text) <= LONGEST:
        return f"<td{css}>{escape(text)}</td>"
    short = f"<summary>{escape(text[:LONGEST])}…</summary>"
    return f"<td{css}><details>{short}<div>{escape(text)}</div></details></td>"


def line_html(text: str) -> str:
    """Return one line of text as HTML."""
    return f'{STYLE}<div class="wb-grid"><p class="wb-line">{escape(text)}</p></div>'


def grid_text(grid: Grid) -> str:
    """Return the grid as plain text."""
    notes = [printable(note) for note in grid.notes if note]
    if _is_one_text(grid):
        return "\n".join([printable(grid.caption), *map(printable, str(grid.rows[0][0]).splitlines()), *notes])
    headings = [printable(column.name) for column in grid.columns]
    rows = [line for row in grid.rows for line in (_wrapped(row) if grid.wraps else [[_plain(text) for text in row]])]
    widths = [
        max([_width(heading), *(_width(row[index]) for row in rows)], default=0)
        for index, heading in enumerate(headings)
    ]
    rule = "-+-".join("-" * width for width in widths)
    lines = [printable(grid.caption), _line(grid, headings, widths), rule]
    lines += [_line(grid, row, widths) for row in rows]
    if not grid.wraps and any(text is not None and _is_cut(text) for row in grid.rows for text in row):
        notes.append(_CUT)
    return "\n".join([*lines, *notes])


def _is_cut(text: str) -> bool:
    return len(printable(text)) > WIDEST


def _plain(text: str | None) -> str:
    if text is None:
        return "NULL"
    return f"{printable(text)[: WIDEST - 1]}…" if _is_cut(text) else printable(text)


def _wrapped(row: Sequence[str | None]) -> list[list[str]]:
    """Return a row as one or more lines in which no cell is too wide; line breaks of the texts are kept."""
    cells = [["NULL"] if text is None else _lines(text) for text in row]
    return [list(line) for line in zip_longest(*cells, fillvalue="")] or [[""] * len(row)]


def _lines(text: str) -> list[str]:
    """Return the lines of a text, and those that are too wide as several."""
    lines = (printable(line) for line in text.splitlines())
    return [part for line in lines for part in wrap(line, WIDEST, break_on_hyphens=False) or [""]]


def _line(grid: Grid, texts: Sequence[str], widths: Sequence[int]) -> str:
    cells = []
    for column, text, width in zip(grid.columns, texts, widths, strict=True):
        pad = " " * (width - _width(text))
        cells.append(pad + text if column.number else text + pad)
    return " | ".join(cells).rstrip()


def _width(text: str) -> int:
    """Return the number of terminal columns that the text occupies; wide East Asian characters occupy two."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) != 0 for char in text)
