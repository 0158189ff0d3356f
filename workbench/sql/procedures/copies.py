"""The procedure that copies a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workbench.base.errors import InvalidExpression
from workbench.sql.cursor import Cursor
from workbench.sql.procedures.protocol import SUCCESS, Arguments, Parameter, Procedure

_Rows = Iterable[tuple[Any, ...]]
_WHERE = Parameter("where")


def _copy(call: Arguments) -> _Rows:
    """Copy the rows of the newest version into a table, after creating the table and its database if necessary."""
    source, catalog = call.opened(call["source_table"]), call.context.catalog
    cursor = Cursor(call["target_table"])
    database, table = call.context.full_name(cursor.table())
    cursor.expect_end()
    catalog.create_database(database, exist_ok=True)
    schema = source.schema
    target = catalog.create_table(
        f"{database}.{table}",
        schema.fields,
        list(schema.primary_keys),
        list(schema.partition_keys),
        schema.options,
        schema.comment,
        exist_ok=True,
    )
    with source.scan(where=_partitions_only(source, call["where"])).to_batches() as rows:
        target.write(rows, progress=call.context.progress)
    return SUCCESS


def _partitions_only(table: Any, where: str | None) -> str | None:
    """Return a condition after checking that it uses only partition columns; None if it is empty."""
    from workbench.expr.parse import parse
    from workbench.expr.tree import referenced_columns

    if where and not referenced_columns(parse(where)) <= set(table.partition_keys):
        raise InvalidExpression(
            "The argument where of copy may refer only to partition columns.", "Use only partition columns in where."
        )
    return where or None


PROCEDURES = (
    Procedure(
        "copy",
        (Parameter("source_table", required=True), Parameter("target_table", required=True), _WHERE),
        _copy,
    ),
)
