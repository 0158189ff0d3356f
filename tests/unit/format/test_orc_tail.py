"""The content of the tail of an ORC file, in every compression, and the conversion of its columns to Paimon types."""

from __future__ import annotations

import random
from contextlib import suppress
from io import BytesIO

import pyarrow as pa
import pytest
from pyarrow import orc

from workbench.format.orc.columns import from_orc
from workbench.format.orc.tail import OrcTail, read_orc_tail
from workbench.format.types import parse_type

SECONDS = [-5_000_000_000, 0, 7_000_000_000]


def file_of(codec: str) -> bytes:
    times = pa.array(SECONDS, pa.int64()).cast(pa.timestamp("s")).cast(pa.timestamp("ns"))
    inside = pa.StructArray.from_arrays(
        [pa.array(["a", "b", "c"]), times.slice(1).take(pa.array([0, 1, None]))], ["s", "t"]
    )
    many = {f"column {number}": pa.array(range(3)) for number in range(40)}
    out = BytesIO()
    orc.write_table(pa.table({**many, "t": times, "row": inside}), out, compression=codec)
    return out.getvalue()


def tail_of(data: bytes) -> OrcTail:
    return read_orc_tail(lambda offset, length: data[offset : offset + length], len(data))


@pytest.mark.parametrize("codec", ["uncompressed", "zlib", "snappy", "lz4", "zstd"])
def test_tail(codec: str) -> None:
    tail = tail_of(file_of(codec))
    assert tail.writer_zone in ("GMT", "UTC")
    assert tail.timestamp_seconds == {"t": (SECONDS[0], SECONDS[2]), "row": (0, SECONDS[2])}


@pytest.mark.parametrize("codec", ["uncompressed", "lz4", "zstd"])
def test_garbled_tails_fail_in_one_way(codec: str) -> None:
    data = file_of(codec)
    chance = random.Random(codec)
    for size in chance.sample(range(len(data)), 100):
        with pytest.raises((ValueError, IndexError)):
            tail_of(data[:size])
    for _ in range(500):
        changed = bytearray(data)
        changed[-chance.randrange(1, min(400, len(data)))] ^= chance.choice([1, 0x80, 0xFF])
        with suppress(ValueError, IndexError):
            assert isinstance(tail_of(bytes(changed)), OrcTail)


def test_zoned_times_of_another_wall_clock() -> None:
    stored = pa.chunked_array([pa.array([-28_800_000_000_000, None], pa.timestamp("ns", "UTC"))])
    kind = parse_type("TIMESTAMP(3) WITH LOCAL TIME ZONE")
    assert from_orc(stored, kind, "Asia/Shanghai").cast(pa.int64()).to_pylist() == [0, None]
    assert from_orc(stored, kind, None).cast(pa.int64()).to_pylist() == [-28_800_000, None]
    listed = pa.chunked_array([pa.ListArray.from_arrays([0, 1, 2], stored.chunk(0))])
    result = from_orc(listed, parse_type({"type": "ARRAY", "element": str(kind)}), "Asia/Shanghai")
    assert [each.value for row in result for each in row.values] == [0, None]


def test_padding_is_not_part_of_text() -> None:
    result = from_orc(pa.chunked_array([["a  ", "   ", None]]), parse_type("CHAR(3)"), None)
    assert result.to_pylist() == ["a", "", None]


def test_another_shape_is_an_error() -> None:
    rows = {"type": "ROW", "fields": [{"id": 1, "name": "x", "type": "INT"}]}
    with pytest.raises(ValueError, match="no field 'x'"):
        from_orc(pa.chunked_array([[{"y": 1}]]), parse_type(rows), None)
    with pytest.raises(ValueError, match="stored as int64"):
        from_orc(pa.chunked_array([[1]]), parse_type({"type": "ARRAY", "element": "INT"}), None)
