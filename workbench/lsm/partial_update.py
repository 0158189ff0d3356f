"""Merge engine `partial-update`: non-null values replace older ones, column by column (format §17)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from workbench.base.arrays import BoolArray, Int64Array
from workbench.base.errors import MergeError
from workbench.lsm.aggregates.accumulator import NO_ROW, Result, Shared
from workbench.lsm.aggregates.functions import Aggregate
from workbench.lsm.fold import Folded, array_of, has_retracts, kinds_at
from workbench.lsm.keys import KeyGroups
from workbench.lsm.merge_function import Kinds, Merged, RowKind, RowSource, is_retract
from workbench.lsm.sequence_fields import order_ranks
from workbench.lsm.steps import Steps


@dataclass(frozen=True)
class SequenceGroup:
    """Columns that are updated together, by rows that are not older than the current state according to the
    ``sequence`` columns.

    ``aggregates`` are the protected columns with a function, ``replaced`` the protected columns without one.
    ``removes_deleted``: a -D that is new enough removes the whole row.
    """

    sequence: tuple[str, ...]
    replaced: tuple[str, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    removes_deleted: bool = False


@dataclass(frozen=True)
class PartialUpdateMergeFunction:
    """Java's `PartialUpdateMergeFunction` for some columns: ``aggregates`` are the columns outside of ``groups``.

    ``has_groups``: the table has sequence groups, even if they are not read, so it accepts deletes. ``merged_below``:
    rows of level 1 and higher contain the merged state of all levels below them (`LookupMergeFunction`);
    ``folds_lone``: a key with a single row is merged too.
    """

    aggregates: tuple[Aggregate, ...]
    groups: tuple[SequenceGroup, ...] = ()
    has_groups: bool = False
    ignores_deletes: bool = False
    removes_deleted: bool = False
    merged_below: bool = False
    folds_lone: bool = False

    @property
    def reads(self) -> tuple[str, ...]:
        """The merged columns, and those that determine which rows of a group are newer."""
        names = [each.name for each in self.aggregates]
        for group in self.groups:
            names += [*group.sequence, *group.replaced, *(each.name for each in group.aggregates)]
        return tuple(names)

    def merge(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Merged:
        """Fold the rows of each key into one."""
        folded = self.fold(groups, kinds, source)
        if folded is None:
            newest = groups.newest()
            return Merged(newest, None if kinds is None else kinds[newest])
        return folded.merged(groups, kinds)

    def map_aggregates(self, change: Callable[[Aggregate], Aggregate]) -> PartialUpdateMergeFunction:
        """Return the same function with ``change`` applied to its aggregates, including those in groups."""
        groups = tuple(replace(each, aggregates=tuple(map(change, each.aggregates))) for each in self.groups)
        return replace(self, aggregates=tuple(map(change, self.aggregates)), groups=groups)

    def fold(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Folded | None:
        """Return the states of the folded keys, None if no key is folded."""
        levels = source.levels() if self.merged_below else None
        with_rests = not self.groups and not has_retracts(kinds)
        steps = Steps.of(groups, levels, folds_lone=self.folds_lone, with_rests=with_rests)
        if not len(steps.keys):
            return None
        fold = _Fold(self, steps, source)
        for number, rows in enumerate(steps.rows):
            fold.step(rows, kinds_at(kinds, rows), is_first=number == 0)
        for key, rows in enumerate(steps.rests):
            fold.rest(key, rows)
        return Folded(steps, fold.results, fold.deleted | ~fold.inserted, fold.newest)


class _Fold:
    """The states of one slice. ``deleted``: the key was removed by the last of its rows; ``inserted``: some row was not
    a retract; ``newest``: the last row that was not ignored."""

    def __init__(self, function: PartialUpdateMergeFunction, steps: Steps, source: RowSource) -> None:
        keys = len(steps.keys)
        self._function = function
        self.newest: Int64Array = steps.rows[0].copy()
        self.deleted: BoolArray = np.zeros(keys, bool)
        self.inserted: BoolArray = np.zeros(keys, bool)
        self._free = [each.start(array_of(source, each.name), keys) for each in function.aggregates]
        self._groups = [_GroupFold(group, keys, source) for group in function.groups]

    @property
    def results(self) -> list[Result]:
        """Return all columns."""
        return [*self._free, *(each for group in self._groups for each in group.results)]

    def step(self, rows: Int64Array, kinds: Kinds | None, *, is_first: bool) -> None:
        """Process the next row of each of the first keys. ``kinds`` is None if none of them is a retract."""
        self.deleted[: len(rows)] = False
        added = None
        if kinds is not None:
            retracts = is_retract(kinds)
            added = ~retracts
            if is_first:
                # A retract without an earlier row defines the state as far as possible.
                self._assign(rows, retracts)
            self._retract(rows, kinds, retracts)
        for column in self._free:
            column.agg(rows, added)
        for group in self._groups:
            group.add(rows, added)
        self.inserted[: len(rows)] |= True if added is None else added
        ignores = added is not None and self._function.ignores_deletes
        np.copyto(self.newest[: len(rows)], rows, where=added if ignores else True)

    def rest(self, key: int, rows: Int64Array) -> None:
        """Process the remaining rows of a key after its steps; they contain no retract, and no group is affected."""
        for column in self._free:
            column.agg_many(key, rows)
        self.newest[key] = rows[-1]

    def _retract(self, rows: Int64Array, kinds: Kinds, retracts: BoolArray) -> None:
        function = self._function
        if function.ignores_deletes:
            return
        if function.has_groups:
            removed = np.zeros(len(rows), bool)
            for group in self._groups:
                removed |= group.removed(rows, kinds)
            self._assign(rows, removed)
            self.deleted[: len(rows)] = removed
            for group in self._groups:
                group.retract(rows, retracts & ~removed)
        elif function.removes_deleted:
            removed = kinds == RowKind.DELETE
            self._assign(rows, removed)
            self.deleted[: len(rows)] = removed
        else:
            raise MergeError(
                "A table with merge engine 'partial-update' holds deleted rows, which it does not accept.",
                "Set 'ignore-delete' = 'true', 'partial-update.remove-record-on-delete' = 'true', or "
                "define sequence groups.",
            )

    def _assign(self, rows: Int64Array, where: BoolArray) -> None:
        for column in self._free:
            column.assign(rows, where)
        for group in self._groups:
            group.assign(rows, where)


class _GroupFold:
    """The states of one sequence group. ``_newest`` are the rows with the newest sequence so far, ``_values`` the rows
    that provide the values of columns without a function."""

    def __init__(self, group: SequenceGroup, keys: int, source: RowSource) -> None:
        sequence = {name: array_of(source, name) for name in group.sequence}
        replaced = {name: array_of(source, name) for name in group.replaced}
        self._removes_deleted = group.removes_deleted
        self._ranks = order_ranks(list(sequence.values()))
        self._given: BoolArray = np.any([np.asarray(column.is_valid()) for column in sequence.values()], axis=0)
        self._newest = np.full(keys, NO_ROW, np.int64)
        self._values = np.full(keys, NO_ROW, np.int64)
        self._picks: list[Result] = [Shared(name, column, self._newest) for name, column in sequence.items()]
        self._picks += [Shared(name, column, self._values) for name, column in replaced.items()]
        self._aggregates = [each.start(array_of(source, each.name), keys) for each in group.aggregates]

    @property
    def results(self) -> list[Result]:
        """Return all columns of the group."""
        return [*self._picks, *self._aggregates]

    def assign(self, rows: Int64Array, where: BoolArray) -> None:
        """Set the state of all columns to these rows."""
        for state in (self._newest, self._values):
            np.copyto(state[: len(rows)], rows, where=where)
        for aggregate in self._aggregates:
            aggregate.assign(rows, where)

    def add(self, rows: Int64Array, where: BoolArray | None) -> None:
        """Update the columns; a row without a sequence does not affect the group."""
        given, is_new = self._compared(rows, where)
        for state in (self._newest, self._values):
            np.copyto(state[: len(rows)], rows, where=is_new)
        for aggregate in self._aggregates:
            aggregate.agg(rows, is_new)
            aggregate.agg_reversed(rows, given & ~is_new)

    def removed(self, rows: Int64Array, kinds: Kinds) -> BoolArray:
        """Return which rows remove the whole row of the table."""
        if not self._removes_deleted:
            return np.zeros(len(rows), bool)
        return self._compared(rows, kinds == RowKind.DELETE)[1]

    def retract(self, rows: Int64Array, where: BoolArray) -> None:
        """Retract values: columns without a function become null."""
        given, is_new = self._compared(rows, where)
        np.copyto(self._newest[: len(rows)], rows, where=is_new)
        np.copyto(self._values[: len(rows)], NO_ROW, where=is_new)
        for aggregate in self._aggregates:
            aggregate.retract(rows, given)

    def _compared(self, rows: Int64Array, where: BoolArray | None) -> tuple[BoolArray, BoolArray]:
        """Return which rows have a sequence, and which of these sequences are not older than the newest one so far."""
        given = self._given[rows] if where is None else self._given[rows] & where
        newest = self._newest[: len(rows)]
        return given, given & ((newest < 0) | (self._ranks[rows] >= self._ranks[newest]))
