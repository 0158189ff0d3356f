"""VARIANT values: every type of Parquet's variant encoding, as JSON text in Java's spelling."""

from __future__ import annotations

import random
import struct
from contextlib import suppress
from datetime import UTC
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

import workbench as wb
from workbench.format.types.variant import json_text

NO_NAMES = b"\x01\x00\x00"
MICROS = 1_700_000_000_123_400
OBJECT = bytes.fromhex("020200010002250c0103060002080a0b0c1a0c012001190000000578000402010200091c9c7500883ce4377e")
OBJECT_NAMES = bytes.fromhex("010300010203616263")


def primitive(number: int, data: bytes = b"") -> bytes:
    return bytes([number << 2]) + data


def signed(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little", signed=True)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (primitive(0), "null"),
        (primitive(1), "true"),
        (primitive(2), "false"),
        (primitive(3, signed(-128, 1)), "-128"),
        (primitive(4, signed(300, 2)), "300"),
        (primitive(5, signed(-70_000, 4)), "-70000"),
        (primitive(6, signed(-(2**63), 8)), str(-(2**63))),
        (primitive(7, struct.pack("<d", 1e300)), "1.0E300"),
        (primitive(7, struct.pack("<d", -0.0)), "-0.0"),
        (primitive(7, struct.pack("<d", float("nan"))), '"NaN"'),
        (primitive(7, struct.pack("<d", float("-inf"))), '"-Infinity"'),
        (primitive(14, struct.pack("<f", 0.1)), "0.1"),
        (primitive(14, struct.pack("<f", float("inf"))), '"Infinity"'),
        (primitive(8, b"\x02" + signed(-12_300, 4)), "-123"),
        (primitive(9, b"\x12" + signed(1, 8)), "0.000000000000000001"),
        (primitive(10, b"\x05" + signed(10**38 - 1, 16)), "9" * 33 + "." + "9" * 5),
        (primitive(8, b"\x09" + signed(0, 4)), "0"),
        (primitive(11, signed(-719_162, 4)), '"0001-01-01"'),
        (primitive(11, signed(2_932_897, 4)), '"+10000-01-01"'),
        (primitive(12, signed(MICROS, 8)), '"2023-11-14 22:13:20.1234+00:00"'),
        (primitive(13, signed(MICROS, 8)), '"2023-11-14 22:13:20.1234"'),
        (primitive(13, signed(-1_000_000, 8)), '"1969-12-31 23:59:59"'),
        (primitive(15, signed(3, 4) + b"\x00\xff\x10"), '"AP8Q"'),
        (primitive(16, signed(70, 4) + b"x" * 70), '"' + "x" * 70 + '"'),
        (b"\x0d" + b'"\x1f\n', '"\\"\\u001F\\n"'),
        (b"\x01", '""'),
        (primitive(20, bytes(range(16))), '"00010203-0405-0607-0809-0a0b0c0d0e0f"'),
        (b"\x03\x00\x00", "[]"),
        (b"\x02\x00\x00", "{}"),
        (b"\x13\x01\x00\x00\x00\x00\x01\x00", "[null]"),
    ],
)
def test_values(value: bytes, text: str) -> None:
    assert json_text(value, NO_NAMES, UTC) == text


def test_nested_as_java_wrote_it() -> None:
    assert json_text(OBJECT, OBJECT_NAMES, UTC) == '{"a":1,"b":[1,2.5,"x",null,true,{"c":1.0E300}]}'


def test_zones() -> None:
    value = primitive(12, signed(MICROS, 8))
    assert json_text(value, NO_NAMES, ZoneInfo("Asia/Kolkata")) == '"2023-11-15 03:43:20.1234+05:30"'
    assert json_text(value, NO_NAMES, ZoneInfo("America/New_York")) == '"2023-11-14 17:13:20.1234-05:00"'
    with pytest.raises(ValueError, match="years"):
        json_text(primitive(12, signed(2**62, 8)), NO_NAMES, UTC)


@pytest.mark.parametrize("number", [17, 18, 19, 21, 63])
def test_types_that_paimon_does_not_have(number: int) -> None:
    with pytest.raises(wb.Unsupported, match=f"primitive type {number} "):
        json_text(primitive(number, bytes(20)), NO_NAMES, UTC)


def test_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wb.options, "timezone", "UTC")
    rows = [{"value": OBJECT, "metadata": OBJECT_NAMES}, None, {"value": primitive(0), "metadata": NO_NAMES}]
    column = pa.array(rows, pa.struct([("value", pa.binary()), ("metadata", pa.binary())]))
    texts = ['{"a":1,"b":[1,2.5,"x",null,true,{"c":1.0E300}]}', None, "null"]
    assert wb.variant_to_json(column).to_pylist() == texts
    result = wb.variant_to_json(pa.chunked_array([column, column.slice(1)]))
    assert result.type == pa.string()
    assert result.to_pylist() == texts + texts[1:]
    with pytest.raises(ValueError, match="not a VARIANT"):
        wb.variant_to_json(pa.array([{"value": b""}]))
    with pytest.raises(ValueError, match="not a VARIANT"):
        wb.variant_to_json(pa.array(["{}"]))


def test_garbled_bytes_fail_in_one_way() -> None:
    chance = random.Random(7)
    for size in range(len(OBJECT)):
        with pytest.raises(ValueError, match="variant"):
            json_text(OBJECT[:size], OBJECT_NAMES, UTC)
    for size in range(len(OBJECT_NAMES)):
        with pytest.raises(ValueError, match="variant"):
            json_text(OBJECT, OBJECT_NAMES[:size], UTC)
    for _ in range(3000):
        value, names = bytearray(OBJECT), bytearray(OBJECT_NAMES)
        for _ in range(2):
            part = chance.choice([value, names])
            part[chance.randrange(len(part))] = chance.randrange(256)
        with suppress(ValueError, wb.Unsupported):
            assert isinstance(json_text(bytes(value), bytes(names), UTC), str)
    own_child = bytes([0b11, 1, 0, 0])
    with pytest.raises(ValueError, match="deeply"):
        json_text(own_child[:2] + b"\x00\x00" + own_child * 2000, NO_NAMES, UTC)
