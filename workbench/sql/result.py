"""The result of a statement: rows that render themselves, or a one-line message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.sql.grid import Grid, Shown, grid_html, grid_of, grid_text, line_html

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.sql.reads import TableRead


@dataclass(frozen=True, eq=False, repr=False)
class Result(Shown):
    """The result of one statement.

    ``rows`` holds all rows of a query on DuckDB. For a Spark query (``frame``), it holds only the rows on display, and
    the remaining rows are fetched on demand. ``total`` is the number of all rows, None if they were not counted.
    ``message`` is set for a statement without rows. ``snapshots`` are the snapshots that a write created in ``table``
    (``database.table``). ``notes`` are lines below the rows, such as engine, time and files. ``forms`` are further
    forms of the result by MIME type, for front ends that know them. ``reads`` are the table reads of a query that ran
    in this process. ``whole`` is whether all texts are shown whole, because they are the answer.
    """

    caption: str
    rows: pa.Table
    total: int | None = None
    limit: int = 50
    message: str | None = None
    snapshots: tuple[Any, ...] = ()
    frame: DataFrame | None = None
    engine: str = "local"
    table: str | None = None
    notes: tuple[str, ...] = ()
    forms: Mapping[str, Any] = field(default_factory=dict)
    reads: tuple[TableRead, ...] = ()
    whole: bool = False

    def to_arrow(self) -> pa.Table:
        """Return all rows; for a Spark query this runs the query, unless all rows were on display."""
        if self.frame is not None and self.total is None:
            from workbench.spark.frames import arrow_of

            return arrow_of(self.frame)
        return self.rows

    def to_pandas(self) -> Any:
        """Return all rows as a pandas DataFrame."""
        from workbench.table.exports import to_pandas

        return to_pandas(self.to_arrow())

    def spark(self) -> DataFrame:
        """Return the rows as a Spark DataFrame: the query itself if Spark ran it, otherwise a copy of the rows."""
        if self.frame is not None:
            return self.frame
        from workbench.spark.frames import frame_of_rows
        from workbench.spark.session import get_session

        return frame_of_rows(get_session(), self.rows)

    def grid(self) -> Grid:
        """Return the rows on display."""
        return grid_of(self.rows, self.caption, self.limit, self.total, self.notes, whole=self.whole)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {**super()._repr_mimebundle_(include, exclude), **self.forms}

    def _text(self) -> str:
        return self.message if self.message is not None else grid_text(self.grid())

    def _html(self) -> str:
        if self.message is not None:
            return line_html(self.message)
        from workbench.sql.reads import reads_html

        return grid_html(self.grid()) + reads_html(self.reads)


def rows_result(rows: pa.Table, caption: str, limit: int, notes: tuple[str, ...] = ()) -> Result:
    """Return the answer of a statement such as SHOW; it holds all its rows and is shown whole."""
    return Result(caption, rows, rows.num_rows, limit, notes=notes, whole=True)


def done(message: str) -> Result:
    """Return a result without rows."""
    return Result(message, pa.table({}), 0, message=message)


def written(message: str, table: str, snapshots: tuple[Any, ...], engine: str) -> Result:
    """Return the result of a write."""
    return Result(message, pa.table({}), 0, message=message, snapshots=snapshots, engine=engine, table=table)
