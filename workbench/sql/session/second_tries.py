"""Rewrites statements that Spark refuses but Paimon's connector runs, so that Spark runs them, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workbench.base.errors import InvalidExpression
from workbench.sql.cursor import Cursor
from workbench.sql.session.inserts import SchemaOf, with_casts


def second_try(condition: str | None, text: str, schema_of: SchemaOf) -> str | None:
    """Return a rewritten text of a statement that Spark refused; None if there is no rewrite.

    Args:
        condition: The condition of Spark's error.
        text: The statement.
        schema_of: Returns the schema of a query.
    """
    rewrite = _REWRITES.get(condition or "")
    return None if rewrite is None else rewrite(text, schema_of)


def _without_partition(text: str, _schema_of: SchemaOf) -> str | None:
    """Return DESCRIBE of a partition as DESCRIBE of its table, because both have the same columns."""
    try:
        cursor = Cursor(text)
        if cursor.choose("DESCRIBE", "DESC") is None:
            return None
        described = cursor.text_until("PARTITION")
        cursor.expect("PARTITION")
        cursor.partition()
        cursor.expect_end()
    except InvalidExpression:
        return None
    return f"DESCRIBE {described}"


_REWRITES: Mapping[str, Callable[[str, SchemaOf], str | None]] = {
    "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST": with_casts,
    "INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED": _without_partition,
}
