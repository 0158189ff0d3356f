"""Tiny files in most buckets, which compactions do not merge."""

from __future__ import annotations

from statistics import median

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Place, ranked
from workbench.lens.health.checks.small_files import is_due
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Call, Step, compact
from workbench.lens.health.thresholds import MANY_TINY_FILES


def _judge(facts: HealthFacts) -> Judgment:
    if not facts.settled:
        return NOT_APPLICABLE
    middle = median(each.tiny for each in facts.settled)
    below = size_text(facts.limits.tiny_file)
    text = f"The median bucket has {counted(round(middle), 'files')} below {below}."
    if middle <= MANY_TINY_FILES or _is_compacted_anyway(facts):
        return Judgment(text)
    found = [each for each in facts.settled if each.tiny > MANY_TINY_FILES]
    count = sum(each.tiny for each in found)
    finding = Finding(
        severity="attention",
        title=f"The median bucket has {counted(round(middle), 'files')} below {below}",
        amount=middle,
        amount_text=f"{round(middle):,} tiny files in the median bucket",
        limit=MANY_TINY_FILES,
        limit_text=f"at most {MANY_TINY_FILES} files below {below}, an eighth of the target size",
        why="Each file costs an open, a footer and an entry in a manifest, regardless of its number of rows.",
        read=f"A scan of {counted(len(found), 'buckets')} opens {counted(count, 'tiny files')}.",
        write="Each commit and each plan carries the entries of all these files.",
        gain=f"{sum(each.files for each in found):,} files become about {sum(each.full_files for each in found):,}.",
        steps=_steps(facts),
        advice="Raise option 'target-file-size' first if it was lowered.",
        places=ranked([Place(each.label, each.tiny, f"{each.tiny:,} files", "attention", each.id) for each in found]),
    )
    return Judgment(text, (finding,))


def _is_compacted_anyway(facts: HealthFacts) -> bool:
    """Return whether small files or sorted runs are a finding in most buckets already, which the same fix reduces."""
    trigger = facts.limits.compaction_runs
    due = sum(is_due(facts, each) or (trigger is not None and each.runs > trigger) for each in facts.settled)
    return 2 * due >= len(facts.settled)


def _steps(facts: HealthFacts) -> tuple[Step, ...]:
    if facts.is_keyed and facts.schema.core.bucket > 0 and all(each.runs <= 1 for each in facts.settled):
        # A compaction leaves the files of a single run as they are.
        return (Call("rescale", {"bucket": facts.schema.core.bucket}),)
    return compact(facts, facts.settled)


TINY_FILES = Check("tiny-files", "Tiny files", "files", _judge, of_files=True)
