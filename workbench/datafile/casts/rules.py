"""The permitted changes of types, and the casts of their values (Java's ``CastExecutors`` and ``DataTypeCasts``)."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.datafile.casts import from_text, numbers, times, to_text
from workbench.datafile.casts.values import CastError
from workbench.expr.kinds import family
from workbench.format.types import ArrayType, AtomicType, DataType, MapType, RowType

Cast = Callable[[pa.Array], pa.Array]
Rule = Callable[[pa.Array, AtomicType, AtomicType], pa.Array]

_STRING = AtomicType("STRING")
_RULES: dict[tuple[str, str], Rule] = {
    ("integer", "integer"): numbers.unchecked,
    ("integer", "float"): numbers.unchecked,
    ("integer", "decimal"): numbers.integer_to_decimal,
    ("integer", "boolean"): numbers.integer_to_boolean,
    ("integer", "string"): to_text.plain_to_text,
    ("integer", "timestamp"): times.integer_to_timestamp,
    ("integer", "timestamp_ltz"): times.integer_to_timestamp,
    ("float", "integer"): numbers.float_to_integer,
    ("float", "float"): numbers.unchecked,
    ("float", "decimal"): from_text.float_to_decimal,
    ("float", "string"): to_text.float_to_text,
    ("decimal", "integer"): numbers.decimal_to_integer,
    ("decimal", "float"): numbers.decimal_to_float,
    ("decimal", "decimal"): numbers.decimal_to_decimal,
    ("decimal", "string"): to_text.decimal_to_text,
    ("boolean", "integer"): numbers.boolean_to_number,
    ("boolean", "float"): numbers.boolean_to_number,
    ("boolean", "decimal"): numbers.boolean_to_decimal,
    ("boolean", "string"): to_text.plain_to_text,
    ("string", "integer"): from_text.text_to_integer,
    ("string", "float"): from_text.text_to_float,
    ("string", "decimal"): from_text.text_to_decimal,
    ("string", "boolean"): from_text.text_to_boolean,
    ("string", "string"): to_text.text_to_text,
    ("string", "binary"): from_text.text_to_binary,
    ("string", "date"): from_text.text_to_date,
    ("string", "time"): from_text.text_to_time,
    ("string", "timestamp"): from_text.text_to_timestamp,
    ("string", "timestamp_ltz"): from_text.text_to_timestamp,
    ("binary", "binary"): from_text.binary_to_binary,
    ("binary", "string"): to_text.binary_to_text,
    ("date", "string"): to_text.date_to_text,
    ("date", "timestamp"): times.date_to_timestamp,
    ("date", "timestamp_ltz"): times.date_to_timestamp,
    ("time", "string"): to_text.time_to_text,
    ("time", "timestamp"): times.time_to_timestamp,
    ("time", "timestamp_ltz"): times.time_to_timestamp,
    **{
        (source, target): rule
        for source in ("timestamp", "timestamp_ltz")
        for target, rule in (
            ("integer", times.timestamp_to_integer),
            ("string", to_text.timestamp_to_text),
            ("date", times.timestamp_to_date),
            ("time", times.timestamp_to_time),
            ("timestamp", times.timestamp_to_timestamp),
            ("timestamp_ltz", times.timestamp_to_timestamp),
        )
    },
}
_TEMPORAL = ("date", "time", "timestamp", "timestamp_ltz")


def can_cast(source: DataType, target: DataType) -> bool:
    """Return whether a column of one type can be altered to the other."""
    return _cast_of(source.as_nullable(), target.as_nullable()) is not None


def cast_values(values: pa.Array, source: DataType, target: DataType) -> pa.Array:
    """Cast values of type ``source`` to ``target``.

    Raises:
        Unsupported: A column cannot be altered like this.
        CastError: A value does not fit.
    """
    cast = _cast_of(source.as_nullable(), target.as_nullable())
    if cast is None:
        raise Unsupported(f"Values of type {source.as_nullable()} cannot be read as {target.as_nullable()}.")
    try:
        return cast(values)
    except pa.ArrowInvalid as error:
        raise CastError(f"A value does not fit {target.as_nullable()}") from error


def _cast_of(source: DataType, target: DataType) -> Cast | None:
    """Return the cast, None if there is no rule; both types are nullable."""
    if source == target:
        return lambda values: values
    if isinstance(target, AtomicType) and target.root in ("CHAR", "VARCHAR") and not isinstance(source, AtomicType):
        return _nested_to_text(source)
    if not isinstance(source, AtomicType) or not isinstance(target, AtomicType):
        return None
    rule = _RULES.get((family(source), family(target)))
    if rule is None or not _is_allowed(source, target):
        return None
    return lambda values: rule(values, source, target)


def _is_allowed(source: AtomicType, target: AtomicType) -> bool:
    """Return whether Java permits a change for which the families of both types have a rule."""
    if "BLOB" in (source.root, target.root):
        return False
    temporal = family(source) in _TEMPORAL, family(target) in _TEMPORAL
    if temporal == (True, False):
        return target == _STRING or target.root in ("INT", "BIGINT")
    if temporal == (False, True) and family(source) == "integer":
        return source.root in ("INT", "BIGINT")
    return True


def _text_of(source: DataType) -> Cast | None:
    return _cast_of(source.as_nullable(), _STRING)


def _nested_to_text(source: DataType) -> Cast | None:
    texts = [_text_of(child) for child in source.children()]
    present = [text for text in texts if text is not None]
    if len(present) < len(texts):
        return None
    if isinstance(source, RowType):
        return lambda values: to_text.rows_to_text(values, present)
    if isinstance(source, ArrayType):
        return lambda values: to_text.lists_to_text(values, present[0])
    if isinstance(source, MapType):
        return lambda values: to_text.maps_to_text(values, *present)
    return None
