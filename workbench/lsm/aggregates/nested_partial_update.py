"""`nested_partial_update`: a list of rows. The non-null fields of a newer row replace the fields of the row with the
same nested key."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array
from workbench.lsm.aggregates.accumulator import NO_ROW, Accumulator
from workbench.lsm.aggregates.collections import NestedKeys, known_only
from workbench.lsm.aggregates.elements import element_ranges

_Row = tuple[int, tuple[int, ...]]
"""An element with its nested key, and for each field the element that its value comes from, -1 for null."""


class NestedPartialRows(Accumulator):
    """A list of rows for each key; None for null."""

    def __init__(
        self,
        name: str,
        function: str,
        column: pa.Array,
        keys: int,
        *,
        key: tuple[int, ...],
        null_keys: str,
        ignores_retracts: bool = False,
    ):
        super().__init__(name, function, column, keys, ignores_retracts=ignores_retracts)
        self._ranges = element_ranges(column)
        self._nested_keys = NestedKeys(name, column.values, key, null_keys)
        self._fields = column.values.flatten()
        self._known = list(zip(*(field.is_valid().to_pylist() for field in self._fields), strict=True))
        self._states: list[list[_Row] | None] = [None] * keys

    def agg(self, rows: Int64Array, where: BoolArray | None) -> None:
        for key, given in self._given(rows, where):
            if given is not None:
                self._states[key] = self._merged([*(self._states[key] or ()), *given])

    def agg_reversed(self, rows: Int64Array, where: BoolArray | None) -> None:
        for key, given in self._given(rows, where):
            state = self._states[key]
            self._states[key] = given if state is None else self._merged([*(given or ()), *state])

    def assign(self, rows: Int64Array, where: BoolArray | None) -> None:
        for key, given in self._given(rows, where):
            self._states[key] = given

    def clear(self, count: int, where: BoolArray | None) -> None:
        for key in range(count) if where is None else np.flatnonzero(where):
            self._states[key] = None

    def _values(self) -> pa.Array:
        offsets = np.concatenate([[0], np.cumsum([len(state or ()) for state in self._states])])
        rows_of_lists = [row for state in self._states for row in state or ()]
        sources = [fields for _, fields in rows_of_lists]
        taken = np.array(sources, np.int64).reshape(len(sources), len(self._fields))
        fields = [
            field.take(pa.array(positions, mask=positions < 0))
            for field, positions in zip(self._fields, taken.T, strict=True)
        ]
        arrow_type = self.column.type
        nulls = pa.array([not self._nested_keys.non_null([position]) for position, _ in rows_of_lists], pa.bool_())
        rows = pa.StructArray.from_arrays(fields, fields=list(arrow_type.value_type), mask=nulls)
        lists = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), rows, arrow_type)
        return known_only(lists, self._states)

    def _given(self, rows: Int64Array, where: BoolArray | None) -> Iterable[tuple[int, list[_Row] | None]]:
        for key in range(len(rows)) if where is None else np.flatnonzero(where).tolist():
            positions = self._ranges[rows[key]]
            yield key, None if positions is None else [self._row(position) for position in positions]

    def _row(self, position: int) -> _Row:
        return position, tuple(position if known else NO_ROW for known in self._known[position])

    def _merged(self, rows: Iterable[_Row]) -> list[_Row]:
        merged: dict[int, _Row] = {}
        for position, sources in rows:
            if self._nested_keys.usable([position]):
                code = self._nested_keys.codes[position]
                _, older = merged.get(code, (position, sources))
                pairs = zip(older, sources, strict=True)
                merged[code] = (position, tuple(old if new == NO_ROW else new for old, new in pairs))
        return list(merged.values())
