"""New values of columns: SQL over rows, converted to the columns' types by Spark's ANSI store assignment rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.errors import InvalidExpression, SchemaMismatch, did_you_mean
from workbench.expr.coercion import cast_to
from workbench.expr.evaluate import evaluate
from workbench.expr.expressions import Expr, Function, Literal, literal
from workbench.expr.kinds import STRING, family, is_numeric
from workbench.expr.parse import parse
from workbench.expr.types_of import type_of
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, DataType, RowType
from workbench.write.input import conform
from workbench.write.value_limits import padded

Assignments = Mapping[str, Expr]
"""The new value of each column, as an expression bound to the type of the column."""

_MOMENTS = frozenset(("date", "timestamp", "timestamp_ltz"))


def bind_assignments(given: Mapping[str, Any], schema: TableSchema, bind: Callable[[Expr], Expr]) -> Assignments:
    """Bind assignments as users write them: strings are SQL; expressions and other values are used as they are.

    Raises:
        SchemaMismatch: A column does not exist or is assigned twice, or a value cannot be stored in it.
        InvalidExpression: An expression is not valid.
    """
    bound: dict[str, Expr] = {}
    for name, value in given.items():
        field = column_named(schema, name)
        if field.name in bound:
            raise SchemaMismatch(f"Column '{field.name}' is assigned twice.", "Assign it once.")
        bound[field.name] = _stored(bind(parse(value) if isinstance(value, str) else literal(value)), field)
    return bound


def column_named(schema: TableSchema, name: str) -> DataField:
    """Return the column with exactly that name or, failing that, the only one that matches ignoring case. Raises
    SchemaMismatch if there is none."""
    if name in schema.field_names:
        return schema.field(name)
    alike = [each for each in schema.fields if each.name.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    raise SchemaMismatch(f"There is no column '{name}'.", did_you_mean(name, schema.field_names))


def assigned(rows: pa.Table, seen: pa.Table, assignments: Assignments, schema: TableSchema) -> pa.Table:
    """Return ``rows`` with new values, as rows of the table.

    ``seen`` contains the columns that the expressions use, aligned with ``rows``. Columns that are neither in ``rows``
    nor assigned become NULL or their default.

    Raises:
        SchemaMismatch: A value is NULL in a NOT NULL column, or too long for its column.
        InvalidExpression: A value cannot be computed, for example because of a division by zero, or does not fit.
    """
    columns = {name: rows.column(name) for name in rows.column_names if name in schema.field_names}
    for name, expr in assignments.items():
        columns[name] = padded(evaluate(expr, seen), schema.field(name).type)
    return conform(pa.table(columns), schema)


def with_char_padding(rows: pa.Table, schema: TableSchema) -> pa.Table:
    """Return rows with the values of CHAR columns filled up with blanks, as SQL stores them."""
    types = {each.name: each.type for each in schema.fields}
    columns = [padded(rows.column(n), types[n]) if n in types else rows.column(n) for n in rows.column_names]
    return pa.table(columns, names=rows.column_names)


def _stored(value: Expr, field: DataField) -> Expr:
    source, target = type_of(value), field.type.as_nullable()
    if isinstance(value, Literal) and value.value is None:
        return Literal(None, target)
    if isinstance(value, Function) and value.name == "named_struct" and isinstance(target, RowType):
        return _stored_struct(value, target)
    if source is not None and not _may_store(source, target):
        raise SchemaMismatch(
            f"Column '{field.name}' is {target} and {value} is {source.as_nullable()}.",
            f"Write CAST({value} AS {target}) to convert the value.",
        )
    if source is not None and family(source) == "other":
        return value
    try:
        return cast_to(value, target)
    except InvalidExpression as error:
        raise SchemaMismatch(f"{value} does not fit column '{field.name}', which is {target}.", error.hint) from error


def _stored_struct(value: Function, target: RowType) -> Expr:
    """Return a struct whose values are matched to the target's fields by name and converted to their types."""
    given = _values_of_fields(value, target)
    stored = [_stored(each, field) for each, field in zip(given, target.fields, strict=True)]
    names = [Literal(field.name, STRING) for field in target.fields]
    fields = [
        replace(field, type=type_of(each) or field.type) for each, field in zip(stored, target.fields, strict=True)
    ]
    arguments = tuple(part for pair in zip(names, stored, strict=True) for part in pair)
    return Function(value.name, arguments, RowType(tuple(fields)))


def _values_of_fields(value: Function, target: RowType) -> Sequence[Expr]:
    """Return the values of a struct in the order of the target's fields."""
    values = value.arguments[1::2]
    if len(values) != len(target.fields):
        raise SchemaMismatch(f"{value} has {counted(len(values), 'fields')}, but the column has {len(target.fields)}.")
    names = [str(each.value).lower() for each in value.arguments[::2] if isinstance(each, Literal)]
    by_name = dict(zip(names, values, strict=True))
    for field in target.fields:
        if field.name.lower() not in by_name:
            raise SchemaMismatch(
                f"{value} has no field '{field.name}'.", "Name the fields with named_struct('name', value, …)."
            )
    return [by_name[field.name.lower()] for field in target.fields]


def _may_store(source: DataType, target: DataType) -> bool:
    """Return whether Spark stores ``source`` values in a ``target`` column without an explicit cast; it never parses
    strings implicitly."""
    one, two = family(source), family(target)
    if "other" in (one, two):
        # Elements and fields are checked when they are stored.
        return source.root == target.root
    return one == two or two == "string" or (is_numeric(source) and is_numeric(target)) or {one, two} <= _MOMENTS
