"""The statements DELETE, UPDATE, MERGE, TRUNCATE and DROP PARTITION, bound to a table."""

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
from workbench.format.spec.snapshot import Operation, Snapshot
from workbench.format.spec.snapshot_properties import STATEMENT_PROPERTY
from workbench.metadata.bucket_states import BucketStates
from workbench.metadata.expired_versions import on_newest_version
from workbench.metadata.store import TableStore
from workbench.table.dml.assignments import bind_assignments
from workbench.table.dml.changes import Action, ByCondition, RowChange
from workbench.table.dml.clauses import Clause
from workbench.table.dml.merge import Merge, check_keys_stay
from workbench.table.dml.result import RowChanges
from workbench.table.dml.rules import check_no_postponed_rows, check_supports, deletes_from_files
from workbench.table.dml.whole_partitions import (
    delete_partitions,
    every_partition,
    named_partitions,
    partitions_where,
)

_MAX_STATEMENT_LENGTH = 200


@dataclass(frozen=True)
class Statement:
    """A statement on one version of a table. ``buckets`` returns the bucket states that a writer needs."""

    store: TableStore
    snapshot: Snapshot | None
    buckets: Callable[[Snapshot | None], BucketStates]
    progress: Progress
    properties: Mapping[str, str]

    def delete(self, where: str | Expr) -> RowChanges:
        """Delete rows; see `Table.delete`."""
        condition = self._condition(where)
        noted = self._noted(f"DELETE WHERE {where}")
        if self._is_of_partitions(condition):
            is_dropped = partitions_where(self.store, condition)
            return self._delete_partitions(is_dropped, noted, force=False)
        change = ByCondition(self.store.schema, condition, Action(None))
        return self._change(change, Operation.DELETE, noted, updates=False)

    def update(self, assignments: Mapping[str, Any], where: str | Expr | None) -> RowChanges:
        """Update rows; see `Table.update`."""
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
        """Merge rows; see `Table.merge`."""
        change = Merge(self.store.schema, source, on, clauses)
        return self._change(change, Operation.MERGE, self._noted(f"MERGE ON {on}"), updates=True)

    def truncate(self, partition: Mapping[str, Any] | None) -> RowChanges:
        """Remove all rows; see `Table.truncate`."""
        is_dropped = every_partition if partition is None else named_partitions(self.store, partition)
        shown = "" if partition is None else f" PARTITION {dict(partition)}"
        return self._drop(is_dropped, f"TRUNCATE{shown}")

    def drop_partitions(self, partitions: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> RowChanges:
        """Remove partitions; see `Table.drop_partitions`."""
        return self._drop(named_partitions(self.store, partitions), f"DROP PARTITION {partitions}")

    def _drop(self, is_dropped: Callable[[bytes], bool], text: str) -> RowChanges:
        noted = self._noted(text)
        return self._delete_partitions(is_dropped, noted, force=True)

    def _delete_partitions(
        self, is_dropped: Callable[[bytes], bool], noted: Mapping[str, str], *, force: bool
    ) -> RowChanges:
        return on_newest_version(
            self.store,
            self.snapshot,
            lambda version: delete_partitions(self.store, version, is_dropped, self.progress, noted, force=force),
        )

    def _change(
        self, change: RowChange, operation: Operation, noted: Mapping[str, str], *, updates: bool
    ) -> RowChanges:
        check_supports(self.store.schema, change, operation, updates=updates)

        def change_on(version: Snapshot | None) -> RowChanges:
            change.begin()
            # Imported here because a table needs only one of the modules.
            if operation is Operation.DELETE and deletes_from_files(self.store.schema):
                from workbench.table.dml import key_files

                return key_files.delete_rows(self.store, version, change, self.progress, noted)
            if self.store.schema.is_primary_key_table:
                from workbench.table.dml import key_tables

                check_no_postponed_rows(self.store, version, operation)
                buckets = self.buckets(version)
                return key_tables.change_rows(self.store, version, buckets, change, self.progress, noted, operation)
            from workbench.table.dml import append_tables

            return append_tables.change_rows(self.store, version, change, self.progress, noted, operation)

        return on_newest_version(self.store, self.snapshot, change_on)

    def _condition(self, where: str | Expr) -> Expr:
        return resolve_predicate(as_expr(where), self.store.schema.fields)

    def _is_of_partitions(self, condition: Expr) -> bool:
        """Return whether a condition selects whole partitions (Java ``OptimizeMetadataOnlyDeleteFromPaimonTable``)."""
        # Streaming readers receive deletions only as rows: see 'delete.force-produce-changelog' below.
        if isinstance(condition, Literal):
            return condition.value is True
        keys, core = self.store.schema.partition_keys, self.store.schema.core
        whole = bool(keys) and referenced_columns(condition) <= set(keys) and not may_fail(condition)
        return whole and not core.value("delete.force-produce-changelog")

    def _noted(self, text: str) -> dict[str, str]:
        return {STATEMENT_PROPERTY: text[:_MAX_STATEMENT_LENGTH], **self.properties}
