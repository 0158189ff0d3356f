"""Conversions between types on whole Arrow columns by the rules of Spark's ANSI CAST: a value that does not fit is an
error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from workbench.base.errors import InvalidExpression
from workbench.base.modules import pc
from workbench.expr.kinds import family
from workbench.expr.zones import instant_to_local, local_to_instant
from workbench.format.types import DataType, to_arrow

# Arrow accepts only named groups; it returns an empty string for a part that is missing.
_DATE = r"^\s*(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2})"
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d{0,9}))?)?"
_ZONE = r"\s*(?P<zone>[zZ]|UTC|GMT)?(?:(?P<sign>[+-])(?P<zone_hour>\d{1,2})(?::?(?P<zone_minute>\d{2}))?)?"
DATE_PATTERN = _DATE + r"(?:[ T].*)?)?)?\s*$"
TIMESTAMP_PATTERN = _DATE + r"(?:[ T]+" + _CLOCK + _ZONE + r")?)?)?\s*$"
TIME_PATTERN = r"^\s*" + _CLOCK + r"\s*$"
_FRACTION_DIGITS = {"ms": 3, "us": 6, "ns": 9}
_TRUE = ("t", "true", "y", "yes", "1")
_FALSE = ("f", "false", "n", "no", "0")
_WIDE = pa.decimal256(76, 38)
_DIGITS_OF_DOUBLE = 17
_EXACT_DIGITS_OF_DOUBLE = 15


def cast_values(values: Any, source: DataType, target: DataType) -> Any:
    """Cast an Arrow array, chunked array or scalar of type ``source`` to ``target``.

    Raises:
        InvalidExpression: If the types cannot be converted or a value does not fit.
    """
    convert = _conversion(source, target)
    if convert is None:
        raise InvalidExpression(f"{source.as_nullable()} cannot be cast to {target.as_nullable()}.")
    if isinstance(values, pa.Scalar):
        return cast_values(pa.array([values], values.type), source, target)[0]
    if pa.types.is_null(values.type):
        return values.cast(to_arrow(target))
    try:
        return convert(values, to_arrow(target))
    except pa.ArrowInvalid as error:
        raise InvalidExpression(_misfit(str(error), target)) from error


def can_cast(source: DataType, target: DataType) -> bool:
    """Return whether values of one type can be cast to the other at all."""
    return _conversion(source, target) is not None


def _misfit(reason: str, target: DataType) -> str:
    parsed = re.search(r"string: '(.*)' as a scalar", reason)
    if parsed:
        return f"'{parsed.group(1)}' is not a valid {target.as_nullable()}."
    return f"A value does not fit {target.as_nullable()}."


def _conversion(source: DataType, target: DataType) -> Callable[[Any, pa.DataType], Any] | None:
    one, two = family(source), family(target)
    if one == "other" or two == "other":
        return (lambda values, _: values) if source.as_nullable() == target.as_nullable() else None
    if two == "string":
        return _to_string(one, source)
    return _CONVERSIONS.get((one, two))


def _to_string(source: str, data_type: DataType) -> Callable[[Any, pa.DataType], Any] | None:
    if source == "float" or (source == "decimal" and (getattr(data_type, "scale", 0) or 0) > 6):
        return None  # Arrow's notation of these numbers differs from SQL's.
    if source == "timestamp":
        return _timestamp_to_string
    if source == "timestamp_ltz":
        return lambda values, target: _timestamp_to_string(instant_to_local(values), target)
    return lambda values, target: values.cast(target)


def _timestamp_to_string(values: Any, target: pa.DataType) -> Any:
    return pc.replace_substring_regex(values.cast(target), r"\.?0*$", "")


def _safe(values: Any, target: pa.DataType) -> Any:
    return values.cast(target)


def _rounding(values: Any, target: pa.DataType) -> Any:
    return values.cast(target, safe=False)


def _truncate(values: Any, target: pa.DataType) -> Any:
    return (whole_part(values) if pa.types.is_decimal(values.type) else pc.trunc(values)).cast(target)


def whole_part(values: Any) -> Any:
    """Return decimals without their fraction, in a type of the same scale."""
    # Arrow refuses to round if a type has no digit before its decimal point.
    wide = values.cast(pa.decimal256(min(values.type.precision + 1, _WIDE.precision), values.type.scale))
    return pc.round(wide, ndigits=0, round_mode="towards_zero")


def _decimal_to_float(values: Any, target: pa.DataType) -> Any:
    arrow_type = values.type
    if (
        target == pa.float64()
        and isinstance(arrow_type, pa.Decimal128Type)
        and arrow_type.precision <= _EXACT_DIGITS_OF_DOUBLE
    ):
        # Both operands are exact, so the quotient is the double nearest to the decimal.
        return pc.divide(_unscaled(values).cast(target), 10.0**arrow_type.scale)
    # Arrow's own conversion does not always return the nearest double; its string parser does.
    return values.cast(pa.string()).cast(target)


def _unscaled(values: Any) -> Any:
    """Return the unscaled values of decimals of up to 18 digits as int64."""
    if isinstance(values, pa.ChunkedArray):
        return pa.chunked_array([_unscaled(chunk) for chunk in values.chunks], pa.int64())
    whole = pa.decimal128(values.type.precision, 0)
    return pa.Array.from_buffers(whole, len(values), values.buffers(), offset=values.offset).cast(pa.int64())


def _integer_to_decimal(values: Any, target: pa.DataType) -> Any:
    return values.cast(pa.decimal256(19 + target.scale, target.scale)).cast(target)


def _decimal_to_decimal(values: Any, target: pa.DataType) -> Any:
    return fit_decimal(values, target)


def fit_decimal(values: Any, target: pa.DataType) -> Any:
    """Round a decimal column half up to the scale of ``target``.

    Raises:
        pyarrow.ArrowInvalid: If a value does not fit.
    """
    if values.type.scale > target.scale:
        # 9.99 rounds to 10.0, which has one digit more than its type.
        values = values.cast(pa.decimal256(min(values.type.precision + 1, 76), values.type.scale))
        values = pc.round(values, ndigits=target.scale, round_mode="half_towards_infinity")
    elif values.type.scale < target.scale and isinstance(values.type, pa.Decimal128Type):
        values = values.cast(pa.decimal256(values.type.precision + target.scale - values.type.scale, target.scale))
    return values.cast(target)


def _string_to_decimal(values: Any, target: pa.DataType) -> Any:
    # Only the first digit beyond the scale determines how the number is rounded.
    scale = max(_WIDE.scale, target.scale + 1)
    text = pc.replace_substring_regex(pc.utf8_trim_whitespace(values), rf"(\.\d{{{scale}}})\d+$", r"\1")
    return fit_decimal(text.cast(pa.decimal256(_WIDE.precision, scale)), target)


def _float_to_decimal(values: Any, target: pa.DataType) -> Any:
    doubles = values.cast(pa.float64())
    # Numbers that round to zero may have more digits than a decimal can hold.
    doubles = pc.if_else(pc.less(pc.abs(doubles), 10.0 ** -(target.scale + 1)), 0.0, doubles)
    wide = pa.decimal256(_WIDE.precision, max(_WIDE.scale, target.scale + _DIGITS_OF_DOUBLE))
    # Converts via the shortest string that represents the DOUBLE, as Spark does: in it, 1.005 has exactly three decimal
    # places.
    return fit_decimal(doubles.cast(pa.string()).cast(wide), target)


def _string_to_integer(values: Any, target: pa.DataType) -> Any:
    # Arrow would read 0x10 as sixteen.
    hexadecimal = pc.match_substring_regex(values, r"^\s*[+-]?0x", ignore_case=True)
    _refuse(values, pc.invert(hexadecimal), "whole number")
    return pc.replace_substring_regex(pc.utf8_trim_whitespace(values), r"^\+", "").cast(pa.int64()).cast(target)


def _string_to_float(values: Any, target: pa.DataType) -> Any:
    return pc.utf8_trim_whitespace(values).cast(pa.float64()).cast(target, safe=False)


def _string_to_boolean(values: Any, _target: pa.DataType) -> Any:
    text = pc.utf8_lower(pc.utf8_trim_whitespace(values))
    truth = pc.is_in(text, pa.array(_TRUE))
    _refuse(values, pc.or_(truth, pc.is_in(text, pa.array(_FALSE))), "BOOLEAN")
    return pc.if_else(pc.is_valid(values), truth, pa.scalar(None, pa.bool_()))


def _refuse(values: Any, good: Any, type_name: str) -> None:
    bad = values.filter(pc.and_(pc.is_valid(values), pc.invert(good)))
    if len(bad):
        raise InvalidExpression(f"'{bad[0].as_py()}' is not a valid {type_name}.")


def _parts(values: Any, pattern: str, type_name: str) -> Callable[[str, str], Any]:
    """Return a function that returns a named part of each string, or the given default where that part is missing."""
    parts = pc.extract_regex(values, pattern=pattern)
    _refuse(values, pc.is_valid(parts), type_name)

    def part(name: str, default: str) -> Any:
        text = pc.struct_field(parts, name)
        return pc.if_else(pc.equal(text, ""), default, text)

    return part


def _two(text: Any) -> Any:
    return pc.utf8_lpad(text, 2, "0")


def _date_text(part: Callable[[str, str], Any]) -> Any:
    return pc.binary_join_element_wise(part("year", ""), _two(part("month", "01")), _two(part("day", "01")), "-")


def _string_to_date(values: Any, target: pa.DataType) -> Any:
    return _date_text(_parts(values, DATE_PATTERN, "DATE")).cast(target)


def _clock_text(part: Callable[[str, str], Any], digits: int) -> Any:
    clock = pc.binary_join_element_wise(
        _two(part("hour", "00")), _two(part("minute", "00")), _two(part("second", "00")), ":"
    )
    fraction = pc.utf8_slice_codeunits(pc.utf8_rpad(part("fraction", "0"), 9, "0"), 0, digits)
    return pc.binary_join_element_wise(clock, fraction, ".")


def _string_to_local(part: Callable[[str, str], Any], unit: str) -> Any:
    text = pc.binary_join_element_wise(_date_text(part), _clock_text(part, _FRACTION_DIGITS[unit]), " ")
    return text.cast(pa.timestamp(unit))


def _string_to_timestamp(values: Any, target: pa.DataType) -> Any:
    return _string_to_local(_parts(values, TIMESTAMP_PATTERN, "TIMESTAMP"), target.unit)


def _string_to_instant(values: Any, target: pa.DataType) -> Any:
    part = _parts(values, TIMESTAMP_PATTERN, "TIMESTAMP")
    local = _string_to_local(part, target.unit)
    minutes = pc.add(
        pc.multiply(part("zone_hour", "0").cast(pa.int64()), 60), part("zone_minute", "0").cast(pa.int64())
    )
    signed = pc.if_else(pc.equal(part("sign", "+"), "-"), pc.negate(minutes), minutes)
    offset = pc.multiply(signed, 60).cast(pa.duration("s")).cast(pa.duration(target.unit))
    stated = pc.subtract(local, offset).cast(target)
    has_zone = pc.or_(pc.not_equal(part("zone", ""), ""), pc.not_equal(part("sign", ""), ""))
    return pc.if_else(has_zone, stated, local_to_instant(local))


def _string_to_time(values: Any, target: pa.DataType) -> Any:
    part = _parts(values, TIME_PATTERN, "TIME")
    hour, minute, second = (part(name, "0").cast(pa.int64()) for name in ("hour", "minute", "second"))
    in_range = pc.and_(pc.and_(pc.less(hour, 24), pc.less(minute, 60)), pc.less(second, 60))
    _refuse(values, in_range, "TIME")
    seconds = pc.add(pc.multiply(pc.add(pc.multiply(hour, 60), minute), 60), second)
    fraction = pc.utf8_slice_codeunits(pc.utf8_rpad(part("fraction", "0"), 9, "0"), 0, 3).cast(pa.int64())
    return pc.add(pc.multiply(seconds, 1000), fraction).cast(pa.int32()).cast(target)


def _rescale_timestamp(values: Any, target: pa.DataType) -> Any:
    units = {"ms": "millisecond", "us": "microsecond", "ns": "nanosecond"}
    if _FRACTION_DIGITS[target.unit] < _FRACTION_DIGITS[values.type.unit]:
        values = pc.floor_temporal(values, unit=units[target.unit])
    return values.cast(target)


def _timestamp_to_date(values: Any, target: pa.DataType) -> Any:
    return pc.floor_temporal(values, unit="day").cast(target)


_CONVERSIONS: dict[tuple[str, str], Callable[[Any, pa.DataType], Any]] = {
    **{(same, same): _safe for same in ("boolean", "binary", "date", "time")},
    ("integer", "integer"): _safe,
    ("integer", "float"): _rounding,
    ("float", "float"): _rounding,
    ("float", "integer"): _truncate,
    ("decimal", "integer"): _truncate,
    ("decimal", "float"): _decimal_to_float,
    ("integer", "decimal"): _integer_to_decimal,
    ("decimal", "decimal"): _decimal_to_decimal,
    ("float", "decimal"): _float_to_decimal,
    ("boolean", "integer"): _safe,
    ("boolean", "float"): lambda values, target: values.cast(pa.int8()).cast(target),
    ("boolean", "decimal"): lambda values, target: _integer_to_decimal(values.cast(pa.int8()), target),
    **{(kind, "boolean"): lambda values, _: pc.not_equal(values, 0) for kind in ("integer", "float")},
    ("decimal", "boolean"): lambda values, _: pc.not_equal(values.cast(pa.float64()), 0),
    ("string", "integer"): _string_to_integer,
    ("string", "float"): _string_to_float,
    ("string", "decimal"): _string_to_decimal,
    ("string", "boolean"): _string_to_boolean,
    ("string", "binary"): _safe,
    ("string", "date"): _string_to_date,
    ("string", "time"): _string_to_time,
    ("string", "timestamp"): _string_to_timestamp,
    ("string", "timestamp_ltz"): _string_to_instant,
    ("date", "timestamp"): _safe,
    ("date", "timestamp_ltz"): lambda values, target: local_to_instant(values.cast(pa.timestamp(target.unit))),
    ("timestamp", "date"): _timestamp_to_date,
    ("timestamp_ltz", "date"): lambda values, target: _timestamp_to_date(instant_to_local(values), target),
    ("timestamp", "timestamp"): _rescale_timestamp,
    ("timestamp_ltz", "timestamp_ltz"): _rescale_timestamp,
    ("timestamp", "timestamp_ltz"): lambda values, target: _rescale_timestamp(local_to_instant(values), target),
    ("timestamp_ltz", "timestamp"): lambda values, target: _rescale_timestamp(instant_to_local(values), target),
}
