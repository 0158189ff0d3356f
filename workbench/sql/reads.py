"""The reads of tables that a query consists of, so that each can be explained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.errors import Unsupported
from workbench.sql.context import Context
from workbench.sql.statements import Select

if TYPE_CHECKING:
    from workbench.scan.scan import Scan
    from workbench.table.readable_table import ReadableTable


@dataclass(frozen=True)
class TableRead:
    """A read of one table, at its version: the columns, the condition that the scan evaluates, and its limit."""

    table: ReadableTable
    columns: tuple[str, ...]
    where: str | None
    limit: int | None


def table_read(table: ReadableTable, scan: Scan) -> TableRead:
    """Return what a scan of a table reads."""
    columns = scan.store.schema.field_names if scan.columns is None else tuple(scan.columns)
    return TableRead(table, columns, None if scan.where is None else str(scan.where), scan.limit)


def reads_of(context: Context, text: str) -> tuple[TableRead, ...]:
    """Return the reads of a query that runs in this process, without running it.

    Raises:
        Unsupported: The query runs on Spark, which plans its own reads.
    """
    from workbench.sql.engines.duckdb_translated import prepare_translated
    from workbench.sql.parse import parse
    from workbench.sql.translate.values import NotTranslated

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
