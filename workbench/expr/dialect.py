"""The SQL dialect of statements: Spark's, with ``$`` allowed in table names such as ``orders$files``."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from workbench.base.modules import sqlglot


@cache
def statement_dialect() -> Any:
    """Return the dialect in the form that sqlglot accepts."""
    from sqlglot.dialects.spark import Spark

    class PaimonSpark(Spark):
        class Tokenizer(Spark.Tokenizer):
            VAR_SINGLE_TOKENS: ClassVar[set[str]] = {"$"}
            # A doubled quote inside a string is one quote, as in Spark 4.
            STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'", '"']

    return PaimonSpark


def tokens_of(text: str) -> list[Any]:
    """Return the tokens of a statement, including those of CALL and SHOW statements, which sqlglot's parser keeps as
    one string.
    """
    return list(_tokenizer().tokenize(text))


@cache
def _tokenizer() -> Any:
    class PaimonTokens(statement_dialect()):  # type: ignore[misc]
        class Tokenizer(statement_dialect().Tokenizer):  # type: ignore[misc]
            COMMANDS: ClassVar[set[Any]] = set()

    return PaimonTokens()


# The words after which a query may begin; a name and a parenthesis may precede the query of an INSERT.
_BEFORE_QUERIES = ("", "(", "AS", "UNION", "EXCEPT", "MINUS", "INTERSECT", "ALL", "DISTINCT")
_NAMES = ("VAR", "IDENTIFIER")


def with_selects(text: str) -> str:
    """Return a statement with ``SELECT * FROM name`` for each query of the form ``TABLE name``, which sqlglot does not
    know.

    Args:
        text: The statement.

    Example:
        >>> with_selects("INSERT INTO a TABLE b")
        'INSERT INTO a SELECT * FROM b'
    """
    if "table" not in text.lower():
        return text
    try:
        tokens = tokens_of(text)
    except sqlglot.errors.TokenError:
        # The parser says what is wrong.
        return text
    pieces: list[str] = []
    begin = 0
    for at, token in enumerate(tokens[:-1]):
        if token.text.upper() == "TABLE" and _begins_query(tokens, at):
            pieces += [text[begin : token.start], "SELECT * FROM"]
            begin = token.end + 1
    return "".join([*pieces, text[begin:]])


def _begins_query(tokens: list[Any], at: int) -> bool:
    """Return whether the word TABLE begins a query: a name follows, and it is not an argument of a function."""
    if tokens[at].token_type.name != "TABLE" or tokens[at + 1].token_type.name not in _NAMES:
        return False
    before = tokens[at - 1] if at else None
    word = "" if before is None else before.text.upper()
    if word == "(" and at > 1:
        return tokens[at - 2].token_type.name not in _NAMES
    if word in _BEFORE_QUERIES:
        return True
    is_source = tokens[0].token_type.name == "INSERT" and all(each.token_type.name != "SELECT" for each in tokens[:at])
    return before is not None and is_source and (word == ")" or before.token_type.name in _NAMES)
