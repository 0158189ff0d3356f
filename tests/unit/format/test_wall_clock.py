"""Wall-clock times of time zones, as Java computes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from workbench.format.types.wall_clock import wall_clock_offsets


def seconds_of(*moments: str) -> np.ndarray:
    return np.array([int(datetime.fromisoformat(each).replace(tzinfo=UTC).timestamp()) for each in moments], np.int64)


def hours(zone: str, *moments: str) -> list[float]:
    return [float(offset) / 3600 for offset in wall_clock_offsets(seconds_of(*moments), zone)]


def test_summers_of_all_years() -> None:
    moments = (
        "2024-07-01",
        "2024-01-01",
        "2050-07-01",
        "2050-01-01",
        "9000-07-01",
        "9999-12-31 23:59:59",
        "9998-07-01",
    )
    assert hours("America/New_York", *moments) == [-4, -5, -4, -5, -4, -5, -4]
    assert hours("Asia/Kolkata", *moments) == [5.5] * 7
    assert hours("UTC", *moments) == [0] * 7


def test_java_uses_standard_time_before_1900() -> None:
    assert hours("Asia/Shanghai", "0001-01-01", "1850-07-01", "1899-12-31 23:59:59") == [8] * 3
    assert hours("America/New_York", "1700-07-01", "1890-07-01") == [-5, -5]
    assert hours("Europe/Dublin", "1800-01-01") == [0]
    assert hours("Australia/Sydney", "1800-01-01") == [10]


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"])
def test_every_quarter_around_changes(zone: str) -> None:
    start = datetime(2021, 3, 1, tzinfo=UTC)
    moments = [start + timedelta(minutes=15 * position, seconds=position % 900) for position in range(0, 96 * 270, 7)]
    expected = [int(each.astimezone(ZoneInfo(zone)).utcoffset().total_seconds()) for each in moments]  # type: ignore[union-attr]
    seconds = np.array([int(each.timestamp()) for each in moments], np.int64)
    assert wall_clock_offsets(seconds, zone).tolist() == expected


def test_unknown_zone() -> None:
    with pytest.raises(ValueError, match="Mars"):
        wall_clock_offsets(seconds_of("2020-01-01"), "Mars/Olympus")
    assert len(wall_clock_offsets(seconds_of(), "Asia/Tokyo")) == 0
