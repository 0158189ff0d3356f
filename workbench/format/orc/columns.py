"""Converts Paimon's ORC columns to the Arrow types of their Paimon types (format §14)."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.modules import pc
from workbench.format.types import AtomicType, DataType, to_arrow
from workbench.format.types.nested_arrays import Leaf, with_leaves
from workbench.format.types.wall_clock import UTC_NAMES, wall_clock_offsets

# Arrow reads all timestamps as nanoseconds, and up to version 24 it wraps silently beyond their range.
NANOSECOND_SECONDS = (-(1 << 63) // 10**9 + 1, (1 << 63) // 10**9 - 1)


def from_orc(column: pa.ChunkedArray, data_type: DataType, legacy_zone: str | None, times: Leaf | None = None) -> Any:
    """Convert a column, as read by Arrow, to the Arrow type of the Paimon type with which it was written.

    ``times`` converts the integers that Arrow read to timestamps, leaf by leaf in the order of the type; None if Arrow
    read timestamps itself. ``legacy_zone`` is the zone of the writer if it stored zoned times as
    'orc.timestamp-ltz.legacy.type' defines; None if it stored true instants.

    Raises:
        ValueError: If the column has another shape.
        Unsupported: If ORC files do not support the type.
    """

    def leaf(array: pa.Array, column_type: AtomicType) -> pa.Array:
        target = to_arrow(column_type)
        if times is not None:
            array = times(array, column_type)
        if column_type.root in ("VARIANT", "BLOB", "GEOMETRY", "GEOGRAPHY"):
            raise Unsupported(f"A column of type {column_type} in an ORC file is not supported.")
        if column_type.root == "CHAR":
            # ORC pads CHAR values with blanks, which are not part of the value.
            array = pc.utf8_rtrim(array, " ")
        if column_type.root == "TIMESTAMP_LTZ" and legacy_zone not in (None, *UTC_NAMES):
            array = _read_in_utc(array, legacy_zone)
        if array.type.equals(target):
            return array
        return pc.cast(array, options=pc.CastOptions(target_type=target, allow_time_truncate=True))

    return with_leaves(column, data_type, leaf)


def _read_in_utc(array: pa.Array, zone: str) -> pa.Array:
    """Return the instants of a writer that interpreted a local time of UTC as a local time in its time zone."""
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[array.type.unit]
    stored = array.view(pa.int64()).fill_null(0).to_numpy()
    offsets = wall_clock_offsets(stored // per_second, zone) * per_second
    moments = stored + offsets
    if ((moments < stored) != (offsets < 0)).any():
        raise OverflowError("a timestamp is out of range")
    nulls = array.is_null().to_numpy(zero_copy_only=False)
    return pa.array(moments, mask=nulls).view(pa.timestamp(array.type.unit, "UTC"))
