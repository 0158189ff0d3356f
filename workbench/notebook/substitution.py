"""``{name}`` in a SQL cell: the value of a Python variable, always as a literal, never as a piece of SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.errors import InvalidExpression, did_you_mean
from workbench.sql.literals import literal_text


def substitute(text: str, variables: Mapping[str, Any]) -> str:
    """The text with each ``{name}`` replaced. Braces inside quotes and comments are left alone.

    Raises:
        InvalidExpression: no such variable, or its value has no literal.
    """
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.errors import TokenError

    try:
        tokens = Dialect.get_or_raise("spark").tokenize(text)
    except TokenError as error:
        raise InvalidExpression("The statement ends inside a quoted text.", "Close the quote.") from error
    pieces: list[str] = []
    begin = 0
    for before, name, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_brace = before.text == "{" and text[before.start] == "{" and after.text == "}"
        if is_brace and text[name.start : name.end + 1].isidentifier():
            pieces += [text[begin : before.start], _literal(name.text, variables)]
            begin = after.end + 1
    return "".join([*pieces, text[begin:]])


def _literal(name: str, variables: Mapping[str, Any]) -> str:
    if name not in variables:
        raise InvalidExpression(f"There is no variable '{name}'.", did_you_mean(name, variables))
    return literal_text(variables[name])
