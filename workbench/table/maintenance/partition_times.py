"""Extracting the time of a partition from its values (`PartitionTimeExtractor` in Java)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.base.errors import InvalidRequest, Unsupported, did_you_mean

_NANOS = 1_000_000_000
_DAY = 86_400 * _NANOS
_LENIENT = re.compile(r"(-?\d{1,10})-(\d{1,2})-(\d{1,2})(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?)?", re.ASCII)
_RUN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|(.)", re.DOTALL)
_NAMED = re.compile(r"\$(\w+)")
_WORD = re.compile(r"\w*")
# What may follow the name of a column without being part of it, as in "$dayT$hour", "$day_$hour" and "$day00".
_SEPARATOR = re.compile(r"_*|T?\d*", re.ASCII)
_MEANINGS = {"u": "y", "L": "M"}
_SECTIONS = {"[": "(?:", "]": ")?"}
_FRACTIONS = {count: rf"(\d{{{count}}})" for count in range(1, 10)}
_PARTS = {
    **{(letter, 1): r"(\d{1,2})" for letter in "MLdHms"},
    **{(letter, 2): r"(\d\d)" for letter in "yuMLdHms"},
    **{(letter, 4): r"(\d{4})" for letter in "yu"},
}
_RANGES = {"M": (1, 12), "d": (1, 31), "H": (0, 23), "m": (0, 59), "s": (0, 59)}
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True)
class PartitionTimes:
    """Extracts the time of partitions.

    ``parts`` are literal texts and positions of columns, whose values form the time; None for the value of the first
    column. ``read`` parses the result to epoch nanoseconds.
    """

    parts: tuple[str | int, ...] | None
    read: Callable[[str], int | None]

    @classmethod
    def of(cls, names: Sequence[str], pattern: str | None, formatter: str | None) -> PartitionTimes:
        """Return the extractor for a pattern and a formatter.

        Args:
            names: The partition columns.
            pattern: Option 'partition.timestamp-pattern', in which ``$name`` is replaced by the value of a column; the
                value of the first column if it is None.
            formatter: Option 'partition.timestamp-formatter'; None for ``2026-11-1`` and ``2026-11-1 12:30:0``.

        Raises:
            InvalidRequest: The pattern names a column that is not a partition column.
            Unsupported: The formatter has a letter that is not supported.
        """
        parts = None if pattern is None else tuple(_parts(pattern, names))
        return cls(parts, _read_lenient if formatter is None else _reader(formatter))

    def of_values(self, values: Sequence[str | None]) -> int | None:
        """Return the wall-clock time of a partition in epoch nanoseconds; None if its values contain none."""
        if self.parts is None:
            return None if values[0] is None else self.read(values[0])
        # As in Java, a pattern requires all values, even of columns that it does not name.
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        return self.read("".join(each if isinstance(each, str) else known[each] for each in self.parts))


def _parts(pattern: str, names: Sequence[str]) -> Iterator[str | int]:
    """Return the literal texts of a pattern, and the positions of the columns that it names."""
    # The longest name first, so that $dt_hour is not the value of dt, followed by "_hour".
    longest_first = sorted(names, key=len, reverse=True)
    known = re.compile(rf"\$({'|'.join(map(re.escape, longest_first))})")
    literals = known.split(pattern)
    for number, part in enumerate(literals):
        if number % 2:
            yield names.index(part)
            continue
        unknown = _NAMED.search(part)
        rest = _WORD.match(part) if number else None
        if unknown is not None or (rest is not None and not _SEPARATOR.fullmatch(rest.group())):
            named = unknown[1] if unknown is not None else f"{literals[number - 1]}{rest.group() if rest else ''}"
            raise InvalidRequest(
                f"Option 'partition.timestamp-pattern' = '{pattern}' names '{named}', which is not a partition column.",
                did_you_mean(named, names) or f"The partition columns are {', '.join(names)}.",
            )
        yield part


def _read_lenient(text: str) -> int | None:
    """Parse a time leniently, as Java's calendars do: month 13 is the first month of the next year."""
    match = _LENIENT.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    fraction = int((match.group(7) or "").ljust(9, "0"))
    return _epoch_day(year, month, day) * _DAY + _of_day(hour, minute, second, fraction)


def _reader(formatter: str) -> Callable[[str], int | None]:
    """Return a parser for the pattern of a Java `DateTimeFormatter`."""
    expression, letters = _compiled(formatter)

    def read(text: str) -> int | None:
        match = expression.fullmatch(text)
        if match is None:
            return None
        return _resolved(dict(zip(letters, match.groups(), strict=True)))

    return read


def _compiled(formatter: str) -> tuple[re.Pattern[str], list[str]]:
    """Return a regular expression with a group for each run of letters, and the meaning of each group."""
    expression, letters = "", []
    has_year = False
    for run in _RUN.finditer(formatter):
        quoted, letter, other = run.groups()
        if letter is None:
            literal = other if quoted is None else quoted.replace("''", "'") or "'"
            # A year takes all following digits except those that the rest requires, and at most four.
            ends_year = r"(?!\d)" if has_year and other == "[" else ""
            expression += ends_year + (_SECTIONS.get(run.group()) or re.escape(literal))
            has_year = False
            continue
        count = len(run.group())
        part = _FRACTIONS.get(count) if letter == "S" else _PARTS.get((letter, count))
        if part is None:
            raise _unknown(run.group(), formatter)
        expression += part
        has_year = has_year or (letter in "yu" and count == 4)
        letters.append("yy" if letter in "yu" and count == 2 else _MEANINGS.get(letter, letter))
    try:
        return re.compile(expression, re.ASCII), letters
    except re.error as error:
        raise _unknown("[", formatter) from error


def _unknown(part: str, formatter: str) -> Unsupported:
    return Unsupported(
        f"'{part}' in option 'partition.timestamp-formatter' = '{formatter}' is not supported.",
        "Use y, M, d, H, m, s and S, such as 'yyyyMMdd' or 'yyyy-MM-dd HH:mm'.",
    )


def _resolved(parts: Mapping[str, str | None]) -> int | None:
    """Resolve fields as Java's smart resolver does: in a shorter month, day 31 is the last day."""
    numbers = {letter: int(text) for letter, text in parts.items() if text is not None and letter != "S"}
    if any(not low <= numbers.get(letter, low) <= high for letter, (low, high) in _RANGES.items()):
        return None
    year = numbers.get("y", numbers["yy"] + 2000 if "yy" in numbers else None)
    month, day = numbers.get("M"), numbers.get("d")
    if year is None or month is None or day is None:
        return None
    is_leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = _epoch_day(year, month, min(day, _LENGTHS[month - 1] + is_leap)) * _DAY
    if "H" not in numbers:
        return days
    fraction = int((parts.get("S") or "").ljust(9, "0"))
    return days + _of_day(numbers["H"], numbers.get("m", 0), numbers.get("s", 0), fraction)


def _epoch_day(year: int, month: int, day: int) -> int:
    """Return the epoch day; months and days beyond their ranges overflow into the next year or month."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    # Years are counted from March, so that they end with the leap day.
    year, month = (year - 1, month + 9) if month < 3 else (year, month - 3)
    return year * 365 + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469


def _of_day(hour: int, minute: int, second: int, nanos: int) -> int:
    return ((hour * 60 + minute) * 60 + second) * _NANOS + nanos
