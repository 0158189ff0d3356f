"""The functions that build structs and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import InvalidExpression
from workbench.base.modules import pc
from workbench.expr.coercion import cast_to
from workbench.expr.expressions import Expr, Literal
from workbench.expr.kinds import STRING
from workbench.expr.types_of import type_of
from workbench.format.types import DataField, DataType, RowType


def struct_arguments(name: str, arguments: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], DataType]:
    """Check ``named_struct('x', 1, 'y', value)`` and return its arguments and its type.

    Raises:
        InvalidExpression: If a name is not a string, or has no value.
    """
    names = [each.value for each in arguments[::2] if isinstance(each, Literal) and isinstance(each.value, str)]
    if len(arguments) % 2 or len(names) != len(arguments) // 2:
        raise InvalidExpression(f"{name} expects names and values.", "Write named_struct('x', 1, 'y', 2).")
    # STRING is a placeholder: the final type of a NULL follows from the column in which it is stored.
    values = [cast_to(each, STRING) if type_of(each) is None else each for each in arguments[1::2]]
    typed = enumerate(zip(names, values, strict=True))
    fields = [DataField(at, each, type_of(value) or STRING) for at, (each, value) in typed]
    bound = tuple(part for pair in zip(arguments[::2], values, strict=True) for part in pair)
    return bound, RowType(tuple(fields))


def build_struct(arguments: Sequence[Any]) -> Any:
    """Return a column of structs from names and values."""
    names = [each.as_py() for each in arguments[::2]]
    return pc.make_struct(*_columns(arguments[1::2]), field_names=names)


def build_array(arguments: Sequence[Any]) -> Any:
    """Return a column of arrays, each with one element from each of the given columns, which have the same type."""
    columns = _columns(arguments)
    if isinstance(columns[0], pa.Scalar):
        return pa.scalar([each.as_py() for each in columns], pa.list_(columns[0].type))
    rows = len(columns[0])
    offsets = np.arange(rows + 1, dtype=np.int32) * len(columns)
    order = np.arange(rows * len(columns)).reshape(len(columns), rows).T.ravel()
    return pa.ListArray.from_arrays(pa.array(offsets), pa.concat_arrays(columns).take(pa.array(order)))


def _columns(values: Sequence[Any]) -> list[Any]:
    """Return values as arrays of equal length; if all are scalars, return them unchanged."""
    length = next((len(each) for each in values if not isinstance(each, pa.Scalar)), None)
    if length is None:
        return list(values)
    flat = (each.combine_chunks() if isinstance(each, pa.ChunkedArray) else each for each in values)
    return [pa.repeat(each, length) if isinstance(each, pa.Scalar) else each for each in flat]
