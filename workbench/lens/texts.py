"""Human-readable sizes, times, keys and partitions."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from workbench.base.session import session_options
from workbench.format.rows.binary_row import decode_row
from workbench.format.spec.partition_path import partition_text
from workbench.format.types import DataField

_TIMES = frozenset({"TIME", "TIMESTAMP", "TIMESTAMP_LTZ"})


def excerpt(text: str, wanted: str, length: int, before: int) -> str:
    """Return ``length`` characters of a text, beginning ``before`` characters before ``wanted``; case is ignored. What
    is left out is replaced by ``…``."""
    begin = max(0, text.casefold().find(wanted.casefold()) - before)
    end = begin + length
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"


def epoch_millis(wall_millis: int) -> int | None:
    """Return a wall-clock time in the session's time zone as milliseconds since the epoch; None if it is out of range.

    Files record their creation as a wall-clock time: ``wall_millis`` has the milliseconds since the epoch of that time
    as if it were UTC.
    """
    try:
        shown = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=wall_millis)
        return int(shown.replace(tzinfo=session_options.zone()).timestamp() * 1000)
    except (OverflowError, ValueError):
        return None


def value_text(value: Any, field: DataField) -> str:
    """Return an internal value of a column as text, NULL for None; times have no trailing zeros."""
    text = partition_text(value, field.type, legacy=False, zone=session_options.zone())
    if text is not None and field.type.root in _TIMES and "." in text:
        text = text.rstrip("0").rstrip(".")
    return "NULL" if text is None else text


def row_text(row: bytes, fields: Sequence[DataField]) -> str:
    """Return a serialized row, such as a file's min key, as text: ``42``, or ``(7, b)`` with several fields."""
    texts = [
        value_text(value, field) for value, field in zip(decode_row(row, [f.type for f in fields]), fields, strict=True)
    ]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def partition_label(row: bytes, fields: Sequence[DataField]) -> str:
    """Return a serialized partition as text: ``dt=2026-11-01, region=eu``; '' without partitions.

    Strings that are blank or look like a null are quoted: ``p=""``.
    """
    values = decode_row(row, [field.type for field in fields]) if fields else ()
    return ", ".join(f"{field.name}={_quoted(value, field)}" for value, field in zip(values, fields, strict=True))


def _quoted(value: Any, field: DataField) -> str:
    text = value_text(value, field)
    return f'"{text}"' if value is not None and (not text.strip() or text == "NULL") else text
