"""Conversions between Paimon types and Arrow types."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import count

import pyarrow as pa

from workbench.base.errors import InvalidSchema
from workbench.format.types.data_types import (
    MAX_DECIMAL_PRECISION,
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
)

DESCRIPTION = b"description"
_CHAR_LENGTH = b"char.length"

_SIMPLE: dict[str, pa.DataType] = {
    "CHAR": pa.string(),
    "VARCHAR": pa.string(),
    "BOOLEAN": pa.bool_(),
    "BINARY": pa.binary(),
    "VARBINARY": pa.binary(),
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "DATE": pa.date32(),
    "TIME": pa.time32("ms"),
    "VARIANT": pa.struct(
        [pa.field("value", pa.binary(), nullable=False), pa.field("metadata", pa.binary(), nullable=False)]
    ),
    "BLOB": pa.binary(),
    "GEOMETRY": pa.binary(),
    "GEOGRAPHY": pa.binary(),
}


def timestamp_unit(precision: int) -> str:
    """Return the Arrow unit that holds a timestamp of this precision: ms up to 3, us up to 6, else ns (format §13)."""
    if precision <= 3:
        return "ms"
    return "us" if precision <= 6 else "ns"


@lru_cache(maxsize=1024)
def to_arrow(data_type: DataType) -> pa.DataType:
    """Return the Arrow type of columns of this type in memory. Its own nullability is stored in the Arrow field."""
    if isinstance(data_type, AtomicType):
        return _atomic_to_arrow(data_type)
    if isinstance(data_type, ArrayType):
        return pa.list_(_field("element", data_type.element))
    if isinstance(data_type, VectorType):
        return pa.list_(_field("element", data_type.element), data_type.length)
    if isinstance(data_type, MapType):
        return pa.map_(_field("key", data_type.key.not_null()), _field("value", data_type.value))
    if isinstance(data_type, MultisetType):
        return pa.map_(_field("key", data_type.element.not_null()), pa.field("value", pa.int32(), nullable=False))
    if isinstance(data_type, RowType):
        return pa.struct([field_to_arrow(each) for each in data_type.fields])
    raise InvalidSchema(f"{data_type} has no Arrow type.")


def _atomic_to_arrow(data_type: AtomicType) -> pa.DataType:
    if data_type.root == "DECIMAL":
        return pa.decimal128(data_type.precision, data_type.scale)
    if data_type.root == "TIMESTAMP":
        return pa.timestamp(timestamp_unit(data_type.precision or 0))
    if data_type.root == "TIMESTAMP_LTZ":
        return pa.timestamp(timestamp_unit(data_type.precision or 0), tz="UTC")
    return _SIMPLE[data_type.root]


def _field(name: str, data_type: DataType) -> pa.Field:
    return pa.field(name, to_arrow(data_type), nullable=data_type.nullable)


def field_to_arrow(field: DataField) -> pa.Field:
    """Return the Arrow field of a column; its description, if any, is metadata under ``description``."""
    metadata = None if field.description is None else {DESCRIPTION: field.description.encode()}
    return pa.field(field.name, to_arrow(field.type), nullable=field.type.nullable, metadata=metadata)


def with_char_length(field: pa.Field, length: int | None) -> pa.Field:
    """Return the Arrow field of CHAR(n), a type that Arrow lacks, with n as metadata; the same field for None."""
    return field if length is None else field.with_metadata({**(field.metadata or {}), _CHAR_LENGTH: str(length)})


def field_type(field: pa.Field) -> DataType:
    """Return the Paimon type of an Arrow field, as `from_arrow` does, or the CHAR of `with_char_length`."""
    length = (field.metadata or {}).get(_CHAR_LENGTH)
    return from_arrow(field.type) if length is None else AtomicType("CHAR", length=int(length))


def field_description(field: pa.Field) -> str | None:
    """Return the description that `field_to_arrow` put on a field."""
    text = (field.metadata or {}).get(DESCRIPTION)
    return None if text is None else text.decode()


def from_arrow(arrow_type: pa.DataType, nullable: bool = True) -> DataType:
    """Return the Paimon type of an Arrow type. ROW fields get ids 0, 1, … depth first, which a schema reassigns.

    All text becomes STRING, all variable binary BYTES; timestamps keep the precision of their unit; unsigned integers
    become the next wider signed type; fixed-size lists become ARRAY.

    Raises:
        InvalidSchema: If Paimon does not have the type.
    """
    return _from_arrow(arrow_type, count()).with_nullability(nullable)


def _from_arrow(arrow_type: pa.DataType, ids: Iterator[int]) -> DataType:
    types = pa.types
    if isinstance(arrow_type, pa.BaseExtensionType):
        return _from_arrow(arrow_type.storage_type, ids)
    if types.is_dictionary(arrow_type) or types.is_run_end_encoded(arrow_type):
        return _from_arrow(arrow_type.value_type, ids)
    if types.is_struct(arrow_type):
        return RowType(tuple(_row_field(arrow_type.field(i), ids) for i in range(arrow_type.num_fields)))
    if types.is_map(arrow_type):
        key = _from_arrow(arrow_type.key_type, ids).not_null()
        return MapType(key, _inner(arrow_type.item_field, ids))
    if _is_list(arrow_type):
        return ArrayType(_inner(arrow_type.value_field, ids))
    return _atomic_from_arrow(arrow_type)


def _is_list(arrow_type: pa.DataType) -> bool:
    types = pa.types
    tests = (types.is_list, types.is_large_list, types.is_fixed_size_list, types.is_list_view, types.is_large_list_view)
    return any(test(arrow_type) for test in tests)


def _inner(field: pa.Field, ids: Iterator[int]) -> DataType:
    return _from_arrow(field.type, ids).with_nullability(field.nullable)


def _row_field(field: pa.Field, ids: Iterator[int]) -> DataField:
    field_id = next(ids)
    return DataField(field_id, field.name, _inner(field, ids), field_description(field))


_FROM_SIMPLE: dict[pa.DataType, str] = {
    pa.bool_(): "BOOLEAN",
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INT",
    pa.int64(): "BIGINT",
    pa.uint8(): "SMALLINT",
    pa.uint16(): "INT",
    pa.uint32(): "BIGINT",
    pa.float16(): "FLOAT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.date32(): "DATE",
    pa.date64(): "DATE",
    pa.string(): "STRING",
    pa.large_string(): "STRING",
    pa.string_view(): "STRING",
    pa.binary(): "BYTES",
    pa.large_binary(): "BYTES",
    pa.binary_view(): "BYTES",
}
_UNIT_PRECISION = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def _atomic_from_arrow(arrow_type: pa.DataType) -> AtomicType:
    types = pa.types
    if arrow_type in _FROM_SIMPLE:
        return AtomicType(_FROM_SIMPLE[arrow_type])
    if types.is_uint64(arrow_type):
        return AtomicType("DECIMAL", precision=20, scale=0)
    if types.is_timestamp(arrow_type):
        root = "TIMESTAMP" if arrow_type.tz is None else "TIMESTAMP_LTZ"
        return AtomicType(root, precision=_UNIT_PRECISION[arrow_type.unit])
    if types.is_time(arrow_type):
        return AtomicType("TIME", precision=_UNIT_PRECISION[arrow_type.unit])
    if types.is_fixed_size_binary(arrow_type):
        return AtomicType("BINARY", length=arrow_type.byte_width)
    if types.is_decimal(arrow_type) and arrow_type.precision <= MAX_DECIMAL_PRECISION and arrow_type.scale >= 0:
        return AtomicType("DECIMAL", precision=arrow_type.precision, scale=arrow_type.scale)
    raise InvalidSchema(f"Arrow type '{arrow_type}' has no Paimon type.", "Cast the column first.")
