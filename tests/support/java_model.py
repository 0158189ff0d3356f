"""The merge engines as plain Python over the rows of one key: the expected results of the vectorized ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE = range(4)
RETRACTS = (UPDATE_BEFORE, DELETE)


class RefusedError(Exception):
    """Java's engine would throw an exception."""


@dataclass(frozen=True)
class Record:
    """One stored row. ``level``: the level of its file."""

    kind: int
    values: Row
    level: int = 0


def nulls_first(value: Any) -> tuple[bool, Any]:
    return (value is not None, value)


class Aggregator:
    """One column of one key, as Java's `FieldAggregator`."""

    def __init__(self, function: str, ignores_retracts: bool = False, **settings: Any) -> None:
        self.function = function
        self.ignores_retracts = ignores_retracts
        self.settings = settings
        self.taken = False

    def agg(self, state: Any, value: Any) -> Any:
        return getattr(self, f"_{self.function}")(state, value)

    def agg_reversed(self, state: Any, value: Any) -> Any:
        if self.function == "collect" and not self.ignores_retracts:
            return self.agg(state, value)
        return self.agg(value, state)

    def retract(self, state: Any, value: Any) -> Any:
        if self.ignores_retracts:
            return state
        method = getattr(self, f"_{self.function}_retract", None)
        if method is None:
            raise RefusedError(self.function)
        return method(state, value)

    # ---- functions ----

    def _last_value(self, _: Any, value: Any) -> Any:
        return value

    def _last_value_retract(self, _state: Any, _value: Any) -> Any:
        return None

    def _last_non_null_value(self, state: Any, value: Any) -> Any:
        return state if value is None else value

    def _last_non_null_value_retract(self, state: Any, value: Any) -> Any:
        return state if value is None else None

    def _first_value(self, state: Any, value: Any) -> Any:
        if self.taken:
            return state
        self.taken = True
        return value

    def _first_non_null_value(self, state: Any, value: Any) -> Any:
        if self.taken or value is None:
            return state
        self.taken = True
        return value

    def _pair(self, state: Any, value: Any, both: Callable[[Any, Any], Any]) -> Any:
        if state is None or value is None:
            return value if state is None else state
        return both(state, value)

    def _fitting(self, number: int) -> int:
        if not -(1 << 63) <= number < 1 << 63:
            raise RefusedError("overflow")
        return number

    def _sum(self, state: Any, value: Any) -> Any:
        return self._pair(state, value, lambda a, b: self._fitting(a + b))

    def _sum_retract(self, state: Any, value: Any) -> Any:
        if state is None:
            return None if value is None else self._fitting(-value)
        return state if value is None else self._fitting(state - value)

    def _product(self, state: Any, value: Any) -> Any:
        return self._pair(state, value, lambda a, b: self._fitting(a * b))

    def _product_retract(self, state: Any, value: Any) -> Any:
        if state is None or value is None:
            return state
        if value == 0:
            raise RefusedError("zero")
        size = abs(state) // abs(value)
        return self._fitting(-size if (state < 0) != (value < 0) else size)

    def _max(self, state: Any, value: Any) -> Any:
        return self._pair(state, value, max)

    def _min(self, state: Any, value: Any) -> Any:
        return self._pair(state, value, min)

    def _bool_and(self, state: Any, value: Any) -> Any:
        return self._pair(state, value, lambda a, b: a and b)

    def _bool_or(self, state: Any, value: Any) -> Any:
        return self._pair(state, value, lambda a, b: a or b)

    def _listagg(self, state: Any, value: Any) -> Any:
        if value is None or not value.strip():
            return state
        if state is None or not state.strip():
            return value
        if not self.settings.get("distinct"):
            return f"{state},{value}"
        parts = state.split(",")
        for part in value.split(","):
            if part.strip() and part not in parts:
                parts.append(part)
                state += f",{part}"
        return state

    def _collect(self, state: Any, value: Any) -> Any:
        if state is None and value is None:
            return None
        joined = [*(state or ()), *(value or ())]
        return list(dict.fromkeys(joined)) if self.settings.get("distinct") else joined

    def _collect_retract(self, state: Any, value: Any) -> Any:
        if state is None or not value:
            return state
        removed, kept = list(value), []
        for element in state:
            if element in removed:
                removed.remove(element)
            else:
                kept.append(element)
        return kept

    def _merge_map(self, state: Any, value: Any) -> Any:
        return self._pair(state, value, lambda a, b: list({**dict(a), **dict(b)}.items()))

    def _merge_map_retract(self, state: Any, value: Any) -> Any:
        if state is None or not value:
            return state
        removed = dict(value)
        return [(key, item) for key, item in state if key not in removed]

    def _merge_map_with_keytime(self, state: Any, value: Any) -> Any:
        def merged(old: Any, new: Any) -> Any:
            rows = dict(old)
            for key, row in new:
                if row is None:
                    rows.pop(key, None)
                elif row["t"] is not None:
                    there = rows.get(key)
                    if there is None or there["t"] is None or row["t"] > there["t"]:
                        rows[key] = row
            return list(rows.items())

        return self._pair(state, value, merged)

    def _usable(self, rows: Any) -> list[Any]:
        return [row for row in rows or () if row is not None]

    def _nested_update(self, state: Any, value: Any) -> Any:
        if value is None:
            return state
        limit = self.settings.get("limit", 1 << 31)
        if not self.settings.get("key"):
            if state is not None and len(state) >= limit:
                return state
            return self._usable(state) + self._usable(value)[: limit - len(state or ())]
        rows: Row = {}
        for given, limited in ((state, False), (value, True)):
            for row in self._usable(given):
                old = rows.get(row["k"])
                if old is not None:
                    if "sequence" not in self.settings or nulls_first(row["s"]) >= nulls_first(old["s"]):
                        rows[row["k"]] = row
                elif not limited or len(rows) < limit:
                    rows[row["k"]] = row
        return list(rows.values())

    def _nested_update_retract(self, state: Any, value: Any) -> Any:
        if state is None or value is None:
            return state
        removed = self._usable(value)
        if not self.settings.get("key"):
            return [row for row in self._usable(state) if row not in removed]
        keys = [row["k"] for row in removed]
        newest = {row["k"]: row for row in self._usable(state)}
        return [row for key, row in newest.items() if key not in keys]

    def _nested_partial_update(self, state: Any, value: Any) -> Any:
        if value is None:
            return state
        rows: Row = {}
        for row in self._usable(state) + self._usable(value):
            there = rows.setdefault(row["k"], dict.fromkeys(row))
            there.update({name: item for name, item in row.items() if item is not None})
        return list(rows.values())


Aggregators = Callable[[], dict[str, Aggregator]]


@dataclass(frozen=True)
class Group:
    """A sequence group."""

    sequence: tuple[str, ...]
    protected: tuple[str, ...]
    removes_deleted: bool = False


@dataclass
class Engine:
    """The merge engines, with the settings of all of them; ``aggregators`` returns the functions of the columns."""

    aggregators: Aggregators = dict
    groups: tuple[Group, ...] = ()
    columns: tuple[str, ...] = ()
    ignores_deletes: bool = False
    removes_deleted: bool = False
    merged_below: bool = False
    state: Row = field(default_factory=dict)

    def aggregation(self, records: Sequence[Record]) -> tuple[Row, int]:
        functions = self.aggregators()
        state: Row = dict.fromkeys(functions)
        deleted = False
        for record in records:
            deleted = self.removes_deleted and record.kind == DELETE
            for name, function in functions.items():
                value = record.values[name]
                if deleted:
                    state[name] = value
                elif record.kind in RETRACTS:
                    state[name] = function.retract(state[name], value)
                else:
                    state[name] = function.agg(state[name], value)
        return state, DELETE if deleted else INSERT

    def partial_update(self, records: Sequence[Record]) -> tuple[Row, int]:
        functions = self.aggregators()
        state: Row = dict.fromkeys(self.columns)
        filled = inserted = deleted = False
        for record in records:
            deleted = False
            retracts = record.kind in RETRACTS
            if retracts:
                if not filled:
                    state = {name: record.values[name] for name in self.columns}
                filled = True
                if self.ignores_deletes:
                    continue
                if self.groups:
                    if self._removes(record, state):
                        deleted, state = True, {name: record.values[name] for name in self.columns}
                        continue
                elif self.removes_deleted:
                    if record.kind == DELETE:
                        deleted, state = True, {name: record.values[name] for name in self.columns}
                    continue
                else:
                    raise RefusedError("delete")
            else:
                inserted = filled = True
                grouped = {name for group in self.groups for name in (*group.sequence, *group.protected)}
                for name in self.columns:
                    if name not in grouped and record.values[name] is not None:
                        state[name] = record.values[name]
            for group in self.groups:
                self._group(group, record, state, functions, retracts)
        return state, DELETE if deleted or not inserted else INSERT

    def _rank(self, group: Group, values: Row) -> list[Any]:
        return [nulls_first(values[name]) for name in group.sequence]

    def _given(self, group: Group, values: Row) -> bool:
        return any(values[name] is not None for name in group.sequence)

    def _removes(self, record: Record, state: Row) -> bool:
        return record.kind == DELETE and any(
            group.removes_deleted
            and self._given(group, record.values)
            and self._rank(group, record.values) >= self._rank(group, state)
            for group in self.groups
        )

    def _group(
        self, group: Group, record: Record, state: Row, functions: dict[str, Aggregator], retracts: bool
    ) -> None:
        if not self._given(group, record.values):
            return
        newer = self._rank(group, record.values) >= self._rank(group, state)
        for name in group.protected:
            value, function = record.values[name], functions.get(name)
            if function is None:
                if newer:
                    state[name] = None if retracts else value
            elif retracts:
                state[name] = function.retract(state[name], value)
            else:
                state[name] = (function.agg if newer else function.agg_reversed)(state[name], value)
        if newer:
            state.update({name: record.values[name] for name in group.sequence})

    def deduplicate(self, records: Sequence[Record]) -> tuple[Row, int] | None:
        kept = [each for each in records if not self.ignores_deletes or each.kind not in RETRACTS]
        return (kept[-1].values, kept[-1].kind) if kept else None

    def first_row(self, records: Sequence[Record]) -> tuple[Row, int] | None:
        kept = [each for each in records if each.kind not in RETRACTS]
        if len(kept) < len(records) and not self.ignores_deletes:
            raise RefusedError("delete")
        return (kept[0].values, kept[0].kind) if kept else None

    def merged(self, engine: str, records: Sequence[Record]) -> tuple[Row, int] | None:
        """The row of a key and its kind, from its records, oldest first."""
        if len(records) == 1:
            return records[0].values, records[0].kind
        if self.merged_below:
            above = [each.level for each in records if each.level]
            records = [each for each in records if not each.level or each.level == min(above)]
        result: tuple[Row, int] | None = getattr(self, engine)(records)
        return result
