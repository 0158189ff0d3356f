"""The changes that make a schema accept rows of another schema (options `write.merge-schema…`, Java
``SchemaMergingUtils``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.base.errors import SchemaMismatch
from workbench.datafile.casts.rules import can_cast
from workbench.format.types import ArrayType, AtomicType, DataType, MapType, RowType
from workbench.table.schema_changes.changes import AddColumn, SchemaChange, UpdateColumnType, shown
from workbench.table.schema_changes.fields import ELEMENT, VALUE
from workbench.table.schema_changes.types import is_implicit_cast

_Path = tuple[str, ...]


@dataclass(frozen=True)
class SchemaMerging:
    """Adds new columns. With ``widens``, a column takes the type of the rows if this type can represent all old values;
    with ``casts``, even if values may be lost."""

    widens: bool = False
    casts: bool = False

    def changes(self, old: RowType, rows: RowType, path: _Path = ()) -> Iterator[SchemaChange]:
        """Return the changes to the ``old`` columns, or to a ROW at ``path``, in the order of the rows' columns.

        Raises:
            SchemaMismatch: A type can neither become that of the rows nor store their values.
        """
        known = {field.name: field for field in old.fields}
        for field in rows.fields:
            here = (*path, field.name)
            if field.name in known:
                yield from self._changes_of(known[field.name].type, field.type, here)
            else:
                yield AddColumn(here, field.type.as_nullable(), field.description)

    def _changes_of(self, old: DataType, given: DataType, path: _Path) -> Iterator[SchemaChange]:
        match old, given:
            case RowType(), RowType():
                yield from self.changes(old, given, path)
            case ArrayType(), ArrayType():
                yield from self._changes_of(old.element, given.element, (*path, ELEMENT))
            case MapType(), MapType():
                yield from self._changes_of(old.value, given.value, (*path, VALUE))
            case AtomicType(), AtomicType() if self.widens:
                merged = self._widened(old, given.with_nullability(old.nullable), path)
                if merged != old:
                    yield UpdateColumnType(path, merged)
            case _:
                # Whether the values fit is checked when they are written.
                return

    def _widened(self, old: AtomicType, given: AtomicType, path: _Path) -> AtomicType:
        if old.root == given.root == "DECIMAL":
            return self._wider_decimal(old, given, path)
        if old.root == given.root and not self.casts and _size(given) < _size(old):
            return old
        if is_implicit_cast(old, given) or (self.casts and can_cast(old, given)):
            return given
        if is_implicit_cast(given, old):
            return old
        raise _cannot_merge(old, given, path)

    def _wider_decimal(self, old: AtomicType, given: AtomicType, path: _Path) -> AtomicType:
        if old.scale == given.scale:
            return replace(old, precision=max(old.precision or 0, given.precision or 0))
        if _whole_digits(given) <= _whole_digits(old) and (given.scale or 0) <= (old.scale or 0):
            return old
        raise _cannot_merge(old, given, path)


def _size(data_type: AtomicType) -> int:
    return data_type.length or data_type.precision or 0


def _whole_digits(data_type: AtomicType) -> int:
    return (data_type.precision or 0) - (data_type.scale or 0)


def _cannot_merge(old: AtomicType, given: AtomicType, path: _Path) -> SchemaMismatch:
    return SchemaMismatch(
        f"Column '{shown(path)}' is {old} and the values are {given}, and neither type holds all of the other.",
        "Cast them first, or set option 'write.merge-schema.explicit-cast' to 'true'.",
    )
