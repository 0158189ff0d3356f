"""The effect of a statement on rows, computed on whole columns, for tables with and without a key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array
from workbench.expr.evaluate import filter_mask
from workbench.expr.expressions import Expr, Literal
from workbench.expr.kinds import BOOLEAN
from workbench.expr.tree import referenced_columns
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.metadata.file_stats import FileStats
from workbench.metadata.store import TableStore
from workbench.table.dml.assignments import Assignments, assigned
from workbench.write.changes.decision import KEEP, Decision

EVERY_ROW = Literal(True, BOOLEAN)


@dataclass(frozen=True)
class Action:
    """The change of a row: new values for some columns, or None to delete it."""

    assignments: Assignments | None

    @property
    def deletes(self) -> bool:
        """Whether the row is deleted."""
        return self.assignments is None


class RowChange(ABC):
    """A statement, bound to the columns of a table; safe to use from several threads."""

    schema: TableSchema
    actions: Sequence[Action] = ()
    where: Expr | None = None
    """The condition that rows must satisfy in order to change; None if any row can change."""
    reads: frozenset[str] = frozenset()
    """The columns that `decide` uses."""
    rows_at_once = 1
    """The minimum number of rows that should be passed to `decide` at once."""

    def begin(self) -> None:  # noqa: B027
        """Forget the rows of any previous version, before `decide` is called for the rows of a version."""

    @abstractmethod
    def decide(self, rows: pa.Table) -> Decision:
        """Return the decision for rows, which have the columns of `reads`."""

    @abstractmethod
    def seen(self, rows: pa.Table, decision: Decision) -> pa.Table:
        """Return the rows with the column names that the assignments use."""

    def inserted(self) -> Iterator[pa.Table]:
        """Yield new rows for the table; called after `decide` has seen all existing rows."""
        return iter(())

    def deletes_whole_files(self, store: TableStore, files: Sequence[DataFileMeta]) -> list[bool]:  # noqa: ARG002
        """Return which files are deleted completely according to their metadata."""
        return [False] * len(files)

    def deleted(self, decision: Decision) -> BoolArray:
        """Return bool[rows]: the rows that are deleted."""
        numbers = [number for number, action in enumerate(self.actions) if action.deletes]
        mask: BoolArray = np.isin(decision.action, numbers)
        return mask

    def updated(self, rows: pa.Table, decision: Decision) -> tuple[Int64Array, pa.Table]:
        """Return the ascending positions of the updated rows, and their new values."""
        positions, tables = [], []
        for number, action in enumerate(self.actions):
            position = np.flatnonzero(decision.action == number)
            if action.assignments is None or not len(position):
                continue
            taken = rows.take(pa.array(position))
            tables.append(assigned(taken, self.seen(taken, decision.of(position)), action.assignments, self.schema))
            positions.append(position)
        if not tables:
            return np.zeros(0, np.int64), rows.slice(0, 0)
        if len(tables) == 1:
            return positions[0], tables[0]
        joined = np.concatenate(positions)
        order = np.argsort(joined)
        return joined[order], pa.concat_tables(tables).take(pa.array(order))

    @property
    def assigned_columns(self) -> frozenset[str]:
        """The columns that any action assigns."""
        return frozenset(name for action in self.actions for name in action.assignments or ())


class ByCondition(RowChange):
    """One action for all rows that satisfy a condition: DELETE and UPDATE."""

    def __init__(self, schema: TableSchema, where: Expr | None, action: Action) -> None:
        self.schema = schema
        self.where = where
        self.actions = (action,)
        self.reads = frozenset() if where is None else referenced_columns(where)

    def decide(self, rows: pa.Table) -> Decision:
        """Return the decision; rows for which the condition is false or NULL are kept."""
        if self.where is None:
            return Decision(np.zeros(rows.num_rows, np.int16))
        mask = np.asarray(filter_mask(self.where, rows))
        return Decision(np.where(mask, 0, KEEP).astype(np.int16))

    def seen(self, rows: pa.Table, decision: Decision) -> pa.Table:  # noqa: ARG002
        """Return the rows unchanged."""
        return rows

    def deletes_whole_files(self, store: TableStore, files: Sequence[DataFileMeta]) -> list[bool]:
        """Return which files, as their statistics prove, contain only rows that satisfy the condition of a DELETE."""
        if not self.actions[0].deletes:
            return [False] * len(files)
        if self.where is None:
            return [True] * len(files)
        from workbench.expr.pruning import must_match

        stats = FileStats(store, self.schema, referenced_columns(self.where))
        return [bool(each) for each in must_match(self.where, stats.of_values(files))]
