"""Binds an expression to a table's columns: names, types, and the conversions of Spark's ANSI rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import pyarrow as pa

from workbench.base.errors import InvalidExpression, WorkbenchError, did_you_mean
from workbench.expr.char_values import BETWEEN, UNPADDED, as_text, is_char, padded, stored
from workbench.expr.coercion import cast_to, comparison, is_same_kind, typed_literal
from workbench.expr.depth import refused_depth
from workbench.expr.evaluate import evaluate
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
    conjunction,
    disjunction,
    negated,
)
from workbench.expr.functions import bind_function, shared_type
from workbench.expr.kinds import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    STRING,
    common_type,
    decimal_of,
    decimal_shape,
    decimal_type,
    family,
    is_numeric,
)
from workbench.expr.like_pattern import like_pattern
from workbench.expr.parse import as_expr
from workbench.expr.tree import referenced_columns, same
from workbench.expr.types_of import type_of
from workbench.format.types import AtomicType, DataField, DataType, RowType, char_length, parse_type

# Precision and scale of a whole number that is written in the expression.
_Shape: TypeAlias = "tuple[int, int] | None"
_ONE_ROW = pa.table({"": pa.nulls(1)})


def resolve(expr: Expr, fields: Sequence[DataField]) -> Expr:
    """Return the expression bound to columns: columns and literals have types, and every conversion is an explicit
    `Cast`.

    Names are matched exactly, otherwise without regard to case if that is unambiguous. Timestamps and time zones are
    converted in the current session time zone. A resolved expression resolves to itself.

    Raises:
        InvalidExpression: If a column or function is unknown, types are incompatible, or a string is not a value of the
            type that it must have.
    """
    with refused_depth():
        return _Resolver(fields).resolve(expr)


def resolve_predicate(expr: Expr, fields: Sequence[DataField]) -> Expr:
    """Resolve a condition.

    Raises:
        InvalidExpression: As for `resolve`, or if the expression is not a BOOLEAN.
    """
    return _condition(resolve(expr, fields))


def resolved_condition(where: str | Expr, fields: Sequence[DataField]) -> Expr:
    """Return a condition, given as SQL text or built with ``col``, resolved against columns.

    Raises:
        InvalidExpression: If the condition is neither text nor an expression, cannot be parsed, or does not fit the
            columns.
    """
    if not isinstance(where, str | Expr):
        raise InvalidExpression(f"A condition cannot be a {type(where).__name__}.", "Pass SQL text or wb.col(…).")
    return resolve_predicate(as_expr(where), fields)


def _condition(expr: Expr) -> Expr:
    data_type = type_of(expr)
    if data_type is None:
        return Literal(None, BOOLEAN)
    if data_type.root != "BOOLEAN":
        raise InvalidExpression(f"{expr} is {data_type.as_nullable()}, not a condition.", "Use it in a comparison.")
    return expr


class _Resolver:
    def __init__(self, fields: Sequence[DataField]) -> None:
        self._exact = {each.name: each for each in fields}
        self._folded: dict[str, list[DataField]] = {}
        for each in fields:
            self._folded.setdefault(each.name.lower(), []).append(each)

    def resolve(self, expr: Expr) -> Expr:
        match expr:
            case Literal(type=None):
                return typed_literal(expr.value)
            case Literal():
                return expr
            case Column(name=name, type=data_type):
                field = _find(name, self._exact, self._folded, "column")
                column = Column(field.name, field.type)
                length = char_length(field.type)
                # A column that has a type is resolved, and stands for the stored text.
                return column if length is None or data_type is not None else padded(column, length, field.type)
            case Field(operand=operand, name=name):
                return self._field(expr, self.resolve(operand), name)
            case Comparison(operator=operator, left=left, right=right):
                one, two = self.resolve(left), self.resolve(right)
                return comparison(operator, _beside(two, one), _beside(one, two))
            case And(operands=operands):
                return conjunction(_condition(self.resolve(each)) for each in operands)
            case Or(operands=operands):
                return disjunction(_condition(self.resolve(each)) for each in operands)
            case Not(operand=operand):
                return Not(_condition(self.resolve(operand)))
            case In(operand=operand, values=values):
                return _in(self.resolve(operand), [self.resolve(value) for value in values])
            case IsNull(operand=operand):
                return IsNull(stored(self.resolve(operand)))
            case Like(operand=operand, pattern=pattern, escape=escape):
                return _like(self.resolve(operand), self.resolve(pattern), escape)
            case _:
                return self._value(expr)

    def _value(self, expr: Expr) -> Expr:
        match expr:
            case Arithmetic(first=first, steps=steps):
                return _arithmetic(self.resolve(first), [(operator, self.resolve(each)) for operator, each in steps])
            case Negate(operand=operand):
                return _negate(self.resolve(operand))
            case Cast(operand=operand, type=data_type):
                return _cast(self.resolve(operand), data_type)
            case Case(branches=branches, otherwise=otherwise):
                return _case(
                    [(_condition(self.resolve(test)), self.resolve(value)) for test, value in branches],
                    self.resolve(otherwise),
                )
            case Function(name=name, arguments=arguments):
                return _call(name, tuple(self.resolve(each) for each in arguments))
        raise InvalidExpression(f"{type(expr).__name__} is not an expression.")

    def _field(self, expr: Expr, operand: Expr, name: str) -> Expr:
        row = type_of(operand)
        if not isinstance(row, RowType):
            raise InvalidExpression(f"{operand} has type {row}, which has no field '{name}'.")
        folded: dict[str, list[DataField]] = {}
        for each in row.fields:
            folded.setdefault(each.name.lower(), []).append(each)
        found = _find(name, {each.name: each for each in row.fields}, folded, f"field of {expr}")
        return Field(operand, found.name)


def _find(name: str, exact: dict[str, DataField], folded: dict[str, list[DataField]], what: str) -> DataField:
    if name in exact:
        return exact[name]
    alike = folded.get(name.lower(), [])
    if len(alike) == 1:
        return alike[0]
    if alike:
        names = " and ".join(f"'{each.name}'" for each in alike)
        raise InvalidExpression(
            f"The {what} '{name}' is ambiguous: it matches {names}.", "Write the name in the exact case."
        )
    raise InvalidExpression(f"There is no {what} '{name}'.", did_you_mean(name, exact))


def _in(operand: Expr, values: list[Expr]) -> Expr:
    """Return one IN list of the literals that have values of the operand's type; all other values are compared one by
    one. No value is in an empty list, not even NULL.
    """
    if not values:
        return Literal(False, BOOLEAN)
    values = [_beside(operand, each) for each in values]
    if not (is_char(operand) and (all(map(is_char, values)) or all(map(_is_text, values)))):
        operand, values = as_text(operand), [as_text(each) for each in values]
    chosen: list[Expr] = []
    others: list[Expr] = []
    impossible: list[Expr] = []
    data_type = type_of(operand)
    for value in values:
        single = comparison("=", operand, value)
        match single:
            # Constants on both sides may have different types.
            case Comparison(left=left, right=Literal(type=other)) if same(left, operand) and _is_same(data_type, other):
                chosen.append(single.right)
            case And():  # No value of the type equals this one: FALSE, or NULL if the operand is NULL.
                impossible.append(single)
            case _:
                others.append(single)
    alternatives = [In(operand, tuple(chosen))] if chosen else []
    return disjunction([*alternatives, *others] or impossible[:1])


def _beside(other: Expr, value: Expr) -> Expr:
    """Return a value that is compared with another one: beside a CHAR column, text without columns is a constant."""
    data_type = type_of(value)
    is_text = data_type is not None and family(data_type) == "string"
    if not is_text or not is_char(other) or isinstance(value, Literal) or referenced_columns(value):
        return value
    return Literal(evaluate(value, _ONE_ROW)[0].as_py(), STRING)


def _is_text(value: Expr) -> bool:
    """Return whether a value is a constant text, which may be NULL if it has been cast."""
    return isinstance(value, Literal) and value.type is not None and family(value.type) == "string"


def _is_same(one: DataType | None, other: DataType | None) -> bool:
    return one is not None and other is not None and one.as_nullable() == other.as_nullable()


def _like(operand: Expr, pattern: Expr, escape: str) -> Expr:
    if not isinstance(pattern, Literal):
        raise InvalidExpression(f"The pattern of LIKE must be a constant, not {pattern}.")
    text = cast_to(pattern, STRING)
    assert isinstance(text, Literal)
    if text.value is not None:
        like_pattern(text.value, escape)
    return Like(cast_to(operand, STRING), text, escape)


def _negate(operand: Expr) -> Expr:
    data_type = type_of(operand)
    if data_type is None or not is_numeric(data_type):
        raise InvalidExpression(f"-{operand} requires a number.")
    if isinstance(operand, Literal) and operand.value is not None:
        value = negated(operand.value)
        return typed_literal(value) if family(data_type) == "integer" else Literal(value, data_type)
    return Negate(operand)


def _cast(operand: Expr, data_type: DataType | str) -> Expr:
    if isinstance(data_type, str):
        try:
            data_type = parse_type(data_type)
        except WorkbenchError as error:
            raise InvalidExpression(error.message, error.hint) from error
    target, operand = data_type.as_nullable(), as_text(operand)
    # The length is not enforced here: as in Spark, casts to CHAR and VARCHAR return the text unchanged.
    return cast_to(operand, STRING if family(target) == "string" else target)


def _call(name: str, arguments: tuple[Expr, ...]) -> Expr:
    if name == BETWEEN and len(arguments) == 3:
        operand, low, high = arguments
        value = as_text(operand)
        return conjunction((comparison(">=", value, low), comparison("<=", value, high)))
    if name == UNPADDED and len(arguments) == 1:
        return as_text(arguments[0])
    if name == "coalesce" and arguments and all(type_of(each) is None for each in arguments):
        return Literal(None)
    return bind_function(name, arguments)


def _case(branches: list[tuple[Expr, Expr]], otherwise: Expr) -> Expr:
    target = shared_type("CASE", [*(value for _, value in branches), otherwise])
    if target is None:
        return Literal(None)
    return Case(tuple((test, cast_to(value, target)) for test, value in branches), cast_to(otherwise, target))


def _arithmetic(first: Expr, steps: Sequence[tuple[str, Expr]]) -> Expr:
    """Return a chain of operations with the types of its steps."""
    bound: list[tuple[str, Expr]] = []
    step_types: list[tuple[DataType | None, DataType]] = []
    shape = _shape_of_literal(first)
    for number, (operator, operand) in enumerate(steps):
        left_type = step_types[-1][1] if number else type_of(first)
        left, right, result = _step_types(operator, (left_type, shape), (type_of(operand), _shape_of_literal(operand)))
        if result is None:
            so_far = Arithmetic(first, tuple(steps[:number])) if number else first
            raise _refused(operator, so_far, operand, left, right)
        bound.append((operator, cast_to(operand, right)))
        if number == 0:
            first = cast_to(first, left)
        step_types.append((None if number == 0 or is_same_kind(left_type, left) else left, result))
        shape = None
    return Arithmetic(first, tuple(bound), tuple(step_types))


def _step_types(
    operator: str, left: tuple[DataType | None, _Shape], right: tuple[DataType | None, _Shape]
) -> tuple[DataType, DataType, DataType | None]:
    """Return the types to which the operands are converted, and the result's, which is None if there is none."""
    one, two = left[0], right[0]
    if one is None or two is None:
        one, two = one or two or DOUBLE, two or one or DOUBLE
    target = common_type(one, two)
    if target is None or not is_numeric(target):
        return one, two, None
    if target.root == "DECIMAL":
        shapes = left[1] or decimal_shape(one), right[1] or decimal_shape(two)
        wanted = [AtomicType("DECIMAL", precision=precision, scale=scale) for precision, scale in shapes]
        return wanted[0], wanted[1], _decimal_result(operator, *shapes)
    if operator == "div":
        target = BIGINT if family(target) == "integer" else None
        return (one, two, None) if target is None else (target, target, target)
    target = DOUBLE if operator == "/" else target
    return target, target, target


def _refused(operator: str, left: Expr, right: Expr, one: DataType, two: DataType) -> InvalidExpression:
    if operator == "div" and is_numeric(one) and is_numeric(two):
        return InvalidExpression(f"{left} DIV {right} requires whole numbers.", "Use / for division with a fraction.")
    return InvalidExpression(f"{left} {operator} {right} requires numbers, not {one} and {two}.")


def _decimal_result(operator: str, left: tuple[int, int], right: tuple[int, int]) -> DataType | None:
    """Return the result's precision and scale (Spark's ``DecimalPrecision``)."""
    (p1, s1), (p2, s2) = left, right
    match operator:
        case "+" | "-":
            scale = max(s1, s2)
            return decimal_type(max(p1 - s1, p2 - s2) + scale + 1, scale)
        case "*":
            return decimal_type(p1 + p2 + 1, s1 + s2)
        case "/":
            scale = max(6, s1 + p2 + 1)
            return decimal_type(p1 - s1 + s2 + scale, scale)
        case "%":
            scale = max(s1, s2)
            return decimal_type(min(p1 - s1, p2 - s2) + scale, scale)
    return None


def _shape_of_literal(expr: Expr) -> _Shape:
    """Return the digits of a whole number, which is a DECIMAL of just these digits beside another DECIMAL."""
    if isinstance(expr, Literal) and isinstance(expr.value, int):
        exact = decimal_of(expr.value)
        assert exact is not None
        return decimal_shape(exact)
    return None
