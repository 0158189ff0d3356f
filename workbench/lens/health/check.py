"""A check of a table's health, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.base.counting import counted
from workbench.lens.health.facts import BucketFacts, HealthFacts
from workbench.lens.health.steps import Step

Severity = Literal["good", "notice", "attention", "poor"]
SEVERITIES: tuple[Severity, ...] = ("good", "notice", "attention", "poor")
Group = Literal["files", "versions", "metadata", "settings", "storage"]
MAX_PLACES = 200


def worst(severities: Sequence[Severity]) -> Severity:
    """Return the worst of some severities, good if there are none."""
    return max(severities, key=SEVERITIES.index, default="good")


@dataclass(frozen=True)
class Place:
    """A bucket or partition that a finding concerns. ``amount`` is the number that was found there; ``bucket`` is the
    id of the bucket, None if the place is not a bucket."""

    label: str
    amount: float
    text: str
    severity: Severity
    bucket: str | None = None


@dataclass(frozen=True)
class Finding:
    """Something about a table that can be better.

    Args:
        severity: How much it matters.
        title: What was found, in one sentence without a period.
        amount: The number that was found.
        limit: The threshold for the number; None if there is no threshold.
        amount_text: The number as people read it.
        limit_text: The limit as people read it.
        why: Why it matters.
        read: What it costs reads; '' if nothing.
        write: What it costs writes; '' if nothing.
        gain: What the fix is estimated to change; '' if nothing can be said.
        steps: The steps that fix it, in order; empty if no statement fixes it.
        advice: What to do besides the steps, or instead of them.
        loss: What the steps delete for good; '' if nothing.
        places: Where it was found, the worst first.
        key: Distinguishes several findings of one check.
    """

    severity: Severity
    title: str
    amount: float
    amount_text: str
    why: str
    limit: float | None = None
    limit_text: str = ""
    read: str = ""
    write: str = ""
    gain: str = ""
    steps: tuple[Step, ...] = ()
    advice: str = ""
    loss: str = ""
    places: tuple[Place, ...] = ()
    key: str = ""


@dataclass(frozen=True)
class Judgment:
    """The outcome of a check: what it saw in one sentence, and its findings. ``text`` is None if the check does not
    apply to the table."""

    text: str | None
    findings: tuple[Finding, ...] = ()


NOT_APPLICABLE = Judgment(None)


@dataclass(frozen=True)
class Check:
    """A check, registered in `workbench.lens.health.registry`.

    Args:
        name: Its name in `HealthValue`, with words joined by hyphens.
        title: What it checks, as a heading.
        group: The part of the table that it looks at.
        judge: Judges the facts.
        lists_directories: Whether it needs the listing of the table's directories, which is made on demand.
        of_files: Whether it judges only the data files of a version, as the verdict of a table's summary does.
    """

    name: str
    title: str
    group: Group
    judge: Callable[[HealthFacts], Judgment]
    lists_directories: bool = False
    of_files: bool = False


def ranked(places: Sequence[Place]) -> tuple[Place, ...]:
    """Return places, the worst first."""
    return tuple(sorted(places, key=lambda each: (-SEVERITIES.index(each.severity), -each.amount, each.label)))


def of_buckets(count: int, total: int, noun: str = "buckets") -> str:
    """Return ``3 of 8 buckets``, or ``The table`` if it has a single bucket."""
    if total == 1:
        return "The table"
    return f"{count:,} of {counted(total, noun)}"


def partitions_of(buckets: Sequence[BucketFacts]) -> tuple[bytes, ...]:
    """Return the partitions of buckets, each once."""
    return tuple(dict.fromkeys(each.partition for each in buckets))
