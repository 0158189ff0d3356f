"""The state of one column while the rows of its keys are folded, and the functions whose result is one of the input
values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array, UInt64Array
from workbench.base.errors import MergeError
from workbench.lsm.merge_function import Overflow
from workbench.lsm.sequence_fields import order_ranks, stored_values

NO_ROW = -1


class Result(Protocol):
    """The result of a column."""

    @property
    def name(self) -> str:
        """The name of the column."""
        ...

    def after(self, alone: Int64Array) -> pa.ChunkedArray:
        """Return the values of the ``alone`` rows, followed by the result of each key."""
        ...

    def overflow(self) -> Overflow | None:
        """Return the first result that exceeds the precision of the column, if there is one."""
        ...


@dataclass(frozen=True)
class Shared:
    """A column with the values of the ``picked`` rows, which several columns share; -1 for null."""

    name: str
    column: pa.Array
    picked: Int64Array

    def after(self, alone: Int64Array) -> pa.ChunkedArray:
        return pa.chunked_array([taken(self.column, np.concatenate([alone, self.picked]))])

    def overflow(self) -> Overflow | None:
        return None


class Accumulator(ABC):
    """One value, or null, for each merged key; null at first.

    ``rows`` (int64[n]) are input rows, one for each of the first ``n`` keys; ``where`` (bool[n]) selects the rows that
    count, None for all. The ``name`` of the column and the ``function`` of the aggregate are for error messages.
    """

    def __init__(self, name: str, function: str, column: pa.Array, keys: int, *, ignores_retracts: bool = False):
        self.name = name
        self.function = function
        self.column = column
        self.keys = keys
        self.ignores_retracts = ignores_retracts

    @abstractmethod
    def agg(self, rows: Int64Array, where: BoolArray | None) -> None:
        """Add newer rows."""

    def agg_many(self, key: int, rows: Int64Array) -> None:
        """Add all of ``rows`` (int64[n]) to the state of one key, oldest first."""
        only = np.arange(key + 1) == key
        for row in rows.tolist():
            self.agg(np.full(key + 1, row), only)

    def fold_many(self, key: int, rows: Int64Array, retracts: BoolArray) -> None:
        """Add or retract rows of one key, oldest first; ``retracts`` (bool[n]) selects which are retracted."""
        if self.ignores_retracts:
            rows, retracts = rows[~retracts], retracts[:0]
        if retracts.any():
            self._fold_mixed(key, rows, retracts)
        elif len(rows):
            self.agg_many(key, rows)

    def _fold_mixed(self, key: int, rows: Int64Array, retracts: BoolArray) -> None:
        only = np.arange(key + 1) == key
        for part in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(retracts)) + 1):
            if not retracts[part[0]]:
                self.agg_many(key, rows[part])
                continue
            for row in rows[part].tolist():
                self.retract(np.full(key + 1, row), only)

    def agg_reversed(self, rows: Int64Array, where: BoolArray | None) -> None:
        """Add rows that are older than the state, for functions whose result depends on the order."""
        self.agg(rows, where)

    def retract(self, rows: Int64Array, where: BoolArray | None) -> None:
        """Retract the values of deleted rows. Raises MergeError if the function cannot retract."""
        if not self.ignores_retracts:
            self._retract(rows, where)

    def _retract(self, rows: Int64Array, where: BoolArray | None) -> None:
        if len(rows) if where is None else where.any():
            raise MergeError(
                f"Column '{self.name}' is aggregated by '{self.function}', which cannot retract deleted rows.",
                f"Set 'fields.{self.name}.ignore-retract' = 'true' to ignore them.",
            )

    @abstractmethod
    def assign(self, rows: Int64Array, where: BoolArray | None) -> None:
        """Replace the state with the values of the rows, including nulls."""

    @abstractmethod
    def clear(self, count: int, where: BoolArray | None) -> None:
        """Reset the state of the first ``count`` keys."""

    def after(self, alone: Int64Array) -> pa.ChunkedArray:
        """Return the values of the ``alone`` rows, followed by the result of each key."""
        return pa.chunked_array([self.column.take(pa.array(alone)), self._values()])

    def overflow(self) -> Overflow | None:
        """Return the first result that exceeds the precision of the column, if there is one."""
        return None

    @abstractmethod
    def _values(self) -> pa.Array:
        """Return the result of each key."""


class Pick(Accumulator):
    """A state that is one of the input values: the number of its row, -1 for null."""

    def __init__(self, name: str, function: str, column: pa.Array, keys: int, *, ignores_retracts: bool = False):
        super().__init__(name, function, column, keys, ignores_retracts=ignores_retracts)
        self.picked = np.full(keys, NO_ROW, np.int64)
        self._valid: BoolArray | None = np.asarray(column.is_valid()) if column.null_count else None

    def assign(self, rows: Int64Array, where: BoolArray | None) -> None:
        self.put(rows if self._valid is None else np.where(self._valid[rows], rows, NO_ROW), where)

    def clear(self, count: int, where: BoolArray | None) -> None:
        self.put(np.full(count, NO_ROW, np.int64), where)

    def put(self, rows: Int64Array, where: BoolArray | None) -> None:
        """Set the state to these rows, where -1 is null."""
        if where is None:
            self.picked[: len(rows)] = rows
        else:
            np.copyto(self.picked[: len(rows)], rows, where=where)

    def known(self, rows: Int64Array, where: BoolArray | None) -> BoolArray | None:
        """Return which of the rows count and are not null; None for all."""
        if self._valid is None:
            return where
        valid = self._valid[rows]
        return valid if where is None else valid & where

    def given(self, rows: Int64Array) -> Int64Array:
        """Return the rows whose value is not null."""
        return rows if self._valid is None else rows[self._valid[rows]]

    def empty(self, count: int) -> BoolArray:
        """Return bool[count]: which keys have null as their state."""
        return np.asarray(self.picked[:count] < 0)

    def after(self, alone: Int64Array) -> pa.ChunkedArray:
        return Shared(self.name, self.column, self.picked).after(alone)

    def _values(self) -> pa.Array:
        return taken(self.column, self.picked)


class LastValue(Pick):
    """`last_value`: the newest value, even if it is null; a retract leaves null."""

    def assign(self, rows: Int64Array, where: BoolArray | None) -> None:
        # A row whose value is null has the same effect as no row.
        self.put(rows, where)

    def agg(self, rows: Int64Array, where: BoolArray | None) -> None:
        self.assign(rows, where)

    def agg_many(self, key: int, rows: Int64Array) -> None:
        self.picked[key] = rows[-1]

    def _fold_mixed(self, key: int, rows: Int64Array, retracts: BoolArray) -> None:
        # Only the last row determines the state.
        super()._fold_mixed(key, rows[-1:], retracts[-1:])

    def agg_reversed(self, rows: Int64Array, where: BoolArray | None) -> None:
        """Ignore an older value."""

    def _retract(self, rows: Int64Array, where: BoolArray | None) -> None:
        self.clear(len(rows), where)


class LastNonNullValue(Pick):
    """`last_non_null_value`: the newest value that is not null; retracting one that is not null leaves null."""

    def agg(self, rows: Int64Array, where: BoolArray | None) -> None:
        self.put(rows, self.known(rows, where))

    def agg_many(self, key: int, rows: Int64Array) -> None:
        for row in self.given(rows)[-1:]:
            self.picked[key] = row

    def _fold_mixed(self, key: int, rows: Int64Array, retracts: BoolArray) -> None:
        last = slice(-1, None) if self._valid is None else np.flatnonzero(self._valid[rows])[-1:]
        if len(rows[last]):
            super()._fold_mixed(key, rows[last], retracts[last])

    def agg_reversed(self, rows: Int64Array, where: BoolArray | None) -> None:
        self.put(rows, _both(self.known(rows, where), self.empty(len(rows))))

    def _retract(self, rows: Int64Array, where: BoolArray | None) -> None:
        self.clear(len(rows), self.known(rows, where))


class FirstValue(Pick):
    """`first_value` and `first_non_null_value`: the oldest value; a value that is added as older replaces it.

    Whether a value was added is stored separately from the state, as in Java.
    """

    def __init__(self, name: str, function: str, column: pa.Array, keys: int, *, ignores_retracts: bool = False):
        super().__init__(name, function, column, keys, ignores_retracts=ignores_retracts)
        self._taken = np.zeros(keys, bool)
        self._skips_nulls = function != "first_value"

    def agg(self, rows: Int64Array, where: BoolArray | None) -> None:
        counted = self.known(rows, where) if self._skips_nulls else where
        taken = self._taken[: len(rows)]
        first = _both(counted, ~taken)
        self.assign(rows, first)
        taken |= first

    def agg_many(self, key: int, rows: Int64Array) -> None:
        counted = self.given(rows) if self._skips_nulls else rows
        # The first row counts, and only if none has been added before.
        super().agg_many(key, counted[: 0 if self._taken[key] else 1])

    def agg_reversed(self, rows: Int64Array, where: BoolArray | None) -> None:
        taken = self._taken[: len(rows)]
        keeps = ~taken & ~self.empty(len(rows)) if self._skips_nulls else ~taken
        self.assign(rows, _both(where, ~keeps))
        taken |= _both(where, keeps)


class Extreme(Pick):
    """`max` and `min`, in Java's order of values; `bool_or` and `bool_and` are the same for booleans."""

    def __init__(self, name: str, function: str, column: pa.Array, keys: int, *, ignores_retracts: bool = False):
        super().__init__(name, function, column, keys, ignores_retracts=ignores_retracts)
        ranks: UInt64Array = order_ranks([stored_values(column)])
        self._ranks = ranks if function in ("max", "bool_or") else ~ranks

    def agg(self, rows: Int64Array, where: BoolArray | None) -> None:
        picked = self.picked[: len(rows)]
        better = self.empty(len(rows)) | (self._ranks[rows] > self._ranks[picked])
        self.put(rows, _both(self.known(rows, where), better))

    def agg_many(self, key: int, rows: Int64Array) -> None:
        given = self.given(rows)
        # Of equal values the oldest is kept.
        super().agg_many(key, given[np.argmax(self._ranks[given])][None] if len(given) else given)


def taken(column: pa.Array, rows: Int64Array) -> pa.Array:
    """Return values of a column, null for -1."""
    nulls = rows == NO_ROW
    return column.take(pa.array(rows, mask=nulls if nulls.any() else None))


def _both(some: BoolArray | None, others: BoolArray) -> BoolArray:
    return others if some is None else some & others
