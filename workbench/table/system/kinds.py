"""How a system table is described: its columns, and what makes each of them when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.format.schema import TableSchema
from workbench.format.snapshot import Snapshot
from workbench.format.types import DataField, parse_type, to_arrow
from workbench.table.store import TableStore

Columns = Mapping[str, Callable[[], pa.Array]]
"""The columns of a table by name, each made only when it is asked for."""


@dataclass(frozen=True)
class SystemKind:
    """One kind of system table. ``columns`` makes its rows for a table at a version, None for one never written."""

    schema: TableSchema
    columns: Callable[[TableStore, Snapshot | None], Columns]


def schema_of(types: Mapping[str, str]) -> TableSchema:
    """The schema of a system table, from column names and Paimon types."""
    fields = tuple(DataField(place, name, parse_type(text)) for place, (name, text) in enumerate(types.items()))
    return TableSchema(0, fields, len(fields) - 1)


def listed(
    schema: TableSchema,
    rows: Sequence[Any],
    values: Mapping[str, Callable[[Any], Any]],
    instants: Collection[str] = (),
) -> Columns:
    """Columns of which each takes one value from every row. Times are milliseconds: of a clock, or since the epoch
    for the columns ``instants``, which then show what the clock of the session zone showed."""

    def maker(name: str, value_of: Callable[[Any], Any]) -> Callable[[], pa.Array]:
        def make() -> pa.Array:
            found = [value_of(row) for row in rows]
            return shown_instants(found) if name in instants else array_of(found, schema.field(name))

        return make

    return {name: maker(name, value_of) for name, value_of in values.items()}


def constant(value: Any) -> Callable[[Any], Any]:
    """The same value for every row."""
    return lambda _: value


def array_of(values: Sequence[Any], field: DataField) -> pa.Array:
    """Values as a column; times are integers in the unit of their type."""
    kind = to_arrow(field.type)
    if pa.types.is_timestamp(kind):
        return pa.array(values, pa.int64()).view(kind)
    return pa.array(values, kind)


def instants_of(clock_millis: Sequence[int | None]) -> pa.Array:
    """What a clock of the session zone showed, in milliseconds, as milliseconds since the epoch."""
    from workbench.expr.zones import local_to_instant

    return local_to_instant(pa.array(clock_millis, pa.int64()).view(pa.timestamp("ms"))).cast(pa.int64())


def shown_instants(millis: Sequence[int | None]) -> pa.Array:
    """Milliseconds since the epoch as times of the session zone."""
    from workbench.expr.zones import instant_to_local

    return instant_to_local(pa.array(millis, pa.int64()).view(pa.timestamp("ms", "UTC")))
