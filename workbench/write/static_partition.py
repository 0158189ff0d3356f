"""The partition that a caller names, as values of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from workbench.base.errors import SchemaMismatch, did_you_mean
from workbench.datafile.casts.rules import cast_values
from workbench.datafile.casts.values import CastError
from workbench.format.types import AtomicType, DataField, field_to_arrow
from workbench.format.types.implicit_values import implicit_value
from workbench.metadata.store import TableStore
from workbench.write.input import values_of_column

_STRING = AtomicType("STRING")


def static_partition(store: TableStore, partition: Mapping[str, Any] | None) -> dict[str, pa.Array]:
    """Return the named partition columns as one-row Arrow arrays of their types; empty for None.

    Raises:
        SchemaMismatch: A name is not a partition column, or a value does not fit its column.
    """
    static = {}
    for name, value in (partition or {}).items():
        if name not in store.schema.partition_keys:
            raise SchemaMismatch(
                f"'{name}' is not a partition column of {store.name}.",
                did_you_mean(name, store.schema.partition_keys),
            )
        static[name] = partition_array(value, store.schema.field(name))
    return static


def partition_array(value: Any, field: DataField) -> pa.Array:
    """Return the value of a partition column, or its text, as an Arrow array of one row.

    Raises:
        SchemaMismatch: The value does not fit the column.
    """
    target = field_to_arrow(field).type
    try:
        if isinstance(value, str):
            return _from_text(value, field, target)
        given = values_of_column([implicit_value(value, target)], field)
    except (CastError, SchemaMismatch, pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise SchemaMismatch(f"{value!r} is not a value of partition column '{field.name}' ({field.type}).") from error
    return given.combine_chunks() if isinstance(given, pa.ChunkedArray) else given


def _from_text(text: str, field: DataField, target: pa.DataType) -> pa.Array:
    given = pa.array([text])
    # Arrow takes times without a zone for UTC; in SQL they are in the statement's zone.
    return cast_values(given, _STRING, field.type) if pa.types.is_timestamp(target) else given.cast(target)
