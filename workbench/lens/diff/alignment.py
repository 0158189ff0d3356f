"""The columns of two states side by side: by field id within a table, by name between tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from workbench.base.errors import SchemaMismatch
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, field_to_arrow


@dataclass(frozen=True)
class Adapt:
    """Gives columns of one side the names and types of the comparison. Picklable."""

    schema: pa.Schema

    def __call__(self, table: pa.Table) -> pa.Table:
        """Return the columns under their new names."""
        columns = [column.cast(field.type) for column, field in zip(table.columns, self.schema, strict=True)]
        return pa.Table.from_arrays(columns, schema=self.schema)


@dataclass(frozen=True)
class Alignment:
    """``schema`` has the compared columns; ``before`` and ``after`` are their names on each side. ``notes`` say which
    columns are left out, and whose types differ."""

    schema: TableSchema
    before: tuple[str, ...]
    after: tuple[str, ...]
    notes: tuple[str, ...] = ()


def aligned(before: TableSchema, after: TableSchema, *, by_id: bool) -> Alignment:
    """Return which columns of two schemas are compared with each other.

    Raises:
        SchemaMismatch: The primary keys differ.
    """
    match: Mapping[object, DataField] = {each.id if by_id else each.name: each for each in before.fields}
    notes: list[str] = []
    pairs: list[tuple[DataField, DataField, DataField]] = []
    for field in after.fields:
        other = match.get(field.id if by_id else field.name)
        if other is None:
            notes.append(f"Column {field.name} is only in the second state.")
            continue
        compared = _common(other, field)
        if compared is None:
            notes.append(f"Column {field.name} is not compared: {other.type.sql()} and {field.type.sql()} differ.")
            continue
        if other.type.as_nullable() != field.type.as_nullable():
            notes.append(
                f"Column {field.name} is {other.type.sql()} in the first state, {field.type.sql()} in the second."
            )
        pairs.append((other, field, compared))
    used = {other.id for other, _, _ in pairs}
    left_out = {note.split(" ")[1] for note in notes if " is not compared: " in note}
    notes += [
        f"Column {each.name} is only in the first state."
        for each in before.fields
        if each.id not in used and each.name not in left_out
    ]
    names = {other.name: field.name for other, field, _ in pairs}
    _check_keys(before, after, names)
    fields = tuple(compared for _, _, compared in pairs)
    known = {each.name for each in fields}
    schema = replace(after, fields=fields, partition_keys=tuple(each for each in after.partition_keys if each in known))
    return Alignment(
        schema, tuple(other.name for other, _, _ in pairs), tuple(field.name for _, field, _ in pairs), tuple(notes)
    )


def _check_keys(before: TableSchema, after: TableSchema, names: Mapping[str, str]) -> None:
    keys = [names.get(name) for name in before.primary_keys]
    if sorted(map(str, keys)) != sorted(after.primary_keys):
        shown = [", ".join(each.primary_keys) or "none" for each in (before, after)]
        raise SchemaMismatch(
            f"Tables with different keys cannot be compared: the first has {shown[0]}, the second {shown[1]}.",
            "Compare tables whose primary keys have the same columns and types.",
        )
    for name, key in zip(before.primary_keys, keys, strict=True):
        other = str(key)
        one_type, other_type = before.field(name).type, after.field(other).type
        if not _sorts_alike(one_type.root, other_type.root):
            raise SchemaMismatch(
                f"The key column {other} is {one_type.sql()} in the first table and {other_type.sql()} in the second.",
                "Compare tables whose primary keys have the same columns and types.",
            )


_WHOLE = ("TINYINT", "SMALLINT", "INT", "BIGINT")
_TEXTS = ("CHAR", "VARCHAR")
_BYTES = ("BINARY", "VARBINARY")
_FLOATS = ("FLOAT", "DOUBLE")
_FAMILIES: Sequence[Sequence[str]] = (_WHOLE, _TEXTS, _BYTES, _FLOATS)


def _sorts_alike(one: str, other: str) -> bool:
    return one == other or any(one in family and other in family for family in _FAMILIES)


def _common(one: DataField, other: DataField) -> DataField | None:
    """Return a column whose type can hold the values of both columns, for their comparison; None if there is no such
    type."""
    first, second = one.type, other.type
    if field_to_arrow(one).type == field_to_arrow(other).type or _without_nullability(one) == _without_nullability(
        other
    ):
        return other
    for family in _FAMILIES:
        if first.root in family and second.root in family:
            return replace(other, type=max(first, second, key=lambda each: family.index(each.root)))
    if first.root != second.root or not hasattr(first, "precision"):
        return None
    for wide, narrow in ((first, second), (second, first)):
        scales = [getattr(each, "scale", None) or 0 for each in (wide, narrow)]
        wholes = [
            (getattr(each, "precision", None) or 0) - scale for each, scale in zip((wide, narrow), scales, strict=True)
        ]
        if scales[0] >= scales[1] and wholes[0] >= wholes[1]:
            return replace(other, type=wide)
    return None


def _without_nullability(field: DataField) -> str:
    return field.type.sql().replace(" NOT NULL", "")
