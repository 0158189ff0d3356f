"""Nanosecond timestamps at the ends of 64 bits."""

import pyarrow as pa
import pytest

from workbench.format.rows.binary_row import encode_row
from workbench.format.rows.binary_row_decoding import decode_columns
from workbench.format.types import parse_type

NANOS = parse_type("TIMESTAMP(9)")


@pytest.mark.parametrize("value", [-(2**63), 2**63 - 1, -9_223_372_036_854_774_000, 9_223_372_036_854_775_000, -1, 0])
def test_every_64_bit_value_round_trips(value: int) -> None:
    (column,) = decode_columns([encode_row([value], [NANOS])], [NANOS])
    assert column.cast(pa.int64()).to_pylist() == [value]


def test_a_moment_outside_is_refused() -> None:
    row = bytearray(encode_row([2**63 - 1], [NANOS]))
    row[-8:] = (2**63 // 1_000_000 + 1).to_bytes(8, "little", signed=True)
    with pytest.raises(ValueError, match="range"):
        decode_columns([bytes(row)], [NANOS])
