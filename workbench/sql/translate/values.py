"""The translation of an expression: its DuckDB text and its Spark type; and the error for what has no translation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.sql.translate.types import duckdb_name


class NotTranslated(Unsupported):
    """A construct that is not in the allow-list, so that the query has to run on Spark."""

    def __init__(self, construct: str, reason: str) -> None:
        super().__init__(f"{construct} runs on Spark: {reason}.")
        self.construct = construct


@dataclass(eq=False)
class Column:
    """A column of a relation of a query. ``sql`` is how expressions refer to it; ``char`` is n of a column CHAR(n)."""

    name: str
    type: pa.DataType
    sql: str
    char: int | None = None


# The constant of a number that is cast: sqlglot parses 10L and CAST(10 AS BIGINT) to the same tree, but where the
# number becomes a decimal, Spark gives only 10L the precision of its written digits.
CAST_NUMBER = "a number with a type"


@dataclass(frozen=True)
class Typed:
    """A translated expression. ``columns`` are the columns that it refers to; for a literal, ``is_constant`` is set
    and ``constant`` is its value. ``is_foldable`` is set if it is known to have the same value for every row."""

    sql: str
    type: pa.DataType
    columns: frozenset[Column] = frozenset()
    constant: Any = None
    is_constant: bool = False
    is_foldable: bool = False

    @property
    def is_null(self) -> bool:
        """Whether it is the literal NULL."""
        return self.is_constant and self.constant is None


def combined(sql: str, data_type: pa.DataType, parts: Iterable[Typed] = ()) -> Typed:
    """Return an expression built from others."""
    return Typed(sql, data_type, frozenset().union(*(part.columns for part in parts)))


def as_type(value: Typed, data_type: pa.DataType) -> Typed:
    """Return the value with DuckDB's cast, for types where it is the same as Spark's."""
    if value.type == data_type:
        return value
    return replace(value, sql=f"CAST({value.sql} AS {duckdb_name(data_type)})", type=data_type)


# The first mark begins the message of an error that Spark raises, too; the second mark begins the message of an error
# for a value that DuckDB treats differently, so that the query runs on Spark.
ERROR_MARK, SPARK_MARK = "spark-error:", "runs-on-spark:"


def text(value: str) -> str:
    """Return a string as a literal of DuckDB."""
    return "'" + value.replace("'", "''") + "'"


def error(condition: str, message: str) -> str:
    """Return an expression that raises the error that Spark raises."""
    return f"error({text(f'{ERROR_MARK}[{condition}] {message}')})"


def on_spark(construct: str, reason: str) -> str:
    """Return an expression that makes the query run on Spark when it is evaluated."""
    return f"error({text(f'{SPARK_MARK}{construct}|{reason}')})"
