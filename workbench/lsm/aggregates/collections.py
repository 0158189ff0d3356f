"""`collect`, `merge_map`, `merge_map_with_keytime` and `nested_update`: a list or map for each key.

A state is a list of positions among the elements of the whole column, so elements are never decoded, regardless of
their type: which elements are equal, and which are newer, is computed on whole columns in advance.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array
from workbench.base.errors import MergeError
from workbench.base.lazy import cached_property
from workbench.lsm.aggregates.accumulator import Accumulator
from workbench.lsm.aggregates.elements import element_ranges, value_codes
from workbench.lsm.sequence_fields import order_ranks

Positions = list[int]


def known_only(values: pa.Array, states: Sequence[object]) -> pa.Array:
    """Return the values, with null where the state is None."""
    return values.take(
        pa.array([None if state is None else position for position, state in enumerate(states)], pa.int64())
    )


class _Elements(Accumulator):
    """The elements of each key; None for null. Subclasses define how to merge two lists of them."""

    def __init__(self, name: str, function: str, column: pa.Array, keys: int, *, ignores_retracts: bool = False):
        super().__init__(name, function, column, keys, ignores_retracts=ignores_retracts)
        self._ranges = element_ranges(column)
        self._states: list[Positions | None] = [None] * keys

    @cached_property
    def _elements(self) -> pa.Array:
        """Return all elements; those of a map are rows of key and value."""
        return self.column.values

    def agg(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._each(rows, where, self._merged)

    def agg_many(self, key: int, rows: Int64Array) -> None:
        for positions in map(self._ranges.__getitem__, rows.tolist()):
            self._states[key] = self._merged(self._states[key], None if positions is None else list(positions))

    def agg_reversed(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._each(rows, where, lambda state, given: self._merged(given, state))

    def assign(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._each(rows, where, lambda _, given: given)

    def clear(self, count: int, where: BoolArray | None) -> None:
        for key in np.arange(count) if where is None else np.flatnonzero(where):
            self._states[key] = None

    def _values(self) -> pa.Array:
        sizes = [len(state or ()) for state in self._states]
        offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32())
        positions = [position for state in self._states for position in state or ()]
        elements = self._elements.take(pa.array(positions, pa.int64()))
        return known_only(self._rebuilt(offsets, elements), self._states)

    def _rebuilt(self, offsets: pa.Array, elements: pa.Array) -> pa.Array:
        if pa.types.is_map(self.column.type):
            return pa.MapArray.from_arrays(offsets, elements.field(0), elements.field(1), self.column.type)
        return pa.ListArray.from_arrays(offsets, elements, self.column.type)

    def _each(
        self,
        rows: Int64Array,
        where: BoolArray | None,
        change: Callable[[Positions | None, Positions | None], Positions | None],
    ) -> None:
        keys: Iterable[int] = range(len(rows)) if where is None else np.flatnonzero(where)
        for key in keys:
            positions = self._ranges[rows[key]]
            self._states[key] = change(self._states[key], None if positions is None else list(positions))

    @abstractmethod
    def _merged(self, older: Positions | None, newer: Positions | None) -> Positions | None: ...


class CollectAgg(_Elements):
    """`collect`: all elements, without duplicates for ``distinct``; a retract removes one occurrence of each of its
    elements."""

    def __init__(
        self,
        name: str,
        function: str,
        column: pa.Array,
        keys: int,
        *,
        ignores_retracts: bool = False,
        distinct: bool = False,
    ):
        super().__init__(name, function, column, keys, ignores_retracts=ignores_retracts)
        self._distinct = distinct

    @cached_property
    def _codes(self) -> list[int]:
        codes: list[int] = value_codes(self._elements).tolist()
        return codes

    def agg_many(self, key: int, rows: Int64Array) -> None:
        given = [positions for positions in map(self._ranges.__getitem__, rows.tolist()) if positions is not None]
        self._states[key] = self._merged(self._states[key], list(chain.from_iterable(given)) if given else None)

    def agg_reversed(self, rows: Int64Array, where: BoolArray | None) -> None:
        # Java does not reverse the order here, unless the function is wrapped to ignore retracts.
        if self.ignores_retracts:
            super().agg_reversed(rows, where)
        else:
            self.agg(rows, where)

    def _merged(self, older: Positions | None, newer: Positions | None) -> Positions | None:
        if older is None and newer is None:
            return None
        joined = [*(older or ()), *(newer or ())]
        if not self._distinct:
            return joined
        first: dict[int, int] = {}
        for position in joined:
            first.setdefault(self._codes[position], position)
        return list(first.values())

    def _retract(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._each(rows, where, self._without)

    def _without(self, state: Positions | None, retracted: Positions | None) -> Positions | None:
        if state is None or not retracted:
            return state
        left = Counter(self._codes[position] for position in retracted)
        kept = []
        for position in state:
            if left[self._codes[position]]:
                left[self._codes[position]] -= 1
            else:
                kept.append(position)
        return kept


class MergedMap(_Elements):
    """`merge_map`: the newer value of each key of the map; a retract removes its keys."""

    @cached_property
    def _elements(self) -> pa.Array:
        pairs = self.column.type
        return pa.StructArray.from_arrays(
            [self.column.keys, self.column.items], fields=[pairs.key_field, pairs.item_field]
        )

    @cached_property
    def _codes(self) -> list[int]:
        codes: list[int] = value_codes(self.column.keys).tolist()
        return codes

    def _merged(self, older: Positions | None, newer: Positions | None) -> Positions | None:
        if older is None or newer is None:
            return newer if older is None else older
        return list({self._codes[position]: position for position in (*older, *newer)}.values())

    def _retract(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._each(rows, where, self._without)

    def _without(self, state: Positions | None, retracted: Positions | None) -> Positions | None:
        if state is None or not retracted:
            return state
        keys = {self._codes[position] for position in retracted}
        return [position for position in state if self._codes[position] not in keys]


class TimedMap(MergedMap):
    """`merge_map_with_keytime`: for each key of the map the row with the larger time, which is a string; a null row
    removes the key."""

    def __init__(
        self, name: str, function: str, column: pa.Array, keys: int, *, time: int, ignores_retracts: bool = False
    ):
        super().__init__(name, function, column, keys, ignores_retracts=ignores_retracts)
        self._valid_rows = column.items.is_valid().to_pylist()
        # Java compares strings by their UTF-16 code units.
        times = column.items.flatten()[time].to_pylist()
        self._times = [None if each is None else each.encode("utf-16-be") for each in times]

    def _merged(self, older: Positions | None, newer: Positions | None) -> Positions | None:
        if older is None or newer is None:
            return newer if older is None else older
        merged = {self._codes[position]: position for position in older}
        for position in newer:
            code, time = self._codes[position], self._times[position]
            if not self._valid_rows[position]:
                merged.pop(code, None)
            elif time is not None:
                old = merged.get(code)
                old_time = None if old is None else self._times[old]
                if old_time is None or time > old_time:
                    merged[code] = position
        return list(merged.values())

    def _retract(self, rows: Int64Array, where: BoolArray | None) -> None:
        Accumulator._retract(self, rows, where)


class NestedRows(_Elements):
    """`nested_update`: a list of rows. If it has a nested key, newer rows replace older rows with the same nested key.

    ``key``, ``sequence``: positions of fields of the rows; ``limit``: new rows are added only while the list has fewer
    rows.
    """

    def __init__(
        self,
        name: str,
        function: str,
        column: pa.Array,
        keys: int,
        *,
        ignores_retracts: bool = False,
        key: tuple[int, ...] = (),
        null_keys: str = "merge",
        sequence: tuple[int, ...] = (),
        limit: int = (1 << 31) - 1,
    ):
        super().__init__(name, function, column, keys, ignores_retracts=ignores_retracts)
        self._limit = limit
        self._keyed = bool(key)
        self._nested_keys = NestedKeys(name, self._elements, key, null_keys)
        self._ages = (
            order_ranks([self._elements.flatten()[position] for position in sequence]).tolist() if sequence else None
        )

    def _merged(self, older: Positions | None, newer: Positions | None) -> Positions | None:
        if newer is None:
            return older
        if not self._keyed:
            if older is not None and len(older) >= self._limit:
                return older
            kept = self._nested_keys.non_null(older or ())
            return kept + self._nested_keys.non_null(newer)[: self._limit - len(older or ())]
        rows: dict[int, int] = {}
        self._put(rows, older or (), self._nested_keys)
        self._put(rows, newer, self._nested_keys, self._limit)
        return list(rows.values())

    def _put(self, rows: dict[int, int], positions: Iterable[int], keys: NestedKeys, limit: int | None = None) -> None:
        for position in keys.usable(positions):
            code = keys.codes[position]
            old = rows.get(code)
            if old is not None:
                if self._ages is None or self._ages[position] >= self._ages[old]:
                    rows[code] = position
            elif limit is None or len(rows) < limit:
                rows[code] = position

    def _retract(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._each(rows, where, self._without)

    def _without(self, state: Positions | None, retracted: Positions | None) -> Positions | None:
        if state is None or retracted is None:
            return state
        keys = self._nested_keys
        left = {keys.codes[position] for position in keys.usable(retracted)}
        if not self._keyed:
            return [position for position in keys.usable(state) if keys.codes[position] not in left]
        newest = {keys.codes[position]: position for position in keys.usable(state)}
        return [position for code, position in newest.items() if code not in left]


class NestedKeys:
    """The identity of the rows of a list: some of their fields, or all fields if ``key`` is empty."""

    def __init__(self, name: str, rows: pa.StructArray, key: tuple[int, ...], null_keys: str) -> None:
        self._name = name
        self._null_keys = null_keys if key else "merge"
        self._is_valid = rows.is_valid().to_pylist()
        fields = rows.flatten()
        chosen = [fields[position] for position in key] or fields
        identity = pa.StructArray.from_arrays(chosen, [str(position) for position in range(len(chosen))])
        self.codes: list[int] = value_codes(identity).tolist()
        self._whole = np.all([np.asarray(field.is_valid()) for field in chosen], axis=0).tolist()

    def non_null(self, positions: Iterable[int]) -> Positions:
        """Return the positions whose rows are not null."""
        return [position for position in positions if self._is_valid[position]]

    def usable(self, positions: Iterable[int]) -> Positions:
        """Return the positions that count according to option `nested-key-null-strategy`. If that is 'error', raises
        MergeError for a null in a nested key."""
        rows = self.non_null(positions)
        if self._null_keys == "merge":
            return rows
        whole = [position for position in rows if self._whole[position]]
        if self._null_keys == "error" and len(whole) < len(rows):
            raise MergeError(f"Rows in the list of column '{self._name}' have null in their nested key.")
        return whole
