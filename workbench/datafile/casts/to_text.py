"""Casts of values to strings, which equal those of Java character by character."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.modules import pc
from workbench.datafile.casts.times import PER_SECOND, is_zoned, ticks_of
from workbench.datafile.casts.values import CastError, array_of, numbers_of, refuse, unscaled
from workbench.expr.zones import instant_to_local
from workbench.format.types import MAX_LENGTH, AtomicType, to_arrow

_FIRST_DAY, _LAST_DAY = -719_528, 2_932_896  # of the years 0 and 9999
_DAY_SECONDS = 86_400
_LEAST = r"^-?[0-9]e-(?:4[3-5]|32[1-4])$"
_FLOAT = r"^(?P<sign>-?)(?P<whole>[0-9]+)(?:\.(?P<part>[0-9]+))?(?:e(?P<exponent>[+-][0-9]+))?$"


def text_to_text(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Truncate to the length of the type; a CHAR is padded with blanks."""
    length = target.length or MAX_LENGTH
    if length < MAX_LENGTH:
        values = pc.utf8_slice_codeunits(values, 0, length)
    return pc.utf8_rpad(values, length, " ") if target.root == "CHAR" else values


def plain_to_text(values: pa.Array, source: AtomicType, target: AtomicType) -> pa.Array:
    """Format integers and booleans."""
    return text_to_text(values.cast(pa.string()), source, target)


def decimal_to_text(values: pa.Array, source: AtomicType, target: AtomicType) -> pa.Array:
    """Format with all digits of the scale and without an exponent."""
    scale = source.scale or 0
    text = unscaled(values).cast(pa.string())
    if scale:
        digits = pc.utf8_lpad(pc.utf8_ltrim(text, "-"), scale + 1, "0")
        whole, part = pc.utf8_slice_codeunits(digits, 0, -scale), pc.utf8_slice_codeunits(digits, -scale)
        number = pc.binary_join_element_wise(whole, part, ".")
        text = pc.if_else(pc.starts_with(text, "-"), pc.binary_join_element_wise("-", number, ""), number)
    return text_to_text(text, source, target)


def float_to_text(values: pa.Array, source: AtomicType, target: AtomicType) -> pa.Array:
    """Format with the shortest digits that identify the number: plain between 0.001 and 10 million, with an exponent
    otherwise."""
    text = _two_digits_of_minimum(values.cast(pa.string()), values)
    size = pc.abs(values)
    plain = pc.or_(pc.equal(values, 0), pc.and_(pc.greater_equal(size, 1e-3), pc.less(size, 1e7)))
    pointed = pc.if_else(pc.match_substring(text, "."), text, pc.binary_join_element_wise(text, ".0", ""))
    result = pc.if_else(plain, pointed, _with_exponent(text))
    for arrow, java in (("nan", "NaN"), ("inf", "Infinity"), ("-inf", "-Infinity")):
        result = pc.if_else(pc.equal(text, arrow), java, result)
    return text_to_text(result, source, target)


def _two_digits_of_minimum(text: pa.Array, values: pa.Array) -> pa.Array:
    """Return strings in which the smallest numbers have two digits: Java writes at least two, and near zero the second
    one is not always 0: 4.9E-324 is the same number as 5E-324."""
    single = pc.match_substring_regex(text, _LEAST).fill_null(False)
    if not pc.any(single).as_py():
        return text
    exact = pa.array([f"{value:.1e}" for value in values.filter(single).cast(pa.float64()).to_pylist()])
    return pc.replace_with_mask(text, single, exact)


def _with_exponent(text: pa.Array) -> pa.Array:
    """Convert nonzero numbers, as formatted by Arrow, to one digit before the point and an exponent; null for NaN and
    infinities."""
    parts = pc.extract_regex(text, _FLOAT)
    sign, whole, part, exponent = (pc.struct_field(parts, name) for name in ("sign", "whole", "part", "exponent"))
    digits = pc.binary_join_element_wise(whole, part, "")
    significant = pc.utf8_ltrim(digits, "0")
    leading = pc.subtract(pc.utf8_length(digits), pc.utf8_length(significant))
    stated = pc.utf8_ltrim(pc.if_else(pc.equal(exponent, ""), "0", exponent), "+").cast(pa.int32())
    shown = pc.subtract(pc.subtract(pc.add(pc.utf8_length(whole), stated), leading), 1)
    rest = pc.utf8_rtrim(pc.utf8_slice_codeunits(significant, 1), "0")
    rest = pc.if_else(pc.equal(rest, ""), "0", rest)
    first = pc.utf8_slice_codeunits(significant, 0, 1)
    return pc.binary_join_element_wise(sign, first, ".", rest, "E", shown.cast(pa.string()), "")


def binary_to_text(values: pa.Array, _source: AtomicType, _target: AtomicType) -> pa.Array:
    """Interpret the bytes as UTF-8 of any length."""
    try:
        return values.cast(pa.string())
    except pa.ArrowInvalid as error:
        raise CastError("Some bytes are not valid UTF-8 text") from error


def date_to_text(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Format as in 2026-11-01."""
    days = numbers_of(values, pa.int32())
    refuse(values.cast(pa.int32()), pa.array((days >= _FIRST_DAY) & (days <= _LAST_DAY)), target)
    return values.cast(pa.string())


def time_to_text(values: pa.Array, source: AtomicType, _target: AtomicType) -> pa.Array:
    """Format as in 12:30:00, with at least one digit of the fraction if the type has a precision."""
    millis = numbers_of(values, pa.int32()).astype(np.int64) % (_DAY_SECONDS * 1000)
    clock = array_of(millis // 1000, values, pa.timestamp("s"))
    text = pc.utf8_slice_codeunits(clock.cast(pa.string()), 11)
    if not source.precision:
        return text
    fraction = pc.utf8_rtrim(_padded(millis % 1000, values, 3), "0")
    fraction = pc.utf8_slice_codeunits(pc.if_else(pc.equal(fraction, ""), "0", fraction), 0, source.precision)
    return pc.binary_join_element_wise(text, fraction, ".")


def timestamp_to_text(values: pa.Array, source: AtomicType, target: AtomicType) -> pa.Array:
    """Format as in 2026-11-01 12:30:00.123, with as many digits as the precision; a zoned timestamp in the session
    zone."""
    local = instant_to_local(values) if is_zoned(source) else values
    ticks, per_second = ticks_of(local), PER_SECOND[local.type.unit]
    seconds = ticks // per_second
    days = seconds // _DAY_SECONDS
    refuse(values.cast(pa.int64()), pa.array((days >= _FIRST_DAY) & (days <= _LAST_DAY)), target)
    text = array_of(seconds, values, pa.timestamp("s")).cast(pa.string())
    nanos = ticks % per_second * (10**9 // per_second)
    fraction = pc.utf8_rpad(pc.utf8_rtrim(_padded(nanos, values, 9), "0"), source.precision or 0, "0")
    return pc.if_else(pc.equal(fraction, ""), text, pc.binary_join_element_wise(text, fraction, "."))


def _padded(counts: Any, like: pa.Array, digits: int) -> pa.Array:
    return pc.utf8_lpad(array_of(counts, like, pa.int64()).cast(pa.string()), digits, "0")


TextOf = Callable[[pa.Array], pa.Array]
"""A function from values of one type to strings; null stays null."""


def rows_to_text(values: pa.StructArray, texts: Sequence[TextOf]) -> pa.Array:
    """Format the fields in braces. ``texts`` has one function for each field."""
    parts = [_with_nulls(text(child)) for text, child in zip(texts, values.flatten(), strict=True)]
    return _bracketed(pc.binary_join_element_wise(*parts, ", "), values, "{}")


def lists_to_text(values: pa.ListArray, text: TextOf) -> pa.Array:
    """Format the elements in brackets."""
    return _bracketed(_joined(values, _with_nulls(text(values.flatten()))), values, "[]")


def maps_to_text(values: pa.MapArray, key_text: TextOf, value_text: TextOf) -> pa.Array:
    """Format the pairs in braces, in the order of the file."""
    pairs = values.cast(pa.list_(pa.struct([values.type.key_field, values.type.item_field])))
    keys, items = pairs.flatten().flatten()
    entries = pc.binary_join_element_wise(_with_nulls(key_text(keys)), _with_nulls(value_text(items)), " -> ")
    return _bracketed(_joined(pairs, entries), values, "{}")


def _with_nulls(texts: pa.Array) -> pa.Array:
    return texts.fill_null("null")


def _joined(lists: pa.ListArray, texts: pa.Array) -> pa.Array:
    lengths = numbers_of(pc.list_value_length(lists))
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    return pc.binary_join(pa.ListArray.from_arrays(offsets, texts), ", ")


def _bracketed(texts: pa.Array, values: pa.Array, brackets: str) -> pa.Array:
    bracketed = pc.binary_join_element_wise(brackets[0], texts, brackets[1], "")
    return pc.if_else(values.is_valid(), bracketed, pa.scalar(None, to_arrow(AtomicType("STRING"))))
