"""Conversion of values to the strings that Paimon's system tables show (keys, partitions, statistics), a whole column
at a time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pyarrow as pa

from workbench.base.modules import pc
from workbench.base.zones import statement_zone
from workbench.format.spec.partition_path import partition_text
from workbench.format.types import ArrayType, DataField, DataType, MapType, MultisetType, RowType, VectorType

_STORED = {pa.date32(): pa.int32(), pa.time32("ms"): pa.int32()}


def plain_texts(values: pa.Array, data_type: DataType) -> pa.Array:
    """Return each value as Java prints its internal form: dates as days, times as milliseconds, bytes as ``0x…``."""
    if pa.types.is_string(values.type):
        return values
    if values.null_count == len(values):
        return pa.nulls(len(values), pa.string())
    stored = _STORED.get(values.type)
    if stored is not None:
        return values.view(stored).cast(pa.string())
    if pa.types.is_integer(values.type) or pa.types.is_boolean(values.type):
        return values.cast(pa.string())
    coded = pc.dictionary_encode(values)
    texts = [_plain_text(value, data_type) for value in coded.dictionary]
    return pa.array(texts, pa.string()).take(coded.indices)


def _plain_text(value: pa.Scalar, data_type: DataType) -> str | None:
    if pa.types.is_timestamp(value.type):
        return partition_text(value.value, data_type)
    plain = value.as_py()
    return f"0x{plain.hex()}" if isinstance(plain, bytes) else partition_text(plain, data_type)


def bracketed(columns: Sequence[pa.Array], rows: int) -> pa.Array:
    """Return rows of strings as Java prints an array of them: ``[1, null]``."""
    return _enclosed("[", [_shown(column) for column in columns], "]", rows)


def mapped(columns: Sequence[tuple[str, pa.Array]], rows: int) -> pa.Array:
    """Return rows of strings as Java prints a sorted map of them: ``{a=1, b=null}``."""
    # Java sorts strings by their UTF-16 code units.
    ordered = sorted(columns, key=lambda column: column[0].encode("utf-16-be"))
    pairs = [pc.binary_join_element_wise(f"{name}=", _shown(column), "") for name, column in ordered]
    return _enclosed("{", pairs, "}", rows)


def _shown(column: pa.Array) -> pa.Array:
    return pc.fill_null(column, "null")


def _enclosed(begin: str, columns: Sequence[pa.Array], end: str, rows: int) -> pa.Array:
    if not columns:
        return pa.array([begin + end] * rows, pa.string())
    inner = pc.binary_join_element_wise(*columns, ", ")
    return pc.binary_join_element_wise(begin, inner, end, "")


def row_text(values: Sequence[Any], types: Sequence[DataType]) -> str:
    """Return a row of internal values as SQL casts it to a string: ``{2026-11-01, null}``."""
    return f"{{{', '.join('null' if text is None else text for text in sql_texts(values, types))}}}"


def sql_texts(values: Sequence[Any], types: Sequence[DataType]) -> list[str | None]:
    """Return internal values as the strings to which SQL casts them, zoned times in the statement's zone; None for
    null."""
    zone = statement_zone()
    return [
        partition_text(value, data_type, legacy=False, zone=zone)
        for value, data_type in zip(values, types, strict=True)
    ]


def type_text(data_type: DataType) -> str:
    """Return a type as Java prints it, with the names of ROW fields always in backticks."""
    if isinstance(data_type, RowType):
        text = f"ROW<{', '.join(map(_field_text, data_type.fields))}>"
    elif isinstance(data_type, MapType):
        text = f"MAP<{type_text(data_type.key)}, {type_text(data_type.value)}>"
    elif isinstance(data_type, VectorType):
        text = f"VECTOR<{type_text(data_type.element)}, {data_type.length}>"
    elif isinstance(data_type, ArrayType | MultisetType):
        text = f"{data_type.root}<{type_text(data_type.element)}>"
    else:
        text = data_type.sql()
    return text if data_type.nullable else f"{text} NOT NULL"


def _field_text(field: DataField) -> str:
    name = field.name.replace("`", "``")
    comment = "" if field.description is None else " COMMENT '{}'".format(field.description.replace("'", "''"))
    return f"`{name}` {type_text(field.type)}{comment}"


def json_text(value: Any) -> str:
    """Return plain values as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def duration_text(duration: timedelta) -> str:
    """Return a duration as Java prints it: ``PT24H``, ``PT1M0.5S``."""
    micros = round(duration / timedelta(microseconds=1))
    sign = "-" if micros < 0 else ""
    seconds, fraction = divmod(abs(micros), 1_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    parts = [f"{sign}{count}{unit}" for count, unit in ((hour, "H"), (minute, "M")) if count]
    if second or fraction:
        part = f".{fraction:06d}".rstrip("0") if fraction else ""
        parts.append(f"{sign}{second}{part}S")
    return f"PT{''.join(parts) or '0S'}"
