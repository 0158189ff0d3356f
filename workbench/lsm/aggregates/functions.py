"""The registry of aggregate functions: the types that they accept, and their settings in the options of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from workbench.base.errors import InvalidSchema, Unsupported
from workbench.format.options.core_options import CoreOptions
from workbench.format.types import DataField
from workbench.format.types.data_types import ArrayType, DataType, MapType, RowType
from workbench.lsm.aggregates.accumulator import (
    Accumulator,
    Extreme,
    FirstValue,
    LastNonNullValue,
    LastValue,
)
from workbench.lsm.aggregates.collections import CollectAgg, MergedMap, NestedRows, TimedMap
from workbench.lsm.aggregates.nested_partial_update import NestedPartialRows
from workbench.lsm.aggregates.numbers import Total
from workbench.lsm.aggregates.texts import ListAgg
from workbench.lsm.aggregates.unions import BitmapUnion
from workbench.lsm.sequence_fields import has_order

_NUMBERS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL")
_Settings = Callable[[DataField, CoreOptions], dict[str, Any]]


@dataclass(frozen=True)
class _Function:
    make: Callable[..., Accumulator]
    takes: Callable[[DataType], bool] = lambda _: True
    types: str = "any type"
    settings: _Settings = lambda _field, _core: {}
    package: str | None = None


@dataclass(frozen=True)
class Aggregate:
    """A function with its settings, to be started for a slice of rows."""

    name: str
    function: str
    make: Callable[..., Accumulator]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def start(self, column: pa.Array, keys: int) -> Accumulator:
        """Return the state of ``keys`` keys over the rows of ``column``."""
        return self.make(self.name, self.function, column, keys, **self.settings)


def aggregate_of(field: DataField, function: str, core: CoreOptions) -> Aggregate:
    """Return the aggregate ``function`` of a column with the settings of its options.

    Raises:
        Unsupported: The function is not supported; the message names it.
        InvalidSchema: The function does not accept the column's type, or settings contradict it.
    """
    registered = _FUNCTIONS.get(function)
    if registered is None:
        raise Unsupported(
            f"Column '{field.name}' is aggregated by '{function}', which is not supported.",
            f"Supported: {', '.join(_FUNCTIONS)}. The other columns can be read.",
        )
    if not registered.takes(field.type):
        raise InvalidSchema(
            f"Column '{field.name}' of type {field.type} cannot be aggregated by '{function}'.",
            f"The function accepts {registered.types}.",
        )
    if registered.package is not None and find_spec(registered.package) is None:
        raise Unsupported(
            f"Column '{field.name}' is aggregated by '{function}', which requires the package '{registered.package}'.",
            "Install it, or read the other columns.",
        )
    settings = registered.settings(field, core)
    if core.column_value(field.name, "ignore-retract"):
        settings["ignores_retracts"] = True
    return Aggregate(field.name, function, registered.make, settings)


def _joined_texts(field: DataField, core: CoreOptions) -> dict[str, Any]:
    delimiter = core.column_value(field.name, "list-agg-delimiter")
    return {"delimiter": "," if delimiter is None else delimiter, **_distinct(field, core)}


def _distinct(field: DataField, core: CoreOptions) -> dict[str, Any]:
    return {"distinct": bool(core.column_value(field.name, "distinct"))}


def _map_time(field: DataField, core: CoreOptions) -> dict[str, Any]:
    assert isinstance(field.type, MapType)
    assert isinstance(field.type.value, RowType)
    chosen = core.column_value(field.name, "ts-field")
    row = field.type.value
    position = len(row.fields) - 1 if chosen is None else _positions(field, row, [chosen])[0]
    data_type = row.fields[position].type
    if data_type.root not in ("CHAR", "VARCHAR"):
        raise InvalidSchema(
            f"The time of the map in column '{field.name}' is of type {data_type}, but must be a STRING."
        )
    return {"time": position}


def _nested_rows(field: DataField, core: CoreOptions) -> dict[str, Any]:
    settings = _nested_key(field, core)
    sequence = _names(core.column_value(field.name, "nested-sequence-field"))
    if not settings["key"] and (sequence or core.column_value(field.name, "nested-key-null-strategy")):
        raise InvalidSchema(f"Column '{field.name}' requires option 'fields.{field.name}.nested-key'.")
    limit = core.column_value(field.name, "count-limit")
    if limit is not None:
        settings["limit"] = limit
    return {**settings, "sequence": _positions(field, _row_of_list(field), sequence)}


def _nested_partial_rows(field: DataField, core: CoreOptions) -> dict[str, Any]:
    settings = _nested_key(field, core)
    if not settings["key"]:
        raise InvalidSchema(f"Column '{field.name}' requires option 'fields.{field.name}.nested-key'.")
    return settings


def _nested_key(field: DataField, core: CoreOptions) -> dict[str, Any]:
    key = _names(core.column_value(field.name, "nested-key"))
    nulls = core.column_value(field.name, "nested-key-null-strategy") or "merge"
    return {"key": _positions(field, _row_of_list(field), key), "null_keys": nulls}


def _row_of_list(field: DataField) -> RowType:
    assert isinstance(field.type, ArrayType)
    assert isinstance(field.type.element, RowType)
    return field.type.element


def _names(text: str | None) -> list[str]:
    return [part.strip() for part in text.split(",")] if text else []


def _positions(field: DataField, row: RowType, names: list[str]) -> tuple[int, ...]:
    known = [each.name for each in row.fields]
    for name in names:
        if name not in known:
            raise InvalidSchema(f"The rows in column '{field.name}' have no field '{name}'.")
    return tuple(known.index(name) for name in names)


def _is_row_list(data_type: DataType) -> bool:
    return isinstance(data_type, ArrayType) and isinstance(data_type.element, RowType)


def _is_row_map(data_type: DataType) -> bool:
    return isinstance(data_type, MapType) and isinstance(data_type.value, RowType) and len(data_type.value.fields) > 1


_NUMBER = (lambda kind: kind.root in _NUMBERS, "numbers")
# Java orders BOOLEAN for keys, but not for these functions (`InternalRowUtils.compare`).
_COMPARED = (lambda kind: has_order(kind) and kind.root != "BOOLEAN", "values with an order, without BOOLEAN")
_BOOLEAN = (lambda kind: kind.root == "BOOLEAN", "BOOLEAN")
_BYTES = (lambda kind: kind.root == "VARBINARY", "VARBINARY")
_TEXT = (lambda kind: kind.root == "VARCHAR", "STRING")

_FUNCTIONS: dict[str, _Function] = {
    "sum": _Function(Total, *_NUMBER),
    "product": _Function(Total, *_NUMBER),
    "max": _Function(Extreme, *_COMPARED),
    "min": _Function(Extreme, *_COMPARED),
    "bool_and": _Function(Extreme, *_BOOLEAN),
    "bool_or": _Function(Extreme, *_BOOLEAN),
    "last_value": _Function(LastValue),
    "last_non_null_value": _Function(LastNonNullValue),
    "first_value": _Function(FirstValue),
    "first_non_null_value": _Function(FirstValue),
    "first_not_null_value": _Function(FirstValue),
    "listagg": _Function(ListAgg, *_TEXT, settings=_joined_texts),
    "collect": _Function(CollectAgg, lambda kind: isinstance(kind, ArrayType), "ARRAY", _distinct),
    "merge_map": _Function(MergedMap, lambda kind: isinstance(kind, MapType), "MAP"),
    "merge_map_with_keytime": _Function(TimedMap, _is_row_map, "MAP<…, ROW<…>>", _map_time),
    "nested_update": _Function(NestedRows, _is_row_list, "ARRAY<ROW<…>>", _nested_rows),
    "nested_partial_update": _Function(NestedPartialRows, _is_row_list, "ARRAY<ROW<…>>", _nested_partial_rows),
    "rbm32": _Function(BitmapUnion, *_BYTES),
    "rbm64": _Function(BitmapUnion, *_BYTES),
    "hll_sketch": _Function(BitmapUnion, *_BYTES, package="datasketches"),
    "theta_sketch": _Function(BitmapUnion, *_BYTES, package="datasketches"),
}
