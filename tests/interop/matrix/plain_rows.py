"""The rows that most tables of the matrix hold: an id, a number, a text, an amount."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal

import pyarrow as pa

from tests.interop.matrix.feature import Step, Write

COLUMNS = {"id": "BIGINT", "v": "INT", "s": "STRING", "m": "DECIMAL(9, 2)"}
KEYED = {**COLUMNS, "id": "BIGINT NOT NULL"}


def rows(ids: Sequence[int], version: int) -> pa.Table:
    """Return a row for each id; the same ids and version give the same rows."""
    chance = random.Random(f"{version} {ids[0]} {len(ids)}")
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "v": pa.array([None if chance.random() < 0.2 else chance.randrange(100) for _ in ids], pa.int32()),
            "s": pa.array([None if chance.random() < 0.2 else f"text {version} of {each}" for each in ids]),
            "m": pa.array([Decimal(chance.randrange(10_000)) / 100 for _ in ids], pa.decimal128(9, 2)),
        }
    )


def write(ids: Sequence[int], version: int, kinds: Sequence[str] = ()) -> Write:
    """Return a commit of such rows; the given kinds are assigned to them in turn."""
    return Write(rows(ids, version), tuple(kinds[n % len(kinds)] for n in range(len(ids))) if kinds else None)


UPSERTS: tuple[Step, ...] = (
    write(range(40), 1),
    write(range(20, 50), 2, ("+I", "+U", "-D")),
    write(range(0, 60, 3), 3),
)
APPENDS: tuple[Step, ...] = (write(range(40), 1), write(range(40, 60), 2), write(range(60, 65), 3))
