"""DELETE, UPDATE, MERGE, TRUNCATE and DROP PARTITION: each is bound to the table and handed on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import InvalidExpression
from workbench.base.progress import Progress
from workbench.expr.evaluate import may_fail
from workbench.expr.expressions import Expr, Literal
from workbench.expr.parse import as_expr
from workbench.expr.resolve import resolve, resolve_predicate
from workbench.expr.tree import referenced_columns
from workbench.format.snapshot import Operation, Snapshot
from workbench.table.committing.two_phase import STATEMENT_PROPERTY
from workbench.table.row_level.assignments import bind_assignments
from workbench.table.row_level.changes import Action, ByCondition, RowChange
from workbench.table.row_level.clauses import Clause
from workbench.table.row_level.merge import Merge, check_keys_stay
from workbench.table.row_level.result import RowChanges
from workbench.table.row_level.rules import check_takes
from workbench.table.row_level.whole_partitions import (
    delete_partitions,
    every_partition,
    named_partitions,
    partitions_where,
)
from workbench.table.store import TableStore
from workbench.table.writing.bucket_states import BucketStates

_MOST_NOTED = 200


@dataclass(frozen=True)
class Statements:
    """Statements on one version of a table. ``buckets``: what a writer needs to know of it, worked out when asked."""

    store: TableStore
    snapshot: Snapshot | None
    buckets: Callable[[], BucketStates]
    progress: Progress
    properties: Mapping[str, str]

    def delete(self, where: str | Expr) -> RowChanges:
        """See `RowLevelCalls.delete`."""
        condition = self._condition(where)
        noted = self._noted(f"DELETE WHERE {where}")
        if self._is_of_partitions(condition):
            goes = partitions_where(self.store, condition)
            return delete_partitions(self.store, self.snapshot, goes, self.progress, noted, force=False)
        change = ByCondition(self.store.schema, condition, Action(None))
        return self._change(change, Operation.DELETE, noted, updates=False)

    def update(self, assignments: Mapping[str, Any], where: str | Expr | None) -> RowChanges:
        """See `RowLevelCalls.update`."""
        schema = self.store.schema
        if not isinstance(assignments, Mapping) or not assignments:
            raise InvalidExpression(
                f"An update cannot assign {assignments!r}.", "Pass a dict of column and SQL text or value."
            )
        bound = bind_assignments(assignments, schema, lambda given: resolve(given, schema.fields))
        check_keys_stay(schema, bound)
        shown = ", ".join(f"{name} = {value}" for name, value in assignments.items())
        noted = self._noted(f"UPDATE SET {shown}" + (f" WHERE {where}" if where is not None else ""))
        condition = None if where is None else self._condition(where)
        return self._change(ByCondition(schema, condition, Action(bound)), Operation.UPDATE, noted, updates=True)

    def merge(self, source: Any, on: str | Expr | Sequence[str], clauses: Sequence[Clause]) -> RowChanges:
        """See `RowLevelCalls.merge`."""
        change = Merge(self.store.schema, source, on, clauses)
        return self._change(change, Operation.MERGE, self._noted(f"MERGE ON {on}"), updates=True)

    def truncate(self, partition: Mapping[str, Any] | None) -> RowChanges:
        """See `RowLevelCalls.truncate`."""
        goes = every_partition if partition is None else named_partitions(self.store, partition)
        shown = "" if partition is None else f" PARTITION {dict(partition)}"
        return self._drop(goes, f"TRUNCATE{shown}")

    def drop_partitions(self, partitions: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> RowChanges:
        """See `RowLevelCalls.drop_partitions`."""
        return self._drop(named_partitions(self.store, partitions), f"DROP PARTITION {partitions}")

    def _drop(self, goes: Callable[[bytes], bool], text: str) -> RowChanges:
        noted = self._noted(text)
        return delete_partitions(self.store, self.snapshot, goes, self.progress, noted, force=True)

    def _change(
        self, change: RowChange, operation: Operation, noted: Mapping[str, str], *, updates: bool
    ) -> RowChanges:
        check_takes(self.store.schema, change, operation, updates=updates)
        # Loaded here, for a table is of one kind.
        if self.store.schema.is_primary_key_table:
            from workbench.table.row_level import key_tables

            buckets = self.buckets()
            return key_tables.change_rows(self.store, self.snapshot, buckets, change, self.progress, noted, operation)
        from workbench.table.row_level import append_tables

        return append_tables.change_rows(self.store, self.snapshot, change, self.progress, noted, operation)

    def _condition(self, where: str | Expr) -> Expr:
        return resolve_predicate(as_expr(where), self.store.schema.fields)

    def _is_of_partitions(self, condition: Expr) -> bool:
        """Whether a condition chooses whole partitions (Java ``OptimizeMetadataOnlyDeleteFromPaimonTable``). What
        streams read of a deletion is told by rows only."""
        if isinstance(condition, Literal):
            return condition.value is True
        keys, core = self.store.schema.partition_keys, self.store.schema.core
        whole = bool(keys) and referenced_columns(condition) <= set(keys) and not may_fail(condition)
        return whole and not core.value("delete.force-produce-changelog")

    def _noted(self, text: str) -> dict[str, str]:
        return {STATEMENT_PROPERTY: text[:_MOST_NOTED], **self.properties}
