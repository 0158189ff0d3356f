"""`sum` and `product`, exact as in Java: integers must fit their type. Decimals that do not fit become null, or get too
many digits, and are reported as overflows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from workbench.base.arrays import AnyArray, BoolArray, Int64Array
from workbench.lsm.aggregates.accumulator import NO_ROW, Accumulator
from workbench.lsm.aggregates.arithmetic import RefusedError, Result, Sums, arithmetic_of, sums_of
from workbench.lsm.merge_function import WIDER, Overflow, RefusedRows


class Total(Accumulator):
    """A number for each key. Raises RefusedRows if an integer overflows, or a product is divided by zero.

    ``_lost`` (int64[keys]) are the rows at which totals were too large to be continued, ``_computed`` the last rows
    that a total was computed with; -1 for none.
    """

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
        self._lost = np.full(keys, NO_ROW, np.int64)
        self._computed = np.full(keys, NO_ROW, np.int64)

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
            if len(values) > 1:
                self._computed[key] = rows[-1]
        return total is not None

    def _retract(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._fold(rows, where, self._undo, self._begin)

    def assign(self, rows: Int64Array, where: BoolArray | None) -> None:
        at = slice(len(rows)) if where is None else np.flatnonzero(where)
        chosen = rows if where is None else rows[at]
        self._totals[at] = self._given[chosen]
        self._known[at] = True if self._valid is None else self._valid[chosen]
        self._lost[at] = self._computed[at] = NO_ROW

    def clear(self, count: int, where: BoolArray | None) -> None:
        at = slice(count) if where is None else np.flatnonzero(where)
        self._known[at] = False
        self._lost[at] = self._computed[at] = NO_ROW

    def overflow(self) -> Overflow | None:
        limit = self._arithmetic.limit
        if limit is None:
            return None
        exceeding = np.asarray((self._totals >= limit) | (self._totals <= -limit), bool) & self._known
        rows = np.maximum(self._lost, np.where(exceeding, self._computed, NO_ROW))
        found = rows[rows != NO_ROW]
        if not len(found):
            return None
        kind = self.column.type
        return Overflow(self.name, self.function, f"DECIMAL({kind.precision}, {kind.scale})", int(found[0]))

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
        if old.any():
            at = _indices(old)
            self._compute(at, rows[at], values[at], operation)
        if beginning is not None and new.any():
            at = _indices(new)
            self._totals[at] = beginning(values[at])
            self._known[at] = True

    def _compute(
        self,
        at: slice | Int64Array,
        rows: Int64Array,
        values: AnyArray,
        operation: Callable[[AnyArray, AnyArray], Result],
    ) -> None:
        try:
            numbers, fitting = operation(self._totals[at], values)
        except RefusedError as error:
            reason = f"The {self.function} of column '{self.name}' {error}"
            hint = WIDER if error.is_overflow else None
            raise RefusedRows(reason, int(rows[error.position]), hint) from error
        self._totals[at] = numbers
        self._known[at] = True if fitting is None else fitting
        self._computed[at] = rows
        if fitting is not None and not fitting.all():
            self._lost[at] = np.where(fitting, self._lost[at], rows)


def _indices(where: BoolArray) -> slice | Int64Array:
    """Return the positions of some keys; a slice if these are all, so that nothing is copied."""
    return slice(len(where)) if where.all() else np.flatnonzero(where)
