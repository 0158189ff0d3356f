"""Rows that are stored but that no read returns, because newer rows or deletes replace them."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Place, ranked
from workbench.lens.health.facts import BucketFacts, HealthFacts
from workbench.lens.health.steps import compact

_LIMIT = 2.0


def _judge(facts: HealthFacts) -> Judgment:
    rows, stored = facts.estimated_rows, facts.stored_rows
    if not facts.is_keyed or rows is None or not stored:
        return NOT_APPLICABLE
    ratio = stored / max(rows, 1)
    text = f"{counted(stored, 'rows')} are stored for about {counted(rows, 'rows')} that reads return: {ratio:.1f} ×."
    unmerged = [each for each in facts.settled if each.runs > 1]
    if ratio <= _LIMIT or not unmerged:
        return Judgment(text)
    obsolete = stored - rows
    size = round(facts.size * obsolete / stored)
    finding = Finding(
        severity="notice",
        title=f"About {counted(obsolete, 'stored rows')} are obsolete",
        amount=round(ratio, 3),
        amount_text=f"{ratio:.1f} stored rows per row",
        limit=_LIMIT,
        limit_text=f"{_LIMIT:.0f} stored rows per row",
        why="Each update stores a new row; the old one stays until a compaction merges both.",
        read=f"About {size_text(size)} of {size_text(facts.size)} are read and dropped again.",
        write=f"Storage holds about {size_text(size)} of obsolete rows in the newest version.",
        gain=f"About {size_text(size)} less in the newest version, once older snapshots have expired.",
        steps=compact(facts, unmerged),
        places=ranked([_place(each) for each in unmerged]),
    )
    return Judgment(text, (finding,))


def _place(bucket: BucketFacts) -> Place:
    text = f"{counted(bucket.rows, 'stored rows')} in {counted(bucket.runs, 'sorted runs')}"
    return Place(bucket.label, bucket.rows, text, "notice", bucket.id)


SPACE_AMPLIFICATION = Check("space-amplification", "Space amplification", "files", _judge)
