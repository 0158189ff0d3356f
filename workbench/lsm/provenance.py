"""Where the values of a merged row come from: which input row each column has its value from, and which rows an
aggregate used, as recorded while the merge function of the table itself ran."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array
from workbench.lsm.aggregates.accumulator import NO_ROW, Accumulator, Pick, Result, Shared
from workbench.lsm.aggregates.functions import Aggregate
from workbench.lsm.fold import Folded
from workbench.lsm.key_slices import SliceInput
from workbench.lsm.keys import KeyGroups
from workbench.lsm.merge_function import Kinds, Merged, MergeFunction, Overflow, RowSource
from workbench.lsm.steps import without_merged_before


class Effect(StrEnum):
    """The effect of a row on the state of a column."""

    ADDED = "added"
    ADDED_AS_OLDER = "added as older"
    RETRACTED = "retracted"
    REPLACED = "replaced"


@dataclass(frozen=True)
class Use:
    """The use of an input row by the aggregate of a column."""

    row: int
    effect: Effect


@dataclass(frozen=True)
class Origin:
    """The origin of a value. ``row`` is the input row that the value is from, None if it is ``computed`` from several
    rows, or if no row provides a value. ``uses`` are the rows that the aggregate of the column used, in this order;
    empty for columns without an aggregate."""

    row: int | None
    computed: bool = False
    uses: tuple[Use, ...] = ()


@dataclass(frozen=True)
class Provenance:
    """The merge of the rows of one key. ``order`` has the input rows, oldest first; ``considered`` excludes rows that
    the merge function skipped because a newer level contains them. ``merged`` is the result, ``origins`` has the origin
    of the value of each column."""

    order: tuple[int, ...]
    considered: frozenset[int]
    merged: Merged
    origins: Mapping[str, Origin] = field(default_factory=dict)


@runtime_checkable
class Folding(Protocol):
    """A merge function that folds columns by aggregates."""

    def map_aggregates(self, change: Callable[[Aggregate], Aggregate]) -> Self:
        """Return the same function with ``change`` applied to its aggregates."""
        ...

    def fold(self, groups: KeyGroups, kinds: Kinds | None, source: RowSource) -> Folded | None:
        """Return the states of the folded keys, None if no key is folded."""
        ...


def provenance(function: MergeFunction, rows: SliceInput, columns: Sequence[str]) -> Provenance:
    """Merge the rows of a single key, and return where the values of the result come from.

    Raises:
        ValueError: There are several keys.
    """
    groups = rows.groups
    if len(groups.starts) != 1:
        raise ValueError("Provenance can only be determined for the rows of a single key.")
    skips = getattr(function, "merged_below", False)
    considered = without_merged_before(groups, rows.source.levels()) if skips else groups
    if isinstance(function, Folding):
        folded = function.map_aggregates(_traced).fold(groups, rows.kinds, rows.source)
        if folded is not None:
            merged = folded.merged(groups, rows.kinds)
            origins = {each.name: _origin(each) for each in folded.columns}
            return _provenance(groups, considered, merged, columns, origins)
    merged = function.merge(groups, rows.kinds, rows.source)
    everything = tuple(Use(row, Effect.ADDED) for row in considered.order.tolist())
    computed = dict.fromkeys(merged.columns, Origin(None, computed=True, uses=everything))
    is_lone = len(groups.order) == 1 and isinstance(function, Folding)
    return _provenance(groups, considered, merged, columns, {} if is_lone else computed)


def _provenance(
    groups: KeyGroups, considered: KeyGroups, merged: Merged, columns: Sequence[str], origins: Mapping[str, Origin]
) -> Provenance:
    kept = Origin(int(merged.rows[0])) if len(merged.rows) else None
    every = {name: origins.get(name, kept) for name in columns}
    return Provenance(
        tuple(groups.order.tolist()),
        frozenset(considered.order.tolist()),
        merged,
        {name: origin for name, origin in every.items() if origin is not None},
    )


def _origin(result: Result) -> Origin:
    uses = tuple(result.uses) if isinstance(result, _Traced) else ()
    state = result.state if isinstance(result, _Traced) else result
    if isinstance(state, Pick | Shared):
        picked = int(state.picked[0])
        return Origin(None if picked == NO_ROW else picked, uses=uses)
    return Origin(None, computed=True, uses=uses)


def _traced(aggregate: Aggregate) -> Aggregate:
    return replace(aggregate, make=partial(_start, aggregate.make))


def _start(
    make: Callable[..., Accumulator], name: str, function: str, column: pa.Array, keys: int, **settings: Any
) -> _Traced:
    return _Traced(make(name, function, column, keys, **settings))


class _Traced(Accumulator):
    """The ``state`` of one key, with the rows that it used."""

    def __init__(self, state: Accumulator) -> None:
        super().__init__(state.name, state.function, state.column, state.keys, ignores_retracts=state.ignores_retracts)
        self.state = state
        self.uses: list[Use] = []

    def agg(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._record(rows, where, Effect.ADDED)
        self.state.agg(rows, where)

    def agg_many(self, key: int, rows: Int64Array) -> None:
        self._record_all(rows, np.zeros(len(rows), bool))
        self.state.agg_many(key, rows)

    def fold_many(self, key: int, rows: Int64Array, retracts: BoolArray) -> None:
        self._record_all(rows, retracts)
        self.state.fold_many(key, rows, retracts)

    def agg_reversed(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._record(rows, where, Effect.ADDED_AS_OLDER)
        self.state.agg_reversed(rows, where)

    def retract(self, rows: Int64Array, where: BoolArray | None) -> None:
        if not self.ignores_retracts:
            self._record(rows, where, Effect.RETRACTED)
        self.state.retract(rows, where)

    def assign(self, rows: Int64Array, where: BoolArray | None) -> None:
        if len(rows) and (where is None or where[0]):
            # Earlier rows no longer have an effect.
            self.uses.clear()
        self._record(rows, where, Effect.REPLACED)
        self.state.assign(rows, where)

    def clear(self, count: int, where: BoolArray | None) -> None:
        self.state.clear(count, where)

    def after(self, alone: Int64Array) -> pa.ChunkedArray:
        return self.state.after(alone)

    def overflow(self) -> Overflow | None:
        return self.state.overflow()

    def _values(self) -> pa.Array:
        return self.state._values()

    def _record(self, rows: Int64Array, where: BoolArray | None, effect: Effect) -> None:
        if len(rows) and (where is None or where[0]):
            self.uses.append(Use(int(rows[0]), effect))

    def _record_all(self, rows: Int64Array, retracts: BoolArray) -> None:
        for row, retracted in zip(rows.tolist(), retracts.tolist(), strict=True):
            if not (retracted and self.ignores_retracts):
                self.uses.append(Use(row, Effect.RETRACTED if retracted else Effect.ADDED))
