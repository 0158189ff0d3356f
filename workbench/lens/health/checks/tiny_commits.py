"""Many commits of few rows."""

from __future__ import annotations

from statistics import median

from workbench.base.counting import counted
from workbench.format.spec.snapshot import CommitKind
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment
from workbench.lens.health.checks.retention import duration_text
from workbench.lens.health.facts import HealthFacts

_LEAST = 20
_FEW_ROWS = 1000
_OFTEN = 60_000


def _judge(facts: HealthFacts) -> Judgment:
    appends = [each for each in facts.history.recent if each.commit_kind == CommitKind.APPEND]
    rows = [each.delta_record_count for each in appends if each.delta_record_count is not None]
    if len(rows) < _LEAST or not facts.history.shows_rate:
        return NOT_APPLICABLE
    interval = (appends[0].time_millis - appends[-1].time_millis) / (len(appends) - 1)
    middle = median(rows)
    text = (
        f"The newest commits wrote a median of {counted(round(middle), 'rows')}, one every {duration_text(interval)}."
    )
    if middle >= _FEW_ROWS or interval >= _OFTEN:
        return Judgment(text)
    per_hour = 3_600_000 / max(interval, 1.0)
    finding = Finding(
        severity="notice",
        title=f"Commits write a median of {counted(round(middle), 'rows')}, one every {duration_text(interval)}",
        amount=middle,
        amount_text=f"{counted(round(middle), 'rows')} per commit",
        limit=_FEW_ROWS,
        limit_text=f"at least {_FEW_ROWS:,} rows, or a commit per minute",
        why="Each commit adds a file per bucket, a manifest, two manifest lists and a snapshot, even for a few rows.",
        read="Reads merge or open a file for each commit since the last compaction.",
        write=f"About {counted(round(4 * per_hour), 'files')} of metadata are written per hour.",
        gain="Half as many commits write half as many files.",
        advice="Commit less often: raise the checkpoint interval of the stream, or collect rows before writing.",
    )
    return Judgment(text, (finding,))


TINY_COMMITS = Check("tiny-commits", "Sizes of commits", "versions", _judge)
