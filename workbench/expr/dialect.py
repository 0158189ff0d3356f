"""The dialect of statements: Spark's, in which a table's name may hold a ``$``, as ``orders$files`` does."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def statement_dialect() -> Any:
    """The dialect as sqlglot takes it."""
    from sqlglot.dialects.spark import Spark

    class PaimonSpark(Spark):
        class Tokenizer(Spark.Tokenizer):
            VAR_SINGLE_TOKENS = {"$"}  # noqa: RUF012

    return PaimonSpark
