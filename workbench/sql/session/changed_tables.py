"""The tables that a statement of the library may change, whose cached rows Spark then reads again."""

from __future__ import annotations

from workbench.sql.commands.call import Call
from workbench.sql.commands.protocol import Command
from workbench.sql.cursor import Cursor
from workbench.sql.statements import Statement, TableRef

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
