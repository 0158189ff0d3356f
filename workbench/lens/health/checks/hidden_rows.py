"""Rows that were committed but that reads do not see before a compaction."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Place, ranked
from workbench.lens.health.facts import BucketFacts, HealthFacts
from workbench.lens.health.steps import Call


def _judge(facts: HealthFacts) -> Judgment:
    if not facts.is_keyed:
        return NOT_APPLICABLE
    hidden = [each for each in facts.buckets if _hidden(each) and not (each.is_postponed and facts.merges_postponed)]
    if not hidden:
        return Judgment("Reads see all committed rows.")
    rows = sum(map(_hidden, hidden))
    postponed = sum(each.rows for each in hidden if each.is_postponed)
    why = "Reads skip level 0, because its rows are not merged with the others yet (deletion vectors or first-row)."
    if postponed:
        why = "Rows that are written with option 'bucket' = '-2' wait for a compaction that assigns their buckets."
    finding = Finding(
        severity="attention",
        title=f"{counted(rows, 'rows')} are committed but not visible to reads",
        amount=rows,
        amount_text=counted(rows, "rows"),
        limit=0,
        limit_text="none after a compaction",
        why=why,
        read="Queries return the state before these rows.",
        write="The compaction that makes them visible has not run yet.",
        gain=f"{counted(rows, 'rows')} become visible.",
        steps=(Call("compact", {"full": True}),),
        places=ranked(
            [Place(each.label, _hidden(each), counted(_hidden(each), "rows"), "attention", each.id) for each in hidden]
        ),
    )
    return Judgment(f"{counted(rows, 'rows')} are not visible to reads yet.", (finding,))


def _hidden(bucket: BucketFacts) -> int:
    return bucket.rows if bucket.is_postponed else bucket.hidden


HIDDEN_ROWS = Check("hidden-rows", "Rows that are not visible yet", "files", _judge, of_files=True)
