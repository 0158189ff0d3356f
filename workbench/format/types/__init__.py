"""Paimon's type system: the types, their text and JSON forms (format §3.1), and their Arrow types."""

from __future__ import annotations

from workbench.format.types.arrow_types import field_to_arrow, from_arrow, timestamp_unit, to_arrow
from workbench.format.types.data_types import (
    MAX_LENGTH,
    TIMES,
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
    char_length,
    field_text,
    holds,
    quote_name,
    walk_fields,
)
from workbench.format.types.type_parser import field_from_json, field_to_json, parse_type, type_to_json

__all__ = [
    "MAX_LENGTH",
    "TIMES",
    "ArrayType",
    "AtomicType",
    "DataField",
    "DataType",
    "MapType",
    "MultisetType",
    "RowType",
    "VectorType",
    "char_length",
    "field_from_json",
    "field_text",
    "field_to_arrow",
    "field_to_json",
    "from_arrow",
    "holds",
    "parse_type",
    "quote_name",
    "timestamp_unit",
    "to_arrow",
    "type_to_json",
    "walk_fields",
]
