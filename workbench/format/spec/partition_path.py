"""Partition values as directory names (format §1.1, Java `PartitionPathUtils` and `InternalRowPartitionComputer`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, tzinfo
from decimal import Decimal
from typing import Any

from workbench.base.errors import SchemaMismatch, Unsupported
from workbench.format.types import AtomicType, DataType
from workbench.format.types.java_text import (
    date_text,
    iso_text,
    java_number_text,
    offset_seconds,
    seconds_and_nanos,
    sql_time,
    sql_timestamp,
)

DEFAULT_PARTITION_NAME = "__DEFAULT_PARTITION__"

_ESCAPED = {chr(code) for code in (*range(0x20), 0x7F)} | set("\"#%'*/:=?\\{}[]^")
_ESCAPES = str.maketrans({char: f"%{ord(char):02X}" for char in _ESCAPED})
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
# Python counts these as white space, Java does not.
_NO_BREAK = "\u00a0\u2007\u202f\u0085"
_MAX_BYTES = 255


def escape(text: str) -> str:
    """Return text as part of a directory name: characters that file systems may reject become ``%XX``."""
    return text.translate(_ESCAPES)


def unescape(text: str) -> str:
    """Return the text of an `escape` result; a ``%`` without two hex digits is kept."""
    return _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), text)


def partition_path(
    values: Sequence[Any],
    types: Sequence[DataType],
    names: Sequence[str],
    default_name: str = DEFAULT_PARTITION_NAME,
    legacy: bool = True,
    zone: tzinfo = UTC,
) -> str:
    """Return the directory of a partition, ``dt=2026-11-01/region=eu``; empty for a table without partitions.

    ``values`` are internal values: dates as days, times as ms, timestamps in the unit of their type. ``legacy`` is
    option ``partition.legacy-name``: if true, values have the text that Java prints for its objects, otherwise the text
    to which SQL casts them. In the latter case, ``zone`` is the zone of zoned timestamps (Java uses the zone of its
    machine).

    Raises:
        Unsupported: If a value has no stable text.
    """
    spec = partition_spec(values, types, names, default_name, legacy, zone)
    return "/".join(f"{escape(name)}={escape(text)}" for name, text in spec.items())


def partition_spec(
    values: Sequence[Any],
    types: Sequence[DataType],
    names: Sequence[str],
    default_name: str = DEFAULT_PARTITION_NAME,
    legacy: bool = True,
    zone: tzinfo = UTC,
) -> dict[str, str]:
    """Return the values of a partition as text by the names of their columns, as `partition_path` shows them, but not
    escaped. Raises Unsupported as `partition_path` does."""
    return {
        name: named_value(partition_text(value, data_type, legacy, zone), default_name)
        for name, value, data_type in zip(names, values, types, strict=True)
    }


def check_writable_path(path: str) -> str:
    """Return ``path``, the directory of a partition, if file systems accept the length of its parts.

    Raises:
        SchemaMismatch: If a partition column and its value are too long.
    """
    for part in path.split("/"):
        if len(part.encode()) > _MAX_BYTES:
            name = unescape(part.partition("=")[0])
            raise SchemaMismatch(
                f"A value of partition column '{name}' results in a directory name of more than {_MAX_BYTES} bytes.",
                "Shorten the value, or partition by another column.",
            )
    return path


def partition_text(value: Any, data_type: DataType, legacy: bool = True, zone: tzinfo = UTC) -> str | None:
    """Return one partition value as text, None for null.

    Raises:
        Unsupported: If the value has no stable text.
    """
    if value is None:
        return None
    root = data_type.root
    precision = (data_type.precision or 0) if isinstance(data_type, AtomicType) else 0
    if isinstance(value, bytes):
        if legacy:
            # Java prints the address of the array, which differs each time.
            raise Unsupported(
                f"A value of a partition column of type {data_type} has no stable directory name.",
                "Create the table with option 'partition.legacy-name' = 'false'.",
            )
        return value.decode("utf-8", "replace")
    if root == "BOOLEAN":
        return "true" if value else "false"
    if root in ("FLOAT", "DOUBLE"):
        return java_number_text(value, single=root == "FLOAT")
    if root == "DECIMAL":
        scale = data_type.scale if isinstance(data_type, AtomicType) else None
        return format(Decimal(value), f".{scale or 0}f")
    if root in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        seconds, nanos = seconds_and_nanos(value, precision)
        if legacy:
            return iso_text(seconds, nanos)
        if root == "TIMESTAMP_LTZ":
            seconds += offset_seconds(seconds, zone)
        return sql_timestamp(seconds, nanos, precision)
    if not legacy and root == "DATE":
        return date_text(value, signed=False)
    if not legacy and root == "TIME":
        return sql_time(value, precision)
    return str(value)


def named_value(text: str | None, default_name: str = DEFAULT_PARTITION_NAME) -> str:
    """Return the text of a partition value in a name: null and blank texts become the default name."""
    return default_name if text is None or _is_blank(text) else text


def _is_blank(text: str) -> bool:
    return all(char.isspace() and char not in _NO_BREAK for char in text)
