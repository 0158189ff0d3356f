"""The number of buckets against the amount of data."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from statistics import median

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Place, Severity, ranked
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import Alter, Call, Step
from workbench.lens.health.thresholds import MANY_BUCKETS, TINY_BUCKET

# A bucket with this many full files is neither too small nor too large.
_FULL_FILES = 8
_TOO_LARGE, _TOO_SMALL, _MANY_BUCKETS = 2 * _FULL_FILES, 1 / 16, 16


@dataclass(frozen=True)
class _Partition:
    label: str
    buckets: int
    size: int
    suggested: int

    @property
    def mean(self) -> float:
        return self.size / self.buckets


def _judge(facts: HealthFacts) -> Judgment:
    if facts.schema.core.bucket < 1 or not facts.settled:
        return NOT_APPLICABLE
    partitions = _partitions(facts)
    target = facts.limits.target_file
    large = [each for each in partitions if each.mean > _TOO_LARGE * target]
    small = [each for each in partitions if each.buckets >= _MANY_BUCKETS and each.mean < _TOO_SMALL * target]
    mean = sum(each.size for each in partitions) / sum(each.buckets for each in partitions)
    text = f"A bucket holds {size_text(round(mean))} on average."
    if large:
        return Judgment(text, (_finding(facts, large, too_large=True),))
    if small and len(small) == len(partitions):
        return Judgment(text, (_finding(facts, small, too_large=False),))
    middle = median(each.size for each in facts.settled)
    divided = [each for each in partitions if each.buckets > 1 and each.suggested < each.buckets]
    if len(facts.settled) >= MANY_BUCKETS and middle < facts.limits.least_bucket and divided:
        return Judgment(text, (_many(facts, divided, middle),))
    return Judgment(text)


def _partitions(facts: HealthFacts) -> list[_Partition]:
    sizes: dict[bytes, int] = defaultdict(int)
    counts: dict[bytes, int] = {}
    labels: dict[bytes, str] = {}
    for each in facts.settled:
        sizes[each.partition] += each.size
        counts[each.partition] = max(counts.get(each.partition, 1), each.total_buckets, each.bucket + 1)
        labels[each.partition] = each.label.rpartition(", ")[0]
    ideal = _FULL_FILES * facts.limits.target_file
    return [_Partition(labels[key], counts[key], size, max(1, -(-size // ideal))) for key, size in sizes.items()]


def _finding(facts: HealthFacts, found: list[_Partition], *, too_large: bool) -> Finding:
    extreme = max(found, key=lambda each: each.mean) if too_large else min(found, key=lambda each: each.mean)
    target = facts.limits.target_file
    limit = (_TOO_LARGE if too_large else _TOO_SMALL) * target
    suggested = max(each.suggested for each in found)
    word = "too large" if too_large else "tiny"
    where = f" in {counted(len(found), 'partitions')}" if facts.schema.partition_fields else ""
    return Finding(
        severity="notice",
        title=f"The buckets are {word}{where}: {size_text(round(extreme.mean))} each in {extreme.buckets:,} of them",
        amount=round(extreme.mean),
        amount_text=f"{size_text(round(extreme.mean))} per bucket",
        limit=limit,
        limit_text=f"{'at most' if too_large else 'at least'} {size_text(round(limit))} per bucket",
        why="A bucket is the unit of reading, merging and compacting: large ones limit how many tasks work at a time."
        if too_large
        else "Every commit writes separate files for each bucket, however few rows it gets.",
        read=f"At most {counted(extreme.buckets, 'tasks')} read a partition."
        if too_large
        else f"A scan of a partition opens files of {counted(extreme.buckets, 'buckets')}.",
        write=f"A full compaction of a bucket rewrites {size_text(round(extreme.mean))}."
        if too_large
        else f"A commit to a partition writes up to {counted(extreme.buckets, 'files')}.",
        gain=f"{counted(suggested, 'buckets')} of about {size_text(round(extreme.size / suggested))}; "
        f"{size_text(sum(each.size for each in found))} are rewritten.",
        steps=_steps(facts, suggested),
        advice="Stop the writers first: a partition with another number of buckets than option 'bucket' cannot be "
        "written.",
        places=ranked([_place(each) for each in found]),
    )


def _many(facts: HealthFacts, found: list[_Partition], middle: float) -> Finding:
    """Return the finding about many small buckets, each of which few in its partition."""
    least, count = facts.limits.least_bucket, len(facts.settled)
    severity: Severity = "attention" if middle < TINY_BUCKET else "notice"
    return replace(
        _finding(facts, found, too_large=False),
        severity=severity,
        title=f"The median of {count:,} buckets holds {size_text(round(middle))}",
        amount=round(middle),
        amount_text=f"{size_text(round(middle))} in the median bucket",
        limit=least,
        limit_text=f"at least {size_text(least)} in a table of {MANY_BUCKETS} buckets or more",
        read=f"A scan opens files of {count:,} buckets for {size_text(facts.size)}.",
        places=ranked([_place(each, severity) for each in found]),
    )


def _place(partition: _Partition, severity: Severity = "notice") -> Place:
    size = size_text(round(partition.mean))
    text = f"{counted(partition.buckets, 'buckets')} of {size}; {partition.suggested:,} would do"
    return Place(partition.label or "the table", round(partition.mean), text, severity)


def _steps(facts: HealthFacts, suggested: int) -> tuple[Step, ...]:
    changed = facts.schema.core.bucket != suggested
    alter: tuple[Step, ...] = (Alter({"bucket": str(suggested)}),) if changed else ()
    return (*alter, Call("rescale", {"bucket": suggested}))


BUCKET_COUNT = Check("bucket-count", "Number of buckets", "files", _judge, of_files=True)
