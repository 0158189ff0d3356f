"""Schema of Paimon's Parquet files: columns, physical types, ids (format §12.2, §13, Java
``ParquetSchemaConverter``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.modules import pc
from workbench.format.types import (
    TIMES,
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
    to_arrow,
)

if TYPE_CHECKING:
    from workbench.format.options.core_options import CoreOptions


FIELD_ID = b"PARQUET:field_id"

_ELEMENT_ID_BASE = 536_870_911
_MAX_DEPTH = 1_024
_CODECS = {"zstd": "zstd", "snappy": "snappy", "gzip": "gzip", "lz4": "lz4", "brotli": "brotli", "none": "none"}
_INT64_TIMESTAMP_PRECISION = 6


def parquet_schema(fields: Iterable[DataField]) -> pa.Schema:
    """Return the Arrow schema to open a Parquet writer with: every column and nested field carries its Paimon field
    id.
    """
    return pa.schema([_row_field(field) for field in fields])


def _with_id(name: str, arrow_type: pa.DataType, nullable: bool, field_id: int) -> pa.Field:
    return pa.field(name, arrow_type, nullable, {FIELD_ID: str(field_id).encode()})


def _row_field(field: DataField) -> pa.Field:
    return _with_id(field.name, _with_ids(field.type, field.id, 1), field.type.nullable, field.id)


def _with_ids(data_type: DataType, field_id: int, depth: int) -> pa.DataType:
    """Return the Arrow type with field ids; elements, keys and values derive theirs from the enclosing field (§3.2)."""
    above = _ELEMENT_ID_BASE + field_id * _MAX_DEPTH + depth
    below = _ELEMENT_ID_BASE - field_id * _MAX_DEPTH - depth

    def inner(name: str, each: DataType, inner_id: int) -> pa.Field:
        return _with_id(name, _with_ids(each, field_id, depth + 1), each.nullable, inner_id)

    if isinstance(data_type, RowType):
        return pa.struct([_row_field(field) for field in data_type.fields])
    if isinstance(data_type, ArrayType):
        return pa.list_(inner("element", data_type.element, above))
    if isinstance(data_type, VectorType):
        return pa.list_(inner("element", data_type.element, above), data_type.length)
    if isinstance(data_type, MapType):
        return pa.map_(inner("key", data_type.key.not_null(), below), inner("value", data_type.value, above))
    if isinstance(data_type, MultisetType):
        count = AtomicType("INT", nullable=False)
        return pa.map_(inner("key", data_type.element.not_null(), below), inner("value", count, above))
    arrow_type = to_arrow(data_type)
    if pa.types.is_struct(arrow_type):
        return pa.struct(
            [_with_id(each.name, each.type, each.nullable, position) for position, each in enumerate(arrow_type)]
        )
    return arrow_type


def write_arguments(
    options: CoreOptions, compression: str, fields: Sequence[DataField], unique_columns: Iterable[str] = ()
) -> dict[str, Any]:
    """Return keyword arguments for ``pyarrow.parquet.ParquetWriter``, in addition to the schema of `parquet_schema`.

    ``compression`` is a value of ``file.compression``. ``unique_columns`` (such as ``_KEY_id``) are written without a
    dictionary, which would not help.

    Raises:
        Unsupported: If Arrow cannot write the codec.
    """
    codec = _CODECS.get(compression.lower())
    if codec is None:
        raise Unsupported(
            f"Compression '{compression}' is not supported for Parquet files.",
            f"Use one of {', '.join(_CODECS)}.",
        )
    passed = {name.removeprefix("parquet."): value for name, value in options.options.items()}
    level = int(passed.get("compression.codec.zstd.level", options.zstd_level)) if codec == "zstd" else None
    arguments: dict[str, Any] = {
        "version": "2.6",
        "data_page_version": "1.0",
        "compression": codec,
        "compression_level": level,
        "use_dictionary": _dictionary_columns(fields, frozenset(unique_columns)),
        # Arrow excludes NaN from the bounds of a column, so readers would lose its rows under `x > 5`.
        "write_statistics": [path for field in fields for path in _leaf_paths(field.name, field.type, floats=False)],
        # Without checksums, three of four corrupt bytes in a data page would be read as other values.
        "write_page_checksum": True,
        "store_schema": False,
        "store_decimal_as_integer": True,
        "write_time_adjusted_to_utc": True,
        # The switch affects the whole file: if one column needs INT96, all timestamps of the file are INT96.
        "use_deprecated_int96_timestamps": any(_needs_int96(field.type) for field in fields),
    }
    if passed.get("enable.dictionary", "true").lower() in ("false", "0"):
        arguments["use_dictionary"] = False
    if "page.size" in passed:
        arguments["data_page_size"] = int(passed["page.size"])
    return arguments


def _dictionary_columns(fields: Sequence[DataField], unique: frozenset[str]) -> bool | list[str]:
    if not unique.intersection(field.name for field in fields):
        return True
    return [path for field in fields if field.name not in unique for path in _leaf_paths(field.name, field.type)]


def _leaf_paths(path: str, data_type: DataType, floats: bool = True) -> Iterator[str]:
    """Yield the dotted Parquet paths of the columns that store a field's values; FLOAT and DOUBLE columns only if
    ``floats``.
    """
    if isinstance(data_type, RowType):
        for field in data_type.fields:
            yield from _leaf_paths(f"{path}.{field.name}", field.type, floats)
    elif isinstance(data_type, ArrayType | VectorType):
        yield from _leaf_paths(f"{path}.list.element", data_type.element, floats)
    elif isinstance(data_type, MapType):
        yield from _leaf_paths(f"{path}.key_value.key", data_type.key, floats)
        yield from _leaf_paths(f"{path}.key_value.value", data_type.value, floats)
    elif isinstance(data_type, MultisetType):
        yield from _leaf_paths(f"{path}.key_value.key", data_type.element, floats)
        yield f"{path}.key_value.value"
    elif data_type.root == "VARIANT":
        yield from (f"{path}.value", f"{path}.metadata")
    elif floats or data_type.root not in ("FLOAT", "DOUBLE"):
        yield path


def _needs_int96(data_type: DataType) -> bool:
    if isinstance(data_type, AtomicType) and data_type.root in TIMES:
        return (data_type.precision or 0) > _INT64_TIMESTAMP_PRECISION
    return any(_needs_int96(child) for child in data_type.children())


def from_parquet(column: pa.Array | pa.ChunkedArray, data_type: DataType) -> Any:
    """Convert a column, as read by Arrow, to the Arrow type of its Paimon type; return the same object if it has this
    type.

    Accepts every physical form that Arrow reads: decimals of any width, plain INT32 for small integers, large, view and
    dictionary text, another timestamp unit.

    Raises:
        ValueError: If a value does not fit the type.
    """
    target = to_arrow(data_type)
    if column.type.equals(target):
        return column
    # A column may have more fractional digits than its type.
    return pc.cast(column, options=pc.CastOptions(target_type=target, allow_time_truncate=True))
