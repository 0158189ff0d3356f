"""Paimon's table-valued functions in queries: each call becomes the table that it reads, with read options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.base.counting import counted
from workbench.base.errors import InvalidExpression
from workbench.expr.dialect import tokens_of
from workbench.sql.cursor import Cursor
from workbench.sql.literals import is_literal, literal_value
from workbench.sql.statements import quote_name, quote_text

ValueOf = Callable[[str], Any]


def with_functions_as_tables(text: str, value_of: ValueOf) -> str:
    """Return a query in which calls to Paimon's functions become tables with options, which Spark reads.

    Args:
        text: The query.
        value_of: Returns the value of a constant expression, such as ``1 + 1``.

    Raises:
        InvalidExpression: If a call has the wrong arguments.

    Example:
        >>> with_functions_as_tables("SELECT * FROM paimon_incremental_query('t', 1, 1 + 1)", eval)
        "SELECT * FROM `t` WITH ('incremental-between' = '1,2')"
    """
    lowered = text.lower()
    if not any(name in lowered for name in FUNCTIONS):
        return text
    pieces: list[str] = []
    copied = 0
    tokens = tokens_of(text)
    for at, token in enumerate(tokens[:-1]):
        name = str(token.text).lower()
        if name not in FUNCTIONS or tokens[at + 1].token_type.name != "L_PAREN":
            continue
        end = _end_of_call(tokens, at + 1)
        call = Cursor(text[tokens[at + 1].start : tokens[end].end + 1])
        pieces += [text[copied : token.start], _as_table(name, _arguments(call, value_of))]
        copied = tokens[end].end + 1
    return "".join([*pieces, text[copied:]])


def _end_of_call(tokens: Sequence[object], begin: int) -> int:
    depth = 0
    for at in range(begin, len(tokens)):
        kind = tokens[at].token_type.name  # type: ignore[attr-defined]
        depth += {"L_PAREN": 1, "R_PAREN": -1}.get(kind, 0)
        if depth == 0:
            return at
    raise InvalidExpression("A call of a function has no closing parenthesis.", "Close it.")


def _arguments(cursor: Cursor, value_of: ValueOf) -> list[str]:
    values: list[str] = []
    cursor.expect("(")
    while not cursor.accept(")"):
        text = cursor.text_until(",", ")")
        tree = Cursor(text).expression()
        value = literal_value(tree) if is_literal(tree) else value_of(text)
        if value is None:
            raise InvalidExpression(f"The argument '{text}' is NULL.", "Write a value.")
        values.append(str(value))
        cursor.accept(",")
    return values


def _as_table(name: str, values: Sequence[str]) -> str:
    parameters, options = FUNCTIONS[name]
    if len(values) != len(parameters):
        raise InvalidExpression(
            f"{name} has {counted(len(parameters), 'arguments')}, but the call has {len(values)}.",
            f"Write {name}({', '.join(parameters)}).",
        )
    reference = Cursor(values[0]).path()
    given = ", ".join(f"{quote_text(key)} = {quote_text(value)}" for key, value in options(values[1:]).items())
    return f"{'.'.join(map(quote_name, reference))} WITH ({given})"


def _between(option: str) -> Callable[[Sequence[str]], Mapping[str, str]]:
    return lambda values: {option: f"{values[0]},{values[1]}"}


FUNCTIONS: Mapping[str, tuple[tuple[str, ...], Callable[[Sequence[str]], Mapping[str, str]]]] = {
    "paimon_incremental_query": (("table", "start", "end"), _between("incremental-between")),
    "paimon_incremental_between_timestamp": (
        ("table", "start_timestamp", "end_timestamp"),
        _between("incremental-between-timestamp"),
    ),
    "paimon_incremental_to_auto_tag": (
        ("table", "tag"),
        lambda values: {"incremental-to-auto-tag": values[0]},
    ),
}
"""The parameters of each function, and a function that turns the arguments after the table into read options."""
