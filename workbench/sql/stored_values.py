"""Values of INSERT as the columns store them: the fields of nested values are matched by position, or BY NAME."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import pyarrow as pa

from workbench.base.modules import pc
from workbench.format.types.field_matching import fields_by_name, fields_by_position
from workbench.format.types.implicit_values import implicit_value

_EXACT = Context(prec=100)


@dataclass(frozen=True)
class FieldMatching:
    """How fields are matched."""

    by_name: bool

    def column(self, values: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
        """Return the values of a query with the field names of the column that stores them, and decimals with no more
        digits after the point than the column has, rounded as by Spark's INSERT.

        Raises:
            SchemaMismatch: If nested fields do not match.
        """
        if _loses_digits(values.type, field.type):
            return _rounded(values, field.type.scale)
        named = self._named(values.type, field.type, field.name)
        return (
            values if named == values.type else pa.chunked_array([chunk.view(named) for chunk in values.chunks], named)
        )

    def literal(self, value: Any, target: pa.DataType, path: str) -> Any:
        """Return the value of a literal in the form that Arrow accepts for the column, with the column's field names.

        Raises:
            SchemaMismatch: If nested fields do not match.
            TypeError: If the column cannot hold the value.
        """
        if isinstance(value, Mapping) and pa.types.is_struct(target):
            found = self._fields(list(value), target.names, path)
            parts = ((target.field(number), part) for number, part in zip(found, value.values(), strict=True))
            return {field.name: self.literal(part, field.type, f"{path}.{field.name}") for field, part in parts}
        if isinstance(value, list) and pa.types.is_map(target):
            return [
                (
                    self.literal(key, target.key_type, f"{path}.key"),
                    self.literal(item, target.item_type, f"{path}.value"),
                )
                for key, item in value
            ]
        if isinstance(value, list) and pa.types.is_list(target):
            return [self.literal(item, target.value_type, f"{path}.element") for item in value]
        if isinstance(value, int | float | Decimal) and pa.types.is_temporal(target):
            raise TypeError("a number is not a time")
        if isinstance(value, Decimal) and pa.types.is_decimal(target):
            return value.quantize(Decimal(1).scaleb(-target.scale), ROUND_HALF_UP, _EXACT)
        return implicit_value(value, target)

    def _fields(self, given: Sequence[str], target: Sequence[str], path: str) -> list[int]:
        return (fields_by_name if self.by_name else fields_by_position)(given, target, path)

    def _named(self, given: pa.DataType, target: pa.DataType, path: str) -> pa.DataType:
        """Return the type of a query's values with the field names of the type that stores them."""
        if pa.types.is_struct(given) and pa.types.is_struct(target):
            found = self._fields(given.names, target.names, path)
            stored = [(part, target.field(number)) for part, number in zip(given, found, strict=True)]
            return pa.struct(
                [
                    part.with_name(field.name).with_type(self._named(part.type, field.type, f"{path}.{field.name}"))
                    for part, field in stored
                ]
            )
        if pa.types.is_map(given) and pa.types.is_map(target):
            return pa.map_(
                self._named(given.key_type, target.key_type, f"{path}.key"),
                self._named(given.item_type, target.item_type, f"{path}.value"),
            )
        if pa.types.is_list(given) and pa.types.is_list(target):
            return pa.list_(self._named(given.value_type, target.value_type, f"{path}.element"))
        if pa.types.is_large_list(given) and pa.types.is_list(target):
            return pa.large_list(self._named(given.value_type, target.value_type, f"{path}.element"))
        return given


def _loses_digits(given: pa.DataType, target: pa.DataType) -> bool:
    return pa.types.is_decimal(given) and pa.types.is_decimal(target) and bool(given.scale > target.scale)


def _rounded(values: pa.ChunkedArray, scale: int) -> pa.ChunkedArray:
    """Return decimals with zeros after the first digits; the type has room for the digit that rounding may add."""
    wider = pa.decimal256(values.type.precision + 1, values.type.scale)
    return pc.round(values.cast(wider), ndigits=scale, round_mode="half_towards_infinity")
