"""Snapshots that should have expired."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Call

_FEW = 10


def _judge(facts: HealthFacts) -> Judgment:
    history, core = facts.history, facts.schema.core
    if history.latest is None:
        return NOT_APPLICABLE
    text = (
        f"{counted(history.count, 'snapshots')} are retained, {history.overdue:,} of them longer than the options say."
    )
    if history.overdue <= _FEW:
        return Judgment(text)
    limit = core.snapshot_expire_limit
    finding = Finding(
        severity="attention" if history.overdue > PILED_UP_EXPIRIES * limit else "notice",
        title=f"{counted(history.overdue, 'snapshots')} should have expired",
        amount=history.overdue,
        amount_text=f"{counted(history.overdue, 'snapshots')} of {history.count:,}",
        limit=_FEW,
        limit_text=f"{_FEW} that wait for the next commit",
        why="Commits delete expired snapshots, each of them at most "
        f"{limit:,}; writers with 'write-only' leave it to others.",
        read="Listing versions takes longer; queries of the newest version do not.",
        write="Storage holds the files that only these snapshots use.",
        gain=f"{counted(history.overdue, 'snapshots')} less, with the files that only they use.",
        steps=(Call("expire_snapshots", {"max_deletes": history.overdue}),),
        loss=f"{counted(history.overdue, 'snapshots')} for time travel",
    )
    return Judgment(text, (finding,))


# The backlog needs attention if it takes more than this many expiries to clear it.
PILED_UP_EXPIRIES = 10

EXPIRY = Check("expiry", "Expiry of snapshots", "versions", _judge)
