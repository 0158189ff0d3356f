"""Deleted rows that files still store: delete rows of keys, or rows that deletion vectors mark."""

from __future__ import annotations

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import Check, Finding, Judgment, Place, of_buckets, ranked
from workbench.lens.health.facts import BucketFacts, HealthFacts
from workbench.lens.health.steps import compact


def _judge(facts: HealthFacts) -> Judgment:
    limit = facts.limits.deleted_share
    deletes, marked = sum(each.deletes for each in facts.settled), sum(each.marked for each in facts.settled)
    rows = sum(each.rows for each in facts.settled)
    share = (deletes + marked) / rows if rows else 0.0
    text = f"{share:.0%} of the stored rows are deletes or marked as deleted."
    over = [each for each in facts.settled if each.deleted_share > limit]
    if not over:
        return Judgment(text)
    most = max(over, key=lambda each: each.deleted_share)
    size = sum(each.size for each in over)
    finding = Finding(
        severity="attention",
        title=f"{of_buckets(len(over), len(facts.settled))} {'has' if len(over) == 1 else 'have'} more than "
        f"{limit:.0%} deleted rows in a bucket",
        amount=round(most.deleted_share, 6),
        amount_text=f"{most.deleted_share:.0%} in {most.label}",
        limit=limit,
        limit_text=f"{limit:.0%} by compaction.delete-ratio-threshold",
        why="Deletes are stored as rows or as marks until a full compaction drops them together with what they delete.",
        read=f"Reads load {counted(deletes, 'delete rows')} and {counted(marked, 'marked rows')}, and return none of "
        "them.",
        write=f"{size_text(size)} of files hold them.",
        gain=f"{counted(sum(each.deletes + each.marked for each in over), 'rows')} less to read; "
        f"{size_text(size)} are rewritten.",
        steps=compact(facts, over),
        places=ranked([_place(each) for each in over]),
    )
    return Judgment(text, (finding,))


def _place(bucket: BucketFacts) -> Place:
    text = f"{bucket.deletes + bucket.marked:,} of {counted(bucket.rows, 'rows')} ({bucket.deleted_share:.0%})"
    return Place(bucket.label, round(bucket.deleted_share, 6), text, "attention", bucket.id)


DELETES = Check("deletes", "Deleted rows", "files", _judge, of_files=True)
