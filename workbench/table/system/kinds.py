"""The definition of a system table: its columns, and the functions that compute them on demand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.base.zones import as_stored
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Snapshot
from workbench.format.types import DataField, parse_type, to_arrow
from workbench.metadata.store import TableStore

Columns = Mapping[str, Callable[[], pa.Array]]
"""The columns of a table by name, each computed on demand."""


@dataclass(frozen=True)
class SystemKind:
    """One kind of system table. ``columns`` computes its columns from a table and a version, which is None before the
    first commit."""

    schema: TableSchema
    columns: Callable[[TableStore, Snapshot | None], Columns]


def schema_of(types: Mapping[str, str]) -> TableSchema:
    """Return the schema of a system table, from column names and Paimon types."""
    fields = tuple(DataField(position, name, parse_type(text)) for position, (name, text) in enumerate(types.items()))
    return TableSchema(0, fields, len(fields) - 1)


def listed(
    schema: TableSchema,
    rows: Sequence[Any],
    values: Mapping[str, Callable[[Any], Any]],
    instants: Collection[str] = (),
) -> Columns:
    """Return one column for each entry of ``values``, a function from a row to the value of the column.

    Times are milliseconds of a local clock; only those in the columns ``instants`` are milliseconds since the epoch,
    and are shown in the session time zone.
    """

    def maker(name: str, value_of: Callable[[Any], Any]) -> Callable[[], pa.Array]:
        def make() -> pa.Array:
            column_values = [value_of(row) for row in rows]
            return shown_instants(column_values) if name in instants else array_of(column_values, schema.field(name))

        return make

    return {name: maker(name, value_of) for name, value_of in values.items()}


def constant(value: Any) -> Callable[[Any], Any]:
    """Return a column with the same value in every row."""
    return lambda _: value


def array_of(values: Sequence[Any], field: DataField) -> pa.Array:
    """Return values as a column; times are integers in the unit of their type."""
    arrow_type = to_arrow(field.type)
    if pa.types.is_timestamp(arrow_type):
        return pa.array(values, pa.int64()).view(arrow_type)
    return pa.array(values, arrow_type)


def instants_of(clock_millis: Sequence[int | None]) -> pa.Array:
    """Convert milliseconds of the local time in ``wb.options.timezone`` to milliseconds since the epoch."""
    from workbench.expr.zones import local_to_instant

    with as_stored():
        return local_to_instant(pa.array(clock_millis, pa.int64()).view(pa.timestamp("ms"))).cast(pa.int64())


def shown_instants(millis: Sequence[int | None]) -> pa.Array:
    """Return milliseconds since the epoch as times of the statement's zone."""
    from workbench.expr.zones import instant_to_local

    return instant_to_local(pa.array(millis, pa.int64()).view(pa.timestamp("ms", "UTC")))
