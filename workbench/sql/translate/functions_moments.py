"""The allow-list: functions of dates and timestamps."""

from __future__ import annotations

import re
from collections.abc import Callable

from workbench.sql.translate import types
from workbench.sql.translate.functions import Arguments, Function
from workbench.sql.translate.kinds import DATE, INT, TEXT_LITERAL, TIMESTAMP, TIMESTAMP_NTZ, Kind
from workbench.sql.translate.values import Typed, error, on_spark, text

MOMENT = Kind("DATE or timestamp", lambda value: types.is_moment(value.type))
CLOCK = Kind("timestamp", lambda value: value.type in (types.TIMESTAMP, types.TIMESTAMP_NTZ))
# Larger numbers of days and months, which may exceed the range of DuckDB's calendar, are left to Spark.
MOST_DAYS, MOST_MONTHS = 1_000_000, 30_000
_DATE_UNITS = {
    **dict.fromkeys(("year", "yyyy", "yy"), "year"),
    **dict.fromkeys(("month", "mm", "mon"), "month"),
    "quarter": "quarter",
    "week": "week",
}
_CLOCK_UNITS = {"hour": "hour", "minute": "minute", "second": "second"}
_PATTERN = {
    "yyyy": "%Y",
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "MMM": "%b",
    "MMMM": "%B",
    "E": "%a",
    "EEE": "%a",
    "EEEE": "%A",
}


def local(value: Typed) -> str:
    """Return the date or time of the moment in the session's time zone."""
    return f"wb_local({value.sql})" if value.type == types.TIMESTAMP else value.sql


def local_date(value: Typed) -> str:
    """Return the date of the moment in the session's time zone."""
    return value.sql if value.type == types.DATE else f"CAST({local(value)} AS DATE)"


def _part(emitted: str) -> Callable[[Arguments], str]:
    return lambda given: f"CAST({emitted.format(local(given[0]))} AS INTEGER)"


def shifted(sql: str, amount: str, most: int, name: str, emitted: str) -> str:
    """Return ``emitted`` for amounts up to ``most`` and dates in a usual range; all other values run on Spark."""
    guard = on_spark(f"`{name}`", "the result is far from today")
    inside = f"{sql} IS NULL OR abs(CAST({amount} AS BIGINT)) <= {most} AND year({sql}) BETWEEN -4000 AND 12000"
    return f"CASE WHEN {amount} IS NULL THEN NULL WHEN {inside} THEN {emitted} ELSE {guard} END"


def _days(name: str, sign: str) -> Callable[[Arguments], str]:
    def emit(given: Arguments) -> str:
        date, amount = local_date(given[0]), given[1].sql
        return shifted(date, amount, MOST_DAYS, name, f"({date} {sign} {amount})")

    return emit


def _months(given: Arguments) -> str:
    date, amount = local_date(given[0]), given[1].sql
    return shifted(date, amount, MOST_MONTHS, "add_months", f"CAST({date} + to_months({amount}) AS DATE)")


def _difference(given: Arguments) -> str:
    return f"CAST({local_date(given[0])} - {local_date(given[1])} AS INTEGER)"


def _trunc(given: Arguments) -> str | None:
    unit = _DATE_UNITS.get(str(given[1].constant).lower())
    return None if unit is None else f"CAST(date_trunc('{unit}', {local_date(given[0])}) AS DATE)"


def _date_trunc(given: Arguments) -> str | None:
    unit = str(given[0].constant).lower()
    value = given[1]
    wall = value.sql if value.type == types.TIMESTAMP_NTZ else f"wb_local({value.sql})"
    if value.type == types.DATE:
        wall = f"CAST({value.sql} AS TIMESTAMP)"
    days = {**_DATE_UNITS, "day": "day", "dd": "day"}.get(unit)
    if days is not None:
        return f"wb_instant(CAST(date_trunc('{days}', {wall}) AS TIMESTAMP))"
    if unit not in _CLOCK_UNITS:
        return None
    instant = value.sql if value.type == types.TIMESTAMP else f"wb_instant({wall})"
    return f"wb_trunc({instant}, '{unit}')"


def _format(given: Arguments) -> str | None:
    pieces = re.findall(r"([A-Za-z])(\1*)|([^A-Za-z]+)", str(given[1].constant))
    written = []
    for letter, more, other in pieces:
        if letter + more not in _PATTERN and not other:
            return None
        written.append(_PATTERN.get(letter + more) or other.replace("%", "%%"))
    if re.search(r"['\[\]{}#]", str(given[1].constant)):
        return None
    sql = local(given[0])
    guard = on_spark("`date_format`", "a year is not between 1 and 9999")
    usual = f"{sql} IS NULL OR year({sql}) BETWEEN 1 AND 9999"
    return f"CASE WHEN {usual} THEN strftime({sql}, {text(''.join(written))}) ELSE {guard} END"


def _make_date(given: Arguments) -> str:
    year, month, day = (value.sql for value in given)
    guard = on_spark("`make_date`", "the year is not between 1 and 9999")
    wrong = error("DATETIME_FIELD_OUT_OF_BOUNDS", "The values are not a date.")
    return (
        f"CASE WHEN {year} IS NULL OR {month} IS NULL OR {day} IS NULL THEN NULL "
        f"WHEN NOT {year} BETWEEN 1 AND 9999 THEN {guard} "
        f"WHEN NOT {month} BETWEEN 1 AND 12 OR {day} < 1 THEN {wrong} "
        f"WHEN {day} > day(last_day(make_date({year}, {month}, 1))) THEN {wrong} "
        f"ELSE make_date({year}, {month}, {day}) END"
    )


PARTS = {
    **dict.fromkeys(("year",), "year({0})"),
    **dict.fromkeys(("quarter",), "quarter({0})"),
    **dict.fromkeys(("month",), "month({0})"),
    **dict.fromkeys(("day", "dayofmonth"), "day({0})"),
    **dict.fromkeys(("dayofyear",), "dayofyear({0})"),
    **dict.fromkeys(("dayofweek",), "dayofweek({0}) + 1"),
    **dict.fromkeys(("weekday",), "isodow({0}) - 1"),
    **dict.fromkeys(("weekofyear",), "weekofyear({0})"),
}
CLOCK_PARTS = {"hour": "hour({0})", "minute": "minute({0})", "second": "second({0})"}
# The fields of EXTRACT that have a function of the same meaning.
EXTRACTED = {**{name: name for name in ("year", "quarter", "month", "day", "hour", "minute")}, "week": "weekofyear"}

MOMENT_FUNCTIONS = (
    *(Function(name, (MOMENT,), types.INT, _part(emitted)) for name, emitted in PARTS.items()),
    *(Function(name, (CLOCK,), types.INT, _part(emitted)) for name, emitted in CLOCK_PARTS.items()),
    *(Function(name, (MOMENT, INT), types.DATE, _days(name, "+")) for name in ("date_add", "dateadd")),
    Function("date_sub", (MOMENT, INT), types.DATE, _days("date_sub", "-")),
    *(Function(name, (MOMENT, MOMENT), types.INT, _difference) for name in ("datediff", "date_diff")),
    Function("add_months", (MOMENT, INT), types.DATE, _months),
    Function("last_day", (MOMENT,), types.DATE, lambda given: f"last_day({local_date(given[0])})"),
    Function("trunc", (MOMENT, TEXT_LITERAL), types.DATE, _trunc),
    Function("date_trunc", (TEXT_LITERAL, MOMENT), types.TIMESTAMP, _date_trunc),
    Function("date_format", (MOMENT, TEXT_LITERAL), types.STRING, _format),
    Function("make_date", (INT, INT, INT), types.DATE, _make_date),
    Function("to_date", (DATE,), types.DATE, "{0}"),
    Function("to_date", (TIMESTAMP,), types.DATE, lambda given: local_date(given[0])),
    Function("to_date", (TIMESTAMP_NTZ,), types.DATE, lambda given: local_date(given[0])),
)
