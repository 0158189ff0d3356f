"""Translates the current time, and dates and timestamps moved by intervals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from workbench.base.modules import exp
from workbench.expr.cells import type_name
from workbench.sql.translate import types
from workbench.sql.translate.functions_moments import MOST_DAYS, MOST_MONTHS, shifted
from workbench.sql.translate.values import NotTranslated, Typed, combined

NOW = frozenset(("current_date", "curdate", "current_timestamp", "now", "localtimestamp"))
_MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_DAYS = {"WEEK": 7, "DAY": 1}
_SECONDS = {"HOUR": 3600, "MINUTE": 60, "SECOND": 1}
_DAY_SECONDS = 86_400


@dataclass(frozen=True)
class Now:
    """The time of a query, which is the same wherever it is used, and the session's time zone."""

    instant: datetime
    zone: tzinfo


def now(name: str, clock: Now, construct: str) -> Typed:
    """Return the current date or time."""
    local = clock.instant.astimezone(clock.zone)
    if name in ("current_date", "curdate"):
        return Typed(f"DATE '{local.date().isoformat()}'", types.DATE)
    if name == "localtimestamp":
        return Typed(f"TIMESTAMP '{local.replace(tzinfo=None).isoformat(sep=' ')}'", types.TIMESTAMP_NTZ)
    if name in NOW:
        return Typed(f"TIMESTAMPTZ '{clock.instant.astimezone(UTC).isoformat(sep=' ')}'", types.TIMESTAMP)
    raise NotTranslated(f"`{construct}`", "the function is not supported on DuckDB")


def shifted_by(value: Typed, operator: str, interval: exp.Expression, construct: str) -> Typed:
    """Return a date or timestamp plus or minus an interval literal with a single unit."""
    unit = str(interval.args["unit"].name if interval.args.get("unit") is not None else "").upper().removesuffix("S")
    written = interval.this.name if isinstance(interval.this, exp.Literal) else ""
    if not types.is_moment(value.type) or not written.removeprefix("-").isdecimal():
        raise NotTranslated(f"`{construct}`", f"{type_name(value.type)} {operator} interval is not supported on DuckDB")
    amount = int(written)
    if unit in _MONTHS and abs(amount) * _MONTHS[unit] <= MOST_MONTHS:
        return _by_calendar(value, operator, f"to_months(CAST({amount * _MONTHS[unit]} AS INTEGER))")
    if unit in _DAYS and abs(amount) * _DAYS[unit] <= MOST_DAYS:
        return _by_calendar(value, operator, f"to_days(CAST({amount * _DAYS[unit]} AS INTEGER))")
    if unit in _SECONDS and abs(amount) * _SECONDS[unit] < _DAY_SECONDS and value.type != types.DATE:
        sql = f"({value.sql} {operator} to_seconds({amount * _SECONDS[unit]}))"
        return combined(sql, value.type, (value,))
    raise NotTranslated(f"`{construct}`", f"{type_name(value.type)} {operator} INTERVAL of {unit} is not supported")


def _by_calendar(value: Typed, operator: str, interval: str) -> Typed:
    if value.type == types.TIMESTAMP:
        return combined(f"wb_shift({value.sql}, wb_local({value.sql}) {operator} {interval})", value.type, (value,))
    sql = f"{value.sql} {operator} {interval}"
    emitted = f"CAST({sql} AS {types.duckdb_name(value.type)})"
    return combined(shifted(value.sql, "0", 0, "interval", emitted), value.type, (value,))
