"""The allow-list: operators, with Spark's conversions, the precision of its decimals and its errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pyarrow as pa

from workbench.expr.cells import type_name
from workbench.sql.translate import types
from workbench.sql.translate.aggregates import scaled
from workbench.sql.translate.casts import cast, widened
from workbench.sql.translate.char_values import with_char_padding
from workbench.sql.translate.functions_moments import MOST_DAYS, shifted
from workbench.sql.translate.logic import may_raise
from workbench.sql.translate.values import CAST_NUMBER, NotTranslated, Typed, as_type, combined, error

# What may raise an error: a cast or a division, and arithmetic that may overflow.
_MAY_FAIL = re.compile(r"error\(| [-+*] ")
# The text of the left operand is repeated, so the text of a long chain would double with each operator.
_LONGEST_REPEATED = 20_000
_ZERO = {"/": error("DIVIDE_BY_ZERO", "Division by zero."), "%": error("REMAINDER_BY_ZERO", "Remainder by zero.")}


def _refusal(construct: str, operator: str, values: Sequence[Typed]) -> NotTranslated:
    listed = " and ".join(type_name(value.type) for value in values)
    return NotTranslated(f"`{construct}`", f"`{operator}` of {listed} is not supported on DuckDB")


def to_common_type(values: Sequence[Typed], construct: str) -> tuple[list[Typed], pa.DataType]:
    """Return the values converted to their common type, as CASE, COALESCE, IN and UNION do.

    Raises:
        NotTranslated: If there is no common type, or only one that requires converting strings.
    """
    target = types.common_type(value.type for value in values)
    if target is None or not (types.is_scalar(target) or all(value.type == target for value in values)):
        listed = ", ".join(sorted({type_name(value.type) for value in values}))
        raise NotTranslated(f"`{construct}`", f"the combination of {listed} is not supported on DuckDB")
    return [widened(value, target, construct) for value in values], target


# These operators compare NULL, too.
_OF_NULLS = frozenset(("IS NOT DISTINCT FROM", "IS DISTINCT FROM"))
_COMPARED_AS = {
    **dict.fromkeys((types.TINYINT, types.SMALLINT, types.INT, types.BIGINT), types.BIGINT),
    **{each: each for each in (types.DOUBLE, types.DATE, types.TIMESTAMP, types.TIMESTAMP_NTZ, types.BOOLEAN)},
}


def comparable(values: Sequence[Typed], construct: str) -> list[Typed]:
    """Return two values converted as a comparison does: a string is converted to the other type."""
    one, other = values
    if types.STRING in (one.type, other.type) and one.type != other.type and types.NULL not in (one.type, other.type):
        target = _COMPARED_AS.get(other.type if one.type == types.STRING else one.type)
        if target is None:
            raise _refusal(construct, "comparison", values)
        return [cast(value, target, construct) for value in values]
    return to_common_type(values, construct)[0]


def comparison(operator: str, values: Sequence[Typed], construct: str, *, pads_char: bool = True) -> Typed:
    """Return a comparison; ``operator`` is DuckDB's. Constants are padded to the length of a CHAR, as in Spark, except
    by BETWEEN and by functions."""
    converted = comparable(with_char_padding(values) if pads_char else values, construct)
    if converted[0].type == types.NULL:
        raise _refusal(construct, operator, values)
    if not types.is_scalar(converted[0].type):
        raise _refusal(construct, operator, values)
    sql = f"({converted[0].sql} {operator} {converted[1].sql})"
    return combined(
        sql if operator in _OF_NULLS else _left_first(converted[0], converted[1], sql), types.BOOLEAN, converted
    )


def _left_first(one: Typed, other: Typed, sql: str) -> str:
    """Return an operation that does not evaluate the right operand, and raises none of its errors, if the left one is
    NULL."""
    if one.is_constant or not _MAY_FAIL.search(other.sql) or len(one.sql) > _LONGEST_REPEATED:
        return sql
    return f"CASE WHEN {one.sql} IS NULL THEN NULL ELSE {sql} END"


def _as_decimal(value: Typed) -> Typed:
    """Return an integer as a decimal; a literal has the precision of its written digits."""
    if types.is_decimal(value.type):
        return value
    if value.constant == CAST_NUMBER:
        raise NotTranslated("`CAST`", "a number with a type beside a DECIMAL is not supported on DuckDB")
    if isinstance(value.constant, int):
        return as_type(value, pa.decimal128(max(1, len(str(abs(value.constant)))), 0))
    return as_type(value, types.as_decimal(value.type))


def arithmetic(operator: str, values: Sequence[Typed], construct: str) -> Typed:
    """Return ``+ - * / %`` or ``div`` of two values.

    Raises:
        NotTranslated: If the operator is not in the allow-list for these types.
    """
    one, other = values
    if one.type == types.DATE and operator in "+-" and other.type in (types.TINYINT, types.SMALLINT, types.INT):
        sql = shifted(one.sql, other.sql, MOST_DAYS, operator, f"({one.sql} {operator} CAST({other.sql} AS INTEGER))")
        return combined(sql, types.DATE, values)
    if not (types.is_number(one.type) and types.is_number(other.type)):
        raise _refusal(construct, operator, values)
    if types.is_real(one.type) or types.is_real(other.type):
        return _real(operator, values, construct)
    if types.is_decimal(one.type) or types.is_decimal(other.type):
        return _decimal(operator, [_as_decimal(value) for value in values], construct)
    return _integer(operator, values, construct)


def _integer(operator: str, values: Sequence[Typed], construct: str) -> Typed:
    if operator == "/":
        return _real(operator, [as_type(value, types.DOUBLE) for value in values], construct)
    target = types.BIGINT if operator == "div" else types.common_type(value.type for value in values)
    assert target is not None
    one, other = (as_type(value, target) for value in values)
    if operator == "div":
        return _divided("//", _ZERO["/"], one, other, target)
    if operator == "%":
        return _divided("%", _ZERO["%"], one, other, target)
    return combined(_left_first(one, other, f"({one.sql} {operator} {other.sql})"), target, (one, other))


def _real(operator: str, values: Sequence[Typed], construct: str) -> Typed:
    if operator == "div":
        raise _refusal(construct, operator, values)
    target = types.FLOAT if {value.type for value in values} == {types.FLOAT} else types.DOUBLE
    if operator == "/":
        target = types.DOUBLE
    one, other = (widened(value, target, construct) for value in values)
    if operator in _ZERO:
        return _divided(operator, _ZERO[operator], one, other, target)
    return combined(_left_first(one, other, f"({one.sql} {operator} {other.sql})"), target, (one, other))


def _divided(operator: str, zero: str, one: Typed, other: Typed, target: pa.DataType) -> Typed:
    # Spark evaluates the divisor first, and the dividend only if the divisor is not NULL.
    sql = f"{_of_divisor(one, other, zero)} ELSE {one.sql} {operator} {other.sql} END"
    return combined(sql, target, (one, other))


def _of_divisor(one: Typed, other: Typed, zero: str) -> str:
    return f"CASE WHEN {other.sql} IS NULL THEN NULL WHEN {one.sql} IS NULL THEN NULL WHEN {other.sql} = 0 THEN {zero}"


def _decimal(operator: str, values: Sequence[Typed], construct: str) -> Typed:
    one, other = values
    result = _decimal_result(operator, one.type, other.type)
    emitted = None if result is None else _DECIMAL_TEXT[operator](one, other, result)
    if result is None or emitted is None:
        raise NotTranslated(f"`{construct}`", "the exact result does not fit into a DECIMAL")
    return combined(emitted, result, values)


def _decimal_result(operator: str, one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Return the type of the result; None if Spark reduces its digits, or follows another rule."""
    whole, other_whole = one.precision - one.scale, other.precision - other.scale
    scale = max(one.scale, other.scale)
    if operator in "+-":
        return types.decimal(max(whole, other_whole) + scale + 1, scale)
    if operator == "*":
        return types.decimal(one.precision + other.precision + 1, one.scale + other.scale)
    if operator == "/":
        scale = max(6, one.scale + other.precision + 1)
        return types.decimal(whole + other.scale + scale, scale)
    return types.decimal(min(whole, other_whole) + scale, scale) if operator == "%" else None


def _plain(operator: str) -> Callable[[Typed, Typed, pa.DataType], str | None]:
    """Return an emitter that widens one operand, because DuckDB computes with 18 digits if neither operand has more."""

    def emit(one: Typed, other: Typed, result: pa.DataType) -> str:
        wide = f"CAST({one.sql} AS DECIMAL(38, {one.type.scale}))"
        return _left_first(one, other, f"CAST(({wide} {operator} {other.sql}) AS {types.duckdb_name(result)})")

    return emit


def _remainder(one: Typed, other: Typed, result: pa.DataType) -> str | None:
    scale = max(one.type.scale, other.type.scale)
    digits = max(one.type.precision - one.type.scale, other.type.precision - other.type.scale) + scale
    if digits > types.MAX_PRECISION:
        return None
    one, other = (as_type(value, pa.decimal128(digits, scale)) for value in (one, other))
    sql = _divided("%", _ZERO["%"], one, other, result).sql
    return f"CAST({sql} AS {types.duckdb_name(result)})"


def _times(value: Typed, digits: int) -> str:
    """Return the value times ten to the power of ``digits``, which makes it an integer, as a HUGEINT."""
    wide = f"CAST({value.sql} AS DECIMAL(38, {value.type.scale}))"
    return f"CAST({wide} * CAST(1{'0' * digits} AS DECIMAL({digits + 1}, 0)) AS HUGEINT)"


def _quotient(one: Typed, other: Typed, result: pa.DataType) -> str | None:
    # In units of the last digit of the result: (one · 10^scale) / other, both made whole numbers.
    shift = result.scale + other.type.scale
    if one.type.precision + shift + 1 >= types.MAX_PRECISION or other.type.precision + other.type.scale > 37:
        return None
    numerator = _times(one, shift)
    denominator = _times(other, other.type.scale)
    return (
        f"{_of_divisor(one, other, _ZERO['/'])} ELSE {scaled(f'wb_quotient({numerator}, {denominator})', result)} END"
    )


_DECIMAL_TEXT: dict[str, Callable[[Typed, Typed, pa.DataType], str | None]] = {
    "+": _plain("+"),
    "-": _plain("-"),
    "*": _plain("*"),
    "/": _quotient,
    "%": _remainder,
}


def negated(value: Typed, construct: str) -> Typed:
    """Return the number with the opposite sign."""
    if not types.is_number(value.type):
        raise _refusal(construct, "-", (value,))
    return combined(f"(-{value.sql})", value.type, (value,))


def bitwise(operator: str, values: Sequence[Typed], construct: str) -> Typed:
    """Return ``& | ^`` of two integers."""
    if not all(types.is_integer(value.type) for value in values):
        raise _refusal(construct, operator, values)
    one, other = to_common_type(values, construct)[0]
    sql = f"xor({one.sql}, {other.sql})" if operator == "^" else f"({one.sql} {operator} {other.sql})"
    return combined(_left_first(one, other, sql), one.type, (one, other))


def concatenated(values: Sequence[Typed], construct: str) -> Typed:
    """Return ``||`` of two strings."""
    if any(value.type != types.STRING for value in values):
        raise _refusal(construct, "||", values)
    sql = f"({values[0].sql} || {values[1].sql})"
    return combined(_left_first(values[0], values[1], sql), types.STRING, values)


# Operators in a row that are nested: DuckDB's time grows with the square of the depth, and its stack ends after some
# thousand levels. A part of a longer chain cannot be a key of GROUP BY.
LONGEST_NESTED = 100


def long_arithmetic(first: Typed, steps: Sequence[tuple[str, Typed]], construct: str) -> Typed:
    """Return operations that are evaluated from left to right; runs of one type become a reduction of a list.

    Raises:
        NotTranslated: If a term may raise an error, because all terms are evaluated even after NULL, or if an operator
            is not in the allow-list.
    """
    if any(may_raise(operand) for _, operand in steps):
        raise NotTranslated(f"`{construct}`", "a term of a long chain may raise an error")
    value, run, nested = first, [], 0
    for operator, operand in steps:
        result = arithmetic(operator, (Typed("x", value.type), operand), construct).type
        if result == value.type and (types.is_integer(result) or types.is_real(result)):
            run.append((operator, widened(operand, result, construct)))
            continue
        value, run, nested = arithmetic(operator, (_reduced(value, run, construct), operand), construct), [], nested + 1
        if nested > LONGEST_NESTED:
            raise NotTranslated(f"`{construct}`", "the type changes too often in a long chain")
    return _reduced(value, run, construct)


def _reduced(first: Typed, run: Sequence[tuple[str, Typed]], construct: str) -> Typed:
    """Return the list of the operands, reduced by the operator; several operators are distinguished by their number."""
    if not run:
        return first
    words = list(dict.fromkeys(operator for operator, _ in run))
    if len(words) == 1:
        step = _step(words[0], ("x", "y"), first.type, construct)
        listed = ", ".join((first.sql, *(operand.sql for _, operand in run)))
        sql = f"list_reduce([{listed}], lambda x, y: {step})"
    else:
        numbered = [(0, first), *((words.index(operator), operand) for operator, operand in run)]
        listed = ", ".join(f"{{'o': {number}, 'v': {operand.sql}}}" for number, operand in numbered)
        names = ("struct_extract(x, 'v')", "struct_extract(y, 'v')")
        branches = " ".join(
            f"WHEN {number} THEN {_step(word, names, first.type, construct)}" for number, word in enumerate(words)
        )
        step = f"CASE struct_extract(y, 'o') {branches} END"
        sql = f"struct_extract(list_reduce([{listed}], lambda x, y: {{'o': 0, 'v': {step}}}), 'v')"
    return combined(sql, first.type, (first, *(operand for _, operand in run)))


def _step(operator: str, names: tuple[str, str], data_type: pa.DataType, construct: str) -> str:
    return arithmetic(operator, [Typed(name, data_type) for name in names], construct).sql


def long_concatenation(values: Sequence[Typed], construct: str) -> Typed:
    """Return ``||`` of many strings: NULL if one of them is NULL.

    Raises:
        NotTranslated: If a term may raise an error, or is not a STRING.
    """
    if any(map(may_raise, values)):
        raise NotTranslated(f"`{construct}`", "a term of a long chain may raise an error")
    for each in values:
        concatenated((each, each), construct)
    distinct = dict.fromkeys(each.sql for each in values if not each.is_constant)
    joined = f"concat({', '.join(each.sql for each in values)})"
    is_null = " OR ".join(f"{sql} IS NULL" for sql in distinct) or "false"
    return combined(f"CASE WHEN {is_null} THEN NULL ELSE {joined} END", types.STRING, values)
