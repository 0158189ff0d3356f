"""The bytes that reads merge, as a multiple of those of a compacted table."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Place, of_buckets, ranked
from workbench.lens.health.facts import BucketFacts, HealthFacts
from workbench.lens.health.steps import compact


def read_amplification(facts: HealthFacts) -> float:
    """Return the bytes that a read of the whole table merges, as a multiple of the largest run of each bucket."""
    largest = sum(each.largest_run for each in facts.settled)
    return sum(each.size for each in facts.settled) / largest if largest else 1.0


def _judge(facts: HealthFacts) -> Judgment:
    if not facts.merges_on_read or not facts.settled:
        return NOT_APPLICABLE
    limit = 1 + facts.schema.core.max_size_amplification_percent / 100
    total = read_amplification(facts)
    over = [each for each in facts.settled if each.runs > 1 and each.read_amplification > limit]
    text = f"A read of the whole table merges {total:.1f} times the bytes of the largest sorted runs."
    if not over:
        return Judgment(text)
    most = max(over, key=lambda each: each.read_amplification)
    size = sum(each.size for each in over)
    finding = Finding(
        severity="notice",
        title=f"Reads merge more than {limit:.1f} times the bytes of the largest sorted run in "
        f"{of_buckets(len(over), len(facts.settled)).replace('The table', 'the table')}",
        amount=round(most.read_amplification, 3),
        amount_text=f"{most.read_amplification:.1f} ×",
        limit=limit,
        limit_text=f"{limit:.1f} × by compaction.max-size-amplification-percent",
        why="The runs above the largest one are read in addition to it, and merged row by row with it.",
        read=f"Each read of {most.label} reads {counted(most.runs, 'sorted runs')}: {most.read_amplification:.1f} "
        "times the bytes of the largest one.",
        gain=f"Up to {size_text(size - sum(each.largest_run for each in over))} less to read in these buckets; "
        f"{size_text(size)} are rewritten.",
        steps=compact(facts, over),
        places=ranked([_place(each) for each in over]),
    )
    return Judgment(text, (finding,))


def _place(bucket: BucketFacts) -> Place:
    text = f"{bucket.read_amplification:.1f} ×: {size_text(bucket.size)} in {counted(bucket.runs, 'sorted runs')}"
    return Place(bucket.label, round(bucket.read_amplification, 3), text, "notice", bucket.id)


READ_AMPLIFICATION = Check("read-amplification", "Read amplification", "files", _judge)
