"""Calls of the functions in ``sys`` in a query on Spark Connect, whose server does not know the catalogs."""

from __future__ import annotations

from collections.abc import Callable

from workbench.expr.dialect import tokens_of


def with_sys_functions(text: str, name_of: Callable[[str], str | None]) -> str:
    """Return a query that calls functions in ``sys`` by the names that the server knows.

    Args:
        text: The query.
        name_of: Returns the server's name for a function, given its name in lower case; None if there is none.

    Example:
        >>> with_sys_functions("SELECT paimon.sys.bucket(4, id) FROM t", {"bucket": "f"}.get)
        'SELECT f(4, id) FROM t'
    """
    if "sys" not in text.lower():
        return text
    tokens = tokens_of(text)
    words = [str(token.text).lower() for token in tokens]
    pieces: list[str] = []
    copied = 0
    for at in range(2, len(words) - 1):
        if words[at - 2 : at] != ["sys", "."] or words[at + 1] != "(":
            continue
        name = name_of(words[at])
        if name is None:
            continue
        begin = at - 4 if at > 3 and words[at - 3] == "." else at - 2
        pieces += [text[copied : tokens[begin].start], name]
        copied = tokens[at].end + 1
    return "".join([*pieces, text[copied:]])
