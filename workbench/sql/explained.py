"""The reads of tables that a query consists of, found without running it."""

from __future__ import annotations

from workbench.base.errors import Unsupported
from workbench.sql.context import Context
from workbench.sql.engines.duckdb_translated import prepare_translated
from workbench.sql.parse import parse
from workbench.sql.reads import TableRead
from workbench.sql.statements import Select
from workbench.sql.translate.values import NotTranslated


def reads_of(context: Context, text: str) -> tuple[TableRead, ...]:
    """Return the reads of a query that runs in this process, without running it.

    Raises:
        Unsupported: The query runs on Spark, which plans its own reads.
    """
    select = parse(text)
    if not isinstance(select, Select):
        raise Unsupported("Only queries can be explained.", "Write %paimon explain SELECT ….")
    try:
        return prepare_translated(context, select).reads()
    except NotTranslated as error:
        raise Unsupported(
            f"The query runs on Spark, which plans its own reads: {error.message}",
            "Explain the read of one table: %paimon explain <table> WHERE ….",
        ) from error
