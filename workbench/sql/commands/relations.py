"""Qualified column names, such as ``x.price`` or ``lab.orders.price``, in UPDATE, DELETE and MERGE."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from workbench.base.errors import Unsupported
from workbench.base.modules import exp
from workbench.sql.context import Context
from workbench.sql.parts import table_ref

Names = frozenset[tuple[str, ...]]


def names_of(relation: exp.Expression, context: Context | None = None) -> Names:
    """Return the names that may qualify the columns of a table or query: its alias, or every suffix of its path.

    Args:
        relation: The table or query, as a statement names it.
        context: The context of the statement, whose catalog and database complete the path; if None, the path is used
            as written in the statement.

    Example:
        >>> names_of(parse_one("paimon.lab.orders"))
        frozenset({('orders',), ('lab', 'orders'), ('paimon', 'lab', 'orders')})
    """
    if relation.alias or not isinstance(relation, exp.Table):
        return frozenset({(str(relation.alias_or_name).lower(),)})
    written = table_ref(relation)
    path = written.parts if context is None else context.path(written)
    parts = tuple(part.lower() for part in path)
    return frozenset(parts[start:] for start in range(len(parts)))


def path_below(column: exp.Expression, names: Names) -> list[exp.Expression] | None:
    """Return the parts of a column name after its qualifier; None if no name in ``names`` qualifies it."""
    parts = cast("list[exp.Expression]", column.parts) if isinstance(column, exp.Column | exp.Dot) else []
    path = tuple(str(part.name).lower() for part in parts)
    found = max((len(name) for name in names if len(name) < len(path) and path[: len(name)] == name), default=0)
    return parts[found:] if found else None


def column_of(parts: Iterable[exp.Expression], table: str | None = None) -> exp.Expression:
    """Return an expression for a column and the fields below it, qualified with ``table`` if it is given."""
    first, *fields = [part.copy() for part in parts]
    result: exp.Expression = exp.column(first, table=table)
    for each in fields:
        result = exp.Dot(this=result, expression=each)
    return result


def refuse_hidden(column: exp.Expression, taken: Iterable[str]) -> None:
    """Refuse a name such as ``s.city`` of a struct column ``s``, if ``s`` means something else to the library.

    Raises:
        Unsupported: If the first part of the name is one of ``taken``.
    """
    parts = column.parts if isinstance(column, exp.Column) else []
    if len(parts) > 1 and str(parts[0].name).lower() in taken:
        raise Unsupported(
            f"The name '{column.sql(dialect='spark')}' is ambiguous here.", "Write the name of the table before it."
        )
