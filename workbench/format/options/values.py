"""Parses option values as Java does (`MemorySize`, `TimeUtils`, `OptionsUtils`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from workbench.base.errors import InvalidSchema
from workbench.format.options.merge_engine import find_merge_engine, merge_engine_names

_LARGEST_LONG = 9_223_372_036_854_775_807
_NUMBER_AND_UNIT = re.compile(r"\s*(\d+)\s*(\D*?)\s*", re.ASCII)
_MEMORY_UNITS = {
    name: 1024**power
    for power, names in enumerate(
        (
            ("", "b", "bytes"),
            ("k", "kb", "kibibytes"),
            ("m", "mb", "mebibytes"),
            ("g", "gb", "gibibytes"),
            ("t", "tb", "tebibytes"),
        )
    )
    for name in names
}
_NANOS_PER_MILLI = 1_000_000
_DURATION_UNITS = {
    name: nanos
    for nanos, names in (
        (86_400_000 * _NANOS_PER_MILLI, ("d", "day", "days")),
        (3_600_000 * _NANOS_PER_MILLI, ("h", "hour", "hours")),
        (60_000 * _NANOS_PER_MILLI, ("min", "m", "minute", "minutes")),
        (1_000 * _NANOS_PER_MILLI, ("s", "sec", "secs", "second", "seconds")),
        (_NANOS_PER_MILLI, ("", "ms", "milli", "millis", "millisecond", "milliseconds")),
        (1_000, ("µs", "μs", "micro", "micros", "microsecond", "microseconds")),
        (1, ("ns", "nano", "nanos", "nanosecond", "nanoseconds")),
    )
    for name in names
}
_STATS_MODE = re.compile(r"none|counts|full|truncate\([1-9]\d*\)", re.IGNORECASE)


def option_text(name: str, value: object) -> str:
    """Return an option's value as the text that a schema stores: ``True`` becomes ``true``, numbers become digits.

    Raises:
        InvalidSchema: If the value is not a text, number or boolean.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    # The text of a value may contain credentials.
    given = "None" if value is None else f"a {type(value).__name__}"
    raise InvalidSchema(f"Option '{name}' cannot be {given}.", "Pass a string, a number or a boolean.")


def parse_memory(text: str) -> int:
    """Parse ``128 mb``, ``1GB``, ``64 kibibytes`` or a plain number of bytes; units are powers of 1024.

    Raises:
        InvalidSchema: If the text is not a size.
    """
    size = _scaled(text, _MEMORY_UNITS)
    if size is None:
        raise InvalidSchema(f"'{text}' is not a size.", "Write a size such as '128 mb'.")
    return size


def parse_duration(text: str) -> int:
    """Parse ``1 h``, ``30s``, ``2 days`` or a plain number of milliseconds; fractions of a millisecond are truncated.

    Raises:
        InvalidSchema: If the text is not a duration.
    """
    nanos = _scaled(text, _DURATION_UNITS)
    if nanos is None:
        raise InvalidSchema(f"'{text}' is not a duration.", "Write a duration such as '1 h' or '30 s'.")
    return nanos // _NANOS_PER_MILLI


def split_list(text: str) -> list[str]:
    """Return the parts between commas as Java's ``String.split`` does: not stripped, without empty parts at the end."""
    if "," not in text:
        return [text]
    parts = text.split(",")
    while parts and not parts[-1]:
        parts.pop()
    return parts


def _scaled(text: str, units: dict[str, int]) -> int | None:
    match = _NUMBER_AND_UNIT.fullmatch(text)
    if match is None or match.group(2).lower() not in units or int(match.group(1)) > _LARGEST_LONG:
        return None
    return int(match.group(1)) * units[match.group(2).lower()]


def _parse_boolean(text: str) -> bool:
    return {"true": True, "false": False}[text.strip().lower()]


def _parse_integer(bits: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"[+-]?\d+", text.strip(), re.ASCII):
            raise ValueError(text)
        number = int(text)
        if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
            raise ValueError(text)
        return number

    return parse


def _parse_map(text: str) -> dict[str, str]:
    pairs = [part.split(":", 1) for part in text.split(",") if part.strip()]
    return {key.strip(): value.strip() for key, value in pairs}


def _parse_stats_mode(text: str) -> str:
    if not _STATS_MODE.fullmatch(text.strip()):
        raise ValueError(text)
    return text.strip().lower()


def _parse_file_format(text: str) -> str:
    if not text.strip():
        raise ValueError(text)
    return text.strip().lower()


def _parse_hour(text: str) -> int:
    number = _parse_integer(32)(text)
    if not -1 <= number <= 23:
        raise ValueError(text)
    return number


def _parse_positive(text: str) -> int:
    number = _parse_integer(32)(text)
    if number < 1:
        raise ValueError(text)
    return number


_KINDS: dict[str, tuple[Callable[[str], Any], str]] = {
    "string": (str, "text"),
    "int": (_parse_integer(32), "a whole number"),
    "positive": (_parse_positive, "a whole number of at least 1"),
    "hour": (_parse_hour, "an hour from 0 to 23, or -1"),
    "long": (_parse_integer(64), "a whole number"),
    "double": (float, "a number"),
    "bool": (_parse_boolean, "true or false"),
    "memory": (parse_memory, "a size such as '128 mb'"),
    "duration": (parse_duration, "a duration such as '1 h'"),
    "map": (_parse_map, "pairs such as '0:lz4,1:zstd'"),
    "file-format": (_parse_file_format, "the name of a file format such as 'parquet'"),
    "stats-mode": (_parse_stats_mode, "none, counts, full or truncate(n)"),
    "merge-engine": (lambda text: find_merge_engine(text).name, "the name of a merge engine"),
}


def allowed_values(kind: str) -> tuple[str, ...]:
    """Return the allowed values of a kind that has a fixed set of them; empty for all other kinds."""
    if kind == "merge-engine":
        return merge_engine_names()
    return tuple(kind[5:-1].split(",")) if kind.startswith("enum(") else ()


def parse_option(name: str, kind: str, text: str) -> Any:
    """Return the value of option ``name`` from its text. ``kind`` is a name of `KIND_NAMES`, or ``enum(a,b,…)``.

    Sizes are bytes, durations milliseconds, maps are dicts of text; enum values have the catalog's spelling.

    Raises:
        InvalidSchema: If the text is not such a value; the message names the option, the text and what is allowed.
        Unsupported: If the text names an unknown merge engine.
    """
    if kind.startswith("enum("):
        values = allowed_values(kind)
        match = next((value for value in values if value.lower() == text.strip().lower()), None)
        if match is None:
            raise InvalidSchema(f"Option '{name}' cannot be '{text}'.", f"Use one of {', '.join(values)}.")
        return match
    parse, allowed = _KINDS[kind]
    try:
        return parse(text)
    except (ValueError, KeyError, InvalidSchema):
        raise InvalidSchema(f"Option '{name}' cannot be '{text}'.", f"Use {allowed}.") from None


KIND_NAMES = tuple(_KINDS)
