"""`sum` and `product`, exact as in Java: integers must fit their type, decimals that do not fit become null."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray, BoolArray, Int64Array
from workbench.base.errors import MergeError
from workbench.lsm.aggregates.accumulator import Accumulator
from workbench.lsm.aggregates.arithmetic import RefusedError, Result, Sums, arithmetic_of, sums_of


class Total(Accumulator):
    """A number for each key. Raises MergeError if an integer overflows, or a product is divided by zero."""

    def __init__(self, name: str, function: str, column: pa.Array, keys: int, *, ignores_retracts: bool = False):
        super().__init__(name, function, column, keys, ignores_retracts=ignores_retracts)
        self._arithmetic: Sums
        self._begin: Callable[[AnyArray], AnyArray] | None
        if function == "sum":
            self._arithmetic = sums = sums_of(column.type)
            self._agg, self._undo, self._begin = sums.add, sums.subtract, sums.negate
        else:
            self._arithmetic = products = arithmetic_of(column.type)
            self._agg, self._undo, self._begin = products.multiply, products.divide, None
        self._given = self._arithmetic.load(column)
        self._valid: BoolArray | None = np.asarray(column.is_valid()) if column.null_count else None
        self._totals = np.zeros(keys, self._given.dtype)
        self._known = np.zeros(keys, bool)

    def agg(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._fold(rows, where, self._agg, lambda values: values)

    def agg_many(self, key: int, rows: Int64Array) -> None:
        if not self._adds(key, rows, np.zeros(len(rows), bool)):
            super().agg_many(key, rows)

    def _fold_mixed(self, key: int, rows: Int64Array, retracts: BoolArray) -> None:
        if not self._adds(key, rows, retracts):
            super()._fold_mixed(key, rows, retracts)

    def _adds(self, key: int, rows: Int64Array, retracts: BoolArray) -> bool:
        """Add or subtract all values in one operation; return False if they have to be processed one by one."""
        if self.function != "sum":
            return False
        values = self._given[rows].copy()
        values[retracts] = self._arithmetic.negate(values[retracts])
        values = values if self._valid is None else values[self._valid[rows]]
        if self._known[key]:
            values = np.concatenate([self._totals[key : key + 1], values])
        total = self._arithmetic.sum_of(values) if len(values) else None
        if total is not None:
            self._totals[key], self._known[key] = total, True
        return total is not None

    def _retract(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._fold(rows, where, self._undo, self._begin)

    def assign(self, rows: Int64Array, where: BoolArray | None) -> None:
        at = slice(len(rows)) if where is None else np.flatnonzero(where)
        chosen = rows if where is None else rows[at]
        self._totals[at] = self._given[chosen]
        self._known[at] = True if self._valid is None else self._valid[chosen]

    def clear(self, count: int, where: BoolArray | None) -> None:
        self._known[:count] &= False if where is None else ~where

    def _values(self) -> pa.Array:
        return self._arithmetic.store(self._totals, self._known)

    def _fold(
        self,
        rows: Int64Array,
        where: BoolArray | None,
        operation: Callable[[AnyArray, AnyArray], Result],
        beginning: Callable[[AnyArray], AnyArray] | None,
    ) -> None:
        """Apply ``operation`` to existing totals and ``beginning`` to keys without one; null values change nothing."""
        values = self._given[rows]
        known = self._known[: len(rows)]
        old, new = known, ~known
        for given in (where, None if self._valid is None else self._valid[rows]):
            if given is not None:
                old, new = old & given, new & given
        try:
            self._set(old, lambda at: operation(self._totals[at], values[at]))
            if beginning is not None:
                self._set(new, lambda at: (beginning(values[at]), None))
        except RefusedError as error:
            raise MergeError(f"The {self.function} of column '{self.name}' {error}.") from error

    def _set(self, where: BoolArray, result_at: Callable[[slice | Int64Array], Result]) -> None:
        """Set the totals of some keys, without copying if all are set."""
        if not where.any():
            return
        at = slice(len(where)) if where.all() else np.flatnonzero(where)
        numbers, fitting = result_at(at)
        self._totals[at] = numbers
        self._known[at] = True if fitting is None else fitting
