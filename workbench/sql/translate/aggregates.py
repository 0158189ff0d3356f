"""The allow-list: aggregates and window functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from workbench.expr.cells import type_name
from workbench.sql.translate import types
from workbench.sql.translate.casts import widened
from workbench.sql.translate.functions import Arguments
from workbench.sql.translate.kinds import (
    ANY,
    AS_DOUBLE,
    BIGINT,
    BOOLEAN,
    DECIMAL,
    INT,
    INT_LITERAL,
    REAL,
    SCALAR,
    Kind,
)
from workbench.sql.translate.values import NotTranslated, Typed, error, on_spark


class Call(Protocol):
    """Returns DuckDB's call of an aggregate, with the DISTINCT, FILTER and OVER of the query."""

    def __call__(self, function: str, *arguments: str) -> str:
        """Return the call."""
        ...


@dataclass(frozen=True)
class Aggregate:
    """An aggregate of the allow-list; ``emit`` is the name of DuckDB's function, or builds DuckDB's text."""

    name: str
    parameters: tuple[Kind, ...]
    result: pa.DataType | Callable[[Arguments], pa.DataType | None]
    emit: str | Callable[[Call, Arguments], str | None]


def _same(given: Arguments) -> pa.DataType:
    return given[0].type


def _sum_of_integers(call: Call, given: Arguments) -> str:
    return f"CAST({call('sum', given[0].sql)} AS BIGINT)"


def _sum_of_bigints(call: Call, given: Arguments) -> str:
    # Spark adds BIGINTs one by one, so a partial sum may overflow even if the total does not.
    total, most = call("sum", given[0].sql), call("sum", f"abs(CAST({given[0].sql} AS HUGEINT))")
    overflow = error("ARITHMETIC_OVERFLOW", "long overflow.")
    guard = on_spark("`sum`", "a partial sum may not be a BIGINT")
    return (
        f"CASE WHEN abs({total}) > 9223372036854775807 THEN {overflow} WHEN {most} > 9223372036854775807 THEN {guard} "
        f"ELSE CAST({total} AS BIGINT) END"
    )


def _sum_type(given: Arguments) -> pa.DataType:
    source = given[0].type
    return pa.decimal128(min(source.precision + 10, types.MAX_PRECISION), source.scale)


def _sum_of_decimals(call: Call, given: Arguments) -> str | None:
    if given[0].type.precision > types.MAX_PRECISION - 10:
        return None
    return f"CAST({call('sum', given[0].sql)} AS {types.duckdb_name(_sum_type(given))})"


def _average_type(given: Arguments) -> pa.DataType | None:
    source = given[0].type
    return types.decimal(source.precision + 4, source.scale + 4)


def _average_of_decimals(call: Call, given: Arguments) -> str | None:
    source, result = given[0].type, _average_type(given)
    digits = source.precision + 10
    if result is None or digits + max(source.scale, 4) >= types.MAX_PRECISION:
        return None
    total = f"CAST({call('sum', given[0].sql)} AS DECIMAL(38, {source.scale}))"
    unscaled = f"{total} * CAST(1{'0' * source.scale} AS DECIMAL({source.scale + 1}, 0))"
    numerator = f"CAST({unscaled} AS HUGEINT) * 10000"
    quotient = f"wb_quotient({numerator}, {call('count', given[0].sql)})"
    return scaled(quotient, result)


def scaled(unscaled: str, result: pa.DataType) -> str:
    """Return the decimal whose unscaled value is a HUGEINT."""
    if not result.scale:
        return f"CAST({unscaled} AS {types.duckdb_name(result)})"
    unit = f"CAST('0.{'0' * (result.scale - 1)}1' AS DECIMAL({result.scale}, {result.scale}))"
    return f"CAST(CAST({unscaled} AS DECIMAL(38, 0)) * {unit} AS {types.duckdb_name(result)})"


def _sum_of_reals(call: Call, given: Arguments) -> str:
    return call("sum", f"CAST({given[0].sql} AS DOUBLE)")


def _average(call: Call, given: Arguments) -> str:
    return call("avg", f"CAST({given[0].sql} AS DOUBLE)")


def _spread(function: str) -> Callable[[Call, Arguments], str]:
    """Return an emitter for a deviation or variance: Spark accepts values that are not finite, DuckDB does not."""

    def emit(call: Call, given: Arguments) -> str:
        value = given[0].sql
        guard = on_spark(f"`{function}`", "a value is very large or not finite")
        unusual = call("count", f"CASE WHEN NOT isfinite({value}) OR abs({value}) > 1e100 THEN 1 END")
        usual = f"CASE WHEN isfinite({value}) AND abs({value}) <= 1e100 THEN {value} END"
        return f"CASE WHEN {unusual} > 0 THEN {guard} ELSE {call(function, usual)} END"

    return emit


def _count(call: Call, given: Arguments) -> str:
    if len(given) == 1:
        return call("count", given[0].sql)
    complete = " AND ".join(f"{value.sql} IS NOT NULL" for value in given)
    values = ", ".join(value.sql for value in given)
    return call("count", f"CASE WHEN {complete} THEN row({values}) END")


def _count_if(call: Call, given: Arguments) -> str:
    return call("count", f"CASE WHEN {given[0].sql} THEN 1 END")


AGGREGATES = (
    *(Aggregate("count", (ANY,) * number, types.BIGINT, _count) for number in (1, 2, 3)),
    Aggregate("count_if", (BOOLEAN,), types.BIGINT, _count_if),
    Aggregate("sum", (INT,), types.BIGINT, _sum_of_integers),
    Aggregate("sum", (BIGINT,), types.BIGINT, _sum_of_bigints),
    Aggregate("sum", (DECIMAL,), _sum_type, _sum_of_decimals),
    Aggregate("sum", (REAL,), types.DOUBLE, _sum_of_reals),
    *(Aggregate(name, (DECIMAL,), _average_type, _average_of_decimals) for name in ("avg", "mean")),
    *(Aggregate(name, (INT,), types.DOUBLE, _average) for name in ("avg", "mean")),
    *(Aggregate(name, (BIGINT,), types.DOUBLE, _average) for name in ("avg", "mean")),
    *(Aggregate(name, (REAL,), types.DOUBLE, _average) for name in ("avg", "mean")),
    *(Aggregate(name, (SCALAR,), _same, name) for name in ("min", "max")),
    *(Aggregate(name, (BOOLEAN,), types.BOOLEAN, "bool_and") for name in ("bool_and", "every")),
    *(Aggregate(name, (BOOLEAN,), types.BOOLEAN, "bool_or") for name in ("bool_or", "some", "any")),
    *(
        Aggregate(name, (AS_DOUBLE,), types.DOUBLE, _spread(function))
        for function, names in (
            ("stddev_samp", ("stddev", "std", "stddev_samp")),
            ("stddev_pop", ("stddev_pop",)),
            ("var_samp", ("variance", "var_samp")),
            ("var_pop", ("var_pop",)),
        )
        for name in names
    ),
)
AGGREGATE_NAMES = frozenset(aggregate.name for aggregate in AGGREGATES)
# Aggregates that only Spark runs; they are listed so that a query with them is recognized as an aggregation.
SPARK_AGGREGATES = frozenset(
    (
        *("approx_count_distinct", "approx_percentile", "percentile", "percentile_approx", "median", "mode", "first"),
        *("first_value", "last", "last_value", "any_value", "max_by", "min_by", "collect_list", "collect_set"),
        *("array_agg", "corr", "covar_pop", "covar_samp", "kurtosis", "skewness", "bit_and", "bit_or", "bit_xor"),
        *("grouping", "grouping_id", "histogram_numeric", "listagg", "string_agg", "try_sum", "try_avg"),
        *("regr_count", "regr_slope", "regr_intercept", "regr_r2", "count_min_sketch", "percentile_cont"),
    )
)


def _order_only(function: str) -> Callable[[Call, Arguments], str]:
    return lambda call, given: f"CAST({call(function, *(value.sql for value in given))} AS INTEGER)"


def _neighbor(call_name: str) -> Callable[[Call, Arguments], str | None]:
    def emit(call: Call, given: Arguments) -> str | None:
        if len(given) < 3:
            return call(call_name, *(value.sql for value in given))
        if types.common_type((given[0].type, given[2].type)) != given[0].type:
            return None
        return call(call_name, given[0].sql, given[1].sql, widened(given[2], given[0].type, call_name).sql)

    return emit


WINDOW_FUNCTIONS = (
    *(Aggregate(name, (), types.INT, _order_only(name)) for name in ("row_number", "rank", "dense_rank")),
    Aggregate("ntile", (INT_LITERAL,), types.INT, _order_only("ntile")),
    *(Aggregate(name, (), types.DOUBLE, name) for name in ("percent_rank", "cume_dist")),
    *(
        Aggregate(name, (SCALAR, INT_LITERAL, SCALAR)[:count], _same, _neighbor(name))
        for name in ("lag", "lead")
        for count in (1, 2, 3)
    ),
    *(Aggregate(name, (SCALAR,), _same, name) for name in ("first_value", "last_value")),
    Aggregate("nth_value", (SCALAR, INT_LITERAL), _same, "nth_value"),
)
# Functions that depend only on the order of rows: they have no frame, no FILTER and no DISTINCT.
RANKING = frozenset(("row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist", "lag", "lead"))


def aggregate(
    allowed: Sequence[Aggregate], name: str, given: Arguments, call: Call, construct: str
) -> tuple[str, pa.DataType, Sequence[Typed]]:
    """Return the text and type of an aggregate, and its converted arguments.

    Raises:
        NotTranslated: If the aggregate is not in the allow-list for arguments of these types.
    """
    for each in allowed:
        if each.name != name or len(each.parameters) != len(given):
            continue
        if not all(kind.accepts(value) for kind, value in zip(each.parameters, given, strict=True)):
            continue
        values = [
            value if kind.cast_to is None else widened(value, kind.cast_to, construct)
            for kind, value in zip(each.parameters, given, strict=True)
        ]
        result = each.result(values) if callable(each.result) else each.result
        if callable(each.emit):
            sql = each.emit(call, values)
        else:
            sql = call(each.emit, *(value.sql for value in values))
        if result is not None and sql is not None:
            return sql, result, values
    if not any(each.name == name for each in allowed):
        raise NotTranslated(f"`{name}`", "the function is not supported on DuckDB")
    listed = ", ".join(type_name(value.type) for value in given)
    raise NotTranslated(f"`{construct}`", f"`{name}` of {listed or 'no argument'} is not supported on DuckDB")
