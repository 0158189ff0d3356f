"""The columnar BinaryRow paths have the same results as the row paths, for every type and any rows."""

from __future__ import annotations

from decimal import Context, Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.format.rows.binary_row import decode_columns, decode_row, encode_columns, encode_row
from workbench.format.rows.binary_row_layout import ARITY_BYTES
from workbench.format.rows.binary_row_size import size_of_rows
from workbench.format.rows.bucket import fixed_buckets, murmur_hash
from workbench.format.types import AtomicType, parse_type, to_arrow


def integers(bits):
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def decimals(precision, scale):
    limit = 10**precision - 1
    return st.integers(-limit, limit).map(lambda value: Decimal(value).scaleb(-scale, Context(prec=60)))


VALUES = {
    "BOOLEAN": st.booleans(),
    "TINYINT": integers(8),
    "SMALLINT": integers(16),
    "INT": integers(32),
    "BIGINT": integers(64),
    "FLOAT": st.floats(width=32, allow_nan=False),
    "DOUBLE": st.floats(allow_nan=False),
    "DATE": integers(32),
    "TIME(3)": st.integers(0, 86_399_999),
    "TIMESTAMP(0)": integers(64),
    "TIMESTAMP(3)": integers(64),
    "TIMESTAMP(6)": integers(62),
    "TIMESTAMP(9)": integers(62),
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": integers(62),
    "CHAR(9)": st.text(max_size=9),
    "STRING": st.text(max_size=40),
    "BINARY(8)": st.binary(max_size=8),
    "BYTES": st.binary(max_size=40),
    "DECIMAL(5, 2)": decimals(5, 2),
    "DECIMAL(18, 0)": decimals(18, 0),
    "DECIMAL(19, 4)": decimals(19, 4),
    "DECIMAL(38, 10)": decimals(38, 10),
}


@st.composite
def tables(draw):
    names = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=7))
    if draw(st.booleans()):
        names = names + ["INT"] * 60  # a second word of null bits
    rows = draw(st.integers(0, 40))
    columns = [
        draw(st.lists(st.none() | VALUES[name], min_size=rows, max_size=rows)) if index < 7 else [index] * rows
        for index, name in enumerate(names)
    ]
    return [parse_type(name) for name in names], columns


def arrow_column(data_type, values):
    target = to_arrow(data_type)
    if pa.types.is_timestamp(target):
        return pa.array(values, pa.int64()).view(target)
    if pa.types.is_date(target) or pa.types.is_time(target):
        return pa.array(values, pa.int32()).view(target)
    return pa.array(values, target)


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(0, 5))
def test_columns_equal_rows(table, offset):
    types, values = table
    columns = [arrow_column(data_type, column)[offset:] for data_type, column in zip(types, values, strict=True)]
    expected = [encode_row(row, types) for row in zip(*(column[offset:] for column in values), strict=True)]
    rows = encode_columns(columns, types)
    assert [rows.to_bytes(index) for index in range(len(rows))] == expected
    assert size_of_rows(columns, types) == sum(len(data) - ARITY_BYTES for data in expected)
    assert rows.hashes().tolist() == [murmur_hash(data[4:]) for data in expected]
    for index, data in enumerate(expected):
        assert decode_row(data, types) == tuple(column[offset + index] for column in values)
    for decoded, column in zip(decode_columns(expected, types), columns, strict=True):
        decoded.validate(full=True)
        assert decoded.equals(column)


@pytest.mark.parametrize("size", [0, 7, 8, 9, 15, 16, 17, 100, 5000])
def test_texts_of_one_size(size):
    text = pa.array(["ab" * size][:1] * 40).to_pylist()[0][:size]
    data = encode_row([text], [AtomicType("STRING")])
    rows = encode_columns([pa.array([text] * 40)], [AtomicType("STRING")])
    assert {rows.to_bytes(index) for index in range(40)} == {data}
    assert set(rows.hashes().tolist()) == {murmur_hash(data[4:])}


def test_every_arrow_layout_of_a_column_has_the_same_hashes():
    texts = [None, "", "short", "a rather long text", "ä" * 9] * 9
    plain = pa.array(texts)
    forms = [
        plain,
        plain.cast(pa.large_string()),
        plain.dictionary_encode(),
        plain.cast(pa.string_view()),
        pa.chunked_array([plain[:3], plain[3:3], plain[3:]]),
        pa.concat_arrays([pa.array(["x", "yy"]), plain])[2:],
    ]
    types = [parse_type("STRING")]
    expected = fixed_buckets([plain], types, 7)
    for layout in forms:
        assert fixed_buckets([layout], types, 7).tolist() == expected.tolist()
    assert len(set(expected.tolist())) > 1


def test_blocks_join_without_a_seam():
    numbers = pa.array(np.arange(100_000))
    buckets = fixed_buckets([numbers], [parse_type("BIGINT")], 16)
    assert buckets.dtype == np.int32
    for index in (0, 32_767, 32_768, 65_536, 99_999):
        one = encode_row([index], [parse_type("BIGINT")])
        assert buckets[index] == abs(murmur_hash(one[4:])) % 16
    assert fixed_buckets([pa.chunked_array([], pa.int64())], [parse_type("BIGINT")], 4).tolist() == []


def test_values_under_nulls_do_not_leak():
    hidden = pa.Array.from_buffers(pa.int64(), 2, [pa.py_buffer(b"\x01"), pa.py_buffer(np.array([5, 99]))])
    types = [parse_type("BIGINT")]
    assert encode_columns([hidden], types).to_bytes(1) == encode_row([None], types)


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="column of 1"):
        encode_columns([pa.array([1, 2]), pa.array([1])], [parse_type("BIGINT")] * 2)


def test_timestamps_outside_their_arrow_type_are_refused():
    millis = 2**62
    data = encode_row([None], [parse_type("TIMESTAMP(6)")])
    data = data[:5] + b"\0" + data[6:-8] + millis.to_bytes(8, "little")
    with pytest.raises(ValueError, match="range"):
        decode_columns([data], [parse_type("TIMESTAMP(6)")])
