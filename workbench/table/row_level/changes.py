"""What becomes of rows: decided column by column, for tables with and without a key alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.expr.evaluate import filter_mask
from workbench.expr.expressions import Expr, Literal
from workbench.expr.kinds import BOOLEAN
from workbench.expr.tree import referenced_columns
from workbench.format.data_file import DataFileMeta
from workbench.format.schema import TableSchema
from workbench.table.file_stats import FileStats
from workbench.table.row_level.assignments import Assignments, assigned
from workbench.table.store import TableStore

KEEP = -1
EVERY_ROW = Literal(True, BOOLEAN)

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Action:
    """What is done with a row: new values for some columns; None deletes it."""

    assignments: Assignments | None

    @property
    def deletes(self) -> bool:
        """Whether the row goes."""
        return self.assignments is None


@dataclass(frozen=True)
class Decision:
    """What becomes of some rows. ``action`` (int16[rows]): the number of the action that each takes, `KEEP` for none;
    ``source`` (int64[rows]): the row of the source beside it, -1 for none. Without a source it is None."""

    action: npt.NDArray[np.int16]
    source: Places | None = None

    @property
    def changes_nothing(self) -> bool:
        """Whether every row stays as it is."""
        return bool((self.action == KEEP).all())

    def of(self, rows: slice | Places) -> Decision:
        """The decision on some of the rows."""
        return Decision(self.action[rows], None if self.source is None else self.source[rows])


class RowChange(ABC):
    """A statement, bound to the columns of a table. Several threads may ask it at once."""

    schema: TableSchema
    actions: Sequence[Action] = ()
    where: Expr | None = None
    """Rows that do not satisfy it stay as they are; None says nothing."""
    reads: frozenset[str] = frozenset()
    """The columns that `decide` looks at."""
    rows_at_once = 1
    """How many rows, at least, `decide` should be asked about together."""

    @abstractmethod
    def decide(self, rows: pa.Table) -> Decision:
        """What becomes of rows, which have the columns of `reads`."""

    @abstractmethod
    def seen(self, rows: pa.Table, decision: Decision) -> pa.Table:
        """What the assignments look at: the rows, under the names that they use."""

    def inserted(self) -> Iterator[pa.Table]:
        """Rows of the table that come new, to be asked for once it was decided on all rows that are there."""
        return iter(())

    def takes_whole_files(self, store: TableStore, files: Sequence[DataFileMeta]) -> list[bool]:  # noqa: ARG002
        """Of which files the metadata says that every row is deleted."""
        return [False] * len(files)

    def deleted(self, decision: Decision) -> npt.NDArray[np.bool_]:
        """bool[rows]: which rows go for good."""
        numbers = [number for number, action in enumerate(self.actions) if action.deletes]
        found: npt.NDArray[np.bool_] = np.isin(decision.action, numbers)
        return found

    def updated(self, rows: pa.Table, decision: Decision) -> tuple[Places, pa.Table]:
        """The rows that get new values: their places, ascending, and what becomes of them."""
        places, tables = [], []
        for number, action in enumerate(self.actions):
            place = np.flatnonzero(decision.action == number)
            if action.assignments is None or not len(place):
                continue
            taken = rows.take(pa.array(place))
            tables.append(assigned(taken, self.seen(taken, decision.of(place)), action.assignments, self.schema))
            places.append(place)
        if not tables:
            return np.zeros(0, np.int64), rows.slice(0, 0)
        if len(tables) == 1:
            return places[0], tables[0]
        joined = np.concatenate(places)
        order = np.argsort(joined)
        return joined[order], pa.concat_tables(tables).take(pa.array(order))

    @property
    def assigned_columns(self) -> frozenset[str]:
        """The columns that some action assigns."""
        return frozenset(name for action in self.actions for name in action.assignments or ())


class ByCondition(RowChange):
    """One action for all rows that satisfy a condition: DELETE and UPDATE."""

    def __init__(self, schema: TableSchema, where: Expr | None, action: Action) -> None:
        self.schema = schema
        self.where = where
        self.actions = (action,)
        self.reads = frozenset() if where is None else referenced_columns(where)

    def decide(self, rows: pa.Table) -> Decision:
        """Rows for which the condition is false or NULL stay."""
        if self.where is None:
            return Decision(np.zeros(rows.num_rows, np.int16))
        mask = np.asarray(filter_mask(self.where, rows))
        return Decision(np.where(mask, 0, KEEP).astype(np.int16))

    def seen(self, rows: pa.Table, decision: Decision) -> pa.Table:  # noqa: ARG002
        """The rows as they are."""
        return rows

    def takes_whole_files(self, store: TableStore, files: Sequence[DataFileMeta]) -> list[bool]:
        """Files of which statistics say that every row satisfies the condition of a DELETE."""
        if not self.actions[0].deletes:
            return [False] * len(files)
        if self.where is None:
            return [True] * len(files)
        from workbench.expr.pruning import must_match

        stats = FileStats(store, self.schema, referenced_columns(self.where))
        return [bool(each) for each in must_match(self.where, stats.of_values(files))]
