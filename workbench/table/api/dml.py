"""The methods of `Table` that change existing rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.base.arguments import checked
from workbench.base.progress import Progress
from workbench.table.writable_table import WritableTable

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr
    from workbench.table.dml.clauses import Clause
    from workbench.table.dml.result import RowChanges
    from workbench.table.dml.statements import Statement


@checked
def delete(
    self: WritableTable,
    where: str | Expr,
    *,
    progress: Progress | None = None,
    properties: Mapping[str, str] | None = None,
) -> RowChanges:
    """Delete the rows that satisfy ``where``; rows for which the condition is NULL are kept.

    Conditions on partition columns alone drop whole partitions from the metadata, and files of append tables whose
    statistics prove that every row matches are dropped unread. Other files of append tables are rewritten or, with
    option ``deletion-vectors.enabled``, get a deletion vector. Primary-key tables get rows of kind -D; if the merge
    engine does not apply these as deletes, the rows of the deleted keys are removed from the files of their buckets.

    Args:
        where: A condition as SQL or as a ``wb.col`` expression.
        progress: Where progress is reported.
        properties: Properties to store in the snapshot.

    Returns:
        The commit and the number of deleted rows.

    Raises:
        InvalidExpression: ``where`` is not valid.
        Unsupported: The table does not support deletes; the message names the option.
        CommitConflict: Another writer changed the same files first; nothing was deleted.

    Example:
        >>> orders.delete("qty = 0")
    """
    return _statement(self, progress, properties).delete(where)


@checked(assignments="Mapping[str, Any] | Sequence[object]")
def update(
    self: WritableTable,
    assignments: Mapping[str, Any],
    where: str | Expr | None = None,
    *,
    progress: Progress | None = None,
    properties: Mapping[str, str] | None = None,
) -> RowChanges:
    """Set columns to new values in the rows that satisfy ``where``, by default in all rows.

    The key and the partition of a row in a primary-key table cannot be changed.

    Args:
        assignments: New values by column: SQL over the old row (``{"qty": "qty + 1", "note": "'late'"}``), ``wb.col``
            expressions, or plain values.
        where: A condition as SQL or as a ``wb.col`` expression.
        progress: Where progress is reported.
        properties: Properties to store in the snapshot.

    Returns:
        The commit and the number of updated rows.

    Raises:
        InvalidExpression: SQL is not valid, or a value cannot be computed.
        SchemaMismatch: A column does not exist, or a value does not fit its column.
        Unsupported: The merge engine of the table does not support updates.
        CommitConflict: Another writer changed the same files first; nothing was updated.

    Example:
        >>> orders.update({"qty": "qty + 1"}, where="id = 7")
    """
    return _statement(self, progress, properties).update(assignments, where)


@checked(on="object", clauses="object")
def merge(
    self: WritableTable,
    source: Any,
    on: str | Expr | Sequence[str],
    clauses: Sequence[Clause],
    *,
    progress: Progress | None = None,
    properties: Mapping[str, str] | None = None,
) -> RowChanges:
    """Merge rows of a source into the table: update, delete and insert rows as the clauses define.

    For each row, the first clause of the matching type whose condition holds is applied.

    Args:
        source: Anything that `Table.write` accepts, or another table; it is held in memory.
        on: Names of columns that must be equal, or SQL over ``t`` (the table) and ``s`` (the source), for example
            ``"t.id = s.id AND t.day = s.day"``.
        clauses: ``wb.WhenMatched``, ``wb.WhenNotMatched`` and ``wb.WhenNotMatchedBySource``.
        progress: Where progress is reported.
        properties: Properties to store in the snapshot.

    Returns:
        The commit and the numbers of changed rows.

    Raises:
        InvalidExpression: SQL is not valid.
        SchemaMismatch: A column does not exist, or a value does not fit its column.
        MergeError: Several source rows match one row of the table and could change it.
        Unsupported: The merge engine of the table does not support what the clauses do.
        CommitConflict: Another writer changed the same files first; nothing was changed.

    Example:
        >>> orders.merge(updates, on=["id"], clauses=[wb.WhenMatched("*"), wb.WhenNotMatched()])
    """
    return _statement(self, progress, properties).merge(source, on, clauses)


@checked
def truncate(
    self: WritableTable,
    partition: Mapping[str, Any] | None = None,
    *,
    progress: Progress | None = None,
    properties: Mapping[str, str] | None = None,
) -> RowChanges:
    """Remove all rows, or the rows of matching partitions. Only metadata is written.

    Args:
        partition: The partition columns and values to truncate; the whole table by default.
        progress: Where progress is reported.
        properties: Properties to store in the snapshot.

    Returns:
        The commit and the number of deleted rows.

    Raises:
        SchemaMismatch: ``partition`` names a column that is not a partition column, or a value does not fit.

    Example:
        >>> orders.truncate({"day": "2026-11-01"})
    """
    return _statement(self, progress, properties).truncate(partition)


@checked(partitions="Mapping[str, Any] | Sequence[Mapping[str, Any]] | str")
def drop_partitions(
    self: WritableTable,
    partitions: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    progress: Progress | None = None,
    properties: Mapping[str, str] | None = None,
) -> RowChanges:
    """Remove partitions. Only metadata is written.

    Args:
        partitions: Values by partition column, or a list of such mappings; omitted columns match any value.
        progress: Where progress is reported.
        properties: Properties to store in the snapshot.

    Returns:
        The commit and the number of deleted rows.

    Raises:
        SchemaMismatch: A column is not a partition column, a value does not fit, or no partition is given.

    Example:
        >>> orders.drop_partitions([{"day": "2026-11-01"}, {"day": "2026-11-02"}])
    """
    return _statement(self, progress, properties).drop_partitions(partitions)


def _statement(self: WritableTable, progress: Progress | None, properties: Mapping[str, str] | None) -> Statement:
    from workbench.metadata.bucket_states import buckets_to_write
    from workbench.table.dml.statements import Statement

    store, latest = self._changeable(adds=True), self._latest()
    return Statement(
        store,
        latest,
        lambda version: buckets_to_write(store, version, overwrite=False),
        progress or Progress(),
        dict(properties or {}),
    )
