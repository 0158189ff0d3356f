"""The SQL dialect of statements: Spark's, with ``$`` allowed in table names such as ``orders$files``."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar


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
