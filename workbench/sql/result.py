"""What a statement gives back: rows that show themselves, or one line that says what was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.sql.grid import Grid, Shown, grid_html, grid_of, grid_text, line_html

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class Result(Shown):
    """The outcome of one statement.

    ``rows`` holds all rows of a local query; of a Spark query (``frame``) only those on display, and the others are
    fetched when asked for. ``total`` is the number of all rows, None where nobody counted. ``message`` is set for a
    statement that gives no rows. ``snapshots`` are those a write made in ``table`` (``database.table``); a query has
    neither. ``forms`` are further forms of the result by mime type, for front ends that know them.
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
    forms: Mapping[str, Any] = field(default_factory=dict)

    def to_arrow(self) -> pa.Table:
        """All rows; of a Spark query it runs the query, unless every row was on display."""
        if self.frame is not None and self.total is None:
            return self.frame.toArrow()
        return self.rows

    def to_pandas(self) -> Any:
        """All rows as a pandas DataFrame."""
        from workbench.table.outlets import to_pandas

        return to_pandas(self.to_arrow())

    def spark(self) -> DataFrame:
        """The rows as a Spark DataFrame: the query itself where Spark ran it, else a copy of the rows."""
        if self.frame is not None:
            return self.frame
        from workbench.spark.session import get_session

        return get_session().createDataFrame(self.rows)

    def grid(self) -> Grid:
        """The rows on display."""
        return grid_of(self.rows, self.caption, self.limit, self.total)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {**super()._repr_mimebundle_(include, exclude), **self.forms}

    def _text(self) -> str:
        return self.message if self.message is not None else grid_text(self.grid())

    def _html(self) -> str:
        return line_html(self.message) if self.message is not None else grid_html(self.grid())


def rows_result(rows: pa.Table, caption: str, limit: int) -> Result:
    """A result that holds all its rows."""
    return Result(caption, rows, rows.num_rows, limit)


def done(message: str) -> Result:
    """A result without rows."""
    return Result(message, pa.table({}), 0, message=message)


def written(message: str, table: str, snapshots: tuple[Any, ...], engine: str) -> Result:
    """The result of a write."""
    return Result(message, pa.table({}), 0, message=message, snapshots=snapshots, engine=engine, table=table)
