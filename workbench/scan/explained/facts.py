"""The fact that excluded each file that a plan left out, determined by the same functions that the planner uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from workbench.base.lazy import cached_property
from workbench.expr.expressions import Column, Comparison, Expr, IsNull, Literal, conjunction
from workbench.expr.key_values import equality_values
from workbench.expr.tree import referenced_columns, split_conjunction
from workbench.format.spec.data_file import DataFileMeta, FileKind
from workbench.metadata.manifests import ManifestFiles
from workbench.scan.kept import PrunedFile
from workbench.scan.pruning import FilePruner
from workbench.scan.scan import Scan
from workbench.scan.split import is_merged
from workbench.scan.split_generator import split_generator

MANIFEST = "manifest"
"""The rule of files in manifests that were not opened."""
_SHOWN_KEYS = 3


@dataclass(frozen=True)
class Fact:
    """The reason why a rule left out a file: the part of the predicate that the file cannot satisfy, the columns of
    that part, and further details."""

    rule: str
    condition: str = ""
    detail: str = ""
    columns: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ExcludedFile:
    """A file that a plan left out, and the fact that excluded it."""

    pruned: PrunedFile
    fact: Fact

    @property
    def file(self) -> DataFileMeta:
        """The manifest entry of the file."""
        return self.pruned.file


def excluded_files(scan: Scan) -> list[ExcludedFile]:
    """Return every file of the snapshot that the plan of a scan left out, including the files of unopened manifests."""
    report = scan.explain()
    finder = _Finder(scan)
    by_rule: defaultdict[str, list[PrunedFile]] = defaultdict(list)
    for each in (*finder.in_unopened_manifests(report.manifests_pruned), *report.pruned):
        by_rule[each.rule].append(each)
    return [
        ExcludedFile(pruned, fact)
        for rule, files in by_rule.items()
        for pruned, fact in zip(files, finder.facts(rule, files), strict=True)
    ]


def kept_only_for_merging(scan: Scan) -> list[DataFileMeta]:
    """Return the files that a read must merge although, according to their own statistics, none of their rows can
    match."""
    if scan.where is None:
        return []
    sections = [section for split in scan.plan() for section in split.sections]
    merging = [section for section in sections if len(section) > 1 and is_merged(scan.schema, section)]
    files = [file for section in merging for run in section for file in run]
    if not files:
        return []
    keep = FilePruner(scan.store, scan.schema, scan.where).by_statistics(files)
    return [file for file, kept in zip(files, keep, strict=True) if not kept]


class _Finder:
    """Evaluates the parts of a predicate one by one: a conjunction excludes every file that any of its parts
    excludes."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._rules: dict[str, Callable[[Sequence[PrunedFile]], list[Fact]]] = {
            MANIFEST: self._by_manifest,
            "partition": self._by_partition,
            "bucket": self._by_bucket,
            "key range": self._by_key_range,
            "value range": self._by_value_range,
            "file index": self._by_file_index,
        }

    def facts(self, rule: str, files: Sequence[PrunedFile]) -> list[Fact]:
        """Return the fact for each file that a rule left out. For rules that do not depend on values, the fact is only
        the name of the rule."""
        find = self._rules.get(rule)
        return [Fact(rule)] * len(files) if find is None else find(files)

    def in_unopened_manifests(self, unopened: int) -> list[PrunedFile]:
        """Return the files of manifests that were not opened because of their range of partitions."""
        snapshot = self._scan.snapshot
        if not unopened or snapshot is None:
            return []
        report = self._scan.explain()
        planned = {(split.partition, split.bucket, file.file_name) for split in report.splits for file in split.files}
        planned |= {(each.partition, each.bucket, each.file.file_name) for each in report.pruned}
        return [
            PrunedFile(entry.partition, entry.bucket, entry.file, MANIFEST, entry.total_buckets)
            for entry in ManifestFiles(self._scan.store).live_files(snapshot)
            if (entry.partition, entry.bucket, entry.file.file_name) not in planned
        ]

    # --- the rules --------------------------------------------------------------------------------------------------

    def _by_manifest(self, files: Sequence[PrunedFile]) -> list[Fact]:
        scan = self._scan
        assert scan.snapshot is not None
        manifests = ManifestFiles(scan.store)
        metas = manifests.data_manifests(scan.snapshot)

        def kept_by(part: Expr) -> list[bool]:
            kept = {meta.file_name for meta in self._pruner(part).manifests(metas)}
            return [meta.file_name in kept for meta in metas]

        found = self._first_excluding(MANIFEST, len(metas), self._partition_parts, kept_by)
        fact_of: dict[tuple[bytes, int, str], Fact] = {}
        for meta, fact in zip(metas, found, strict=True):
            if fact is not None:
                entries = (entry for entry in manifests.read(meta) if entry.kind == FileKind.ADD)
                fact_of |= {(entry.partition, entry.bucket, entry.file.file_name): fact for entry in entries}
        return self._or_all(
            MANIFEST, (fact_of.get((each.partition, each.bucket, each.file.file_name)) for each in files)
        )

    def _by_partition(self, files: Sequence[PrunedFile]) -> list[Fact]:
        distinct = list(dict.fromkeys(each.partition for each in files))

        def kept_by(part: Expr) -> list[bool]:
            kept = self._pruner(part).partitions(set(distinct))
            return [kept is None or each in kept for each in distinct]

        found = self._first_excluding("partition", len(distinct), self._partition_parts, kept_by)
        fact_of = dict(zip(distinct, self._or_all("partition", found), strict=True))
        return [fact_of[each.partition] for each in files]

    def _by_bucket(self, files: Sequence[PrunedFile]) -> list[Fact]:
        fact_of: dict[int, Fact] = {}
        for each in files:
            total = each.total_buckets or 0
            if total not in fact_of:
                fact_of[total] = self._bucket_fact(total)
        return [fact_of[each.total_buckets or 0] for each in files]

    def _bucket_fact(self, total: int) -> Fact:
        scan = self._scan
        assert scan.where is not None
        names = scan.schema.bucket_keys
        keys = equality_values(scan.where, names) or []
        buckets = self._pruner(scan.where).buckets_of_keys(total)
        texts = [
            f"{conjunction([self._equality(name, value) for name, value in zip(names, key, strict=True)])}: {bucket}"
            for key, bucket in zip(keys[:_SHOWN_KEYS], buckets, strict=False)
        ]
        more = len(keys) - len(texts)
        shown = "; ".join([*texts, *([f"{more:,} more key{'' if more == 1 else 's'}"] if more else [])])
        read = ", ".join(map(str, sorted(set(buckets)))) or "none"
        return Fact("bucket", ", ".join(names), f"bucket {read} of {total} ({shown})" if shown else f"bucket {read}")

    def _equality(self, name: str, value: object) -> Expr:
        column = Column(name, self._scan.schema.field(name).type)
        return IsNull(column) if value is None else Comparison("=", column, Literal(value, column.type))

    def _by_key_range(self, files: Sequence[PrunedFile]) -> list[Fact]:
        parts = self._parts_on(self._scan.schema.trimmed_primary_keys)
        metas = [each.file for each in files]
        found = self._first_excluding("key range", len(files), parts, lambda part: self._pruner(part).by_keys(metas))
        return self._or_all("key range", found)

    def _by_value_range(self, files: Sequence[PrunedFile]) -> list[Fact]:
        if self._scan.schema.core.data_evolution_enabled:
            return self._by_ranges_of_rows("value range", files)
        metas = [each.file for each in files]
        found = self._first_excluding(
            "value range", len(files), self._parts, lambda part: self._pruner(part).by_statistics(metas)
        )
        return self._or_all("value range", found)

    def _by_file_index(self, files: Sequence[PrunedFile]) -> list[Fact]:
        if self._scan.schema.core.data_evolution_enabled:
            return self._by_ranges_of_rows("file index", files)
        from workbench.datafile.file_indexes import FileIndexes

        store, schema = self._scan.store, self._scan.schema
        metas = [each.file for each in files]
        paths = [store.data_file_path(each.partition, each.bucket, each.file) for each in files]

        def kept_by(part: Expr) -> list[bool]:
            return FileIndexes(store, schema, part).may_match(paths, metas)

        decided = self._or_all("file index", self._first_excluding("file index", len(files), self._parts, kept_by))
        everywhere = FileIndexes(store, schema, conjunction(self._parts))

        def with_kinds(path: str, meta: DataFileMeta, fact: Fact) -> Fact:
            kinds = everywhere.kinds(path, meta, sorted(fact.columns))
            used = ", ".join(f"{kind} index of {column}" for column, kind in kinds)
            return replace(fact, detail=f"not in the file, by the {used}")

        return [with_kinds(path, meta, fact) for path, meta, fact in zip(paths, metas, decided, strict=True)]

    def _by_ranges_of_rows(self, rule: str, files: Sequence[PrunedFile]) -> list[Fact]:
        """Return for each file the part that excludes its range of rows: one file excludes all files of the range
        (format §26)."""
        from workbench.scan.data_evolution import sections_by_row_id

        by_bucket: defaultdict[tuple[bytes, int], list[PrunedFile]] = defaultdict(list)
        for each in files:
            by_bucket[each.partition, each.bucket].append(each)
        facts: dict[tuple[bytes, int, str], Fact] = {}
        for bucket, members in by_bucket.items():
            directory = self._scan.store.bucket_directory(*bucket)
            sections = sections_by_row_id([each.file for each in members], directory)
            for part in reversed(self._parts):
                left_out = split_generator(self._scan.store, self._pruner(part)).kept(bucket, sections).left_out
                facts |= {(*bucket, each.file.file_name): _fact_of(each.rule, part) for each in left_out}
        everything = _fact_of(rule, conjunction(self._parts))
        return [facts.get((each.partition, each.bucket, each.file.file_name), everything) for each in files]

    # --- the parts --------------------------------------------------------------------------------------------------

    def _pruner(self, part: Expr) -> FilePruner:
        return FilePruner(self._scan.store, self._scan.schema, part)

    @cached_property
    def _parts(self) -> list[Expr]:
        return [] if self._scan.where is None else list(split_conjunction(self._scan.where))

    @cached_property
    def _partition_parts(self) -> list[Expr]:
        return self._parts_on(self._scan.schema.partition_keys)

    def _parts_on(self, columns: Iterable[str]) -> list[Expr]:
        allowed = frozenset(columns)
        return [part for part in self._parts if referenced_columns(part) <= allowed]

    def _first_excluding(
        self, rule: str, count: int, parts: Iterable[Expr], kept_by: Callable[[Expr], Sequence[bool]]
    ) -> list[Fact | None]:
        """Return for each of ``count`` items the first part that excludes it, None if no single part does."""
        facts: list[Fact | None] = [None] * count
        for part in parts:
            if None not in facts:
                break
            fact = _fact_of(rule, part)
            facts = [known or (None if kept else fact) for known, kept in zip(facts, kept_by(part), strict=True)]
        return facts

    def _or_all(self, rule: str, facts: Iterable[Fact | None]) -> list[Fact]:
        together = _fact_of(rule, conjunction(self._parts))
        return [fact or together for fact in facts]


def _fact_of(rule: str, part: Expr) -> Fact:
    return Fact(rule, str(part), columns=referenced_columns(part))
