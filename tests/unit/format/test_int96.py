"""INT96 timestamps: read as bytes, decoded exactly, refused outside the range of their Arrow type."""

from __future__ import annotations

import io
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.format.parquet.int96 import footer_of, int96_times, metadata_with_bytes
from workbench.format.parquet.thrift import encode_struct, read_struct
from workbench.format.types import parse_type

DAY = 86_400 * 10**9


def stored(*moments: tuple[int, int] | None) -> pa.Array:
    """INT96 of (nanoseconds of the day, day of the epoch)."""
    packed = [None if each is None else struct.pack("<qi", each[0], each[1] + 2_440_588) for each in moments]
    return pa.array(packed, pa.binary(12))


def file_with_int96(rows: int = 3) -> bytes:
    times = pa.array([-1, None, 2**62], pa.int64()).cast(pa.timestamp("ns"))
    columns = {f"c{number}": pa.array(range(3)) for number in range(20)}
    nested = pa.array([[1], None, []], pa.list_(pa.timestamp("ns")))
    table = pa.table({"t": times, **columns, "nested": nested, "text": ["a", None, "c"]})
    out = io.BytesIO()
    pq.write_table(table.take([0, 1, 2] * (rows // 3)), out, use_deprecated_int96_timestamps=True, row_group_size=40)
    return out.getvalue()


@pytest.mark.parametrize("rows", [3, 900])
def test_a_file_of_bytes(rows: int) -> None:
    data = file_with_int96(rows)
    footer = footer_of(data)
    assert encode_struct(read_struct(footer)[0]) == footer
    file = pq.ParquetFile(io.BytesIO(data), metadata=metadata_with_bytes(footer), page_checksum_verification=True)
    assert file.schema_arrow.field("t").type == pa.binary(12)
    assert file.schema_arrow.field("nested").type.value_type == pa.binary(12)
    result = file.read()
    plain = pq.read_table(io.BytesIO(data))
    assert result.drop_columns(["t", "nested"]).equals(plain.drop_columns(["t", "nested"]))
    times = int96_times(result.column("t").combine_chunks(), parse_type("TIMESTAMP(9)"))
    assert times.equals(plain.column("t").combine_chunks())
    assert result.column("nested").combine_chunks().offsets.equals(plain.column("nested").combine_chunks().offsets)


def test_nanoseconds_below_zero() -> None:
    """A time before 1970 may be stored as the next day with a negative time of day, as Java truncates in divisions."""
    for kind, expected in (("TIMESTAMP(9)", -1), ("TIMESTAMP(6)", -1), ("TIMESTAMP(3)", -1)):
        both = int96_times(stored((-1, 0), (DAY - 1, -1)), parse_type(kind))
        assert both.cast(pa.int64()).to_pylist() == [expected] * 2


def test_years_that_64_bits_of_nanoseconds_do_not_reach() -> None:
    far = stored((5_000, -719_162), None, (DAY - 1000, 2_932_896), (0, 0))
    result = int96_times(far, parse_type("TIMESTAMP(6) WITH LOCAL TIME ZONE"))
    assert result.type == pa.timestamp("us", "UTC")
    year_one = -719_162 * DAY // 1000
    assert result.cast(pa.int64()).to_pylist() == [year_one + 5, None, 2_932_897 * DAY // 1000 - 1, 0]
    assert int96_times(far.slice(2), parse_type("TIMESTAMP(6)")).cast(pa.int64()).to_pylist()[1:] == [0]
    for number in (0, 2):
        with pytest.raises(OverflowError):
            int96_times(far.slice(number, 1), parse_type("TIMESTAMP(9)"))


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 2**63 - 1000, 0])
def test_the_ends_of_64_bits(value: int) -> None:
    day, part = divmod(value, DAY)
    assert int96_times(stored((part, day)), parse_type("TIMESTAMP(9)")).cast(pa.int64()).to_pylist() == [value]


@pytest.mark.parametrize(("part", "day"), [(0, 213_504), (0, -213_505), (0, 2**31 - 1 - 2_440_588), (0, 426_990)])
def test_beyond_the_ends(part: int, day: int) -> None:
    with pytest.raises(OverflowError):
        int96_times(stored((part, day)), parse_type("TIMESTAMP(9)"))


def test_no_values() -> None:
    assert len(int96_times(pa.array([], pa.binary(12)), parse_type("TIMESTAMP(9)"))) == 0
    assert int96_times(stored(None), parse_type("TIMESTAMP(9)")).null_count == 1


def test_corrupt_footers() -> None:
    footer = footer_of(file_with_int96())
    for size in range(0, len(footer) - 1, 7):
        with pytest.raises(ValueError, match=r"is truncated|exceeds 64 bits|unknown kind|lacks"):
            metadata_with_bytes(footer[:size])
    with pytest.raises(ValueError, match="corrupt"):
        footer_of(b"PAR1" + bytes(8))
