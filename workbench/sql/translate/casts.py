"""The casts of the allow-list by the kinds of source and target; a cast that is not listed runs on Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from workbench.expr.cells import type_name
from workbench.sql.translate import kinds, types
from workbench.sql.translate.kinds import Kind
from workbench.sql.translate.types import duckdb_name
from workbench.sql.translate.values import NotTranslated, Typed, as_type, combined, error, on_spark

Emit = Callable[[str, pa.DataType, pa.DataType], str]
# Decimals of up to this many digits are quotients of two integers that are exact as doubles.
_EXACT_DIGITS = 15
_SPACE = "E' \\t\\n\\r'"


@dataclass(frozen=True)
class CastRule:
    """The casts from one kind of type to another: ``emit`` takes the value's text and both types."""

    source: Kind
    target: Kind
    emit: Emit


def _plain(sql: str, _source: pa.DataType, target: pa.DataType) -> str:
    return f"CAST({sql} AS {duckdb_name(target)})"


def _invalid(target: pa.DataType) -> str:
    return error("CAST_INVALID_INPUT", f"A value of type STRING cannot be cast to {type_name(target)}.")


def _truncated_real(sql: str, source: pa.DataType, target: pa.DataType) -> str:
    # At the limits of BIGINT, a double is rounded to a neighbor of the limit.
    guard = on_spark("CAST", "a floating-point value is near the limits of BIGINT")
    name = duckdb_name(target)
    too_large = error("CAST_OVERFLOW", f"The value cannot be cast to {type_name(target)} due to an overflow.")
    if target == types.BIGINT:
        near = f"abs({sql}) BETWEEN 9223371950454775808 AND 9223372123254775808"
        return (
            f"CASE WHEN {near} THEN {guard} WHEN NOT isfinite({sql}) OR abs({sql}) > 9.3e18 THEN {too_large} "
            f"ELSE CAST(trunc({sql}) AS {name}) END"
        )
    limit = {types.TINYINT: 127, types.SMALLINT: 32767, types.INT: 2147483647}[target]
    if source == types.FLOAT and target == types.INT:
        sql = f"CAST({sql} AS DOUBLE)"
    outside = f"isnan({sql}) OR trunc({sql}) > {limit} OR trunc({sql}) < {-limit - 1}"
    return f"CASE WHEN {outside} THEN {too_large} ELSE CAST(trunc({sql}) AS {name}) END"


def _truncated_decimal(sql: str, _source: pa.DataType, target: pa.DataType) -> str:
    too_large = error("CAST_OVERFLOW", f"The value cannot be cast to {type_name(target)} due to an overflow.")
    tried = f"TRY_CAST(trunc({sql}) AS {duckdb_name(target)})"
    return f"CASE WHEN {sql} IS NULL THEN NULL WHEN {tried} IS NULL THEN {too_large} ELSE {tried} END"


def _decimal_to_double(sql: str, source: pa.DataType, _target: pa.DataType) -> str:
    if source.precision <= _EXACT_DIGITS:
        return f"CAST({sql} AS DOUBLE)"
    return f"CAST(CAST({sql} AS VARCHAR) AS DOUBLE)"


def _decimal_text(sql: str, source: pa.DataType, target: pa.DataType) -> str:
    text = _plain(sql, source, target)
    # DuckDB omits the zero before the point if the type has no digit for it.
    return rf"regexp_replace({text}, '^(-?)\.', '\1' || '0.')" if source.precision == source.scale else text


def _nonzero(sql: str, _source: pa.DataType, _target: pa.DataType) -> str:
    return f"({sql} <> 0)"


def _of_boolean(sql: str, _source: pa.DataType, target: pa.DataType) -> str:
    name = duckdb_name(target)
    return f"CASE WHEN {sql} THEN CAST(1 AS {name}) WHEN NOT {sql} THEN CAST(0 AS {name}) END"


def _text_to(pattern: str, other: str) -> Emit:
    """Return a cast of strings that match ``pattern``; those that match ``other`` run on Spark, the rest fails."""

    def emit(sql: str, _source: pa.DataType, target: pa.DataType) -> str:
        bare = f"trim({sql}, {_SPACE})"
        guard = on_spark(f"CAST to {type_name(target)}", "a text has an unusual form")
        # A decimal that is too large raises a different error than a string that is not a number.
        value = f"CAST({bare} AS {duckdb_name(target)})"
        if not types.is_decimal(target):
            value = f"coalesce(TRY_{value}, {_invalid(target)})"
        return (
            f"CASE WHEN {sql} IS NULL THEN NULL WHEN regexp_full_match({bare}, '{pattern}') THEN {value} "
            f"WHEN regexp_matches({bare}, '{other}') THEN {guard} ELSE {_invalid(target)} END"
        )

    return emit


def _text_to_boolean(sql: str, _source: pa.DataType, target: pa.DataType) -> str:
    bare = f"lower(trim({sql}, {_SPACE}))"
    return (
        f"CASE WHEN {sql} IS NULL THEN NULL WHEN {bare} IN ('t', 'true', 'y', 'yes', '1') THEN true "
        f"WHEN {bare} IN ('f', 'false', 'n', 'no', '0') THEN false ELSE {_invalid(target)} END"
    )


_MOMENT = r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?"
# Anything that begins like a date may have one of Spark's shorter or longer forms.
_LIKE_DATE = r"^[+-]?\d"


def _text_to_instant(sql: str, source: pa.DataType, target: pa.DataType) -> str:
    local = _text_to(rf"{_MOMENT}|\d{{4}}-\d{{2}}-\d{{2}}", r"[\d:]")(sql, source, types.TIMESTAMP_NTZ)
    return f"wb_instant({local})" if target == types.TIMESTAMP else local


def _date_text(sql: str, _source: pa.DataType, _target: pa.DataType) -> str:
    return f"CASE WHEN {_usual_year(sql)} THEN CAST({sql} AS VARCHAR) ELSE {_unusual_year(sql)} END"


def _usual_year(sql: str) -> str:
    return f"{sql} IS NULL OR year({sql}) BETWEEN 1 AND 9999"


def _unusual_year(_sql: str) -> str:
    return on_spark("CAST to STRING", "a year is not between 1 and 9999")


def _local_text(sql: str, _source: pa.DataType, _target: pa.DataType) -> str:
    local = f"wb_local({sql})"
    return f"CASE WHEN {_usual_year(local)} THEN CAST({local} AS VARCHAR) ELSE {_unusual_year(local)} END"


def _date_to_instant(sql: str, _source: pa.DataType, _target: pa.DataType) -> str:
    return f"wb_instant(CAST({sql} AS TIMESTAMP))"


def _wrap(function: str) -> Emit:
    return lambda sql, _source, _target: f"{function}({sql})"


_WHOLE = r"[+-]?\d+"
_NUMBER = r"[+-]?(\d+(\.\d*)?|\.\d+)"

CASTS: tuple[CastRule, ...] = (
    CastRule(kinds.INTEGER, kinds.INTEGER, _plain),
    CastRule(kinds.INTEGER, kinds.DECIMAL, _plain),
    CastRule(kinds.INTEGER, kinds.REAL, _plain),
    CastRule(kinds.INTEGER, kinds.BOOLEAN, _nonzero),
    CastRule(kinds.INTEGER, kinds.STRING, _plain),
    CastRule(kinds.DECIMAL, kinds.INTEGER, _truncated_decimal),
    CastRule(kinds.DECIMAL, kinds.DECIMAL, _plain),
    CastRule(kinds.DECIMAL, kinds.DOUBLE, _decimal_to_double),
    CastRule(kinds.DECIMAL, kinds.BOOLEAN, _nonzero),
    CastRule(kinds.DECIMAL, kinds.STRING, _decimal_text),
    CastRule(kinds.FLOAT, kinds.DOUBLE, _plain),
    CastRule(kinds.REAL, kinds.INTEGER, _truncated_real),
    CastRule(kinds.BOOLEAN, kinds.INTEGER, _of_boolean),
    CastRule(kinds.BOOLEAN, kinds.DOUBLE, _of_boolean),
    CastRule(kinds.BOOLEAN, kinds.STRING, _plain),
    CastRule(kinds.STRING, kinds.INTEGER, _text_to(_WHOLE, r"[^\s\S]")),
    CastRule(kinds.STRING, kinds.DECIMAL, _text_to(_NUMBER, r"^[+-]?[\d.]+[eE]")),
    CastRule(kinds.STRING, kinds.DOUBLE, _text_to(rf"{_NUMBER}([eE][+-]?\d+)?", r"[dDfFnNiIxX]")),
    CastRule(kinds.STRING, kinds.BOOLEAN, _text_to_boolean),
    CastRule(kinds.STRING, kinds.DATE, _text_to(r"\d{4}-\d{2}-\d{2}", _LIKE_DATE)),
    CastRule(kinds.STRING, kinds.TIMESTAMP_NTZ, _text_to_instant),
    CastRule(kinds.STRING, kinds.TIMESTAMP, _text_to_instant),
    CastRule(kinds.DATE, kinds.STRING, _date_text),
    CastRule(kinds.DATE, kinds.TIMESTAMP_NTZ, _plain),
    CastRule(kinds.DATE, kinds.TIMESTAMP, _date_to_instant),
    CastRule(kinds.TIMESTAMP_NTZ, kinds.STRING, _date_text),
    CastRule(kinds.TIMESTAMP_NTZ, kinds.DATE, _plain),
    CastRule(kinds.TIMESTAMP_NTZ, kinds.TIMESTAMP, _wrap("wb_instant")),
    CastRule(kinds.TIMESTAMP, kinds.STRING, _local_text),
    CastRule(kinds.TIMESTAMP, kinds.DATE, lambda sql, _source, _target: f"CAST(wb_local({sql}) AS DATE)"),
    CastRule(kinds.TIMESTAMP, kinds.TIMESTAMP_NTZ, _wrap("wb_local")),
)


def cast(value: Typed, target: pa.DataType, construct: str) -> Typed:
    """Return the value as another type, with the values and errors of Spark's ANSI cast.

    Raises:
        NotTranslated: If the cast is not in the allow-list.
    """
    if value.type == target:
        return value
    if value.type == types.NULL and types.is_scalar(target):
        return Typed(f"CAST(NULL AS {duckdb_name(target)})", target, is_constant=True)
    wanted = Typed("", target)
    for rule in CASTS:
        if rule.source.accepts(value) and rule.target.accepts(wanted):
            return combined(rule.emit(value.sql, value.type, target), target, (value,))
    raise NotTranslated(f"`{construct}`", f"the cast of {type_name(value.type)} to {type_name(target)}")


def widened(value: Typed, target: pa.DataType, construct: str) -> Typed:
    """Return the value converted without loss to a type that `common_type` chose."""
    if value.type == target or (types.is_integer(value.type) and types.is_number(target)):
        return as_type(value, target)
    return cast(value, target, construct)
