"""What suggestions are computed from: the plan of a read, what it excluded and keeps, and statistics of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.base.arrays import Int64Array
from workbench.base.lazy import cached_property
from workbench.expr.expressions import Expr, conjunction
from workbench.expr.key_values import equality_values
from workbench.expr.pruning import ColumnStats, ColumnStatsBatch
from workbench.expr.tree import referenced_columns, split_conjunction
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.lens.explain.analyzed import distinct_counts
from workbench.lens.explain.funnel import Amount, amount_of
from workbench.metadata.file_stats import FileStats
from workbench.scan.explained.facts import ExcludedFile
from workbench.scan.explained.readings import Readings
from workbench.scan.scan import Scan
from workbench.scan.split import Section, Split, is_merged, is_raw

LEAST_SHARE = 0.1
_BY_VALUES = frozenset({"value range", "file index"})


@dataclass(frozen=True)
class ReadContext:
    """A read that may become cheaper. ``returned`` is the number of rows that a run returned, None without a run."""

    scan: Scan
    excluded: Sequence[ExcludedFile]
    held: Sequence[DataFileMeta]
    readings: Readings
    returned: int | None

    @property
    def schema(self) -> TableSchema:
        """The schema that the table is read with."""
        return self.scan.schema

    @cached_property
    def sections(self) -> list[tuple[Split, Section]]:
        """The sections that are read."""
        return [(split, section) for split in self.scan.plan() for section in split.sections]

    @cached_property
    def kept(self) -> list[tuple[bytes, DataFileMeta]]:
        """The files that are read, each with its partition."""
        return [(split.partition, file) for split in self.scan.plan() for file in split.files]

    @cached_property
    def amount(self) -> Amount:
        """The amount of the files that are read."""
        return amount_of(file for _, file in self.kept)

    @cached_property
    def raw(self) -> list[tuple[Split, DataFileMeta]]:
        """The files that are read without a merge, each with its split."""
        return [(split, file) for split, section in self.sections if is_raw(section) for run in section for file in run]

    @cached_property
    def merging(self) -> list[Section]:
        """The sections that are merged."""
        return [section for _, section in self.sections if is_merged(self.schema, section)]

    @cached_property
    def before_values(self) -> list[tuple[bytes, DataFileMeta]]:
        """The files that are left after pruning by partition and bucket, before any file is excluded by its values."""
        excluded = [(each.pruned.partition, each.file) for each in self.excluded if each.fact.rule in _BY_VALUES]
        return [*self.kept, *excluded]

    @cached_property
    def parts(self) -> list[Expr]:
        """The parts of the condition."""
        return [] if self.scan.where is None else list(split_conjunction(self.scan.where))

    @cached_property
    def filtered(self) -> dict[str, Expr]:
        """The condition on each column that is not a partition key, from the parts that read no other column."""
        by_column: dict[str, list[Expr]] = {}
        for part in self.parts:
            columns = referenced_columns(part)
            if len(columns) == 1:
                by_column.setdefault(next(iter(columns)), []).append(part)
        keys = self.schema.partition_keys
        return {name: conjunction(parts) for name, parts in by_column.items() if name not in keys}

    @cached_property
    def equalities(self) -> dict[str, int]:
        """The number of values that the condition allows, for each column that it restricts to a set of values."""
        found = {name: equality_values(part, (name,)) for name, part in self.filtered.items()}
        return {name: len(values) for name, values in found.items() if values}

    @cached_property
    def distinct(self) -> dict[str, int]:
        """The numbers of distinct values that ANALYZE found."""
        return distinct_counts(self.scan.store, self.scan.snapshot)

    def stats_of(self, name: str, files: Sequence[DataFileMeta]) -> ColumnStats | None:
        """Return the statistics of a column in some files."""
        batch: ColumnStatsBatch = FileStats(self.scan.store, self.schema, [name]).of_values(files)
        return batch.columns.get(name)

    def is_worth(self, size: int) -> bool:
        """Return whether saving this many bytes of the read is worth a suggestion."""
        return size > 0 and size >= LEAST_SHARE * self.amount.size


def rows_of(files: Iterable[DataFileMeta]) -> Int64Array:
    """Return the rows of each file."""
    return np.array([file.row_count for file in files], np.int64)
