"""The Avro schema of data files (format §8, §15, Java ``AvroSchemaConverter``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.base.errors import Unsupported
from workbench.format.types import (
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
)

NAMESPACE = "org.apache.paimon.avro.generated"
COUNT = AtomicType("INT")
"""The type of the number of occurrences of a MULTISET element."""

_ROOT = "record"
_PLAIN = {
    "BOOLEAN": "boolean",
    "TINYINT": "int",
    "SMALLINT": "int",
    "INT": "int",
    "BIGINT": "long",
    "FLOAT": "float",
    "DOUBLE": "double",
    "CHAR": "string",
    "VARCHAR": "string",
    "BINARY": "bytes",
    "VARBINARY": "bytes",
}
# Java swaps Avro's names for times with and without a zone.
_TIMESTAMPS = {"TIMESTAMP": "timestamp", "TIMESTAMP_LTZ": "local-timestamp"}
_FINEST = {"TIME": 3, "TIMESTAMP": 6, "TIMESTAMP_LTZ": 6}


def avro_schema(fields: Sequence[DataField]) -> dict[str, Any]:
    """Return the schema of rows of these columns as JSON values.

    Raises:
        Unsupported: If Paimon's Avro files do not support a type or a name.
    """
    return {**_record(_ROOT, fields), "namespace": NAMESPACE}


def type_not_in_avro(data_type: DataType) -> DataType | None:
    """Return the type, or one nested in it, that Avro files cannot hold; None if they can hold the whole type."""
    inside = next(filter(None, map(type_not_in_avro, data_type.children())), None)
    if inside is not None or not isinstance(data_type, AtomicType | MultisetType):
        return inside
    try:
        _schema(data_type, _ROOT)
    except _NotInAvroError as error:
        return error.type
    return None


def is_text(data_type: DataType) -> bool:
    """Return whether Avro stores a MAP with keys of this type as a map; for other keys it is a list of pairs."""
    return data_type.root in ("CHAR", "VARCHAR")


def _record(name: str, fields: Sequence[DataField]) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [_field(name, each) for each in fields]}


def _field(record: str, field: DataField) -> dict[str, Any]:
    first, rest = field.name[:1], field.name[1:]
    if not (first.isalpha() or first == "_") or not all(letter.isalnum() or letter == "_" for letter in rest):
        raise Unsupported(f"Avro files cannot have a column '{field.name}': letters, digits and '_' are allowed.")
    try:
        avro_type = _schema(field.type, f"{record}_{field.name}")
    except _NotInAvroError as error:
        raise Unsupported(
            f"Avro files have no {error.type}, so column '{field.name}' of type {field.type} cannot be written.",
            "Set 'file.format' to 'parquet'.",
        ) from error
    return {"name": field.name, "type": avro_type, **({"default": None} if field.type.nullable else {})}


class _NotInAvroError(Exception):
    """Raised for a type that Avro does not have."""

    def __init__(self, data_type: DataType) -> None:
        super().__init__(str(data_type))
        self.type = data_type


def _schema(data_type: DataType, name: str) -> Any:
    avro_type = _not_null(data_type, name)
    return ["null", avro_type] if data_type.nullable else avro_type


def _not_null(data_type: DataType, name: str) -> Any:
    if isinstance(data_type, RowType):
        return _record(name, data_type.fields)
    if isinstance(data_type, ArrayType | VectorType):
        return {"type": "array", "items": _schema(data_type.element, name)}
    if isinstance(data_type, MapType):
        return _map(data_type.key, data_type.value, name)
    if isinstance(data_type, MultisetType):
        if not is_text(data_type.element):
            # Java's writer fails here although the format would allow it.
            raise _NotInAvroError(data_type)
        return _map(data_type.element, COUNT, name)
    assert isinstance(data_type, AtomicType)
    return _atomic(data_type)


def _map(key: DataType, value: DataType, name: str) -> Any:
    if is_text(key):
        return {"type": "map", "values": _schema(value, name)}
    pair = [
        {"name": "key", "type": _schema(key, f"{name}_key")},
        {"name": "value", "type": _schema(value, f"{name}_value"), **({"default": None} if value.nullable else {})},
    ]
    return {"type": "array", "items": {"type": "record", "name": name, "fields": pair}, "logicalType": "map"}


def _atomic(data_type: AtomicType) -> Any:
    root = data_type.root
    if root in _PLAIN:
        return _PLAIN[root]
    if root == "DATE":
        return {"type": "int", "logicalType": "date"}
    if root == "DECIMAL":
        sizes = {"precision": data_type.precision, "scale": data_type.scale}
        return {"type": "bytes", "logicalType": "decimal", **sizes}
    precision = data_type.precision or 0
    if root not in _FINEST or precision > _FINEST[root]:
        raise _NotInAvroError(data_type)
    if root == "TIME":
        return {"type": "int", "logicalType": "time-millis"}
    return {"type": "long", "logicalType": f"{_TIMESTAMPS[root]}-{'millis' if precision <= 3 else 'micros'}"}
