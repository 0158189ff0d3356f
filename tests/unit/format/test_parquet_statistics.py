"""Statistics of row groups in the footers of Parquet files: those that Arrow reads, and none if they are invalid."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.format.parquet.statistics import ChunkStatistics, bounds, read_statistics

COLUMNS = {
    "int": pa.array([5, None, -7, 3], pa.int32()),
    "small": pa.array([5, None, -7, 3], pa.int8()),
    "long": pa.array([1 << 60, None, -(1 << 60), 3], pa.int64()),
    "text": pa.array(["b", None, "ä", ""], pa.string()),
    "bytes": pa.array([b"b", None, b"\xff", b""], pa.binary()),
    "flag": pa.array([True, None, False, False]),
    "day": pa.array([date(1960, 1, 1), None, date(2020, 2, 2), date(1, 1, 1)]),
    "time": pa.array([5, None, 7, 3], pa.time32("ms")),
    "millis": pa.array([5, None, 7, 3], pa.timestamp("ms")),
    "micros": pa.array([datetime(1960, 1, 1, tzinfo=UTC), None, datetime(2020, 1, 1, tzinfo=UTC), None]),
    "float": pa.array([1.5, None, -2.5, 3.0], pa.float32()),
    "double": pa.array([1.5, None, -2.5, 3.0]),
    "small decimal": pa.array([Decimal("1.50"), None, Decimal("-99.99"), Decimal(0)], pa.decimal128(4, 2)),
    "decimal": pa.array([Decimal("1.50"), None, Decimal("-99.99"), Decimal(0)], pa.decimal128(12, 2)),
    "large decimal": pa.array([Decimal(10) ** 30, None, -(Decimal(10) ** 30), Decimal(0)], pa.decimal128(38, 2)),
    "unknown": pa.nulls(4, pa.int32()),
}


@pytest.mark.parametrize("as_integer", [True, False])
def test_bounds_are_those_of_arrow(as_integer: bool) -> None:
    out = BytesIO()
    pq.write_table(pa.table(COLUMNS), out, row_group_size=2, store_decimal_as_integer=as_integer)
    metadata = pq.read_metadata(BytesIO(out.getvalue()))
    footer = BytesIO()
    metadata.write_metadata_file(footer)
    groups = read_statistics(footer.getvalue())
    for position, field in enumerate(metadata.schema.to_arrow_schema()):
        result = bounds([group[position] for group in groups], field.type)
        expected = [metadata.row_group(group).column(position).statistics for group in range(2)]
        assert result.null_count.to_pylist() == [each.null_count for each in expected]
        if field.name == "unknown":
            continue
        assert result.minimum is not None
        assert result.minimum.type == result.maximum.type == field.type
        assert result.minimum.to_pylist() == [each.min for each in expected]
        assert result.maximum.to_pylist() == [each.max for each in expected]


def test_times_beyond_those_of_python() -> None:
    """Dates beyond those of Python, here in the year 20000, are read; Arrow's own statistics fail to convert them."""
    days = pa.array([6_585_000, 6_585_001], pa.date32())
    out = BytesIO()
    pq.write_table(pa.table({"day": days}), out, row_group_size=1)
    footer = BytesIO()
    pq.read_metadata(BytesIO(out.getvalue())).write_metadata_file(footer)
    result = bounds([group[0] for group in read_statistics(footer.getvalue())], pa.date32())
    assert result.minimum.equals(days)


@pytest.mark.parametrize(
    ("chunk", "kind"),
    [
        (ChunkStatistics(1, b"\0", b"\0\0\0\0", 3), pa.int32()),
        (ChunkStatistics(1, b"\0\0\0\0", bytes(8), 3), pa.int32()),
        (ChunkStatistics(6, b"\xff", b"\xff", 3), pa.string()),
        (ChunkStatistics(7, b"\x7f" * 20, b"\x7f" * 20, 3), pa.decimal128(38, 2)),
        (ChunkStatistics(1, b"\xff\xff\xff\x7f", b"\xff\xff\xff\x7f", 3), pa.decimal128(4, 2)),
        (ChunkStatistics(3, bytes(12), bytes(12), 3), pa.timestamp("ns")),
        (ChunkStatistics(99, bytes(4), bytes(4), 3), pa.int32()),
        (ChunkStatistics(None, bytes(4), bytes(4), 3), pa.int32()),
    ],
)
def test_invalid_bounds(chunk: ChunkStatistics, kind: pa.DataType) -> None:
    result = bounds([chunk, chunk], kind)
    assert result.minimum is None
    assert result.maximum is None
    assert result.null_count.to_pylist() == [3, 3]


def test_row_groups_of_different_types() -> None:
    mixed = [ChunkStatistics(1, bytes(4), bytes(4)), ChunkStatistics(2, bytes(8), bytes(8))]
    assert bounds(mixed, pa.int64()).minimum is None


def test_bounds_of_some_row_groups() -> None:
    some = bounds([ChunkStatistics(1, bytes(4), bytes(4)), ChunkStatistics(1, bytes(4), None)], pa.int32())
    assert some.minimum.to_pylist() == [0, None]
    assert some.maximum.to_pylist() == [0, None]


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + b"\xff" * 50, b"PAR1\x19\xfc\xff\xff\xff\xff\xff\x0f"])
def test_no_footer(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        read_statistics(data)
