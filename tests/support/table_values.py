"""Values of every key type, as plain Python that can be compared: times are integers in the unit of their type."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from workbench.format.types import AtomicType, to_arrow
from workbench.format.types.type_parser import parse_type

LONG = 1 << 63
DAY_MILLIS = 86_400_000
TEXTS = [
    "",
    "\0",
    "\0\0",
    "a",
    "a\0",
    "a\0b",
    "ab",
    "b" * 8,
    "b" * 8 + "\0",
    "b" * 8 + "c",
    "b" * 17,
    "ü",
    "𝄞",
    "\uffff",
]

DOMAINS: dict[str, list[Any]] = {
    "TINYINT": list(range(-128, 128, 9)),
    "SMALLINT": [-32768, -1, 0, 1, 32767, *range(100, 110)],
    "INT": list(range(-20, 20)),
    "BIGINT": [-LONG, -LONG + 1, -1, 0, 1, LONG - 1, *range(10**12, 10**12 + 12)],
    "BOOLEAN": [False, True],
    "FLOAT": [-math.inf, -1.5, -0.0, 0.0, 2.5, math.inf, math.nan],
    "DOUBLE": [-math.inf, -1.5, -1e-300, -0.0, 0.0, 1e-300, 0.1, 2.5, 1e300, math.inf, math.nan],
    "DECIMAL(10, 2)": [Decimal(f"{each}E-2") for each in (-(10**10) + 1, -101, -1, 0, 1, 99, 100, 10**10 - 1)],
    "DECIMAL(30, 5)": [Decimal(f"{each}E-5") for each in (-(10**29), -(2**64), -1, 0, 1, 2**63, 2**64, 10**29)],
    "STRING": TEXTS,
    "VARCHAR(20)": TEXTS,
    "BYTES": [b"", b"\0", b"\0\0", b"a", b"a\0", b"a" * 9, b"\xff", b"\xff\x00", b"\x80" * 12],
    "DATE": [-719162, -1, 0, 1, 20_000, 2_932_896],
    "TIMESTAMP(0)": [-DAY_MILLIS, 0, 1000, 1_700_000_000_000],
    "TIMESTAMP(3)": [-DAY_MILLIS - 1, -1, 0, 1, 1_700_000_000_123],
    "TIMESTAMP(6)": [-DAY_MILLIS * 1000 - 1, -1, 0, 1, 1_700_000_000_123_456],
    "TIMESTAMP(9)": [-DAY_MILLIS * 10**6 - 1, -1, 0, 1, 1_700_000_000_123_456_789],
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": [-1, 0, 1, 1_700_000_000_123_456],
    "TIME(3)": [0, 1, DAY_MILLIS - 1],
}


def column(values: Sequence[Any], type_text: str) -> pa.Array:
    """Values of a domain as Arrow."""
    kind = to_arrow(parse_type(type_text))
    if pa.types.is_temporal(kind):
        return pa.array(values, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    return pa.array(values, kind)


def table(rows: Sequence[Sequence[Any]], columns: dict[str, str]) -> pa.Table:
    """Rows as Arrow; ``columns`` maps names to types."""
    by_column = list(zip(*rows, strict=True)) or [()] * len(columns)
    return pa.table({name: column(each, columns[name]) for name, each in zip(columns, by_column, strict=True)})


def rows_of(result: pa.Table) -> list[tuple[Any, ...]]:
    """The rows of an Arrow table as plain, comparable values."""
    columns = [
        [canonical(value) for value in _plain(result.column(position))] for position in range(result.num_columns)
    ]
    return list(zip(*columns, strict=True)) if columns else []


def _plain(result: pa.ChunkedArray) -> list[Any]:
    kind = result.type
    if pa.types.is_temporal(kind):
        number = pa.int32() if kind.bit_width == 32 else pa.int64()
        return [value for chunk in result.chunks for value in chunk.view(number).to_pylist()]
    values: list[Any] = result.to_pylist()
    return values


def canonical(value: Any) -> Any:
    """Distinguishes -0.0 from 0.0, and treats all NaNs as equal."""
    if isinstance(value, float):
        return ("float", "nan" if math.isnan(value) else struct.pack(">d", value).hex())
    return value


def order(value: Any, type_text: str) -> Any:
    """A sort key with the order that values of the type have in a primary key."""
    kind = parse_type(type_text)
    assert isinstance(kind, AtomicType)
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float):
        return (math.isnan(value), 0.0 if math.isnan(value) else value, math.copysign(1, value))
    return value
