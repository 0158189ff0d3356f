"""The condition of a version in a few sentences, as judged by those checks of its health that look only at data
files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from workbench.base.card import Card, HasCard
from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.format.spec.schema import TableSchema
from workbench.lens.buckets import BucketFiles, most_merged_runs
from workbench.lens.error import ErrorValue
from workbench.lens.health.check import Severity, worst
from workbench.lens.health.checks.small_files import is_due
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.registry import CHECKS
from workbench.lens.health.tally import tally_buckets
from workbench.lens.wire import Int64

Condition = Literal["good", "fair", "poor"]

CONDITIONS: Mapping[Condition, str] = MappingProxyType(
    {"good": "Good condition", "fair": "Needs attention", "poor": "Poor condition"}
)
# A notice is worth a look, but leaves the table in good condition.
_CONDITIONS: Mapping[Severity, Condition] = MappingProxyType(
    {"good": "good", "notice": "good", "attention": "fair", "poor": "poor"}
)
# The checks whose findings the verdict quotes, as its own sentences do not describe them.
_TOLD = ("tiny-files", "bucket-count", "partitions")
_SANDBOX = "try it in the sandbox"


@dataclass(frozen=True, repr=False)
class VerdictValue(HasCard):
    """The condition of a table in words. ``files_after`` estimates the number of files after a full compaction."""

    condition: Condition
    text: str
    files_after: Int64

    def __repr__(self) -> str:
        return f"{CONDITIONS[self.condition]}. {self.text}"

    def _card(self) -> Card:
        """Return the condition in words."""
        return Card(repr(self))


def describe_verdict(
    schema: TableSchema, files: BucketFiles, marked: Mapping[str, int] | None = None
) -> VerdictValue | None:
    """Return the condition of a version; None without files, because then nothing can be judged.

    ``marked`` counts the rows that deletion vectors mark, by the name of the data file.
    """
    if not any(files.values()):
        return None
    facts = HealthFacts("", schema, 0, buckets=tally_buckets(schema, files, marked=marked))
    findings = {check.name: check.judge(facts).findings for check in CHECKS.values() if check.of_files}
    condition = _CONDITIONS[worst([finding.severity for each in findings.values() for finding in each])]
    sentences, after = _keyed_text(facts, files) if facts.is_keyed else _append_text(facts)
    told = [finding for name in _TOLD for finding in findings[name] if finding.severity != "notice"]
    sentences += [f"{finding.title}." for finding in (*findings["deletes"], *told)]
    return VerdictValue(condition, " ".join(sentences), after)


def damaged_verdict(verdict: VerdictValue | None, error: ErrorValue) -> VerdictValue:
    """Return the condition of a version of which a file cannot be read, whatever its other files are like."""
    return VerdictValue("poor", error.message, 0 if verdict is None else verdict.files_after)


# --- primary-key tables -------------------------------------------------------------------------------------------


def _keyed_text(facts: HealthFacts, files: BucketFiles) -> tuple[list[str], int]:
    limits = facts.limits
    assert limits.compaction_runs is not None
    over = sum(each.runs > limits.compaction_runs for each in facts.settled)
    after = sum(each.full_files for each in facts.settled)
    sentences = [_runs_text(facts, over, files)] if facts.settled else []
    if over:
        sentences.append(_compaction_text(facts, sum(each.files for each in facts.settled), after))
    hidden = sum(each.hidden for each in facts.settled)
    if hidden:
        sentences.append(f"{counted(hidden, 'rows')} on level 0 become visible with the next compaction.")
    waiting = sum(each.rows for each in facts.buckets if each.is_postponed)
    if waiting:
        until = "are merged by every read until they are" if facts.merges_postponed else "become visible when"
        sentences.append(f"{counted(waiting, 'rows')} wait in the postponed bucket and {until} compacted.")
    return sentences, after


def _runs_text(facts: HealthFacts, over: int, files: BucketFiles) -> str:
    """Return how many buckets are over the triggers or, if no bucket is, how many runs reads merge."""
    buckets, limits = facts.settled, facts.limits
    trigger = f"the compaction trigger of {limits.compaction_runs} sorted runs"
    if not over:
        settled = {key: each for key, each in files.items() if key[1] != POSTPONE_BUCKET}
        most = most_merged_runs(facts.schema, settled)
        read = "reads merge nothing" if most == 1 else f"reads merge up to {most} sorted runs"
        return f"No bucket is over {trigger}; {read}."
    text = f"{over:,} of {counted(len(buckets), 'buckets')} {'is' if over == 1 else 'are'} over {trigger}"
    stopped = sum(each.runs > (limits.stop_runs or 0) for each in buckets)
    if stopped:
        text += f", {stopped:,} of them over the stop trigger of {limits.stop_runs}"
    return f"{text}."


def _compaction_text(facts: HealthFacts, before: int, after: int) -> str:
    """Return what is done about the runs, and what a full compaction would achieve."""
    off = facts.schema.core.write_only
    begin = "Compaction is off (write-only); a" if off else "The next write to a bucket compacts it; a"
    return f"{begin} full compaction would turn {counted(before, 'files')} into about {after:,}: {_SANDBOX}."


# --- append tables ------------------------------------------------------------------------------------------------


def _append_text(facts: HealthFacts) -> tuple[list[str], int]:
    limits, buckets = facts.limits, facts.settled
    due = [each for each in buckets if is_due(facts, each)]
    before = sum(each.files for each in buckets)
    after = before - sum(each.files - each.full_files for each in due)
    below = f"small files (below {size_text(limits.small_file)})"
    if not due:
        count = sum(each.small for each in buckets)
        few = f"{counted(count, 'small files')} (below {size_text(limits.small_file)}), too few to compact."
        return [few if count else "No small files."], after
    if len(buckets) == 1:
        text = f"The table has {due[0].small:,} {below}; {limits.small_files} trigger a compaction."
    else:
        where, have = "partitions" if facts.schema.partition_keys else "buckets", "has" if len(due) == 1 else "have"
        text = f"{len(due):,} of {counted(len(buckets), where)} {have} {limits.small_files} or more {below}."
    off = "Compaction is off (write-only); a" if facts.schema.core.write_only else "A"
    return [f"{text} {off} compaction would turn {counted(before, 'files')} into about {after:,}: {_SANDBOX}."], after
