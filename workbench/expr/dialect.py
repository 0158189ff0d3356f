"""The SQL dialect of statements: Spark's, with ``$`` allowed in table names such as ``orders$files``."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def statement_dialect() -> Any:
    """Return the dialect in the form that sqlglot accepts."""
    from sqlglot.dialects.spark import Spark

    class PaimonSpark(Spark):
        class Tokenizer(Spark.Tokenizer):
            VAR_SINGLE_TOKENS = {"$"}  # noqa: RUF012

    return PaimonSpark
