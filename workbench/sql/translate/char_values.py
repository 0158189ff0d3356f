"""Comparisons of CHAR columns by Spark's rule; DuckDB gets their values padded to their length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.sql.translate.values import Typed, text


def char_length(value: Typed) -> int | None:
    """Return the length of a CHAR column; None for other expressions."""
    column = next(iter(value.columns), None)
    return column.char if column is not None and len(value.columns) == 1 and column.sql == value.sql else None


def with_char_padding(values: Sequence[Typed]) -> list[Typed]:
    """Return compared values, the shorter ones padded with blanks if a CHAR column is compared with constants or with
    other CHAR columns."""
    lengths = [char_length(each) for each in values]
    sizes = [
        length if length is not None else len(each.constant) if isinstance(each.constant, str) else None
        for length, each in zip(lengths, values, strict=True)
    ]
    known = [size for size in sizes if size is not None]
    if not any(length is not None for length in lengths) or len(known) < len(sizes):
        return list(values)
    longest = max(known)
    return [_padded(value, size, longest) for value, size in zip(values, known, strict=True)]


def _padded(value: Typed, size: int, longest: int) -> Typed:
    if size == longest:
        return value
    if isinstance(value.constant, str):
        constant = value.constant.ljust(longest)
        return replace(value, sql=text(constant), constant=constant)
    return replace(value, sql=f"rpad({value.sql}, {longest}, ' ')")
