"""Casts of strings to other types. Strings that Java cannot parse are refused, and so are rare forms that it parses by
accident."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray
from workbench.base.modules import pc
from workbench.datafile.casts.numbers import fitted
from workbench.datafile.casts.times import PER_SECOND, is_zoned, ticks_of, timestamps_of
from workbench.datafile.casts.values import CastError, array_of, numbers_of, refuse
from workbench.expr.zones import local_to_instant
from workbench.format.types import MAX_LENGTH, AtomicType, to_arrow

_TRUE = ("t", "true", "y", "yes", "1")
_FALSE = ("f", "false", "n", "no", "0")
_BLANKS = "".join(map(chr, range(33)))
_BLANK = r"[\x00-\x20]*"
_INTEGER = r"^(?P<sign>[+-]?)(?P<whole>[0-9]*)(?P<part>(?:\.[0-9]*)?)$"
_NUMBER = r"^[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)$"
_DECIMAL = r"^(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?:[eE](?P<exponent>[+-]?[0-9]{1,9}))?$"
_WHOLE_NUMBER = r"^-?[0-9]+$"
_DATE = (
    rf"^{_BLANK}(?P<year>[0-9]+){_BLANK}(?:-{_BLANK}(?P<month>[0-9]+){_BLANK}(?:-{_BLANK}(?P<day>[0-9]+){_BLANK})?)?$"
)
_TIME = (
    rf"^{_BLANK}(?P<hour>[0-9]+){_BLANK}"
    rf"(?::{_BLANK}(?P<minute>[0-9]+){_BLANK}"
    rf"(?::{_BLANK}(?P<second>[0-9]+){_BLANK}(?:\.{_BLANK}(?P<fraction>[0-9]*){_BLANK})?)?)?"
    rf"(?:(?P<sign>[+-]){_BLANK}(?P<zone_hour>[0-9]+){_BLANK}(?::{_BLANK}(?P<zone_minute>[0-9]+){_BLANK})?)?$"
)
_TIMESTAMP = (
    r"^(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
    r"(?: (?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2}):(?P<second>[0-9]{1,2})(?:\.(?P<fraction>[0-9]{0,9}))?)?$"
)
_MONTHS_BEFORE_1970 = 1970 * 12
_KEPT_DIGITS = 80
_EPOCH_DIGITS = (0, 3, 6, 9)


def text_to_boolean(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Parse the usual words, in any case."""
    words = pc.utf8_lower(values)
    truth = pc.is_in(words, pa.array(_TRUE))
    refuse(values, pc.or_(truth, pc.is_in(words, pa.array(_FALSE))), target)
    return pc.if_else(values.is_valid(), truth, pa.scalar(None, pa.bool_()))


def text_to_integer(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Parse digits, optionally with a fraction, which is dropped."""
    part = _parts(values, _INTEGER, target)
    whole, fraction = part("whole"), part("part")
    refuse(values, pc.or_(pc.not_equal(whole, ""), pc.not_equal(fraction, "")), target)
    digits = pc.if_else(pc.equal(whole, ""), "0", whole)
    return pc.binary_join_element_wise(pc.utf8_ltrim(part("sign"), "+"), digits, "").cast(to_arrow(target))


def text_to_float(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Parse like Java's ``parseDouble``, except for its hexadecimal form."""
    trimmed = pc.utf8_trim(values, _BLANKS)
    refuse(values, pc.match_substring_regex(trimmed, _NUMBER), target)
    return pc.utf8_rtrim(pc.utf8_ltrim(trimmed, "+"), "fFdD").cast(to_arrow(target))


def text_to_decimal(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Parse decimal numbers, rounded half up; null if a value does not fit.

    Digits are arranged in a matrix around the decimal point, as exponents move it by a different distance in every row.
    """
    part = _parts(values, _DECIMAL, target)
    whole, digits = part("whole"), pc.binary_join_element_wise(part("whole"), part("part"), "")
    refuse(values, pc.not_equal(digits, ""), target)
    significant = pc.utf8_ltrim(digits, "0")
    leading = numbers_of(pc.subtract(pc.utf8_length(digits), pc.utf8_length(significant)))
    exponents = _integers(pc.utf8_ltrim(part("exponent"), "+"))
    point = numbers_of(pc.utf8_length(whole)) + exponents - leading
    arrow_type = to_arrow(target)
    laid_out, too_large = _around_point(
        significant, point, arrow_type.precision - arrow_type.scale, arrow_type.scale + 1
    )
    signed = pc.binary_join_element_wise(pc.utf8_ltrim(part("sign"), "+"), laid_out, "")
    numbers = signed.cast(pa.decimal256(76, arrow_type.scale + 1))
    return fitted(pc.if_else(pa.array(too_large), pa.scalar(None, numbers.type), numbers), target)


def float_to_decimal(values: pa.Array, source: AtomicType, target: AtomicType) -> pa.Array:
    """Return the shortest decimal that identifies the DOUBLE, rounded half up; null if it does not fit."""
    return text_to_decimal(values.cast(pa.float64()).cast(pa.string()), source, target)


def _around_point(texts: pa.Array, point: AnyArray, before: int, after: int) -> tuple[pa.Array, AnyArray]:
    """Return strings of digits as numbers with ``before`` digits before the decimal point and ``after`` digits after
    it, truncated, and whether leading digits are lost. ``point`` is the position of the decimal point in each
    string."""
    texts = pc.utf8_slice_codeunits(texts.fill_null(""), 0, _KEPT_DIGITS)
    lengths = numbers_of(pc.utf8_length(texts))
    padded = pc.utf8_rpad(texts, _KEPT_DIGITS, "0")
    stored = np.frombuffer(padded.buffers()[2] or b"", np.uint8, len(texts) * _KEPT_DIGITS)
    positions = point[:, None] + np.arange(-before, after)[None, :]
    known = (positions >= 0) & (positions < _KEPT_DIGITS)
    rows = np.arange(len(texts))[:, None]
    matrix = stored.reshape(len(texts), _KEPT_DIGITS)
    chosen = np.where(known, matrix[rows, np.clip(positions, 0, _KEPT_DIGITS - 1)], ord("0")).astype(np.uint8)
    pointed = np.insert(chosen, before, ord("."), axis=1)
    width = pointed.shape[1]
    offsets = pa.array(np.arange(len(texts) + 1, dtype=np.int32) * width)
    laid_out = pa.StringArray.from_buffers(len(texts), offsets.buffers()[1], pa.py_buffer(pointed.tobytes()))
    return laid_out, (point > before) & (lengths > 0)


def text_to_date(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Parse year, month and day; a whole number is a count of days."""
    return _numeric_or(values, target, pa.int32(), _days)


def text_to_time(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Parse hour, minute and second, optionally with an offset that is added; a whole number is a count of
    milliseconds."""
    return _numeric_or(values, target, pa.int32(), _clock_millis)


def _numeric_or(
    values: pa.Array, target: AtomicType, count: pa.DataType, parse: Callable[[pa.Array, AtomicType], AnyArray]
) -> pa.Array:
    """Convert strings that are whole numbers directly, all others by ``parse``, which receives null in their place."""
    numeric = pc.match_substring_regex(values, _WHOLE_NUMBER)
    counts = numbers_of(pc.if_else(numeric, values, pa.scalar(None, pa.string())).cast(count))
    parsed = parse(pc.if_else(numeric, pa.scalar(None, pa.string()), values), target)
    return array_of(np.where(numbers_of(numeric), counts, parsed).astype(counts.dtype), values, to_arrow(target))


def _days(values: pa.Array, target: AtomicType) -> AnyArray:
    # Everything after a blank is dropped, unless the string begins with a blank.
    dates = pc.if_else(pc.starts_with(values, " "), values, pc.replace_substring_regex(values, r"(?s) .*", ""))
    part = _parts(dates, _DATE, target)
    year, month, day = (_integers(part(name), default) for name, default in (("year", 0), ("month", 1), ("day", 1)))
    first = _first_of_month(year, month)
    good = (year <= 9999) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= _month_length(year, month))
    refuse(values, pa.array(good | ~numbers_of(values.is_valid())), target)
    days: AnyArray = first + day - 1
    return days


def _clock_millis(values: pa.Array, target: AtomicType) -> AnyArray:
    part = _parts(values, _TIME, target)
    # Java searches the whole string for colons, so an offset can have one only after seconds.
    misplaced = pc.and_(pc.not_equal(part("zone_minute"), ""), pc.equal(part("second"), ""))
    refuse(values, pc.invert(misplaced), target)
    hour, minute, second, zone_hour, zone_minute = (
        _integers(part(name)) for name in ("hour", "minute", "second", "zone_hour", "zone_minute")
    )
    tenths = _integers(pc.utf8_slice_codeunits(pc.utf8_rpad(part("fraction"), 4, "0"), 0, 4))
    sign = np.where(numbers_of(pc.equal(part("sign"), "-")), -1, 1)
    minutes = (hour + sign * zone_hour) * 60 + minute + sign * zone_minute
    millis: AnyArray = (minutes * 60 + second) * 1000 + (tenths + 5) // 10
    return millis


def text_to_timestamp(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Parse date and time; for a plain timestamp of 0, 3, 6 or 9 digits, a whole number is a count of its units."""
    if is_zoned(target):
        return _clock_timestamps(values, target)
    nothing = pa.scalar(None, pa.string())
    numeric = pc.match_substring_regex(values, _WHOLE_NUMBER)
    if target.precision not in _EPOCH_DIGITS:
        refuse(values, pc.invert(numeric), target)
    counts = numbers_of(pc.if_else(numeric, values, nothing).cast(pa.int64()))
    # Java multiplies seconds without an overflow check.
    epochs = timestamps_of(
        counts * 1000 if not target.precision else counts, 10 ** (target.precision or 3), values, target
    )
    return pc.if_else(numeric, epochs, _clock_timestamps(pc.if_else(numeric, nothing, values), target))


def _clock_timestamps(values: pa.Array, target: AtomicType) -> pa.Array:
    seconds, nanos = _wall_clock(values, target)
    local = array_of(seconds, values, pa.timestamp("s"))
    if is_zoned(target):
        seconds = ticks_of(local_to_instant(local))
    whole = timestamps_of(seconds, 1, values, target)
    per_second = PER_SECOND[whole.type.unit]
    ticks = ticks_of(whole)
    finer = ticks + nanos // (10**9 // per_second)
    if np.any(finer < ticks):
        raise CastError(f"A time is too far from 1970 for a {target.as_nullable()}")
    return array_of(finer, values, whole.type)


def _wall_clock(values: pa.Array, target: AtomicType) -> tuple[AnyArray, AnyArray]:
    """Return seconds since 1970 and the nanoseconds of the second, as far as ``target`` keeps them."""
    part = _parts(values, _TIMESTAMP, target)
    # Nulls must not count as too far from 1970.
    year, month, day = (_integers(part(name), default) for name, default in (("year", 1970), ("month", 1), ("day", 1)))
    hour, minute, second = (_integers(part(name)) for name in ("hour", "minute", "second"))
    nanos = _integers(pc.utf8_rpad(part("fraction"), 9, "0"))
    # Java reads 24:00 as the end of a day, and a day that a month does not have as the last day of the month.
    end = (hour == 24) & (minute == 0) & (second == 0) & (nanos == 0)
    good = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    good &= ((hour <= 23) | end) & (minute <= 59) & (second <= 59)
    refuse(values, pa.array(good | ~numbers_of(values.is_valid())), target)
    days = _first_of_month(year, month) + np.minimum(day, _month_length(year, month)) - 1
    step = 10 ** (9 - (target.precision or 0))
    return ((days * 24 + hour) * 60 + minute) * 60 + second, nanos // step * step


def text_to_binary(values: pa.Array, source: AtomicType, target: AtomicType) -> pa.Array:
    """Return the bytes of the UTF-8 text."""
    return binary_to_binary(values.cast(pa.binary()), source, target)


def binary_to_binary(values: pa.Array, _source: AtomicType, target: AtomicType) -> pa.Array:
    """Truncate to the length of the type; a BINARY is padded with zeros."""
    length = target.length or MAX_LENGTH
    if target.root == "BINARY":
        values = pc.binary_join_element_wise(values, bytes(length), b"")
    return values if length == MAX_LENGTH else pc.binary_slice(values, 0, length)


def _parts(values: pa.Array, pattern: str, target: AtomicType) -> Callable[[str], pa.Array]:
    """Return a function that returns a named part of each string, or an empty string if that part is missing. Raises
    CastError if a string does not match the pattern."""
    parts = pc.extract_regex(values, pattern)
    refuse(values, parts.is_valid(), target)
    return lambda name: pc.struct_field(parts, name)


def _integers(digits: pa.Array, default: int = 0) -> AnyArray:
    """Parse digits as integers; ``default`` for an empty string and for null."""
    return numbers_of(pc.if_else(pc.equal(digits, ""), str(default), digits).fill_null(str(default)).cast(pa.int64()))


def _first_of_month(year: AnyArray, month: AnyArray) -> AnyArray:
    months = (year * 12 + month - 1 - _MONTHS_BEFORE_1970).astype("datetime64[M]")
    days: AnyArray = months.astype("datetime64[D]").astype(np.int64)
    return days


def _month_length(year: AnyArray, month: AnyArray) -> AnyArray:
    return _first_of_month(year, month + 1) - _first_of_month(year, month)
