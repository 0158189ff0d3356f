"""The allow-list: numeric functions."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from workbench.sql.translate import types
from workbench.sql.translate.functions import Arguments, Function
from workbench.sql.translate.kinds import (
    AS_DOUBLE,
    DECIMAL,
    DOUBLE,
    INT_LITERAL,
    INTEGER,
    REAL,
)
from workbench.sql.translate.values import on_spark


def _same(given: Arguments) -> pa.DataType:
    return given[0].type


def _whole(given: Arguments) -> pa.DataType | None:
    """Return the type of `ceil` and `floor` of a decimal: its whole digits, and one more for the carry."""
    return types.decimal(given[0].type.precision - given[0].type.scale + 1, 0)


def _rounded_decimal(given: Arguments) -> pa.DataType | None:
    source = given[0].type
    scale = _decimals(given)
    if scale is None or scale < 0:
        return None
    whole = source.precision - source.scale + 1
    kept = min(source.scale, scale)
    return pa.decimal128(min(whole + kept, types.MAX_PRECISION), kept)


def _decimals(given: Arguments) -> int | None:
    return int(given[1].constant) if len(given) == 2 else 0


def _round_decimal(given: Arguments) -> str | None:
    target = _rounded_decimal(given)
    return None if target is None else f"CAST({given[0].sql} AS {types.duckdb_name(target)})"


def _round_integer(given: Arguments) -> str | None:
    return given[0].sql if (_decimals(given) or 0) >= 0 else None


def _round_double(given: Arguments) -> str | None:
    decimals = _decimals(given)
    if decimals is None or not 0 <= decimals <= 15:
        return None
    sql = given[0].sql
    # Spark rounds the shortest decimal text of the number. Numbers of this size and above have no fraction.
    return (
        f"CASE WHEN isfinite({sql}) AND abs({sql}) < 4503599627370496 "
        f"THEN CAST(CAST(CAST({sql} AS VARCHAR) AS DECIMAL(38, {decimals})) AS DOUBLE) ELSE {sql} END"
    )


def _to_whole(function: str) -> Callable[[Arguments], str]:
    """Return an emitter of `ceil` or `floor`, which Spark returns as BIGINT."""

    def emit(given: Arguments) -> str:
        sql = given[0].sql
        guard = on_spark(f"`{function}`", "a value is not a BIGINT")
        outside = f"NOT isfinite({sql}) OR abs({sql}) > 9e18"
        return f"CASE WHEN {outside} THEN {guard} ELSE CAST({function}({sql}) AS BIGINT) END"

    return emit


def _whole_decimal(function: str) -> Callable[[Arguments], str | None]:
    def emit(given: Arguments) -> str | None:
        target = _whole(given)
        return None if target is None else f"CAST({function}({given[0].sql}) AS {types.duckdb_name(target)})"

    return emit


def _positive(emitted: str) -> str:
    """Return ``emitted``, or NULL if the argument is not positive, as in Spark's logarithms."""
    return f"CASE WHEN {{0}} > 0 THEN {emitted} END"


NUMBER_FUNCTIONS = (
    Function("abs", (INTEGER,), _same, "abs({0})"),
    Function("abs", (DECIMAL,), _same, "abs({0})"),
    Function("abs", (REAL,), _same, "abs({0})"),
    *(Function(name, (INTEGER,), types.BIGINT, "CAST({0} AS BIGINT)") for name in ("ceil", "ceiling", "floor")),
    *(Function(name, (REAL,), types.BIGINT, _to_whole("ceil")) for name in ("ceil", "ceiling")),
    Function("floor", (REAL,), types.BIGINT, _to_whole("floor")),
    *(Function(name, (DECIMAL,), _whole, _whole_decimal("ceil")) for name in ("ceil", "ceiling")),
    Function("floor", (DECIMAL,), _whole, _whole_decimal("floor")),
    *(
        Function("round", (kind, *more), result, emit)
        for more in ((), (INT_LITERAL,))
        for kind, result, emit in (
            (INTEGER, _same, _round_integer),
            (DECIMAL, _rounded_decimal, _round_decimal),
            (DOUBLE, _same, _round_double),
        )
    ),
    Function("sqrt", (AS_DOUBLE,), types.DOUBLE, "sqrt({0})"),
    Function("exp", (AS_DOUBLE,), types.DOUBLE, "exp({0})"),
    Function("ln", (AS_DOUBLE,), types.DOUBLE, _positive("ln({0})")),
    Function("log10", (AS_DOUBLE,), types.DOUBLE, _positive("log10({0})")),
    Function("log2", (AS_DOUBLE,), types.DOUBLE, _positive("log2({0})")),
    *(Function(name, (AS_DOUBLE, AS_DOUBLE), types.DOUBLE, "pow({0}, {1})") for name in ("power", "pow")),
    *(
        Function(name, (AS_DOUBLE,), types.DOUBLE, f"{name}({{0}})")
        for name in ("sin", "cos", "tan", "atan", "degrees", "radians")
    ),
    *(
        Function(name, (AS_DOUBLE,), types.DOUBLE, "CASE WHEN isnan({0}) THEN {0} ELSE CAST(sign({0}) AS DOUBLE) END")
        for name in ("sign", "signum")
    ),
    Function("isnan", (REAL,), types.BOOLEAN, "coalesce(isnan({0}), false)"),
    Function("positive", (INTEGER,), _same, "{0}"),
    Function("negative", (INTEGER,), _same, "(-{0})"),
    Function("pi", (), types.DOUBLE, "pi()"),
)
