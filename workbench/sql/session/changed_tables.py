"""The tables that a statement of the library may change, whose cached rows Spark then reads again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.spark.bucket import quoted
from workbench.sql.commands.call import Call
from workbench.sql.commands.protocol import Command
from workbench.sql.cursor import Cursor
from workbench.sql.statements import Statement, TableRef

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The parameters of procedures that name a table whose rows may change.
_CHANGED = ("table", "target_table")


def changed_tables(statement: Statement | Command) -> list[TableRef]:
    """Return the tables that a statement may change.

    Args:
        statement: The parsed statement.
    """
    if isinstance(statement, Call):
        named = (statement.values.get(parameter) for parameter in _CHANGED)
        # The cleaning of all tables of a database, such as 'db.*', changes no rows.
        return [Cursor(name).table() for name in named if name is not None and not name.endswith("*")]
    table = getattr(statement, "table", None)
    return [table] if isinstance(table, TableRef) else []


def refresh_cached(session: SparkSession, parts: Sequence[str]) -> None:
    """Let Spark compute cached queries of a table again when they are used next, as it does after its own INSERT.

    Args:
        session: A session that knows the catalog of the table.
        parts: The catalog, the database and the name of the table.
    """
    if session._jsparkSession.sharedState().cacheManager().isEmpty():
        return
    name = ".".join(map(quoted, parts))
    if session.catalog.tableExists(name):
        session.catalog.refreshTable(name)
