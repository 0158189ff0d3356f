"""Dropping partitions that are too old."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.support.maintained_tables import DAY, HOUR, START, clocked
from workbench.base.clock import ManualClock
from workbench.base.errors import InvalidRequest, Unsupported, WorkbenchError
from workbench.base.progress import Progress, Step
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.local import LocalFileIO
from workbench.table.maintenance.partition_times import PartitionTimes
from workbench.table.table import Table

EPOCH = datetime(1970, 1, 1)


def made(warehouse: Path, days: list[str | None], **options: str) -> tuple[Table, ManualClock]:
    """One row in each partition."""
    catalog, clock = clocked(warehouse)
    table = catalog.create_table("db.t", {"id": "INT", "dt": "STRING"}, partition_by=["dt"], options=options)
    table.write([{"id": number, "dt": day} for number, day in enumerate(days)])
    return table, clock


def left(table: Table) -> list[str | None]:
    return sorted(table.to_arrow()["dt"].to_pylist(), key=str)


def told(pattern: str | None, formatter: str | None, **values: str | None) -> datetime | None:
    nanos = PartitionTimes.of(list(values), pattern, formatter).of_values(list(values.values()))
    return None if nanos is None else EPOCH + timedelta(microseconds=nanos // 1000)


@pytest.mark.parametrize(
    ("text", "formatter", "expected"),
    [
        ("2026-01-02", None, datetime(2026, 1, 2)),
        ("2026-1-2", None, datetime(2026, 1, 2)),
        ("2026-1-2 3:4:5.25", None, datetime(2026, 1, 2, 3, 4, 5, 250_000)),
        ("2025-13-32", None, datetime(2026, 2, 1)),
        ("2026-01-02 25:00:00", None, datetime(2026, 1, 3, 1)),
        ("1969-12-31", None, datetime(1969, 12, 31)),
        ("2000-03-01", None, datetime(2000, 3, 1)),
        ("20820", None, None),
        ("2026-01", None, None),
        ("2026-01-02T00:00", None, None),
        ("20260102", "yyyyMMdd", datetime(2026, 1, 2)),
        ("20260230", "yyyyMMdd", datetime(2026, 2, 28)),
        ("20240230", "yyyyMMdd", datetime(2024, 2, 29)),
        ("20261301", "yyyyMMdd", None),
        ("2026010203", "yyyyMMddHH", datetime(2026, 1, 2, 3)),
        ("202601", "yyyyMM", None),
        ("2026010203", "yyyyMMdd[HH]", None),
        ("20260102 03", "yyyyMMdd[ HH]", datetime(2026, 1, 2, 3)),
        ("26/1/2", "yy/M/d", datetime(2026, 1, 2)),
        ("2026-01-02T03:04", "uuuu-LL-dd'T'HH:mm", datetime(2026, 1, 2, 3, 4)),
        ("2026-01-02", "yyyy-MM-dd[ HH:mm:ss.SSS]", datetime(2026, 1, 2)),
        ("2026-01-02 03:04:05.006", "yyyy-MM-dd[ HH:mm:ss.SSS]", datetime(2026, 1, 2, 3, 4, 5, 6000)),
        ("at 2026'01'02", "'at' yyyy''MM''dd", datetime(2026, 1, 2)),
    ],
)
def test_times_of_values(text: str, formatter: str | None, expected: datetime | None) -> None:
    assert told(None, formatter, dt=text) == expected


def test_patterns_of_several_columns() -> None:
    assert told("$dt $hour:00:00", None, dt="2026-01-02", hour="7") == datetime(2026, 1, 2, 7)
    assert told("$y-$m-01", None, y="2026", m="2") == datetime(2026, 2, 1)
    assert told("$dt $hour:00:00", None, dt="2026-01-02", hour=None) is None
    assert told(None, None, dt=None) is None


@pytest.mark.parametrize(
    ("pattern", "formatter", "values"),
    [
        ("$dt_hour", None, {"dt": "9", "dt_hour": "2026-01-02"}),
        ("$dt $dt_hour:00:00", None, {"dt": "2026-01-02", "dt_hour": "0"}),
        ("$d1-$d-2", None, {"d": "1", "d1": "2026"}),
        ("$d-$d1-2", None, {"d1": "1", "d": "2026"}),
        ("$a.b$a", "yyyyMMdd", {"a": "02", "a.b": "202601"}),
        ("$a+", None, {"a+": "2026-01-02"}),
        ("$Tag", None, {"tag": "x", "Tag": "2026-01-02"}),
        ("$tagT$hour:00", "yyyy-MM-dd'T'HH:mm", {"tag": "2026-01-02", "hour": "00"}),
        ("$dt_$hour", "yyyyMMdd_HH", {"dt": "20260102", "hour": "00"}),
        ("$month02", "yyyyMMdd", {"month": "202601"}),
        ("$größe", None, {"größe": "2026-01-02"}),
        # A value is not searched for names.
        ("$a", None, {"b": "x", "a": "2026-01-02"}),
        ("$a $b", "'$b' yyyy-MM-dd", {"a": "$b", "b": "2026-01-02"}),
    ],
)
def test_patterns_name_whole_columns(pattern: str, formatter: str | None, values: dict[str, str]) -> None:
    assert told(pattern, formatter, **values) == datetime(2026, 1, 2)


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("$dt_hour", "dt_hour"),
        ("$dt $hours", "hours"),
        ("$day", "day"),
        ("$dtx", "dtx"),
        ("$DT", "DT"),
        ("$dtä", "dtä"),
    ],
)
def test_patterns_of_unknown_columns_are_refused(pattern: str, named: str) -> None:
    with pytest.raises(InvalidRequest, match=f"names '{named}', which is not a partition column"):
        told(pattern, None, dt="2026-01-02", hour="1")


def test_the_right_partition_expires(tmp_path: Path) -> None:
    catalog, _ = clocked(tmp_path)
    options = {"partition.timestamp-pattern": "$dt_hour"}
    columns = {"id": "INT", "dt": "STRING", "dt_hour": "STRING"}
    table = catalog.create_table("db.t", columns, partition_by=["dt", "dt_hour"], options=options)
    table.write([{"id": 1, "dt": "x", "dt_hour": "2025-12-01"}, {"id": 2, "dt": "2025-12-01", "dt_hour": "2026-01-01"}])
    assert table.expire_partitions("1 d").partitions == ("dt=x/dt_hour=2025-12-01",)
    with pytest.raises(InvalidRequest, match="names 'hour'"):
        table.expire_partitions("1 d", timestamp_pattern="$hour")


@pytest.mark.parametrize("formatter", ["yyyy-MMM-dd", "EEE", "yyyyyy", "hh a", "yyyy[MM"])
def test_formatters_that_are_not_understood(formatter: str) -> None:
    with pytest.raises(Unsupported, match="timestamp-formatter"):
        PartitionTimes.of(["dt"], None, formatter)


def test_by_values(tmp_path: Path) -> None:
    table, _ = made(tmp_path, ["2025-12-30", "2025-12-31", "2026-01-01", "other", None])
    planned = table.expire_partitions("1 d", dry_run=True)
    assert (planned.partitions, planned.files, planned.records) == (("dt=2025-12-30",), 1, 1)
    assert planned.unreadable == ("dt=other", "dt=__DEFAULT_PARTITION__")
    assert (len(left(table)), planned.snapshots) == (5, ())
    done = table.expire_partitions(timedelta(days=1))
    assert (done.partitions, done.snapshots, done.bytes) == (planned.partitions, (2,), planned.bytes)
    assert left(table) == ["2025-12-31", "2026-01-01", None, "other"]
    snapshot = table.snapshot()
    assert (snapshot.commit_kind, snapshot.delta_record_count, snapshot.total_record_count) == ("OVERWRITE", -1, 4)
    assert ": 1 partition, 1 file, 1 record, " in repr(done)
    assert table.expire_partitions("1 d").snapshots == ()
    assert table.at(snapshot=1).to_arrow().num_rows == 5


def test_arguments_before_options(tmp_path: Path) -> None:
    options = {
        "partition.expiration-time": "10 d",
        "partition.timestamp-formatter": "yyyyMMdd",
        "partition.expiration-max-num": "1",
    }
    table, _ = made(tmp_path, ["20251201", "20251203", "20251230"], **options)
    assert table.expire_partitions(dry_run=True).partitions == ("dt=20251201",)
    assert table.expire_partitions(max_num=9, dry_run=True).partitions == ("dt=20251201", "dt=20251203")
    assert table.expire_partitions(older_than="2025-12-02T00:00:00+00:00", max_num=9, dry_run=True).partitions == (
        "dt=20251201",
    )
    assert len(table.expire_partitions(older_than=START, max_num=9, dry_run=True).partitions) == 3
    result = table.expire_partitions(timestamp_formatter="yyyy", timestamp_pattern="x", dry_run=True)
    assert (result.partitions, len(result.unreadable)) == ((), 3)
    assert table.expire_partitions(strategy="update-time", dry_run=True).partitions == ()


def test_by_the_newest_file(tmp_path: Path) -> None:
    table, clock = made(tmp_path, ["a", "b"], **{"partition.expiration-strategy": "update-time"})
    clock.advance(DAY)
    table.write([{"id": 3, "dt": "b"}])
    clock.advance(HOUR)
    assert table.expire_partitions("2 h").partitions == ("dt=a",)
    assert table.expire_partitions("1 h").partitions == ()
    assert left(table) == ["b", "b"]


def test_dates_are_numbers_to_java(tmp_path: Path) -> None:
    catalog, _ = clocked(tmp_path)
    table = catalog.create_table("db.t", {"id": "INT", "day": "DATE"}, partition_by=["day"])
    table.write([{"id": 1, "day": datetime(2020, 1, 1).date()}])
    assert table.expire_partitions("1 d").unreadable == ("day=18262",)


def test_several_commits(tmp_path: Path) -> None:
    days = [f"2025-12-0{number}" for number in range(1, 6)]
    table, _ = made(tmp_path, days, **{"partition.expiration-batch-size": "2"})
    steps: list[Step] = []
    done = table.expire_partitions("1 d", progress=Progress(steps.append))
    assert (done.snapshots, len(done.partitions), left(table)) == ((2, 3, 4), 5, [])
    assert max(step.done for step in steps if step.unit == "partitions") == 5


def test_invalid_requests(tmp_path: Path) -> None:
    table, _ = made(tmp_path, ["a"])
    with pytest.raises(InvalidRequest, match="maximum age"):
        table.expire_partitions()
    with pytest.raises(InvalidRequest, match="mutually exclusive"):
        table.expire_partitions("1 d", older_than=START)
    with pytest.raises(Unsupported, match="custom"):
        table.expire_partitions("1 d", strategy="custom")
    with pytest.raises(WorkbenchError, match="read-only"):
        table.at(snapshot=1).expire_partitions("1 d")
    plain = FileSystemCatalog(str(tmp_path), LocalFileIO()).create_table("db.plain", {"id": "INT"})
    with pytest.raises(InvalidRequest, match="no partitions"):
        plain.expire_partitions("1 d")
