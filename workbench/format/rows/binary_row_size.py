"""The size of rows as BinaryRows, without encoding them (format §9)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from workbench.base.modules import pc
from workbench.format.rows.binary_row_layout import (
    DECIMAL_VARIABLE_BYTES,
    MAX_INLINE_BYTES,
    TIMESTAMP_VARIABLE_BYTES,
    Slot,
    fixed_bytes,
    slot_of,
)
from workbench.format.types import DataType


def size_of_rows(columns: Sequence[pa.Array | pa.ChunkedArray], types: Sequence[DataType]) -> int:
    """Return the size of rows in bytes, including headers and padding. Nested values count with their size in Arrow.

    Args:
        columns: The columns, of equal lengths.
        types: Their types.

    Example:
        >>> size_of_rows([pa.chunked_array([["short", "longer than seven bytes"]])], [parse_type("STRING")])
        56
    """
    rows = len(columns[0]) if columns else 0
    return rows * fixed_bytes(len(columns)) + sum(map(_variable_bytes, columns, types))


def _variable_bytes(column: pa.Array | pa.ChunkedArray, data_type: DataType) -> int:
    slot = slot_of(data_type)
    if slot is Slot.DECIMAL:
        return DECIMAL_VARIABLE_BYTES * len(column)
    if slot is Slot.TIMESTAMP:
        return TIMESTAMP_VARIABLE_BYTES * len(column)
    if slot is Slot.COMPLEX:
        return int(column.nbytes)
    if slot not in (Slot.STRING, Slot.BINARY):
        return 0
    sizes = pc.fill_null(pc.binary_length(column), 0).to_numpy().astype(np.int64)
    apart = sizes[sizes > MAX_INLINE_BYTES]
    return int(((apart + 7) // 8 * 8).sum())
