"""``ANALYZE TABLE … COMPUTE STATISTICS`` and ``REFRESH TABLE``."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import Unsupported
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.procedures.runners import analyzer_for
from workbench.sql.result import Result, done
from workbench.sql.statements import TableRef


@dataclass(frozen=True)
class Analyze:
    """``ANALYZE TABLE table COMPUTE STATISTICS [FOR COLUMNS …| FOR ALL COLUMNS]``.

    ``columns`` is None for statistics of the table alone, and empty for statistics of all columns.
    """

    text: str
    table: TableRef
    columns: tuple[str, ...] | None

    def run(self, context: Context) -> Result:
        """Compute the statistics and store them in a snapshot."""
        table = context.table_to_change(self.table)
        with context.timed() as took, context.progress.step(f"ANALYZE TABLE {table.name}"):
            columns = () if self.columns is None else self.columns or tuple(table.arrow_schema.names)
            table.analyze(list(columns), context.progress, analyzer=analyzer_for(context, table))
            return done(" ".join([f"Computed the statistics of {table.name}.{took()}", *context.notes]))


@dataclass(frozen=True)
class Refresh:
    """``REFRESH TABLE table``: every statement reads the newest version, so that there is nothing to refresh."""

    text: str
    table: TableRef

    def run(self, context: Context) -> Result:
        """Check that the table exists."""
        return done(f"REFRESH TABLE {context.table(self.table).name}: statements always read the newest version")


def analyze(text: str) -> Analyze:
    """Parse ANALYZE TABLE.

    Raises:
        Unsupported: If it has NOSCAN.
    """
    cursor = Cursor(text)
    cursor.expect("ANALYZE", "TABLE")
    table = cursor.table()
    cursor.expect("COMPUTE", "STATISTICS")
    columns: tuple[str, ...] | None = None
    if cursor.accept("FOR", "ALL", "COLUMNS"):
        columns = ()
    elif cursor.accept("FOR", "COLUMNS"):
        names = [cursor.name()]
        while cursor.accept(","):
            names.append(cursor.name())
        columns = tuple(names)
    elif cursor.accept("NOSCAN"):
        raise Unsupported("NOSCAN is not supported: the statistics are computed from the rows.", "Leave it out.")
    cursor.expect_end()
    return Analyze(text, table, columns)


def refresh(text: str) -> Refresh:
    """Parse REFRESH TABLE."""
    cursor = Cursor(text)
    cursor.expect("REFRESH")
    cursor.accept("TABLE")
    table = cursor.table()
    cursor.expect_end()
    return Refresh(text, table)
