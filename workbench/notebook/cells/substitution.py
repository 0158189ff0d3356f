"""Substitution of ``{name}`` in SQL cells by the value of a Python variable, always as a literal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.base.errors import InvalidExpression, did_you_mean
from workbench.base.modules import sqlglot
from workbench.sql.literals import literal_text


def substitute(text: str, variables: Mapping[str, Any]) -> str:
    """Return the text with each ``{name}`` replaced, except inside quotes and comments.

    Raises:
        InvalidExpression: the variable does not exist, or its value has no literal.
    """
    pieces: list[str] = []
    begin = 0
    for name, start, end in placeholders(text):
        pieces += [text[begin:start], _literal(name, variables)]
        begin = end
    return "".join([*pieces, text[begin:]])


def refuse_placeholders(text: str) -> None:
    """Raise InvalidExpression if a cell without substitution contains a ``{name}``."""
    for name, _, _ in placeholders(text):
        raise InvalidExpression(f"{{{name}}} is replaced only in cells with --vars.", "Write %%paimon --vars.")


def placeholders(text: str) -> list[tuple[str, int, int]]:
    """Return the name, start and end of each ``{name}`` outside of quotes and comments."""
    try:
        tokens = sqlglot.Dialect.get_or_raise("spark").tokenize(text)
    except sqlglot.errors.TokenError as error:
        raise InvalidExpression("The statement ends inside a quoted string.", "Close the quote.") from error
    return [
        (name.text, before.start, after.end + 1)
        for before, name, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if text[before.start] == "{" and after.text == "}" and text[name.start : name.end + 1].isidentifier()
    ]


def _literal(name: str, variables: Mapping[str, Any]) -> str:
    if name not in variables:
        raise InvalidExpression(f"Variable '{name}' is not defined.", did_you_mean(name, variables))
    return literal_text(variables[name])
