"""Converts values of Avro records to Arrow columns, whole columns at a time (format §8, §15)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.modules import pc
from workbench.format.types import (
    ArrayType,
    AtomicType,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
    to_arrow,
)
from workbench.format.types.nested_arrays import fixed_lists

_DECIMAL_BYTES = 16
_TIMESTAMP_UNITS = {"millis": "ms", "micros": "us", "nanos": "ns"}


def column_of(values: Sequence[Any] | pa.Array, schema: Any, data_type: DataType) -> pa.Array:
    """Return the values of one field as an array of ``data_type``.

    For a type that is not nested, ``values`` may also be an array of numbers, booleans or bytes as stored. ``schema``
    is the field's Avro schema, which determines the meaning of plain numbers and bytes.

    Raises:
        Unsupported: If Paimon does not write the Avro type for ``data_type``.
        ValueError: If values do not fit; Arrow and Python may also raise a subclass of ValueError, TypeError or
            OverflowError.
    """
    schema = _not_null(schema)
    if isinstance(data_type, AtomicType):
        return _leaf(values, schema, data_type)
    arrow_type = to_arrow(data_type)
    if isinstance(data_type, RowType) and _is(schema, "record"):
        return _rows(values, schema, data_type, arrow_type)
    if isinstance(data_type, ArrayType) and _is(schema, "array"):
        items = column_of(_flat(values), schema["items"], data_type.element)
        return pa.ListArray.from_arrays(_offsets(values), items, arrow_type, mask=_nulls(values))
    if isinstance(data_type, VectorType) and _is(schema, "array"):
        lists = column_of(values, schema, ArrayType(data_type.element, data_type.nullable))
        return fixed_lists(lists, arrow_type)
    if isinstance(data_type, MapType | MultisetType):
        return _maps(values, schema, data_type, arrow_type)
    raise _unknown(schema, data_type)


def _not_null(schema: Any) -> Any:
    """Return the only non-null type of a union."""
    if not isinstance(schema, list):
        return schema
    kinds = [branch for branch in schema if branch != "null"]
    if len(kinds) != 1:
        raise Unsupported(f"Avro unions such as {str(schema)[:80]} are not supported.")
    return kinds[0]


def _is(schema: Any, kind: str) -> bool:
    return isinstance(schema, dict) and schema.get("type") == kind


def _unknown(schema: Any, data_type: DataType) -> Unsupported:
    return Unsupported(f"A column of type {data_type} that is stored as Avro {str(schema)[:80]} is not supported.")


def _nulls(values: Sequence[Any]) -> pa.Array:
    return pa.array([value is None for value in values], pa.bool_())


def _flat(values: Sequence[Any]) -> list[Any]:
    return list(chain.from_iterable(value for value in values if value is not None))


def _offsets(values: Sequence[Any]) -> pa.Array:
    return pa.array([0, *accumulate(0 if value is None else len(value) for value in values)], pa.int32())


def _rows(values: Sequence[Any], schema: Any, data_type: RowType, arrow_type: pa.DataType) -> pa.Array:
    stored = {field["name"]: field["type"] for field in schema["fields"]}
    children = []
    for field in data_type.fields:
        if field.name not in stored:
            raise ValueError(f"a row without its field '{field.name}'")
        parts = [None if value is None else value[field.name] for value in values]
        children.append(column_of(parts, stored[field.name], field.type))
    if not children:
        return pa.array([None if value is None else {} for value in values], arrow_type)
    return pa.StructArray.from_arrays(children, fields=list(arrow_type), mask=_nulls(values))


def _maps(values: Sequence[Any], schema: Any, data_type: MapType | MultisetType, arrow_type: pa.DataType) -> pa.Array:
    """Return a map column: Avro stores a map with text keys as a map, any other as a list of pairs."""
    if isinstance(data_type, MapType):
        key_type, value_type = data_type.key, data_type.value
    else:
        key_type, value_type = data_type.element, AtomicType("INT", nullable=False)
    if _is(schema, "map"):
        keys: Sequence[Any] = _flat(values)
        items: Sequence[Any] = _flat([None if value is None else value.values() for value in values])
        key_schema, item_schema = "string", schema["values"]
    elif _is(schema, "array") and _is(pairs := _not_null(schema["items"]), "record"):
        entries = _flat(values)
        stored = {field["name"]: field["type"] for field in pairs["fields"]}
        if set(stored) != {"key", "value"}:
            raise _unknown(schema, data_type)
        keys, items = [pair["key"] for pair in entries], [pair["value"] for pair in entries]
        key_schema, item_schema = stored["key"], stored["value"]
    else:
        raise _unknown(schema, data_type)
    return pa.MapArray.from_arrays(
        _offsets(values),
        column_of(keys, key_schema, key_type),
        column_of(items, item_schema, value_type),
        arrow_type,
        mask=_nulls(values),
    )


_TEXT = ("string",)
_WHOLE = ("int", "long")
_PLAIN: dict[str, tuple[str, ...]] = {
    "CHAR": _TEXT,
    "VARCHAR": _TEXT,
    "BOOLEAN": ("boolean",),
    "BINARY": ("bytes", "fixed"),
    "VARBINARY": ("bytes", "fixed"),
    "BLOB": ("bytes",),
    "TINYINT": _WHOLE,
    "SMALLINT": _WHOLE,
    "INT": _WHOLE,
    "BIGINT": _WHOLE,
    "FLOAT": ("float",),
    "DOUBLE": ("double", "float"),
}


def _arrow_array(values: Sequence[Any] | pa.Array, arrow_type: pa.DataType) -> pa.Array:
    return values.cast(arrow_type) if isinstance(values, pa.Array) else pa.array(values, arrow_type)


def _leaf(values: Sequence[Any] | pa.Array, schema: Any, data_type: AtomicType) -> pa.Array:
    name = schema["type"] if isinstance(schema, dict) else schema
    logical = schema.get("logicalType", "") if isinstance(schema, dict) else ""
    arrow_type = to_arrow(data_type)
    if data_type.root == "DECIMAL" and logical == "decimal" and name in ("bytes", "fixed"):
        numbers = values.to_pylist() if isinstance(values, pa.Array) else values
        return _decimals(numbers, pa.decimal128(schema["precision"], schema.get("scale", 0))).cast(arrow_type)
    if name in _PLAIN.get(data_type.root, ()) and not logical:
        return _arrow_array(values, arrow_type)
    if data_type.root == "DATE" and logical == "date":
        return _arrow_array(values, pa.int32()).view(arrow_type)
    if data_type.root in ("TIME", "TIMESTAMP", "TIMESTAMP_LTZ"):
        return _times(values, schema, logical, data_type, arrow_type)
    raise _unknown(schema, data_type)


def _times(
    values: Sequence[Any] | pa.Array, schema: Any, logical: str, data_type: AtomicType, arrow_type: pa.DataType
) -> pa.Array:
    """Return times in the unit of the logical type: Java swaps Avro's names for times with and without a zone."""
    name, _, unit = logical.removeprefix("local-").partition("-")
    if unit not in _TIMESTAMP_UNITS or name != data_type.root.partition("_")[0].lower():
        raise _unknown(schema, data_type)
    if data_type.root == "TIME":
        stored = pa.time32("ms") if unit == "millis" else pa.time64(_TIMESTAMP_UNITS[unit])
        numbers = _arrow_array(values, pa.int32() if unit == "millis" else pa.int64())
    else:
        stored = pa.timestamp(_TIMESTAMP_UNITS[unit], arrow_type.tz)
        numbers = _arrow_array(values, pa.int64())
    return pc.cast(numbers.view(stored), options=pc.CastOptions(target_type=arrow_type, allow_time_truncate=True))


def _decimals(values: Sequence[bytes | None], arrow_type: pa.DataType) -> pa.Array:
    """Return decimals from big-endian numbers of any length. Sums that exceed the precision, which Java stores, become
    null, as when Java reads them.
    """
    bound, zero = 10**arrow_type.precision, bytes(_DECIMAL_BYTES)
    numbers = [bound if value is None else int.from_bytes(value, "big", signed=True) for value in values]
    kept = [-bound < number < bound for number in numbers]
    wide = b"".join(
        number.to_bytes(_DECIMAL_BYTES, "little", signed=True) if keep else zero
        for number, keep in zip(numbers, kept, strict=True)
    )
    valid = pa.array(kept, pa.bool_())
    return pa.Array.from_buffers(arrow_type, len(values), [valid.buffers()[1], pa.py_buffer(wide)])
