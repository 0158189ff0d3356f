"""Evaluates resolved expressions on Arrow tables: three-valued logic, whole columns at a time."""

from __future__ import annotations

from typing import Any, TypeAlias

import pyarrow as pa

from workbench.base.errors import InvalidExpression, did_you_mean
from workbench.base.modules import pc
from workbench.expr.arithmetic import calculate
from workbench.expr.casts import cast_values
from workbench.expr.comparison import compare, is_in
from workbench.expr.depth import refused_depth
from workbench.expr.expressions import (
    And,
    Arithmetic,
    Case,
    Cast,
    Column,
    Comparison,
    Expr,
    Field,
    Function,
    In,
    IsNull,
    Like,
    Literal,
    Negate,
    Not,
    Or,
)
from workbench.expr.functions import run_function
from workbench.expr.kinds import BOOLEAN, family, to_scalar
from workbench.expr.like_pattern import like_pattern
from workbench.expr.tree import referenced_columns, walk
from workbench.expr.types_of import type_of
from workbench.format.types import to_arrow

_Data: TypeAlias = "pa.Table | pa.RecordBatch"


def evaluate(expr: Expr, table: _Data) -> Any:
    """Return the value of a resolved expression for every row: an array or chunked array as long as the table.

    If the left side of AND is false for a row (or that of OR is true), the right side is not evaluated for it, and CASE
    evaluates only the chosen branch: ``b <> 0 AND a / b > 2`` never divides by zero.

    Raises:
        InvalidExpression: If the table lacks a column, or on division by zero, overflow, or a value that cannot be
            cast.
    """
    with refused_depth():
        value = _evaluate(expr, table)
    return pa.repeat(value, table.num_rows) if isinstance(value, pa.Scalar) else value


def filter_mask(expr: Expr, table: _Data) -> Any:
    """Return whether each row satisfies a resolved predicate, as booleans without NULL."""
    return pc.fill_null(evaluate(expr, table), False)


def _evaluate(expr: Expr, table: _Data) -> Any:
    match expr:
        case Column():
            return _column(expr, table)
        case Literal(value=value, type=data_type):
            return to_scalar(value, data_type)
        case Comparison(operator=operator, left=left, right=right):
            return compare(operator, _evaluate(left, table), _evaluate(right, table))
        case And(operands=operands):
            return _connect(operands, table, is_and=True)
        case Or(operands=operands):
            return _connect(operands, table, is_and=False)
        case Not(operand=operand):
            return pc.invert(_evaluate(operand, table))
        case In():
            return _in(expr, table)
        case IsNull(operand=operand):
            return pc.is_null(_evaluate(operand, table))
        case Like(operand=operand, pattern=Literal(value=pattern), escape=escape):
            return _like(_evaluate(operand, table), pattern, escape)
        case Case():
            return _case(expr, table)
        case Field(operand=operand, name=name):
            return pc.struct_field(_evaluate(operand, table), name)
    return _checked(expr, table)


def _checked(expr: Expr, table: _Data) -> Any:
    """Return the value of an expression whose computation may fail on the data; translate Arrow's errors."""
    try:
        match expr:
            case Arithmetic():
                return _arithmetic(expr, table)
            case Negate(operand=operand):
                return pc.negate_checked(_evaluate(operand, table))
            case Function(arguments=arguments):
                return run_function(expr, [_evaluate(each, table) for each in arguments])
            case Cast(operand=operand, type=target):
                source = type_of(operand)
                assert source is not None
                assert not isinstance(target, str)
                return cast_values(_evaluate(operand, table), source, target)
    except pa.ArrowInvalid as error:
        raise _failure(expr, error) from error
    raise InvalidExpression(f"{expr} cannot be evaluated.")


def _failure(expr: Expr, error: pa.ArrowInvalid) -> InvalidExpression:
    if "ivide by zero" in str(error):
        return InvalidExpression(f"Division by zero in {expr}.", "Use nullif(divisor, 0) to get NULL.")
    if "precision out of range" in str(error):
        return InvalidExpression(f"{expr} needs too many digits.", "Cast an operand to fewer digits.")
    return InvalidExpression(f"{expr} overflows.", "Cast its operands to a wider type.")


def _arithmetic(expr: Arithmetic, table: _Data) -> Any:
    """Return the value of a chain of operations; an error names the part of the chain that fails."""
    value, source = _evaluate(expr.first, table), type_of(expr.first)
    for number, ((operator, operand), (target, result)) in enumerate(zip(expr.steps, expr.types, strict=True), 1):
        right = _evaluate(operand, table)
        try:
            if target is not None:
                assert source is not None
                value = cast_values(value, source, target)
            value = calculate(operator, value, right, to_arrow(result))
        except pa.ArrowInvalid as error:
            raise _failure(Arithmetic(expr.first, expr.steps[:number], expr.types[:number]), error) from error
        source = result
    return value


def _column(expr: Column, table: _Data) -> Any:
    if expr.name not in table.schema.names:
        raise InvalidExpression(f"There is no column '{expr.name}'.", did_you_mean(expr.name, table.schema.names))
    data_type = type_of(expr)
    assert data_type is not None
    column = table.column(expr.name)
    wanted = to_arrow(data_type)
    return column if column.type == wanted or family(data_type) == "other" else column.cast(wanted)


def may_fail(expr: Expr) -> bool:
    """Return whether the evaluation may raise an error, depending on the data."""
    return any(
        isinstance(each, Arithmetic | Negate | Cast) or (isinstance(each, Function) and each.name == "abs")
        for each in walk(expr)
    )


def _connect(operands: tuple[Expr, ...], table: _Data, *, is_and: bool) -> Any:
    combine = pc.and_kleene if is_and else pc.or_kleene
    result: Any = pa.scalar(is_and)
    for position, operand in enumerate(operands):
        if position and may_fail(operand):
            open_rows = pc.fill_null(result, is_and)
            value = _evaluate_where(operand, table, open_rows if is_and else pc.invert(open_rows), pa.bool_())
        else:
            value = _evaluate(operand, table)
        result = combine(result, value)
    return result


def _evaluate_where(expr: Expr, table: _Data, mask: Any, arrow_type: pa.DataType) -> Any:
    """Return the value where ``mask`` (without NULL) is true, and NULL elsewhere without computing anything there."""
    selected = pa.repeat(mask, table.num_rows) if isinstance(mask, pa.Scalar) else _array(mask)
    if selected.true_count == len(selected):
        return evaluate(expr, table)
    nothing = pa.nulls(len(selected), arrow_type)
    if selected.true_count == 0:
        return nothing
    names = [name for name in table.schema.names if name in referenced_columns(expr)]
    rows = table.select(names).filter(selected) if names else table.slice(0, selected.true_count)
    return pc.replace_with_mask(nothing, selected, _array(evaluate(expr, rows)).cast(arrow_type))


def _array(values: Any) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _in(expr: In, table: _Data) -> Any:
    data_type = type_of(expr.operand)
    assert data_type is not None
    values = _evaluate(expr.operand, table)
    constants = [each.value for each in expr.values if isinstance(each, Literal)]
    known = [value for value in constants if value is not None]
    matches = is_in(values, pa.array(known, to_arrow(data_type)))
    # x IN (…, NULL) is never false: the NULL might have been x.
    missing = _unknown() if len(known) < len(constants) else pa.scalar(False)
    return pc.if_else(pc.is_null(values), _unknown(), pc.if_else(matches, pa.scalar(True), missing))


def _like(values: Any, pattern: Any, escape: str) -> Any:
    if pattern is None:
        return pc.and_(pc.is_null(values), _unknown())
    parts = like_pattern(pattern, escape)
    if parts.rest == "":
        return pc.equal(values, parts.prefix)
    if parts.rest == "%":
        return pc.starts_with(values, parts.prefix)
    return pc.match_substring_regex(values, parts.regex)


def _case(expr: Case, table: _Data) -> Any:
    data_type = type_of(expr)
    assert data_type is not None
    arrow_type = to_arrow(data_type)
    length = table.num_rows
    remaining: Any = pa.repeat(pa.scalar(True), length)
    result: Any = pa.nulls(length, arrow_type)
    for test, value in (*expr.branches, (Literal(True, BOOLEAN), expr.otherwise)):
        truth = _evaluate_where(test, table, remaining, pa.bool_())
        taken = _array(pc.fill_null(truth, False))
        result = pc.if_else(taken, _evaluate_where(value, table, taken, arrow_type), result)
        remaining = pc.and_not(remaining, taken)
    return _array(result)


def _unknown() -> pa.Scalar:
    """Return NULL as a condition.

    This is not a constant of the module because creating a scalar loads pandas if it is installed.
    """
    return pa.scalar(None, pa.bool_())
