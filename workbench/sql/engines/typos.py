"""Refuses misspelled functions before Spark is started only to say that it does not know them."""

from __future__ import annotations

from functools import cache

from workbench.base.errors import InvalidExpression
from workbench.base.modules import exp
from workbench.sql.engines.choice import session_is_up
from workbench.sql.statements import Select

_MOST_EDITS = 2
# Functions of Spark that neither PySpark nor sqlglot lists.
_ONLY_IN_SQL = (
    *("ai_forecast", "approx_percentile", "bigint", "binary", "boolean", "cardinality", "char", "date", "decimal"),
    *("div", "double", "explode_outer", "float", "grouping__id", "inline", "int", "len", "mod", "posexplode", "random"),
    *("sha", "smallint", "std", "string", "timestamp", "tinyint", "version", "sys", "max_pt"),
)


def refuse_typos(select: Select) -> None:
    """Refuse a query that calls an unknown function whose name is close to a known one, unless a session is up, which
    may know further functions.

    Raises:
        InvalidExpression: If a function is misspelled; the hint names the known one.
    """
    if select.tree is None or session_is_up():
        return
    for call in select.tree.find_all(exp.Anonymous):
        name = str(call.this).lower()
        is_qualified = isinstance(call.parent, exp.Dot)
        if is_qualified or isinstance(call.parent, exp.Table) or name in _known():
            continue
        near = min(_known(), key=lambda each: (_edits(name, each), each))
        if _edits(name, near) <= min(_MOST_EDITS, len(name) // 2):
            raise InvalidExpression(f"There is no function '{name}'.", f"Did you mean '{near}'?")


@cache
def _known() -> frozenset[str]:
    """Return the names of Spark's functions, in lower case; without PySpark, those that sqlglot knows."""
    names = frozenset((*map(str.lower, exp.FUNCTION_BY_NAME), *_ONLY_IN_SQL))
    try:
        from pyspark.sql import functions
    except ImportError:
        return names
    return names | {name for name in dir(functions) if name.islower() and not name.startswith("_")}


def _edits(one: str, other: str) -> int:
    """Return the number of characters to insert, delete, replace, or exchange with the next one; a lower bound if it
    exceeds the maximum."""
    if abs(len(one) - len(other)) > _MOST_EDITS:
        return abs(len(one) - len(other))
    before: list[int] = []
    costs = list(range(len(other) + 1))
    for row in range(1, len(one) + 1):
        older, before, costs = before, costs, [row]
        for at in range(1, len(other) + 1):
            replaced = before[at - 1] + (one[row - 1] != other[at - 1])
            cost = min(before[at] + 1, costs[at - 1] + 1, replaced)
            if row > 1 and at > 1 and one[row - 2 : row] == other[at - 2 : at][::-1]:
                cost = min(cost, older[at - 2] + 1)
            costs.append(cost)
    return costs[-1]
