"""Merge engine `aggregation`: every column is aggregated over the rows of a key by its function (format §17)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.base.arrays import Int64Array
from workbench.format.spec.schema import TableSchema
from workbench.lsm.aggregates.accumulator import Accumulator
from workbench.lsm.aggregates.functions import Aggregate, aggregate_of
from workbench.lsm.fold import Folded, array_of, kinds_at
from workbench.lsm.keys import KeyGroups
from workbench.lsm.merge_function import Kinds, Merged, RowKind, RowSource, is_retract
from workbench.lsm.steps import Steps


@dataclass(frozen=True)
class AggregationMergeFunction:
    """Java's `AggregateMergeFunction`. ``removes_deleted``: a -D removes the row; otherwise it is retracted.

    ``merged_below``: rows of level 1 and higher contain the merged state of all levels below them
    (`LookupMergeFunction`); ``folds_lone``: a key with a single row is merged too.
    """

    aggregates: tuple[Aggregate, ...]
    removes_deleted: bool = False
    merged_below: bool = False
    folds_lone: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        """The aggregated columns."""
        return tuple(each.name for each in self.aggregates)

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:
        """Fold the rows of each key into the aggregates of its columns."""
        folded = self.fold(groups, kinds, source)
        if folded is None:
            newest = groups.newest()
            return Merged(newest, None if kinds is None else kinds[newest])
        return folded.merged(groups, kinds)

    def map_aggregates(self, change: Callable[[Aggregate], Aggregate]) -> AggregationMergeFunction:
        """Return the same function with ``change`` applied to its aggregates."""
        return replace(self, aggregates=tuple(map(change, self.aggregates)))

    def fold(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Folded | None:
        """Return the states of the folded keys, None if no key is folded."""
        levels = source.levels() if self.merged_below else None
        steps = Steps.of(groups, levels, folds_lone=self.folds_lone, with_rests=True)
        count = len(steps.keys)
        if not count:
            return None
        columns = [each.start(array_of(source, each.name), count) for each in self.aggregates]
        deleted = np.zeros(count, bool)
        for rows in steps.rows:
            step_kinds = kinds_at(kinds, rows)
            if step_kinds is None:
                deleted[: len(rows)] = False
                for column in columns:
                    column.agg(rows, None)
                continue
            removed = (step_kinds == RowKind.DELETE) & self.removes_deleted
            retracted = is_retract(step_kinds) & ~removed
            deleted[: len(rows)] = removed
            for column in columns:
                column.assign(rows, removed)
                column.retract(rows, retracted)
                column.agg(rows, ~removed & ~retracted)
        for key, rows in enumerate(steps.rests):
            deleted[key] = self._take_rest(key, rows, kinds_at(kinds, rows), columns)
        return Folded(steps, columns, deleted, steps.newest)

    def _take_rest(self, key: int, rows: Int64Array, kinds: Kinds | None, columns: Sequence[Accumulator]) -> bool:
        """Process the remaining rows of a key, and return whether its last row removed it."""
        retracts = np.zeros(len(rows), bool) if kinds is None else is_retract(kinds)
        removals = (
            np.flatnonzero(kinds == RowKind.DELETE).tolist() if self.removes_deleted and kinds is not None else []
        )
        start = 0
        for end in [*removals, len(rows)]:
            for column in columns:
                column.fold_many(key, rows[start:end], retracts[start:end])
                if end < len(rows):
                    column.assign(np.full(key + 1, rows[end]), np.arange(key + 1) == key)
            start = end + 1
        return len(rows) - 1 in removals


def aggregation_of(schema: TableSchema, columns: Sequence[str]) -> AggregationMergeFunction:
    """Return the merge function of a table with this engine, for some of its columns.

    Raises:
        Unsupported: A column is aggregated by an unsupported function.
        InvalidSchema: A function does not fit its column.
    """
    core = schema.core
    aggregates = [
        aggregate_of(schema.field(name), _function(schema, name), core)
        for name in columns
        if name in schema.field_names and name not in schema.primary_keys
    ]
    return AggregationMergeFunction(
        tuple(aggregates), core.aggregation_remove_record_on_delete, core.merges_with_lookup
    )


def _function(schema: TableSchema, name: str) -> str:
    core = schema.core
    if name in core.sequence_field:
        return "last_value"
    return core.aggregate_function(name) or "last_non_null_value"
