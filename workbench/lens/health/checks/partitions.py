"""Partitions that are too many, or too small for their number."""

from __future__ import annotations

from collections import defaultdict
from statistics import median

from workbench.base.counting import counted
from workbench.base.texts import size_text
from workbench.lens.health.check import NOT_APPLICABLE, Check, Finding, Judgment, Severity
from workbench.lens.health.facts import HealthFacts
from workbench.lens.health.steps import name_sql
from workbench.lens.health.thresholds import MANY_BUCKETS, MANY_PARTITIONS, TINY_BUCKET


def _judge(facts: HealthFacts) -> Judgment:
    if not facts.schema.partition_fields or not facts.settled:
        return NOT_APPLICABLE
    sizes: dict[bytes, int] = defaultdict(int)
    for each in facts.settled:
        sizes[each.partition] += each.size
    middle = median(sizes.values())
    text = f"The table has {counted(len(sizes), 'partitions')}; the median holds {size_text(round(middle))}."
    least = facts.limits.least_bucket
    if len(sizes) > MANY_PARTITIONS:
        return Judgment(text, (_too_many(facts, len(sizes), middle),))
    # Several buckets in a partition are a finding of another check.
    if len(sizes) >= MANY_BUCKETS and middle < least and len(facts.settled) == len(sizes):
        return Judgment(text, (_too_small(facts, len(sizes), middle),))
    return Judgment(text)


def _too_many(facts: HealthFacts, partitions: int, middle: float) -> Finding:
    return Finding(
        severity="attention",
        title=f"The table has {partitions:,} partitions; the median holds {size_text(round(middle))}",
        amount=partitions,
        amount_text=counted(partitions, "partitions"),
        limit=MANY_PARTITIONS,
        limit_text=f"at most {MANY_PARTITIONS:,} partitions",
        why="Each partition is a separate directory, and is planned, listed and compacted separately.",
        read=f"A scan plans {partitions:,} partitions and opens {counted(facts.files, 'files')}.",
        write="Commits that touch many partitions write a file for each.",
        advice=_advice(facts),
        key="many",
    )


def _too_small(facts: HealthFacts, partitions: int, middle: float) -> Finding:
    severity: Severity = "attention" if middle < TINY_BUCKET else "notice"
    least = facts.limits.least_bucket
    return Finding(
        severity=severity,
        title=f"The median of {partitions:,} partitions holds {size_text(round(middle))}",
        amount=round(middle),
        amount_text=f"{size_text(round(middle))} in the median partition",
        limit=least,
        limit_text=f"at least {size_text(least)} in a table of {MANY_BUCKETS} partitions or more",
        why="Files are opened, planned and compacted one by one, and no file holds rows of two partitions.",
        read=f"A scan opens {counted(facts.files, 'files')} for {size_text(facts.size)}.",
        write="Commits that touch many partitions write a file for each.",
        advice=_advice(facts),
        key="small",
    )


def _advice(facts: HealthFacts) -> str:
    """Return how the rows get into coarser partitions: the partition columns of a table cannot be changed."""
    name = facts.table
    column = facts.schema.partition_keys[-1]
    coarser = name_sql(f"{name}_coarser")
    return (
        f"Write the rows into a table with coarser partitions, such as months instead of days or without '{column}': "
        f"CREATE TABLE {coarser} (…) PARTITIONED BY (…), then INSERT INTO {coarser} SELECT … FROM {name_sql(name)}. "
        "If old partitions are no longer needed, set option 'partition.expiration-time'."
    )


PARTITIONS = Check("partitions", "Partitions", "files", _judge, of_files=True)
