"""Small files: piled up in an append table, or left behind in the runs of a primary-key table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Place, ranked, worst
from workbench.lens.health.facts import BucketFacts, HealthFacts
from workbench.lens.health.steps import compact
from workbench.lens.health.thresholds import PILED_UP


def _judge(facts: HealthFacts) -> Judgment:
    if not facts.settled:
        return NOT_APPLICABLE
    small, files = sum(each.small for each in facts.settled), sum(each.files for each in facts.settled)
    due = [each for each in facts.settled if is_due(facts, each)]
    below = f"below {size_text(facts.limits.small_file)}"
    if not due:
        few = f"{small:,} of {counted(files, 'files')} are {below}, too few in any bucket to compact."
        return Judgment(few if small else f"None of {counted(files, 'files')} is {below}.")
    piled = [_place(facts, each) for each in due]
    counts = sum(each.small for each in due)
    after = sum(each.full_files for each in due)
    size = sum(each.size for each in due)
    limit = facts.limits.small_files if not facts.is_keyed else _limit(facts, due[0])
    finding = Finding(
        severity=worst([each.severity for each in piled]),
        title=f"{counted(counts, 'small files')} could be about {after:,}",
        amount=max(each.small for each in due),
        amount_text=f"{counted(max(each.small for each in due), 'small files')} in one {_unit(facts)}, "
        f"{small / files:.0%} of all files",
        limit=limit,
        limit_text=f"{counted(limit, 'files')} {below} trigger a compaction"
        if not facts.is_keyed
        else f"{counted(limit, 'files')} of this size in a compacted bucket",
        why="Each file costs an open, a footer and an entry in a manifest, regardless of its number of rows.",
        read=f"A scan opens {counted(files, 'files')} instead of about {files - sum(map(_saved, due)):,}.",
        write="Each commit and each plan carries the entries of all these files.",
        gain=f"{sum(map(_saved, due)):,} fewer files; {size_text(size)} are rewritten.",
        steps=compact(facts, due),
        places=_by_partition(facts, piled) if len(facts.schema.partition_fields) else ranked(piled),
    )
    return Judgment(f"{small:,} of {counted(files, 'files')} are {below}.", (finding,))


def is_due(facts: HealthFacts, bucket: BucketFacts) -> bool:
    """Return whether a compaction would reduce the number of files in a bucket."""
    if not facts.is_keyed:
        return bucket.small >= facts.limits.small_files and bucket.full_files < bucket.files
    # A full compaction does not rewrite a single run, and runs above the trigger are a finding of another check.
    trigger = facts.limits.compaction_runs or 0
    return 1 < bucket.runs <= trigger and bucket.files > _limit(facts, bucket)


def _limit(facts: HealthFacts, bucket: BucketFacts) -> int:
    """Return how many files a bucket of a primary-key table has if it is compacted as its options define."""
    return bucket.full_files + (facts.limits.compaction_runs or 0)


def _place(facts: HealthFacts, bucket: BucketFacts) -> Place:
    piled = not facts.is_keyed and bucket.small >= PILED_UP * facts.limits.small_files
    severity = "poor" if piled else "notice" if facts.is_keyed else "attention"
    text = f"{counted(bucket.small, 'small files')} of {counted(bucket.files, 'files')}, {size_text(bucket.size)}"
    return Place(bucket.label, bucket.small, text, severity, bucket.id)  # type: ignore[arg-type]


def _by_partition(facts: HealthFacts, places: Sequence[Place]) -> tuple[Place, ...]:
    """Return one place per partition of a table whose partitions have a single bucket each, otherwise the buckets."""
    counts: dict[bytes, int] = defaultdict(int)
    for each in facts.settled:
        counts[each.partition] += 1
    if max(counts.values()) > 1:
        return ranked(places)
    return ranked(
        [Place(each.label.rpartition(", ")[0], each.amount, each.text, each.severity, each.bucket) for each in places]
    )


def _saved(bucket: BucketFacts) -> int:
    return bucket.files - bucket.full_files


def _unit(facts: HealthFacts) -> str:
    return "bucket" if facts.is_keyed or not facts.schema.partition_fields else "partition"


SMALL_FILES = Check("small-files", "Small files", "files", _judge, of_files=True)
