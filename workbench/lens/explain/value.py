"""The explanation of a read, as plain values: a funnel of steps, the splits that remain, columns and suggestions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.lens.wire import Int64

Certainty = Literal["exact", "estimate", "at most", "at least"]
"""How a number is known: from metadata, extended from some files to all, or as a bound."""


@dataclass(frozen=True)
class FactValue:
    """A fact that excluded files: the part of the predicate that they cannot satisfy, and what else decided."""

    condition: str
    detail: str
    files: int
    size: Int64
    rows: Int64


@dataclass(frozen=True)
class ExcludedFileValue:
    """A file that a step left out, and the fact that excluded it. ``partition`` is '' without partitions."""

    name: str
    partition: str
    bucket: int
    level: int
    rows: Int64
    size: Int64
    fact: str


@dataclass(frozen=True)
class StepValue:
    """One step of the funnel: what is left after it, and what it left out.

    ``files``, ``size`` and ``rows`` count what is left; None where the step does not determine it. ``facts`` are what
    excluded the files, the facts that excluded the most files first; ``more_facts`` counts those that are not listed.
    ``listed`` are the first of the files that were left out.
    """

    name: str
    title: str
    reason: str
    files: int | None
    size: Int64 | None
    rows: Int64 | None
    excluded_files: int
    excluded_size: Int64
    excluded_rows: Int64
    certainty: Certainty
    facts: tuple[FactValue, ...] = ()
    more_facts: int = 0
    listed: tuple[ExcludedFileValue, ...] = ()


@dataclass(frozen=True)
class RunTotalsValue:
    """A sorted run of a section. Files without keys form one run."""

    level: int
    files: int
    rows: Int64
    size: Int64


@dataclass(frozen=True)
class SectionValue:
    """Files whose rows are read together: runs whose key ranges overlap, the oldest first, and why they are merged."""

    runs: tuple[RunTotalsValue, ...]
    keys: str
    reason: str


@dataclass(frozen=True)
class SplitValue:
    """What one worker reads: its files, and the sections among them that must be merged.

    ``raw`` is whether every file is read without a merge; ``raw_files``, ``raw_size`` and ``raw_rows`` are the totals
    of the sections that need no merge. ``merging`` counts the sections that need one; ``sections`` are the largest of
    them.
    """

    partition: str
    bucket: int
    files: int
    size: Int64
    rows: Int64
    raw: bool
    reason: str
    raw_files: int
    raw_size: Int64
    raw_rows: Int64
    merging: int
    sections: tuple[SectionValue, ...]


@dataclass(frozen=True)
class SplitsValue:
    """The splits of a read, the largest first; ``total`` counts all of them, ``raw`` those without a merge.

    ``merged_files`` counts the files of sections that are merged, ``held_files`` those among them that hold no matching
    row according to their own statistics, but are read because newer rows replace older ones.
    """

    splits: tuple[SplitValue, ...]
    total: int
    raw: int
    merged_files: int
    merged_size: Int64
    held_files: int
    held_size: Int64


@dataclass(frozen=True)
class ColumnUseValue:
    """A column: whether it is read, and why; ``size`` is its bytes in the row groups that are read, None if unknown."""

    name: str
    read: bool
    reason: str
    size: Int64 | None


@dataclass(frozen=True)
class ColumnsReadValue:
    """The columns of the files that are read. Sizes cover only ``described`` files out of ``files``."""

    columns: tuple[ColumnUseValue, ...]
    read_size: Int64
    all_size: Int64
    described: int
    files: int
    note: str


@dataclass(frozen=True)
class SuggestionValue:
    """A change that makes the read cheaper: what it saves, how that is known, and the statements that make it."""

    name: str
    title: str
    reason: str
    files: int
    size: Int64
    certainty: Certainty
    statements: tuple[str, ...]


@dataclass(frozen=True)
class MeasurementValue:
    """A measured run of the read: its rows and its time."""

    rows: Int64
    millis: float


@dataclass(frozen=True)
class ExplainValue:
    """The explanation of one read of a table's version. ``snapshot`` is None for a table never written.

    ``where`` is '' without a predicate. ``row_groups`` counts the row groups of the files whose footers were read, and
    ``chosen_groups`` those among them that are read.
    """

    table: str
    snapshot: Int64 | None
    where: str
    columns: tuple[str, ...]
    kind: Literal["append", "primary-key"]
    manifests: int
    manifests_excluded: int
    steps: tuple[StepValue, ...]
    row_groups: int
    chosen_groups: int
    splits: SplitsValue
    column_use: ColumnsReadValue
    suggestions: tuple[SuggestionValue, ...]
    run: MeasurementValue | None
