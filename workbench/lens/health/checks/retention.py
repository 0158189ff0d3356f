"""The retention of snapshots against the rate of commits."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Alter

_LEAST_COMMITS = 20
_MINUTE = 60_000
_TOO_SHORT = 10 * _MINUTE
_TOO_MANY = 10_000


def _judge(facts: HealthFacts) -> Judgment:
    history, core = facts.history, facts.schema.core
    interval = history.interval_millis
    if interval is None or len(history.recent) < _LEAST_COMMITS:
        return NOT_APPLICABLE
    interval = max(interval, 1.0)
    by_count = core.snapshot_num_retained_max * interval
    by_time = max(core.snapshot_time_retained, core.snapshot_num_retained_min * interval)
    window = min(by_count, by_time)
    expected = window / interval
    text = (
        f"With a commit every {duration_text(interval)}, snapshots live for about {duration_text(window)}: "
        f"{counted(round(expected), 'snapshots')}."
    )
    if window < _TOO_SHORT:
        return Judgment(text, (_too_short(facts, window, interval),))
    if expected > _TOO_MANY and history.shows_rate:
        return Judgment(text, (_too_long(expected, interval),))
    return Judgment(text)


def _too_short(facts: HealthFacts, window: float, interval: float) -> Finding:
    core = facts.schema.core
    options: dict[str, str | None] = {}
    if core.snapshot_time_retained < _TOO_SHORT:
        options["snapshot.time-retained"] = "1 h"
    if core.snapshot_num_retained_max * interval < _TOO_SHORT:
        options["snapshot.num-retained.max"] = None
    return Finding(
        severity="attention",
        title=f"Snapshots expire after about {duration_text(window)}",
        amount=window,
        amount_text=duration_text(window),
        limit=_TOO_SHORT,
        limit_text=f"at least {duration_text(_TOO_SHORT)}",
        why="A query reads the files of one snapshot. If it expires before the query ends, its files are gone.",
        read=f"Queries and streams that fall behind by more than {duration_text(window)} fail.",
        gain="Snapshots live long enough for running queries; storage holds the files of more versions.",
        steps=(Alter(options),),
    )


def _too_long(expected: float, interval: float) -> Finding:
    return Finding(
        severity="notice",
        title=f"The retention keeps about {counted(round(expected), 'snapshots')}",
        amount=round(expected),
        amount_text=counted(round(expected), "snapshots"),
        limit=_TOO_MANY,
        limit_text=f"at most {_TOO_MANY:,} snapshots",
        why=f"With a commit every {duration_text(interval)}, the retention of snapshots is long: each keeps metadata, "
        "and files that newer versions no longer use.",
        read="Listing versions and finding one by its time take longer.",
        write="Storage holds every file that any of these snapshots uses.",
        gain=f"At most {_TOO_MANY:,} snapshots are kept.",
        steps=(Alter({"snapshot.num-retained.max": str(_TOO_MANY)}),),
        advice="Tag the versions that must live longer.",
    )


def duration_text(millis: float) -> str:
    """Return ``2.5 s``, ``12 min``, ``3 h`` or ``4 d``."""
    for unit, size in (("d", 24 * 60 * _MINUTE), ("h", 60 * _MINUTE), ("min", _MINUTE), ("s", 1000)):
        if millis >= size:
            return f"{millis / size:,.1f}".removesuffix(".0") + f" {unit}"
    return f"{millis:,.0f} ms"


RETENTION = Check("retention", "Retention of snapshots", "versions", _judge)
