"""Paimon's ORC columns as Arrow reads them, in the Arrow types of their Paimon types (format §14)."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.format.nested_arrays import with_leaves
from workbench.format.types import AtomicType, DataType, to_arrow

# Arrow reads all timestamps as nanoseconds, and up to version 24 it wraps silently beyond them.
NANOSECOND_SECONDS = (-(1 << 63) // 10**9 + 1, (1 << 63) // 10**9 - 1)


def has_times(data_type: DataType, root: str = "TIMESTAMP") -> bool:
    """Whether the type is, or holds, a timestamp; ``root`` TIMESTAMP_LTZ for zoned ones alone."""
    if isinstance(data_type, AtomicType):
        return data_type.root.startswith(root)
    return any(has_times(child, root) for child in data_type.children())


def from_orc(column: pa.ChunkedArray, data_type: DataType, legacy_zone: str | None) -> Any:
    """A column as Arrow read it, in the Arrow type of the Paimon type it was written with.

    ``legacy_zone``: the zone of the writer, if it stored zoned times as 'orc.timestamp-ltz.legacy.type' has it; None
    if it stored true instants. Raises ValueError where the column has another shape, Unsupported for a type that ORC
    files do not have.
    """
    import pyarrow.compute as pc

    def leaf(array: pa.Array, kind: AtomicType) -> pa.Array:
        target = to_arrow(kind)
        if kind.root in ("VARIANT", "BLOB", "GEOMETRY", "GEOGRAPHY"):
            raise Unsupported(f"A column of type {kind} in an ORC file is not supported.")
        if kind.root == "CHAR":
            # ORC pads it with blanks, which are no part of the value.
            array = pc.utf8_rtrim(array, " ")
        if kind.root == "TIMESTAMP_LTZ" and legacy_zone not in (None, "UTC"):
            # The writer took the wall clock of UTC for one of its own zone.
            wall_clock = pc.local_timestamp(array.cast(pa.timestamp("ns", legacy_zone)))
            array = wall_clock.cast(pa.timestamp("ns", "UTC"))
        if array.type.equals(target):
            return array
        return pc.cast(array, options=pc.CastOptions(target_type=target, allow_time_truncate=True))

    return with_leaves(column, data_type, leaf)
