"""Translates resolved conditions to Spark: comparisons with constants, and logical operators, of equal meaning."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from pyspark.sql import Column as SparkColumn
from pyspark.sql import functions

from workbench.expr.expressions import And, Column, Comparison, Expr, In, IsNull, Like, Literal, Not, Or
from workbench.format.types import AtomicType
from workbench.spark.bucket import quoted
from workbench.spark.types import to_spark

_COMPARISONS: dict[str, Callable[[SparkColumn, SparkColumn], SparkColumn]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "<=>": lambda left, right: left.eqNullSafe(right),
}
_MICROSECONDS = {"TIMESTAMP": "", "TIMESTAMP_LTZ": "Z"}
_AS_THEY_ARE = ("BOOLEAN", "CHAR", "VARCHAR", "BINARY", "VARBINARY")
_NUMBERS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL")


class _NotPlain(Exception):  # noqa: N818
    """Raised for a part of a condition that Spark may evaluate differently."""


def spark_condition(condition: Expr) -> SparkColumn | None:
    """Return a resolved condition as a Spark column; None if it has casts, arithmetic or function calls.

    Casts depend on Spark's ANSI mode and session time zone, which may differ from this library's.
    """
    try:
        return _converted(condition)
    except _NotPlain:
        return None


def _converted(node: Expr) -> SparkColumn:
    match node:
        case Column():
            return functions.col(quoted(node.name))
        case Literal():
            return _constant(node)
        case Comparison():
            return _COMPARISONS[node.operator](_converted(node.left), _converted(node.right))
        case And():
            return _joined(node.operands, operator.and_)
        case Or():
            return _joined(node.operands, operator.or_)
        case Not():
            return ~_converted(node.operand)
        case IsNull():
            return _converted(node.operand).isNull()
        case In():
            return _converted(node.operand).isin([_converted(value) for value in node.values])
        case Like(pattern=Literal(value=str() as pattern), escape="\\"):
            return _converted(node.operand).like(pattern)
        case _:
            raise _NotPlain


def _joined(operands: Sequence[Expr], join: Callable[[SparkColumn, SparkColumn], SparkColumn]) -> SparkColumn:
    """Join conditions in a balanced tree: a tree as deep as there are operands would exceed the stack of the JVM."""
    if len(operands) == 1:
        return _converted(operands[0])
    middle = len(operands) // 2
    return join(_joined(operands[:middle], join), _joined(operands[middle:], join))


def _constant(node: Literal) -> SparkColumn:
    """Return a constant as a Spark column, from its internal value: days for dates; ms, us or ns for times."""
    data_type = node.type
    if not isinstance(data_type, AtomicType):
        raise _NotPlain
    if node.value is None or data_type.root in _NUMBERS:
        return functions.lit(node.value).cast(to_spark(data_type))
    if data_type.root in _AS_THEY_ARE:
        return functions.lit(node.value)
    if data_type.root == "DATE":
        return functions.date_from_unix_date(functions.lit(node.value))
    if data_type.root in _MICROSECONDS and (data_type.precision or 0) <= 6:
        return _moment(node.value * (1000 if (data_type.precision or 0) <= 3 else 1), data_type.root)
    raise _NotPlain


def _moment(micros: int, root: str) -> SparkColumn:
    try:
        text = (datetime(1970, 1, 1) + timedelta(microseconds=micros)).isoformat(sep=" ")
    except OverflowError:
        raise _NotPlain from None
    return functions.expr(f"{root}'{text}{_MICROSECONDS[root]}'")
