"""BinaryRow bytes, hashes and buckets against vectors that Java Paimon confirmed."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from workbench.base.errors import Unsupported
from workbench.format.rows.binary_row import decode_columns, decode_row, encode_columns, encode_row
from workbench.format.rows.bucket import fixed_buckets, murmur_hash
from workbench.format.types import parse_type, to_arrow

VECTORS = [
    (["INT"], [1], "00000000000000000100000000000000", 1465514398, 2, 8),
    (["INT"], [-1], "0000000000000000ffffffff00000000", 1133687267, 3, 7),
    (["INT"], [None], "00010000000000000000000000000000", -1748325344, 0, 4),
    (["BIGINT"], [1], "00000000000000000100000000000000", 1465514398, 2, 8),
    (["STRING"], ["a"], "00000000000000006100000000000081", 943281246, 2, 6),
    (["STRING"], ["paimon"], "00000000000000007061696d6f6e0086", 1504888072, 0, 2),
    (["STRING"], ["abcdefg"], "00000000000000006162636465666787", -1431907323, 3, 3),
    (["STRING"], ["abcdefgh"], "000000000000000008000000100000006162636465666768", -843760178, 2, 8),
    (["CHAR(20)"], ["abcdefgh"], "000000000000000008000000100000006162636465666768", -843760178, 2, 8),
    (["STRING"], ["hello world"], "00000000000000000b0000001000000068656c6c6f20776f726c640000000000", 161593394, 2, 4),
    (["INT", "STRING"], [7, "x"], "000000000000000007000000000000007800000000000081", -1252423430, 2, 0),
    (["DATE"], [19723], "00000000000000000b4d000000000000", -1439008885, 1, 5),
    (["DECIMAL(10, 2)"], [Decimal("123.45")], "00000000000000003930000000000000", 767607022, 2, 2),
    (
        ["DECIMAL(38, 2)"],
        [Decimal("123.45")],
        "0000000000000000020000001000000030390000000000000000000000000000",
        -118192725,
        1,
        5,
    ),
    (
        ["DECIMAL(38, 2)"],
        [None],
        "0001000000000000000000001000000000000000000000000000000000000000",
        -1380280760,
        0,
        0,
    ),
    (["TIMESTAMP(3)"], [1700000000123], "00000000000000007b68e5cf8b010000", -1285420957, 1, 7),
    (["TIMESTAMP(6)"], [1700000000123456], "000000000000000040f50600100000007b68e5cf8b010000", 1196670069, 1, 9),
    (["TIMESTAMP(6)"], [None], "000100000000000000000000100000000000000000000000", -340882661, 1, 1),
    (["BOOLEAN"], [True], "00000000000000000100000000000000", 1465514398, 2, 8),
    (["DOUBLE"], [1.5], "0000000000000000000000000000f83f", 1860889473, 1, 3),
]


def columns_of(types, values):
    return [arrow_column(data_type, [value]) for data_type, value in zip(types, values, strict=True)]


def arrow_column(data_type, values):
    target = to_arrow(data_type)
    if pa.types.is_timestamp(target):
        return pa.array(values, pa.int64()).cast(target)
    if pa.types.is_date(target) or pa.types.is_time(target):
        return pa.array(values, pa.int32()).cast(target)
    return pa.array(values, target)


@pytest.mark.parametrize(("names", "values", "expected", "hashed", "of_4", "of_10"), VECTORS)
def test_java_vectors(names, values, expected, hashed, of_4, of_10):
    types = [parse_type(name) for name in names]
    data = encode_row(values, types)
    assert data[:4] == len(types).to_bytes(4, "big")
    assert data[4:].hex() == expected
    assert murmur_hash(data[4:]) == hashed
    assert decode_row(data, types) == tuple(values)
    columns = columns_of(types, values)
    rows = encode_columns(columns, types)
    assert rows.to_bytes(0) == data
    assert rows.hashes().tolist() == [hashed]
    assert fixed_buckets(columns, types, 4).tolist() == [of_4]
    assert fixed_buckets(columns, types, 10).tolist() == [of_10]
    assert decode_columns([data], types) == columns


def test_empty_row():
    data = encode_row([], [])
    assert data == bytes(12)
    assert murmur_hash(data[4:]) == -1670924195
    assert encode_columns([], []).to_bytes(0) == data


def test_the_minimum_hash_has_a_bucket(monkeypatch):
    from workbench.format.rows import binary_row_columns

    monkeypatch.setattr(
        binary_row_columns, "hash_words", lambda fixed, _variable, _starts: np.full(fixed.shape[1], -(2**31), np.int32)
    )
    assert fixed_buckets([pa.array([1])], [parse_type("BIGINT")], 10).tolist() == [8]


def test_rows_without_reserved_space_are_read():
    types = [parse_type("TIMESTAMP(6)"), parse_type("DECIMAL(38, 2)"), parse_type("INT")]
    row = bytearray(4 + 8 + 24)
    row[3] = 3
    row[5] = 0b11
    row[4 + 8 + 16] = 9
    assert decode_row(bytes(row), types) == (None, None, 9)
    assert [column.to_pylist() for column in decode_columns([bytes(row)], types)] == [[None], [None], [9]]


@pytest.mark.parametrize("cut", [0, 3, 11, 19, 27, 34])
def test_short_rows_are_refused(cut):
    types = [parse_type("INT"), parse_type("STRING")]
    data = encode_row([1, "a long enough text"], types)
    with pytest.raises(ValueError, match="row"):
        decode_row(data[:cut], types)
    with pytest.raises(ValueError, match="row"):
        decode_columns([data, data[:cut]], types)


@pytest.mark.parametrize("slot", ["ff" * 8, "09000000f0000000"])
@pytest.mark.parametrize("name", ["STRING", "DECIMAL(38, 0)", "TIMESTAMP(9)", "INT"])
def test_values_under_nulls_are_ignored(name, slot):
    data = bytes.fromhex("000000010001000000000000" + slot)
    assert decode_row(data, [parse_type(name)]) == (None,)
    assert decode_columns([data], [parse_type(name)])[0].to_pylist() == [None]


@pytest.mark.parametrize("name", ["STRING", "BYTES", "DECIMAL(38, 0)", "TIMESTAMP(9)"])
def test_garbled_pointers_are_refused(name):
    data_type = parse_type(name)
    garbled = bytes.fromhex("00000001000000000000000009000000f0000000") + bytes(16)
    with pytest.raises(ValueError, match="row"):
        decode_row(garbled, [data_type])
    with pytest.raises(ValueError, match="row"):
        decode_columns([garbled], [data_type])


def test_text_that_is_not_utf8_has_replacement_characters_as_in_java():
    data = bytes.fromhex("000000010000000000000000ff00000000000081")
    assert decode_row(data, [parse_type("STRING")]) == ("\N{REPLACEMENT CHARACTER}",)
    (column,) = decode_columns([data], [parse_type("STRING")])
    assert column.to_pylist() == ["\N{REPLACEMENT CHARACTER}"]


def test_wrong_arity_is_refused():
    data = encode_row([1, 2], [parse_type("INT")] * 2)
    with pytest.raises(ValueError, match="1 fields"):
        decode_row(data, [parse_type("INT")])
    with pytest.raises(ValueError, match="1 fields"):
        decode_columns([data], [parse_type("INT")])


def test_complex_values():
    data_type = parse_type({"type": "ARRAY", "element": "INT"})
    data = encode_row([None], [data_type])
    assert decode_row(data, [data_type]) == (None,)
    assert decode_columns([data], [data_type])[0].to_pylist() == [None]
    assert encode_columns([pa.nulls(1, pa.list_(pa.int32()))], [data_type]).to_bytes(0) == data
    with pytest.raises(Unsupported, match="ARRAY"):
        encode_row([[1]], [data_type])
    with pytest.raises(Unsupported, match="ARRAY"):
        encode_columns([pa.array([[1]], pa.list_(pa.int32()))], [data_type])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("INT", 2**31),
        ("TINYINT", 128),
        ("DECIMAL(20, 2)", Decimal(10**18)),
        ("DECIMAL(4, 2)", Decimal(2**62)),
        ("DECIMAL(4, 2)", Decimal("1.234")),
    ],
)
def test_values_that_do_not_fit_are_refused(name, value):
    with pytest.raises(ValueError, match="does not fit"):
        encode_row([value], [parse_type(name)])


def test_small_decimals_may_have_more_digits_than_their_type():
    """Decimals may exceed the precision of their type, as sums computed by Java do."""
    kind = parse_type("DECIMAL(4, 2)")
    assert decode_row(encode_row([Decimal("123456.00")], [kind]), [kind]) == (Decimal("123456.00"),)
