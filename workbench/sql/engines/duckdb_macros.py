"""DuckDB macros with Spark's meaning, which emitted expressions call."""

from __future__ import annotations

from collections.abc import Sequence


def macros(zone: str) -> Sequence[str]:
    """Return the statements that create the macros for a session time zone."""
    name = "'" + zone.replace("'", "''") + "'"
    # The instant of a local time at the offset of the day before. A local time that occurs twice is the earlier
    # instant, as in Java.
    earlier = f"timezone({name}, x - to_days(1)) + to_hours(24)"
    later = f"timezone({name}, x)"
    same_offset = f"epoch_us({later}) - epoch_us(i) = epoch_us(x) - epoch_us(timezone({name}, i))"
    return (
        f"CREATE MACRO wb_local(i) AS timezone({name}, i)",
        f"CREATE MACRO wb_instant(x) AS CASE WHEN timezone({name}, {earlier}) = x THEN {earlier} ELSE {later} END",
        # A local time keeps the offset of the instant from which it was computed, if possible.
        f"CREATE MACRO wb_shift(i, x) AS CASE WHEN {same_offset} THEN {later} ELSE wb_instant(x) END",
        f"CREATE MACRO wb_trunc(i, unit) AS i - (timezone({name}, i) - date_trunc(unit, timezone({name}, i)))",
        "CREATE MACRO wb_quotient(n, d) AS CASE WHEN (n < 0) = (d < 0) THEN 1 ELSE -1 END * "
        "((2 * abs(CAST(n AS HUGEINT)) + abs(CAST(d AS HUGEINT))) // (2 * abs(CAST(d AS HUGEINT))))",
        "CREATE MACRO wb_start(s, p) AS CASE WHEN p > 0 THEN p - 1 WHEN p < 0 THEN length(s) + p WHEN p = 0 THEN 0 END",
        "CREATE MACRO wb_positive(k) AS CASE WHEN k < 0 THEN 0 ELSE k END",
        "CREATE MACRO wb_substring(s, p, n) AS substring(s, wb_positive(wb_start(s, p)) + 1, "
        "wb_positive(wb_start(s, p) + n - wb_positive(wb_start(s, p))))",
    )
