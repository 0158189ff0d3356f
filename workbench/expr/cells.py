"""Formats Arrow values as text for display; works on a few rows, never on a whole table."""

from __future__ import annotations

import json
import re
from typing import Any

import pyarrow as pa

from workbench.base.modules import pc

LONGEST = 200
_WORD = re.compile(r"\w+")
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


def cell_texts(column: pa.ChunkedArray | pa.Array, longest: int = LONGEST) -> list[str | None]:
    """Return one string per value, None for NULL. Instants are shown in the session's time zone; strings of more than
    ``longest`` characters are truncated with '…'.
    """
    arrow_type = column.type
    if pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type):
        # Truncate in Arrow: as Python objects, the whole strings may need far more memory than the part that is shown.
        texts = pc.utf8_slice_codeunits(column, 0, longest + 1).to_pylist()
    elif pa.types.is_timestamp(arrow_type):
        texts = _timestamp_texts(column)
    elif pa.types.is_date(arrow_type) or pa.types.is_time(arrow_type):
        texts = column.cast(pa.string()).to_pylist()
    else:
        texts = [None if value is None else _text(value, arrow_type, longest) for value in column.to_pylist()]
    return [text if text is None or len(text) <= longest else f"{text[:longest]}…" for text in texts]


def _timestamp_texts(column: pa.ChunkedArray | pa.Array) -> list[str | None]:
    from workbench.expr.zones import instant_to_local

    if column.type.tz:
        column = instant_to_local(column)
    return [text and _without_empty_fraction(text) for text in column.cast(pa.string()).to_pylist()]


def _without_empty_fraction(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _text(value: Any, arrow_type: pa.DataType, longest: int) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return f"X'{value[: longest // 2].hex()}'"
    if isinstance(value, list | dict):
        return _nested_text(value, arrow_type, longest)
    return str(value)


def _nested_text(value: Any, arrow_type: pa.DataType, longest: int) -> str:
    """Return a value inside of others: JSON, but maps as ``{key: value}``."""
    if value is None:
        return "null"
    if isinstance(arrow_type, pa.BaseExtensionType):
        arrow_type = arrow_type.storage_type
    if pa.types.is_map(arrow_type):
        pairs = (
            f"{_key_text(key, arrow_type.key_type, longest)}: {_nested_text(item, arrow_type.item_type, longest)}"
            for key, item in value
        )
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, dict):
        fields = (
            f"{_json(name)}: {_nested_text(item, arrow_type.field(index).type, longest)}"
            for index, (name, item) in enumerate(value.items())
        )
        return f"{{{', '.join(fields)}}}"
    if isinstance(value, list):
        return f"[{', '.join(_nested_text(item, arrow_type.value_type, longest) for item in value)}]"
    return _json(value if isinstance(value, str | int | float) else _text(value, arrow_type, longest))


def _key_text(key: Any, arrow_type: pa.DataType, longest: int) -> str:
    return key if isinstance(key, str) and _WORD.fullmatch(key) else _nested_text(key, arrow_type, longest)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
