"""The table reads of a query, determined without running it."""

from __future__ import annotations

from workbench.base.errors import Unsupported
from workbench.sql.context import Context
from workbench.sql.engines.duckdb_translated import prepare_expanded
from workbench.sql.parse import parse
from workbench.sql.reads import TableRead
from workbench.sql.statements import Select
from workbench.sql.translate.values import NotTranslated

_SHOWN_TABLES = 4


def reads_of(context: Context, text: str) -> tuple[TableRead, ...]:
    """Return the reads of a query that runs in this process, without running it.

    Raises:
        Unsupported: The query runs on Spark, which plans its own reads.
    """
    select = parse(text)
    if not isinstance(select, Select):
        raise Unsupported("Only queries can be explained.", "Write %paimon explain SELECT ….")
    try:
        return prepare_expanded(context, select).reads()
    except NotTranslated as error:
        message = f"The query runs on Spark, which plans its own reads of tables: {error.message}"
        raise Unsupported(message, _hint(select)) from error


def _hint(select: Select) -> str:
    """Return the commands that explain the reads of the query's tables; the user fills in the conditions."""
    names = list(dict.fromkeys(map(str, select.tables)))
    if not names:
        return "Explain the read of one table: %paimon explain <table> WHERE …."
    commands = ", ".join(f"%paimon explain {name} WHERE …" for name in names[:_SHOWN_TABLES])
    return f"Explain the read of {'its table' if len(names) == 1 else 'each table'}: {commands}."
