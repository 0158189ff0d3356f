"""Parses queries for translation: functions keep the names that they are written with."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from workbench.base.modules import exp, sqlglot
from workbench.expr.dialect import statement_dialect

_WITH_GRAMMAR = ("CAST", "TRY_CAST", "EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "POSITION")


@cache
def _plain_dialect() -> Any:
    """Return Spark's dialect without sqlglot's knowledge of functions, which would rename and rewrite them, and lose
    how they were written."""
    base = statement_dialect()

    class PlainSpark(base):  # type: ignore[misc, valid-type]
        class Parser(base.Parser):  # type: ignore[misc, name-defined]
            FUNCTIONS: ClassVar[dict[str, Any]] = {}
            NO_PAREN_FUNCTIONS: ClassVar[dict[Any, Any]] = {}
            FUNCTION_PARSERS = {  # noqa: RUF012
                name: parse for name, parse in base.Parser.FUNCTION_PARSERS.items() if name in _WITH_GRAMMAR
            }
            NO_PAREN_FUNCTION_PARSERS = {  # noqa: RUF012
                name: parse for name, parse in base.Parser.NO_PAREN_FUNCTION_PARSERS.items() if name in ("CASE", "IF")
            }

    return PlainSpark


def plain_tree(body: str) -> exp.Expression:
    """Return the tree of a query that is known to parse; every function is an ``exp.Anonymous``."""
    tree: Any = sqlglot.parse_one(body, dialect=_plain_dialect())
    return tree  # type: ignore[no-any-return]


def shown(node: exp.Expression) -> str:
    """Return the expression as a user would write it, shortened for a message."""
    text = written(node)
    return text if len(text) <= 60 else f"{text[:59]}…"


class Shown:
    """An expression as a user would write it; its text, which is slow to make, is made only if a message needs it."""

    def __init__(self, node: exp.Expression) -> None:
        self._node = node

    def __str__(self) -> str:
        return shown(self._node)


def written(node: exp.Expression) -> str:
    """Return the expression as a user would write it."""
    return str(node.sql(dialect=_plain_dialect(), normalize_functions=False))
