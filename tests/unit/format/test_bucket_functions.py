"""Buckets of the functions ``mod`` and ``hive``, against the rules of Java written out row by row."""

from __future__ import annotations

import struct
from datetime import date
from decimal import Decimal, localcontext
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.errors import Unsupported
from workbench.format.rows.bucket import fixed_buckets
from workbench.format.types import to_arrow
from workbench.format.types.type_parser import parse_type
from workbench.metadata.definition.new_schema import new_table_schema


def java_hash(value: Any, kind: str) -> int:
    """``HiveBucketFunction.computeHash``."""
    if value is None:
        return 0
    if kind in ("STRING", "BYTES"):
        result = 0
        for byte in value.encode() if isinstance(value, str) else value:
            result = 31 * result + (byte - 256 if byte > 127 else byte)
        return result
    if kind == "BIGINT":
        return (value & 0xFFFFFFFF) ^ ((value >> 32) & 0xFFFFFFFF)
    if kind == "DOUBLE":
        bits = 0 if value == 0 else struct.unpack("<q", struct.pack("<d", value))[0]
        return java_hash(0x7FF8 << 48 if value != value else bits, "BIGINT")
    if kind == "FLOAT":
        return 0x7FC00000 if value != value else 0 if value == 0 else struct.unpack("<i", struct.pack("<f", value))[0]
    if kind == "DATE":
        return (value - date(1970, 1, 1)).days
    if kind.startswith("DECIMAL"):
        return java_decimal_hash(value)
    return int(value)


def java_decimal_hash(value: Decimal) -> int:
    """Return ``BigDecimal.hashCode`` of the value without trailing zeros."""
    with localcontext(prec=60):
        scale = max(0, -int(value.normalize().as_tuple().exponent)) if value else 0
        unscaled = int(value.scaleb(scale))
    size, words = abs(unscaled), []
    while size:
        words.append(size & 0xFFFFFFFF)
        size >>= 32
    hashed = 0
    for word in reversed(words):
        hashed = (31 * hashed + word) & 0xFFFFFFFF
    return 31 * (-hashed if unscaled < 0 else hashed) + scale


WHOLE = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "BIGINT": 63}
VALUES: dict[str, st.SearchStrategy[Any]] = {
    **{kind: st.integers(-(2**bits), 2**bits - 1) for kind, bits in WHOLE.items()},
    "BOOLEAN": st.booleans(),
    "STRING": st.text(max_size=20),
    "BYTES": st.binary(max_size=20),
    "FLOAT": st.floats(width=32),
    "DOUBLE": st.floats(),
    "DATE": st.dates(),
    "DECIMAL(12, 4)": st.decimals(-(10**7), 10**7, places=4),
    "DECIMAL(38, 6)": st.integers(-(10**38) + 1, 10**38 - 1).map(lambda number: Decimal(f"{number}E-6")),
}


@given(st.data(), st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=3), st.integers(1, 50))
def test_hive_buckets_are_those_of_java(data: st.DataObject, kinds: list[str], buckets: int) -> None:
    rows = data.draw(st.lists(st.tuples(*(st.none() | VALUES[kind] for kind in kinds)), max_size=8))
    types = [parse_type(kind) for kind in kinds]
    columns = [pa.array([row[position] for row in rows], to_arrow(kind)) for position, kind in enumerate(types)]
    expected = []
    for position in range(len(rows)):
        hashed = 0
        for column, kind in zip(columns, kinds, strict=True):
            hashed = 31 * hashed + java_hash(column[position].as_py(), kind)
        expected.append((hashed & 0x7FFFFFFF) % buckets)
    assert fixed_buckets(columns, types, buckets, "hive").tolist() == expected
    chunked = [pa.chunked_array([column.slice(0, 1), column.slice(1)]) for column in columns]
    assert fixed_buckets(chunked, types, buckets, "hive").tolist() == expected


@pytest.mark.parametrize("kind", ["INT", "BIGINT"])
def test_mod_is_never_negative_and_null_is_zero(kind: str) -> None:
    minimum = -(2 ** WHOLE[kind])
    column = pa.array([17, -3, 5, None, minimum], to_arrow(parse_type(kind)))
    assert fixed_buckets([column], [parse_type(kind)], 5, "mod").tolist() == [2, 2, 0, 0, minimum % 5]


@pytest.mark.parametrize(
    ("function", "key", "named"),
    [("mod", ["s"], "STRING"), ("mod", ["a", "b"], "one bucket key"), ("hive", ["t"], r"TIMESTAMP\(3\)")],
)
def test_keys_that_a_function_does_not_support_are_refused_at_creation(
    function: str, key: list[str], named: str
) -> None:
    columns = {"s": "STRING", "a": "INT", "b": "INT", "t": "TIMESTAMP(3)"}
    options = {"bucket": 2, "bucket-key": ",".join(key), "bucket-function.type": function}
    with pytest.raises(Unsupported, match=named):
        new_table_schema(columns, options=options, time_millis=0)
