"""What users call to change rows that are there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.base.progress import Progress

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr
    from workbench.table.row_level.clauses import Clause
    from workbench.table.row_level.result import RowChanges
    from workbench.table.row_level.statements import Statements


class RowLevelCalls(ABC):
    """The calls that change rows. A table says what they work on.

    Every call is one commit, and none where nothing matches. It fails with `WorkbenchError` for a table from `at` and
    for system tables, which can only be read. ``properties`` are noted in the snapshot.
    """

    @abstractmethod
    def _statements(self, progress: Progress | None, properties: Mapping[str, str] | None) -> Statements: ...

    def delete(
        self,
        where: str | Expr,
        *,
        progress: Progress | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> RowChanges:
        """Delete the rows that satisfy ``where``; those for which it is NULL stay.

        Whole partitions go by metadata alone where the condition looks at nothing else, and files of append tables
        where statistics say that every row of them matches. Other files of append tables are written again, or, with
        option ``deletion-vectors.enabled``, keep their rows and get a vector that hides them. Primary-key tables get
        rows of kind -D.

        Raises:
            InvalidExpression: ``where`` cannot be understood.
            Unsupported: the merge engine of the table does not take deletes; the message names the option.
            CommitConflict: another writer changed the same files first; nothing was deleted.
        """
        return self._statements(progress, properties).delete(where)

    def update(
        self,
        assignments: Mapping[str, Any],
        where: str | Expr | None = None,
        *,
        progress: Progress | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> RowChanges:
        """Give columns new values in the rows that satisfy ``where``, all without it.

        ``assignments``: by column, SQL over the row as it was (``{"qty": "qty + 1", "note": "'late'"}``), ``wb.col``
        expressions, or other values as they are. The key of a primary-key table stays as it is, and so does its
        partition.

        Raises:
            InvalidExpression: SQL that cannot be understood, or a value that cannot be computed.
            SchemaMismatch: a column that is not there, or a value that may not be stored in it.
            Unsupported: the merge engine of the table does not take updates.
            CommitConflict: another writer changed the same files first; nothing was updated.
        """
        return self._statements(progress, properties).update(assignments, where)

    def merge(
        self,
        source: Any,
        on: str | Expr | Sequence[str],
        clauses: Sequence[Clause],
        *,
        progress: Progress | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> RowChanges:
        """Compare the table with rows of a source, and update, delete and insert as the clauses say. The first clause
        of its kind whose condition holds counts for a row.

        ``source``: what `Table.write` takes, or another table; it is held in memory. ``on``: names of columns in which
        the two are equal, or SQL over ``t``, the table, and ``s``, the source: ``"t.id = s.id AND t.day = s.day"``.
        ``clauses``: ``wb.WhenMatched``, ``wb.WhenNotMatched`` and ``wb.WhenNotMatchedBySource``.

        Raises:
            InvalidExpression: SQL that cannot be understood.
            SchemaMismatch: a column that is not there, or a value that may not be stored in it.
            MergeError: several rows of the source match one row of the table, and could change it.
            Unsupported: the merge engine of the table does not take what the clauses do.
            CommitConflict: another writer changed the same files first; nothing was changed.
        """
        return self._statements(progress, properties).merge(source, on, clauses)

    def truncate(
        self,
        partition: Mapping[str, Any] | None = None,
        *,
        progress: Progress | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> RowChanges:
        """Remove all rows, or those of the partitions with the values of ``partition``. Only metadata is written.

        Raises:
            SchemaMismatch: ``partition`` names a column that is none of the partition, or a value that does not fit.
        """
        return self._statements(progress, properties).truncate(partition)

    def drop_partitions(
        self,
        partitions: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        progress: Progress | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> RowChanges:
        """Remove partitions, ``{"day": "2026-11-01"}`` or a list of such; columns left out may have any value. Only
        metadata is written.

        Raises:
            SchemaMismatch: a column that is none of the partition, a value that does not fit, or no partition at all.
        """
        return self._statements(progress, properties).drop_partitions(partitions)
