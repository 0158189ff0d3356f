"""Spark's names of Paimon's types, as DESCRIBE and SHOW CREATE TABLE print them."""

from __future__ import annotations

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
from workbench.sql.statements import quote_if_needed, quote_text

_NAMES = {
    "BOOLEAN": "boolean",
    "TINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INT": "int",
    "BIGINT": "bigint",
    "FLOAT": "float",
    "DOUBLE": "double",
    "DATE": "date",
    "TIMESTAMP": "timestamp_ntz",
    "TIMESTAMP_LTZ": "timestamp",
    "BINARY": "binary",
    "VARBINARY": "binary",
    "VARIANT": "variant",
    "BLOB": "binary",
}
# The length of STRING.
_UNBOUNDED = 2**31 - 1


def ddl_type(data_type: DataType) -> str:
    """Return a type as CREATE TABLE reads it, such as ``STRUCT<a: INT NOT NULL>``."""
    if isinstance(data_type, ArrayType | VectorType):
        return f"ARRAY<{ddl_type(data_type.element)}>"
    if isinstance(data_type, MapType):
        return f"MAP<{ddl_type(data_type.key)}, {ddl_type(data_type.value)}>"
    if isinstance(data_type, RowType):
        fields = (f"{quote_if_needed(field.name)}: {_with_traits(field)}" for field in data_type.fields)
        return f"STRUCT<{', '.join(fields)}>"
    return spark_type(data_type).upper()


def _with_traits(field: DataField) -> str:
    text = ddl_type(field.type) + ("" if field.type.nullable else " NOT NULL")
    return text + (f" COMMENT {quote_text(field.description)}" if field.description else "")


def spark_type(data_type: DataType) -> str:
    """Return Spark's name of a type, such as ``array<decimal(10,2)>``; types that Spark lacks keep Paimon's name."""
    if isinstance(data_type, ArrayType | VectorType):
        return f"array<{spark_type(data_type.element)}>"
    if isinstance(data_type, MapType):
        return f"map<{spark_type(data_type.key)},{spark_type(data_type.value)}>"
    if isinstance(data_type, MultisetType):
        return f"map<{spark_type(data_type.element)},int>"
    if isinstance(data_type, RowType):
        return f"struct<{','.join(f'{field.name}:{spark_type(field.type)}' for field in data_type.fields)}>"
    assert isinstance(data_type, AtomicType)
    if data_type.root == "DECIMAL":
        return f"decimal({data_type.precision},{data_type.scale})"
    if data_type.root in ("CHAR", "VARCHAR"):
        if data_type.root == "VARCHAR" and data_type.length in (None, _UNBOUNDED):
            return "string"
        return f"{data_type.root.lower()}({data_type.length})"
    return _NAMES.get(data_type.root, str(data_type.as_nullable()).lower())
