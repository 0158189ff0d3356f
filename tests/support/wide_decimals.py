"""Arrow decimals with more digits than their type, as sums are read that overflow."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pyarrow as pa


def wide_decimals(values: Sequence[Decimal | None], precision: int, scale: int) -> pa.Array:
    """Return decimals of a type that they exceed, which Arrow stores without a check."""
    exact = pa.array(values, pa.decimal128(38, scale))
    return pa.Array.from_buffers(pa.decimal128(precision, scale), len(exact), exact.buffers())
