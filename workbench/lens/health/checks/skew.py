"""Buckets or partitions that are much larger than the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import Check, Finding, Judgment, Place, ranked
from workbench.lens.health.facts import BucketFacts, HealthFacts

_TIMES = 4.0
_LEAST = 4


def _bucket_skew(facts: HealthFacts) -> Judgment:
    by_partition: dict[bytes, list[BucketFacts]] = defaultdict(list)
    for each in facts.settled:
        by_partition[each.partition].append(each)
    over = [found for buckets in by_partition.values() for found in _largest(facts, buckets)]
    if not over:
        return Judgment(f"No bucket has more than {_TIMES:.0f} times the bytes of the median of its partition.")
    most, ratio = max(over, key=lambda each: each[1])
    finding = Finding(
        severity="notice",
        title=f"{counted(len(over), 'buckets')} {'holds' if len(over) == 1 else 'hold'} more than {_TIMES:.0f} times "
        "the bytes of the median bucket",
        amount=round(ratio, 3),
        amount_text=f"{ratio:.1f} × in {most.label}",
        limit=_TIMES,
        limit_text=f"{_TIMES:.0f} × the median",
        why="A bucket is read, merged and compacted by one task, so the largest one determines how long all take.",
        read=f"A scan waits for {size_text(most.size)} of {most.label}.",
        write="Compactions of this bucket take as many times longer.",
        advice="Choose a bucket key that spreads the rows, by option 'bucket-key' of a new table.",
        places=ranked([_place(each.label, times, each.size, each.id) for each, times in over]),
    )
    return Judgment(finding.title + ".", (finding,))


def _partition_skew(facts: HealthFacts) -> Judgment:
    if not facts.schema.partition_fields:
        return Judgment(None)
    sizes: dict[bytes, int] = defaultdict(int)
    labels = {}
    for each in facts.buckets:
        sizes[each.partition] += each.size
        labels[each.partition] = each.label.rpartition(", ")[0]
    middle = median(sizes.values()) if sizes else 0
    over = [
        (labels[partition], size / middle, size)
        for partition, size in sizes.items()
        if len(sizes) >= _LEAST and size > facts.limits.target_file and size > 2 * _TIMES * middle > 0
    ]
    if not over:
        return Judgment(f"No partition has more than {2 * _TIMES:.0f} times the bytes of the median.")
    label, ratio, size = max(over, key=lambda each: each[1])
    finding = Finding(
        severity="notice",
        title=f"{counted(len(over), 'partitions')} {'holds' if len(over) == 1 else 'hold'} more than "
        f"{2 * _TIMES:.0f} times the bytes of the median partition",
        amount=round(ratio, 3),
        amount_text=f"{ratio:.1f} × in {label}",
        limit=2 * _TIMES,
        limit_text=f"{2 * _TIMES:.0f} × the median",
        why="All partitions have the same number of buckets, so the buckets of a large partition are larger by the "
        "same factor.",
        read=f"Queries of {label} read {size_text(size)} in as many tasks as those of a median partition.",
        advice="Rescale the large partitions to more buckets, or partition by a column that is more evenly spread.",
        places=ranked([_place(each, times, bytes_, None) for each, times, bytes_ in over]),
    )
    return Judgment(finding.title + ".", (finding,))


def _largest(facts: HealthFacts, buckets: Sequence[BucketFacts]) -> list[tuple[BucketFacts, float]]:
    middle = median(each.size for each in buckets)
    return [
        (each, each.size / middle)
        for each in buckets
        if len(buckets) >= _LEAST and each.size > facts.limits.target_file and each.size > _TIMES * middle > 0
    ]


def _place(label: str, ratio: float, size: int, bucket: str | None) -> Place:
    return Place(label, round(ratio, 3), f"{ratio:.1f} × the median: {size_text(size)}", "notice", bucket)


BUCKET_SKEW = Check("bucket-skew", "Skew of buckets", "files", _bucket_skew)
PARTITION_SKEW = Check("partition-skew", "Skew of partitions", "files", _partition_skew)
