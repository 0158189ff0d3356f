"""Comparisons of CHAR columns by Spark's rule; DuckDB gets their values padded to their length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench.base.modules import exp
from workbench.sql.translate.types import STRING
from workbench.sql.translate.values import Typed, text


def char_length(value: Typed) -> int | None:
    """Return the length of a CHAR column; None for other expressions."""
    column = next(iter(value.columns), None)
    return column.char if column is not None and len(value.columns) == 1 and column.sql == value.sql else None


def unpadded(value: Typed) -> Typed:
    """Return a value that comparisons do not take for a CHAR column."""
    return value if char_length(value) is None else replace(value, sql=f"({value.sql})")


def with_foldable(values: Sequence[Typed], nodes: Sequence[Any]) -> list[Typed]:
    """Return compared values, those without columns marked as foldable if one of them is a CHAR column."""
    if all(char_length(each) is None for each in values):
        return list(values)
    varying = (exp.Column, exp.Query, exp.AggFunc, exp.Window)
    return [
        value if node.find(*varying) is not None else replace(value, is_foldable=True)
        for value, node in zip(values, nodes, strict=True)
    ]


def with_char_padding(values: Sequence[Typed]) -> list[Typed]:
    """Return the two values of a comparison, the shorter one padded with blanks if a CHAR column is compared with a
    constant or with another CHAR column."""
    one, other = values
    return list_with_char_padding((one, other)) if char_length(one) else list_with_char_padding((other, one))[::-1]


def list_with_char_padding(values: Sequence[Typed]) -> list[Typed]:
    """Return a value and the values of its IN list, the shorter ones padded with blanks if a CHAR column is compared
    either with constants or with CHAR columns."""
    lengths = [char_length(each) for each in values]
    if lengths[0] is None or not (None not in lengths or all(map(_is_text, values[1:]))):
        return list(values)
    sizes = [length or _size(each) for length, each in zip(lengths, values, strict=True)]
    if any(isinstance(size, str) for size in sizes):
        longest = f"greatest({', '.join(map(str, sizes))})"
        return [replace(each, sql=f"rpad({each.sql}, {longest}, ' ')") for each in values]
    most = max(int(size) for size in sizes)
    return [_padded(value, int(size), most) for value, size in zip(values, sizes, strict=True)]


def _is_text(value: Typed) -> bool:
    return isinstance(value.constant, str) or (value.is_foldable and value.type == STRING)


def _size(value: Typed) -> int | str:
    """Return the number of characters of a constant, as an expression if it is not a literal."""
    return len(value.constant) if isinstance(value.constant, str) else f"length({value.sql})"


def _padded(value: Typed, size: int, longest: int) -> Typed:
    if size == longest:
        return value
    if isinstance(value.constant, str):
        constant = value.constant.ljust(longest)
        return replace(value, sql=text(constant), constant=constant)
    return replace(value, sql=f"rpad({value.sql}, {longest}, ' ')")
