"""Finding and changing columns and nested fields by path (Java ``NestedColumnModifier``).

All of a table's columns are one ROW here, so that columns and fields of a ROW are changed in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from workbench.base.errors import AlreadyExists, InvalidSchema, SchemaMismatch, did_you_mean
from workbench.format.types import ArrayType, DataField, DataType, MapType, RowType

ELEMENT, VALUE = "element", "value"


def changed_type(whole: RowType, path: Sequence[str], change: Callable[[DataType], DataType]) -> RowType:
    """Return the columns with ``change`` applied to the type at ``path``.

    Raises:
        SchemaMismatch: The path does not exist.
    """
    inside = _inside(whole, tuple(path), 0, change)
    assert isinstance(inside, RowType)
    return inside


def changed_row(whole: RowType, path: Sequence[str], change: Callable[[RowType], RowType]) -> RowType:
    """Return the columns with ``change`` applied to the ROW that contains the last name of ``path``.

    Raises:
        SchemaMismatch: The path does not exist, or leads to an ARRAY element or MAP value, which have no name.
    """

    def of_row(data_type: DataType) -> DataType:
        if not isinstance(data_type, RowType):
            at = ".".join(path[:-1])
            raise SchemaMismatch(f"'{at}' is {data_type.as_nullable()}, which has no fields to change.")
        return change(data_type)

    return changed_type(whole, path[:-1], of_row)


def changed_field(whole: RowType, path: Sequence[str], change: Callable[[DataField], DataField]) -> RowType:
    """Return the columns with ``change`` applied to the column or field at ``path``. Raises what `changed_row`
    raises."""

    def of_row(row: RowType) -> RowType:
        at = position(row, path)
        return replace(row, fields=(*row.fields[:at], change(row.fields[at]), *row.fields[at + 1 :]))

    return changed_row(whole, path, of_row)


def position(row: RowType, path: Sequence[str]) -> int:
    """Return the position in a ROW of the last name of ``path``. Raises SchemaMismatch if there is none."""
    names = [each.name for each in row.fields]
    if path[-1] not in names:
        raise SchemaMismatch(f"There is no column '{'.'.join(path)}'.", did_you_mean(path[-1], names))
    return names.index(path[-1])


def check_free(row: RowType, path: Sequence[str]) -> None:
    """Raise AlreadyExists if a ROW has a field of that name, and InvalidSchema for an empty name."""
    if not path[-1]:
        raise InvalidSchema("A column has an empty name.")
    if any(each.name == path[-1] for each in row.fields):
        raise AlreadyExists(f"Column '{'.'.join(path)}' already exists.")


def _inside(data_type: DataType, path: tuple[str, ...], depth: int, change: Callable[[DataType], DataType]) -> DataType:
    if depth == len(path):
        return change(data_type)
    if isinstance(data_type, RowType):
        at = position(data_type, path[: depth + 1])
        field = data_type.fields[at]
        new = replace(field, type=_inside(field.type, path, depth + 1, change))
        return replace(data_type, fields=(*data_type.fields[:at], new, *data_type.fields[at + 1 :]))
    if isinstance(data_type, ArrayType) and path[depth] == ELEMENT:
        return replace(data_type, element=_inside(data_type.element, path, depth + 1, change))
    if isinstance(data_type, MapType) and path[depth] == VALUE:
        return replace(data_type, value=_inside(data_type.value, path, depth + 1, change))
    known = {ArrayType: f"Its elements are '{ELEMENT}'.", MapType: f"Its values are '{VALUE}'."}
    raise SchemaMismatch(
        f"There is no '{path[depth]}' in '{'.'.join(path[:depth])}', which is {data_type.as_nullable()}.",
        known.get(type(data_type)),
    )
