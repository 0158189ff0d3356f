"""The funnel of a read: how many files, rows and bytes each step leaves, and which facts excluded the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.lens.explain.value import Certainty, ExcludedFileValue, FactValue, StepValue
from workbench.lens.texts import partition_label
from workbench.scan.explained.facts import MANIFEST, ExcludedFile, Fact
from workbench.scan.explained.readings import Readings
from workbench.scan.kept import PrunedFile
from workbench.scan.scan_report import REASONS, ScanReport
from workbench.scan.split import Split

LISTED = 10
_MOST_FACTS = 20
_TITLES = {
    MANIFEST: "Manifests",
    "partition": "Partitions",
    "bucket": "Buckets",
    "key range": "Key ranges",
    "value range": "Statistics",
    "file index": "File indexes",
    "limit": "Limit",
}
_BY_STATISTICS = frozenset({"key range", "value range"})


@dataclass(frozen=True)
class Amount:
    """Files with their bytes and stored rows."""

    files: int = 0
    size: int = 0
    rows: int = 0

    def minus(self, other: Amount) -> Amount:
        """Return what is left after another amount is subtracted."""
        return Amount(self.files - other.files, self.size - other.size, self.rows - other.rows)


def amount_of(files: Iterable[DataFileMeta]) -> Amount:
    """Return the amount of some files."""
    sizes = [(file.file_size, file.row_count) for file in files]
    return Amount(len(sizes), sum(size for size, _ in sizes), sum(rows for _, rows in sizes))


@dataclass(frozen=True)
class Funnel:
    """The data from which the steps are computed. ``returned`` is the number of rows of the result, None unless
    metadata or a run determines it."""

    report: ScanReport
    excluded: Sequence[ExcludedFile]
    kept: Sequence[DataFileMeta]
    readings: Readings
    has_deletions: bool
    returned: int | None

    def steps(self, step: str | None = None, limit: int = LISTED) -> tuple[StepValue, ...]:
        """Return the steps, with the first excluded files of each: up to ``limit`` of the step named ``step``, a few of
        all others."""
        everything = amount_of([*self.kept, *(each.file for each in self.excluded)])
        steps = [_step("all", "All files", "the files of the snapshot", everything, Amount())]
        left = everything
        by_rule: defaultdict[str, list[ExcludedFile]] = defaultdict(list)
        for each in self.excluded:
            by_rule[each.fact.rule].append(each)
        for rule in _rules_of(self.report, by_rule):
            files = by_rule[rule]
            gone = amount_of(each.file for each in files)
            left = left.minus(gone)
            facts = _facts(files)
            steps.append(
                replace(
                    _step(
                        rule, _TITLES.get(rule, rule.capitalize()), REASONS.get(rule, f"{rule} hides them"), left, gone
                    ),
                    facts=facts[:_MOST_FACTS],
                    more_facts=max(0, len(facts) - _MOST_FACTS),
                    listed=self._listed(files[: limit if rule == step else LISTED]),
                )
            )
        return (*steps, *self._inside(left))

    def _inside(self, left: Amount) -> Iterable[StepValue]:
        """Yield the steps inside of the files that are kept."""
        if not self.kept:
            return
        readings, known = self.readings, amount_of(each.file for each in self.readings.files)
        certainty: Certainty = "exact" if readings.is_complete else "estimate"

        def scaled(count: int, of: Callable[[Amount], int]) -> int:
            return count if readings.is_complete else round(count * of(left) / max(1, of(known)))

        def extended(files: int, size: int, rows: int) -> Amount:
            return Amount(
                scaled(files, lambda amount: amount.files),
                scaled(size, lambda amount: amount.size),
                scaled(rows, lambda amount: amount.rows),
            )

        unread_groups = extended(
            sum(1 for each in readings.files if each.chosen == 0),
            sum(each.skipped_bytes for each in readings.files),
            sum(each.file.row_count - each.rows for each in readings.files),
        )
        left = left.minus(unread_groups)
        if self.report.where is not None:
            reason = "the statistics of row groups in their footers exclude every matching row"
            yield replace(_step("row group", "Row groups", reason, left, unread_groups), certainty=certainty)
        columns = extended(0, sum(each.unread_bytes for each in readings.files), 0)
        left = left.minus(columns)
        unknown = any(each.column_bytes is None for each in readings.files)
        reason = "columns that the read does not need"
        step = _step("column", "Columns", reason, left, columns)
        yield replace(step, certainty="at most" if unknown and certainty == "exact" else certainty)
        if self.has_deletions:
            marked = extended(0, 0, sum(each.marked_rows for each in readings.files))
            left = left.minus(marked)
            step = _step("deletion vector", "Deletion vectors", "deletion vectors mark these rows", left, marked)
            yield replace(step, certainty=certainty)
        yield _returned(left, self.returned)

    def _listed(self, files: Sequence[ExcludedFile]) -> tuple[ExcludedFileValue, ...]:
        known = self.report.known_statistics([(each.file, each.fact.rule, each.fact.columns) for each in files])
        label = partition_labels(self.report.schema)
        return tuple(
            ExcludedFileValue(
                each.file.file_name,
                label(each.pruned.partition),
                each.pruned.bucket,
                each.file.level,
                each.file.row_count,
                each.file.file_size,
                fact_text(each.fact, statistics),
            )
            for each, statistics in zip(files, known, strict=True)
        )

    def outcomes(self, splits: Sequence[Split]) -> list[tuple[str, ExcludedFileValue]]:
        """Return the files that are read, with the rule '', then the files that are left out, each with the rule that
        excluded it."""
        read = [
            ExcludedFile(PrunedFile(split.partition, split.bucket, file, ""), Fact(""))
            for split in splits
            for file in split.files
        ]
        everything = [*read, *self.excluded]
        return [(each.fact.rule, value) for each, value in zip(everything, self._listed(everything), strict=True)]


def partition_labels(schema: TableSchema) -> Callable[[bytes], str]:
    """Return a function that returns the label of a serialized partition, and caches the labels."""
    return cache(lambda partition: partition_label(partition, schema.partition_fields))


def fact_text(fact: Fact, statistics: str) -> str:
    """Return the fact that excluded one file, with the statistics of the file if they decided."""
    if fact.rule in _BY_STATISTICS and statistics:
        return f"{fact.condition}; the file has {statistics}"
    if fact.condition and fact.detail:
        return f"{fact.condition}: {fact.detail}"
    return fact.condition or REASONS.get(fact.rule, fact.rule)


def _rules_of(report: ScanReport, present: Iterable[str]) -> list[str]:
    """Return the rules in the order of the funnel: first those that hide files from every read, then those that apply
    to the table; other rules only if they excluded something."""
    present = set(present)
    hidden = sorted(rule for rule in present if rule not in _TITLES)
    schema = report.schema
    applicable = {
        "partition": bool(schema.partition_keys),
        "bucket": schema.core.bucket > 0,
        "key range": bool(schema.key_fields),
        "value range": True,
    }
    shown = present | {rule for rule, applies in applicable.items() if applies and report.where is not None}
    return [*hidden, *(rule for rule in _TITLES if rule in shown)]


def _facts(files: Sequence[ExcludedFile]) -> tuple[FactValue, ...]:
    members: defaultdict[Fact, list[DataFileMeta]] = defaultdict(list)
    for each in files:
        members[each.fact].append(each.file)
    found = ((fact, amount_of(excluded)) for fact, excluded in members.items())
    values = [
        FactValue(fact.condition, fact.detail, amount.files, amount.size, amount.rows)
        for fact, amount in found
        if fact.condition or fact.detail
    ]
    return tuple(sorted(values, key=lambda value: -value.files))


def _step(name: str, title: str, reason: str, left: Amount, gone: Amount) -> StepValue:
    return StepValue(
        name, title, reason, left.files, left.size, left.rows, gone.files, gone.size, gone.rows, certainty="exact"
    )


def _returned(left: Amount, rows: int | None) -> StepValue:
    reason = "merges and the condition leave out the other rows"
    gone = 0 if rows is None else left.rows - rows
    return StepValue("returned", "Rows returned", reason, None, None, rows, 0, 0, gone, certainty="exact")
