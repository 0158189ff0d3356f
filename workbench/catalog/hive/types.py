"""Types of columns as Hive names them (Java ``HiveTypeUtils``)."""

from __future__ import annotations

import re

from workbench.base.errors import Unsupported
from workbench.format.types import (
    MAX_LENGTH,
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
)

TIMESTAMP = "timestamp"
ZONED_TIMESTAMP = "timestamp with local time zone"
"""How Hive 3 and later name timestamps with a time zone; Hive 2 has no such type."""

_NAMES = {
    "BOOLEAN": "boolean",
    "TINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INT": "int",
    "BIGINT": "bigint",
    "FLOAT": "float",
    "DOUBLE": "double",
    "BINARY": "binary",
    "VARBINARY": "binary",
    "BLOB": "binary",
    "DATE": "date",
    "TIME": "string",
    "TIMESTAMP": TIMESTAMP,
    "VARIANT": "struct<value:binary,metadata:binary>",
}
_TEXTS = {"CHAR": 255, "VARCHAR": 65_535}
"""The longest texts that Hive gives a length; longer ones are strings."""

_ATOMIC = {
    "boolean": AtomicType("BOOLEAN"),
    "tinyint": AtomicType("TINYINT"),
    "smallint": AtomicType("SMALLINT"),
    "int": AtomicType("INT"),
    "bigint": AtomicType("BIGINT"),
    "float": AtomicType("FLOAT"),
    "double": AtomicType("DOUBLE"),
    "string": AtomicType("VARCHAR", length=MAX_LENGTH),
    "binary": AtomicType("VARBINARY", length=MAX_LENGTH),
    "date": AtomicType("DATE"),
    TIMESTAMP: AtomicType("TIMESTAMP", precision=6),
    ZONED_TIMESTAMP: AtomicType("TIMESTAMP_LTZ", precision=6),
    "decimal": AtomicType("DECIMAL", precision=10, scale=0),
}
_SIZED = re.compile(r"(char|varchar|decimal)\((\d+)(?:,(\d+))?\)")


def hive_type(data_type: DataType, zoned: str = TIMESTAMP) -> str:
    """Return the name of a type in Hive.

    Args:
        data_type: The type.
        zoned: How timestamps with a time zone are named: `TIMESTAMP`, as Java does with the classes of Hive 2, or
            `ZONED_TIMESTAMP`, as it does with those of Hive 3.

    Raises:
        Unsupported: Hive has no such type.
    """
    if isinstance(data_type, AtomicType):
        return _atomic_name(data_type, zoned)
    if isinstance(data_type, ArrayType | VectorType):
        return f"array<{hive_type(data_type.element, zoned)}>"
    if isinstance(data_type, MultisetType):
        return f"map<{hive_type(data_type.element, zoned)},int>"
    if isinstance(data_type, MapType):
        return f"map<{hive_type(data_type.key, zoned)},{hive_type(data_type.value, zoned)}>"
    if isinstance(data_type, RowType):
        return f"struct<{','.join(f'{each.name}:{hive_type(each.type, zoned)}' for each in data_type.fields)}>"
    raise _unknown(data_type)


def _atomic_name(data_type: AtomicType, zoned: str) -> str:
    root, length = data_type.root, data_type.length
    if root in _TEXTS and length is not None:
        return f"{root.lower()}({length})" if length <= _TEXTS[root] else "string"
    if root == "DECIMAL":
        return f"decimal({data_type.precision},{data_type.scale})"
    if root == "TIMESTAMP_LTZ":
        return zoned
    if root not in _NAMES:
        raise _unknown(data_type)
    return _NAMES[root]


def _unknown(data_type: DataType) -> Unsupported:
    return Unsupported(
        f"Hive Metastore has no type for {data_type}.", "Use another type, or a catalog of another kind."
    )


def paimon_type(text: str) -> DataType:
    """Return the type for a name in Hive.

    Raises:
        Unsupported: Paimon has no such type.
    """
    found, rest = _read(text.strip())
    if rest:
        raise _unreadable(text)
    return found


def _read(text: str) -> tuple[DataType, str]:
    """Return the type at the start of a text, and the text after it."""
    for head, read in (("array<", _read_array), ("map<", _read_map), ("struct<", _read_struct)):
        if text.startswith(head):
            return read(text[len(head) :])
    sized = _SIZED.match(text)
    if sized:
        root, first, second = sized[1].upper(), int(sized[2]), int(sized[3] or 0)
        if root == "DECIMAL":
            return AtomicType(root, precision=first, scale=second), text[sized.end() :]
        return AtomicType(root, length=first), text[sized.end() :]
    name = re.match(r"[a-z][a-z0-9_ ]*", text)
    if name is None or name[0] not in _ATOMIC:
        raise _unreadable(text)
    return _ATOMIC[name[0]], text[name.end() :]


def _read_array(text: str) -> tuple[DataType, str]:
    element, rest = _read(text)
    return ArrayType(element), _after(">", rest)


def _read_map(text: str) -> tuple[DataType, str]:
    key, rest = _read(text)
    value, rest = _read(_after(",", rest))
    return MapType(key, value), _after(">", rest)


def _read_struct(text: str) -> tuple[DataType, str]:
    fields: list[DataField] = []
    while True:
        name, colon, text = text.partition(":")
        if not colon:
            raise _unreadable(name)
        data_type, text = _read(text)
        fields.append(DataField(len(fields), name, data_type))
        if not text.startswith(","):
            return RowType(tuple(fields)), _after(">", text)
        text = text[1:]


def _after(mark: str, text: str) -> str:
    if not text.startswith(mark):
        raise _unreadable(text)
    return text[len(mark) :]


def _unreadable(text: str) -> Unsupported:
    return Unsupported(
        f"'{text}' is not a type of Hive that Paimon has.", "Read the table with the engine that made it."
    )
