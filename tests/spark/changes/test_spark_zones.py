"""Statements in sessions whose time zone is not that of the process: DELETE and UPDATE change the rows that SELECT
finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import workbench as wb
from tests.support.sampling import sampled
from tests.support.spark_rows import rows

pytestmark = pytest.mark.spark
_COLUMNS = "id INT, l TIMESTAMP, n TIMESTAMP_NTZ, d DATE, s STRING"
# Around the ends of summer time in Berlin, Los Angeles and Lord Howe, and at ends of days.
_TIMES = [
    *("2026-03-29 00:30:00Z", "2026-03-29 01:30:00Z", "2026-10-25 00:30:00Z", "2026-10-25 01:30:00Z"),
    *("2026-03-08 10:30:00Z", "2026-11-01 08:30:00Z", "2026-11-01 09:30:00Z", "2026-04-04 15:15:00Z"),
    *("2026-06-01 18:30:00Z", "2026-06-01 23:59:59.999999Z", "1969-12-31 23:30:00Z", "2045-07-01 12:00:00Z"),
]
_ZONES = ["America/Los_Angeles", "+05:30", "Australia/Lord_Howe", "UTC", "GMT-9", "PST", "Europe/Berlin", "+05:30:15"]
_CONDITIONS = [
    "l = TIMESTAMP '2026-03-29 02:30:00'",
    "l = TIMESTAMP '2026-10-25 02:30:00'",
    "l > '2026-06-01 12:00:00'",
    "l >= DATE '2026-06-02'",
    "l IN (TIMESTAMP '2026-06-02 00:00:00', TIMESTAMP '2026-06-01 18:30:00')",
    "l BETWEEN '2026-03-08' AND '2026-03-29'",
    "hour(l) < 12",
    "day(l) = 1 AND month(l) > 5",
    "year(l) = 1970",
    "cast(l AS DATE) = d",
    "date(l) > DATE '2026-10-31'",
    "cast(l AS STRING) = s",
    "cast(l AS STRING) LIKE '% 0%'",
    "l = cast(s AS TIMESTAMP)",
    "cast(s AS TIMESTAMP) > TIMESTAMP '2026-06-01 12:00:00Z'",
    "l = n",
    "cast(n AS TIMESTAMP) > l",
    "cast(l AS TIMESTAMP_NTZ) = n",
    "l < d",
    "l <= cast('2026-06-01T18:30:00' AS TIMESTAMP)",
    "l > current_date() OR l < current_timestamp()",
]


@pytest.fixture
def zoned(spark: Any, catalog: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An attached session in a process whose zone is another one."""
    monkeypatch.setattr(wb.options, "timezone", "Europe/Berlin")
    session = wb.spark.attach(spark.newSession(), catalog)
    session.sql("USE paimon.shop")
    yield session
    spark.createDataFrame([(1,)], "a int")


@pytest.mark.parametrize("zone", sampled(_ZONES, 4))
def test_changes_find_the_rows_that_a_query_finds(zoned: Any, zone: str) -> None:
    zoned.conf.set("spark.sql.session.timeZone", zone)
    flags = [f"r{at}" for at in range(len(_CONDITIONS))]
    rows(zoned, f"CREATE TABLE t ({_COLUMNS}, {', '.join(f'{flag} BOOLEAN' for flag in flags)})")
    values = ", ".join(f"({at}, TIMESTAMP '{time}')" for at, time in enumerate(_TIMES))
    local = f"cast(l AS TIMESTAMP_NTZ), cast(l AS DATE), cast(l AS STRING), {', '.join('NULL' for _ in flags)}"
    rows(zoned, f"INSERT INTO t SELECT id, l, {local} FROM VALUES {values}, (99, NULL) AS v(id, l)")
    for flag, condition in zip(flags, _CONDITIONS, strict=True):
        rows(zoned, f"UPDATE t SET {flag} = true WHERE {condition}")
    wrong = [
        f"({flag} <=> true) <> (({condition}) <=> true)" for flag, condition in zip(flags, _CONDITIONS, strict=True)
    ]
    (counts,) = rows(zoned, f"SELECT {', '.join(f'count_if({each})' for each in wrong)} FROM t")
    assert [each for each, count in zip(_CONDITIONS, counts, strict=True) if count] == []
