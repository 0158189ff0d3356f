"""Formats Arrow values as text for display; works on a few rows, never on a whole table."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from workbench.base.modules import pc

LONGEST = 200
_NAMES = {
    "bool": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INT",
    "int64": "BIGINT",
    "halffloat": "FLOAT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "STRING",
    "large_string": "STRING",
    "string_view": "STRING",
    "binary": "BYTES",
    "large_binary": "BYTES",
    "date32[day]": "DATE",
    "null": "NULL",
}


def type_name(arrow_type: pa.DataType) -> str:
    """Return the SQL name of an Arrow type, such as ``BIGINT`` or ``ARRAY<INT>``."""
    if pa.types.is_timestamp(arrow_type):
        return "TIMESTAMP_LTZ" if arrow_type.tz else "TIMESTAMP"
    if pa.types.is_decimal(arrow_type):
        return f"DECIMAL({arrow_type.precision}, {arrow_type.scale})"
    if pa.types.is_map(arrow_type):
        return f"MAP<{type_name(arrow_type.key_type)}, {type_name(arrow_type.item_type)}>"
    if pa.types.is_list(arrow_type) or pa.types.is_large_list(arrow_type) or pa.types.is_fixed_size_list(arrow_type):
        return f"ARRAY<{type_name(arrow_type.value_type)}>"
    if pa.types.is_struct(arrow_type):
        fields = (arrow_type.field(index) for index in range(arrow_type.num_fields))
        return f"ROW<{', '.join(f'{field.name} {type_name(field.type)}' for field in fields)}>"
    if pa.types.is_time(arrow_type):
        return "TIME"
    return _NAMES.get(str(arrow_type), str(arrow_type).upper())


def is_number(arrow_type: pa.DataType) -> bool:
    """Return whether values of the type are right-aligned."""
    return bool(pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type) or pa.types.is_decimal(arrow_type))


def has_zone(arrow_type: pa.DataType) -> bool:
    """Return whether values of the type are instants, which are shown in the session's time zone."""
    return bool(pa.types.is_timestamp(arrow_type) and arrow_type.tz)


def cell_texts(column: pa.ChunkedArray | pa.Array) -> list[str | None]:
    """Return one string per value, None for NULL. Instants are shown in the session's time zone; long strings are
    truncated with '…'.
    """
    arrow_type = column.type
    if pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type):
        # Truncate in Arrow: as Python objects, the whole strings may need far more memory than the part that is shown.
        texts = pc.utf8_slice_codeunits(column, 0, LONGEST + 1).to_pylist()
    elif pa.types.is_timestamp(arrow_type):
        texts = _timestamp_texts(column)
    elif pa.types.is_date(arrow_type) or pa.types.is_time(arrow_type):
        texts = column.cast(pa.string()).to_pylist()
    else:
        texts = [None if value is None else _text(value) for value in column.to_pylist()]
    return [text if text is None or len(text) <= LONGEST else f"{text[:LONGEST]}…" for text in texts]


def _timestamp_texts(column: pa.ChunkedArray | pa.Array) -> list[str | None]:
    from workbench.expr.zones import instant_to_local

    if column.type.tz:
        column = instant_to_local(column)
    return [text and _without_empty_fraction(text) for text in column.cast(pa.string()).to_pylist()]


def _without_empty_fraction(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return f"X'{value[: LONGEST // 2].hex()}'"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=_text)
    return str(value)
