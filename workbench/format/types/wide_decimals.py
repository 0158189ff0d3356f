"""Decimals with more digits than their type, which sums become that overflow."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa

from workbench.base.modules import pc


def exceeding(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray | None:
    """Return a mask of the decimals with more digits than their type, which Arrow stores without a check; None if
    there are none."""
    largest = pa.scalar(Decimal((0, (9,) * column.type.precision, -column.type.scale)), column.type)
    bounds = pc.min_max(column).as_py()
    # Unlike the minus sign, this does not round.
    if bounds["min"] is None or max(bounds["max"], bounds["min"].copy_negate()) <= largest.as_py():
        return None
    return pc.greater(pc.abs(column), largest)
