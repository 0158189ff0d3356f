"""Timestamps of ORC files beyond 64-bit nanoseconds: the runs of integers, and files whose tail is modified."""

from __future__ import annotations

import random
from contextlib import suppress
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import orc

import workbench as wb
from workbench.datafile.formats.patched_footer import PatchedFooterFile
from workbench.format.orc.columns import from_orc
from workbench.format.orc.messages import encode_section, message, number_of, plain
from workbench.format.orc.runs import unsigned_runs
from workbench.format.orc.tail import read_orc_tail
from workbench.format.orc.times import StripeTimes, tail_with_integer_timestamps
from workbench.format.types import AtomicType, parse_type

TIME = AtomicType("TIMESTAMP", precision=6)
PATCHED = "8e132b2107d01e00147028323c46505a646e78828c96a0aab4befce8"


@pytest.mark.parametrize(
    ("data", "numbers"),
    [
        ("0a2710", [10_000] * 5),
        ("5e035ca1ab1edeadbeef", [23713, 43806, 57005, 48879]),
        ("c609020222424246", [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]),
        ("c0040a05", [10, 7, 4, 1, -2]),
        (PATCHED, [2030, 2000, 2020, 1_000_000, *range(2040, 2200, 10)]),
        ("0a27100a2711", [10_000] * 5 + [10_001] * 5),
        ("", []),
    ],
)
def test_runs_of_the_specification(data: str, numbers: list[int]) -> None:
    assert unsigned_runs(bytes.fromhex(data)).tolist() == numbers


@pytest.mark.parametrize("data", ["0a27", "5e035ca1ab1ede", "c60902022242", PATCHED[:-2], "8e", "c6", "8e09ff"])
def test_runs_that_end_early(data: str) -> None:
    with pytest.raises(ValueError, match=r"is truncated|exceeds 64 bits|is negative"):
        unsigned_runs(bytes.fromhex(data))


def test_garbled_runs_fail_in_one_way() -> None:
    chance = random.Random(3)
    for _ in range(3000):
        with suppress(ValueError):
            assert unsigned_runs(chance.randbytes(chance.randrange(1, 40))).dtype == np.int64


NANOS = [None, 0, -1_500_000_000, 1, 1_700_000_000_123_456_789, -(2**62), 2**62, 7_000_000_000, 1_000_001_000]
ROWS = {"type": "ROW", "fields": [{"id": 1, "name": "text", "type": "STRING"}, {"id": 2, "name": "t", "type": "T"}]}


def kind_of(precision: int, zoned: bool) -> dict[str, Any]:
    text = f"TIMESTAMP({precision})" + (" WITH LOCAL TIME ZONE" if zoned else "")
    fields = [{**field, "type": text if field["type"] == "T" else field["type"]} for field in ROWS["fields"]]
    return {
        "plain": text,
        "listed": {"type": "ARRAY", "element": text},
        "inside": {"type": "ROW", "fields": fields},
        "mapped": {"type": "MAP", "key": "INT", "value": text},
    }


def columns_of(zoned: bool, copies: int, precision: int = 9) -> pa.Table:
    unit = 10 ** (9 - precision)
    values = [value and value // unit * unit for value in NANOS]
    times = pa.array(values * copies, pa.int64()).cast(pa.timestamp("ns", "UTC" if zoned else None))
    count = len(times)
    offsets = pa.array([0, 0, 2, *range(3, count + 1)], pa.int32())
    offsets = pa.concat_arrays([offsets, pa.array([count] * (count + 1 - len(offsets)), pa.int32())])
    inside = pa.StructArray.from_arrays(
        [pa.array(["x"] * count), times], ["text", "t"], mask=pa.array([True] + [False] * (count - 1))
    )
    mapped = pa.MapArray.from_arrays(offsets, pa.array(range(count), pa.int32()), times)
    listed = pa.ListArray.from_arrays(offsets, times)
    return pa.table({"number": range(count), "plain": times, "listed": listed, "inside": inside, "mapped": mapped})


@pytest.mark.parametrize("precision", [3, 6, 9])
@pytest.mark.parametrize("zoned", [False, True])
@pytest.mark.parametrize(
    ("codec", "copies"), [("zlib", 1), ("uncompressed", 60), ("lz4", 500), ("zstd", 500), ("snappy", 60)]
)
def test_the_same_as_arrow_reads(codec: str, copies: int, zoned: bool, precision: int) -> None:
    written = columns_of(zoned, copies, precision)
    out = BytesIO()
    orc.write_table(
        written, out, compression=codec, compression_block_size=1 << 16, stripe_size=1 << 16, batch_size=100
    )
    data = out.getvalue()

    def read(offset: int, length: int) -> bytes:
        return data[offset : offset + length]

    tail = read_orc_tail(read, len(data))
    plainly = orc.ORCFile(BytesIO(data))
    numbered = orc.ORCFile(PatchedFooterFile(read, tail.footer_start, tail_with_integer_timestamps(tail)))
    assert numbered.schema.field("plain").type == pa.int64()
    assert numbered.nstripes == plainly.nstripes
    for stripe in range(plainly.nstripes):
        expected = pa.Table.from_batches([plainly.read_stripe(stripe)])
        result = pa.Table.from_batches([numbered.read_stripe(stripe)])
        times = StripeTimes(read, tail, stripe)
        for name, kind in kind_of(precision, zoned).items():
            declared = parse_type(kind)
            column = from_orc(result.column(name), declared, None, times.leaves(name, declared))
            assert column.equals(from_orc(expected.column(name), declared, None))


def test_sections_of_many_chunks() -> None:
    data = bytes(range(256)) * 50
    for codec in (0, 1, 4):
        assert plain(encode_section(data, codec, 1000), codec, 1000) == data


def test_garbled_streams_are_noticed() -> None:
    out = BytesIO()
    orc.write_table(columns_of(False, 1), out, compression="uncompressed")
    data = out.getvalue()
    tail = read_orc_tail(lambda offset, length: data[offset : offset + length], len(data))
    start = number_of(message(message(tail.footer)[3][0]), 1)
    chance = random.Random(5)
    for _ in range(500):
        changed = bytearray(data)
        changed[chance.randrange(start, tail.footer_start)] ^= 1 << chance.randrange(8)
        whole = bytes(changed)
        with suppress(ValueError, LookupError, OverflowError, wb.Unsupported):
            times = StripeTimes(lambda offset, length, whole=whole: whole[offset : offset + length], tail, 0)
            leaf = times.leaves("plain", TIME)
            assert len(leaf(pa.array([None] + [0] * (len(NANOS) - 1), pa.int64()), TIME)) == len(NANOS)
