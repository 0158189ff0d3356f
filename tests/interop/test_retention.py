"""Expiry of changelogs, tags and partitions, automatic tags, statistics and lost files, compared with Java: both leave
the same files of the same table."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from shutil import copytree
from time import sleep, time
from typing import Any

import pyarrow as pa
import pytest

from tests.interop.lives import TABLE, our_table
from tests.interop.rows import assert_same_rows, from_arrow
from tests.support.sampling import sampled

pytestmark = pytest.mark.java
KEYED = {"p": "INT NOT NULL", "id": "BIGINT NOT NULL", "v": "STRING"}
NEVER = {"snapshot.num-retained.min": "100", "snapshot.num-retained.max": "100"}
DAY = 86_400_000


def data(number: int) -> pa.Table:
    ids = range(number * 5, number * 5 + 10)
    partitions = pa.array([each % 2 for each in ids], pa.int32())
    return pa.table({"p": partitions, "id": pa.array(ids, pa.int64()), "v": [f"{number}-{each}" for each in ids]})


def made(java: Any, warehouse: Path, keys: list[str], options: dict[str, str]) -> Any:
    java.create(warehouse, TABLE, KEYED, keys, ["p"], {**options, **NEVER})
    for number in range(8):
        java.write(warehouse, TABLE, data(number))
        if number in (3, 6) and keys:
            java.compact(warehouse, TABLE)
    return our_table(warehouse)


def files(warehouse: Path) -> dict[str, Any]:
    """Every file, and the content of hints."""
    root = Path(warehouse, "db.db", "t")
    actual_files = (path for path in root.rglob("*") if path.is_file() and not path.name.endswith(".crc"))
    reported = ("EARLIEST", "LATEST")
    return {str(path.relative_to(root)): path.read_text() if path.name in reported else None for path in actual_files}


def with_options(table: Any, options: dict[str, str]) -> Any:
    return table.with_store(table.store.with_schema(replace(table.schema, options={**table.options, **options})))


CHANGELOGS = [
    (["p", "id"], {"bucket": "1"}),
    (["p", "id"], {"bucket": "1", "changelog-producer": "input"}),
    (["p", "id"], {"bucket": "1", "changelog-producer": "lookup"}),
    ([], {}),
]


@pytest.mark.parametrize("case", sampled(CHANGELOGS, 10))
def test_the_same_changelogs_and_files_are_left(
    case: tuple[list[str], dict[str, str]], referee: Callable[[str], Any], tmp_path: Path
) -> None:
    java, ours, theirs = referee("java-2.0.0"), tmp_path / "ours", tmp_path / "theirs"
    table = made(java, ours, *case)
    newest = table.snapshot().id
    table.create_tag("early", 2)
    table.create_tag("middle", 5)
    longer = {"changelog.num-retained.max": "9", "changelog.num-retained.min": "9"}
    sleep(0.005)
    with_options(table, longer).expire_snapshots(2, 2, older_than=int(time() * 1000))
    copytree(ours, theirs)
    for retain in (newest - 2, 4, 1):
        expired = java.ask("keep", theirs, TABLE, what="expire-changelogs", retain=retain)["expired"]
        done = our_table(ours).expire_changelogs(retain, retain, older_than=int(time() * 1000))
        assert len(done.changelogs) == expired > 0
        assert files(ours) == files(theirs)
    for tag in ("early", "middle"):
        options = {"scan.tag-name": tag}
        assert_same_rows(from_arrow(our_table(ours).at(tag=tag).to_arrow()), java.read(ours, TABLE, options=options))


@pytest.mark.parametrize("case", sampled(CHANGELOGS, 10))
def test_the_same_tags_and_files_are_left(
    case: tuple[list[str], dict[str, str]], referee: Callable[[str], Any], tmp_path: Path
) -> None:
    java, ours, theirs = referee("java-2.0.0"), tmp_path / "ours", tmp_path / "theirs"
    table = made(java, ours, *case)
    newest = table.snapshot().id
    for name, snapshot, kept in (
        ("a", 2, "1 ms"),
        ("b", 4, "9 d"),
        ("c", 4, None),
        ("d", 5, "1 ms"),
        ("e", newest, "1 ms"),
    ):
        table.create_tag(name, snapshot, kept)
    sleep(0.005)
    table.expire_snapshots(2, 2, older_than=int(time() * 1000))
    expected = java.read(ours, TABLE)
    copytree(ours, theirs)
    assert our_table(theirs).expire_tags(dry_run=True).tags == ("a", "d", "e")
    assert our_table(ours).expire_tags(older_than=int(time() * 1000)).tags == ("a", "b", "c", "d", "e")
    java.ask("keep", theirs, TABLE, what="expire-tags")
    left = files(ours)
    assert set(left) - set(files(theirs)) == set()
    # Java leaves files that several expired tags share: a removed tag still counts when the next one is removed.
    our_table(theirs).remove_orphan_files(int(time() * 1000), dry_run=False)
    assert left == files(theirs)
    assert_same_rows(java.read(ours, TABLE), expected)


PERIODS: list[dict[str, str]] = [
    {},
    {"tag.creation-period": "hourly", "tag.period-formatter": "without_dashes_and_spaces"},
    {"tag.automatic-completion": "true", "tag.num-retained-max": "3"},
    {"tag.creation-period": "two-hours", "tag.creation-delay": "90 min"},
    {"tag.creation-period-duration": "45 min", "tag.default-time-retained": "3 d"},
    {"tag.period-formatter": "without_dashes", "sink.watermark-time-zone": "Asia/Tokyo"},
    {"tag.creation-period": "hourly", "tag.automatic-completion": "true"},
]


@pytest.mark.parametrize("options", sampled(PERIODS, 10))
def test_the_same_automatic_tags(options: dict[str, str], referee: Callable[[str], Any], tmp_path: Path) -> None:
    java, ours, theirs = referee("java-2.0.0"), tmp_path / "ours", tmp_path / "theirs"
    fixed = {"tag.automatic-creation": "watermark", "bucket": "1"}
    java.create(ours, TABLE, KEYED, ["p", "id"], ["p"], {**fixed, **options, "write-only": "true"})
    start = 1_767_225_600_000
    hours = (0, 0.5, 1, 3, 12, 26, 27, 30, 80, 81, 81.5, 82, 200)
    for number in hours:
        watermark = start + int(number * 3_600_000)
        java.ask("maintain", ours, TABLE, what="watermark", subject="", snapshot=watermark)
    copytree(ours, theirs)
    java.ask("keep", theirs, TABLE, what="create-tags", options={"write-only": "false"})
    done = our_table(ours).trigger_tag_automatic_creation()
    mine, his = our_table(ours).tags(), our_table(theirs).tags()
    assert {name: (tag.snapshot, tag.retained) for name, tag in mine.items()} == {
        name: (tag.snapshot, tag.retained) for name, tag in his.items()
    }
    assert set(mine) == set(done.created) - set(done.removed)
    assert len(mine) >= 2


def test_the_same_tag_of_a_batch_job(referee: Callable[[str], Any], tmp_path: Path) -> None:
    from workbench.base.progress import Progress
    from workbench.table.maintenance.automatic_tags import create_batch_tag

    java, ours, theirs = referee("java-2.0.0"), tmp_path / "ours", tmp_path / "theirs"
    options = {"tag.automatic-creation": "batch", "bucket": "1", "tag.num-retained-max": "2"}
    table = made(java, ours, ["p", "id"], options)
    for name, snapshot in (("a", 1), ("b", 3), ("c", 3)):
        table.create_tag(name, snapshot)
        sleep(0.01)
    table.expire_snapshots(2, 2, older_than=int(time() * 1000))
    copytree(ours, theirs)
    java.ask("keep", theirs, TABLE, what="batch-tag")
    create_batch_tag(our_table(ours).store, Progress())
    mine, his = our_table(ours).tags(), our_table(theirs).tags()
    assert {name: tag.snapshot for name, tag in mine.items()} == {name: tag.snapshot for name, tag in his.items()}
    assert len(mine) == 2
    assert files(ours) == files(theirs)


PARTITIONS: list[tuple[dict[str, str], list[str | None], dict[str, str]]] = [
    ({}, ["2020-01-01", "2020-1-2", "2020-01-01 10:00:00", "2099-01-01", "x", None, "20200101"], {}),
    ({}, ["20200101", "20209901", "2020-01-01"], {"partition.timestamp-formatter": "yyyyMMdd"}),
    ({}, ["2020010123", "20200230", "2020-01-01"], {"partition.timestamp-formatter": "yyyyMMdd[HH]"}),
    ({}, ["a", "b"], {"partition.expiration-strategy": "update-time"}),
    ({}, ["1", "2", "3"], {"partition.timestamp-pattern": "202$dt-01-01 00:00:00"}),
    ({}, [f"2020-01-0{number}" for number in range(1, 9)], {"partition.expiration-max-num": "3"}),
    ({}, [f"2020-01-0{number}" for number in range(1, 9)], {"partition.expiration-batch-size": "3"}),
]


@pytest.mark.parametrize("case", sampled(PARTITIONS, 10))
def test_the_same_partitions_expire(case: Any, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java, ours, theirs = referee("java-2.0.0"), tmp_path / "ours", tmp_path / "theirs"
    _, days, options = case
    java.create(ours, TABLE, {"id": "BIGINT", "dt": "STRING"}, [], ["dt"], {**options, **NEVER})
    java.write(ours, TABLE, pa.table({"id": pa.array(range(len(days)), pa.int64()), "dt": days}))
    copytree(ours, theirs)
    age = 1 if options.get("partition.expiration-strategy") else 365 * DAY
    sleep(0.01)
    expired = java.ask("keep", theirs, TABLE, what="expire-partitions", age=age)["partitions"]
    done = our_table(ours).expire_partitions(f"{age} ms")
    assert [f"dt={each['dt']}".replace(":", "%3A") for each in expired] == list(done.partitions)
    assert expired
    assert our_table(ours).snapshot().id == our_table(theirs).snapshot().id
    assert_same_rows(java.read(ours, TABLE), java.read(theirs, TABLE))
    java.write(ours, TABLE, pa.table({"id": pa.array([9], pa.int64()), "dt": ["2020-01-01"]}))
    assert_same_rows(from_arrow(our_table(ours).to_arrow()), java.read(ours, TABLE))


TYPES = {
    "flag": "BOOLEAN",
    "tiny": "TINYINT",
    "big": "BIGINT",
    "money": "DECIMAL(10, 2)",
    "wide": "DECIMAL(38, 3)",
    "real": "DOUBLE",
    "single": "FLOAT",
    "day": "DATE",
    "hour": "TIME(3)",
    "at": "TIMESTAMP(3)",
    "exact": "TIMESTAMP(9)",
    "moment": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "text": "STRING",
    "raw": "BYTES",
}


def test_java_reads_the_statistics(referee: Callable[[str], Any], tmp_path: Path) -> None:
    import workbench as wb

    java = referee("java-2.0.0")
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")
    table = catalog.create_table(TABLE, TYPES)
    moment = datetime(2026, 1, 2, 3, 4, 5, 600_000)
    values: dict[str, list[Any]] = {
        "flag": [True, False],
        "tiny": [-1, None],
        "big": [2**60, 1],
        "money": [Decimal("1.5"), Decimal(-2)],
        "wide": [Decimal("123456789012345678901234567890.125"), None],
        "real": [1e-10, float("nan")],
        "single": [0.1, 2.5],
        "day": [date(1969, 1, 1), date(2026, 1, 1)],
        "hour": [None, moment.time()],
        "at": [moment, None],
        "exact": [moment, moment],
        "moment": [moment.replace(tzinfo=UTC), None],
        "text": ["grün", "a"],
        "raw": [b"12345", None],
    }
    table.write([dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)])
    done = table.analyze()
    result = java.ask("keep", tmp_path, TABLE, what="statistics")["statistics"]
    assert (result["snapshot"], result["schema"], result["rows"], result["bytes"]) == (1, 0, 2, done.bytes)
    seen = {name.removeprefix("column "): value for name, value in result.items() if name.startswith("column ")}
    assert {name: value[:5] for name, value in seen.items()} == {
        name: [each.column_id, each.distinct_count, each.null_count, each.avg_len, each.max_len]
        for name, each in done.columns.items()
    }
    bounds = {name: value[5:] for name, value in seen.items()}
    assert bounds == {
        "flag": ["false", "true"],
        "tiny": ["-1", "-1"],
        "big": ["1", str(2**60)],
        "money": ["-2.00", "1.50"],
        "wide": ["123456789012345678901234567890.125"] * 2,
        "real": ["1.0E-10", "NaN"],
        "single": ["0.1", "2.5"],
        "day": ["-365", "20454"],
        "hour": ["11045600"] * 2,
        "at": ["2026-01-02T03:04:05.600"] * 2,
        "exact": ["2026-01-02T03:04:05.600"] * 2,
        "moment": ["2026-01-02T03:04:05.600"] * 2,
        "text": [None, None],
        "raw": [None, None],
    }
    (shown,) = java.read(tmp_path, f"{TABLE}$statistics").rows
    mine = catalog.open(f"{TABLE}$statistics").to_arrow().to_pylist()[0]
    assert [str(each) for each in shown[:4]] == [str(each) for each in list(mine.values())[:4]]
    assert json.loads(shown[4]) == json.loads(mine["colstat"])
    java.write(tmp_path, TABLE, table.to_arrow())
    assert our_table(tmp_path).snapshot().statistics == table.snapshots()[1].statistics


@pytest.mark.parametrize("keyed", sampled([True, False], 2))
def test_lost_files(keyed: bool, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java, ours, theirs = referee("java-2.0.0"), tmp_path / "ours", tmp_path / "theirs"
    made(java, ours, ["p", "id"] if keyed else [], {"bucket": "2", "bucket-key": "id"})
    live = our_table(ours).scan().plan()
    lost = sorted(file.file_name for split in live for file in split.files)[:2]
    for path in Path(ours).rglob("data-*"):
        if path.name in lost:
            path.unlink()
    copytree(ours, theirs)
    assert java.ask("keep", theirs, TABLE, what="unexisting-files")["files"] == lost
    done = our_table(ours).remove_unexisting_files(dry_run=False)
    assert sorted(Path(path).name for path in done.files) == lost
    assert_same_rows(java.read(ours, TABLE), java.read(theirs, TABLE))
    mine, his = our_table(ours).snapshot(), our_table(theirs).snapshot()
    reported = ("id", "commit_kind", "total_record_count", "delta_record_count")
    assert [getattr(mine, name) for name in reported] == [getattr(his, name) for name in reported]
    assert_same_rows(from_arrow(our_table(theirs).to_arrow()), java.read(ours, TABLE))


def test_partitions_marked_done_by_turns(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    java.create(tmp_path, TABLE, KEYED, [], ["p"], {})
    java.write(tmp_path, TABLE, data(0))
    our_table(tmp_path).mark_partitions_done([{"p": 0}])
    path = Path(tmp_path, "db.db", "t", "p=0", "_SUCCESS")
    first = json.loads(path.read_text())
    java.ask("keep", tmp_path, TABLE, what="mark-done", subject="p=0")
    second = json.loads(path.read_text())
    text = path.read_text()
    our_table(tmp_path).mark_partitions_done([{"p": 0}])
    third = json.loads(path.read_text())
    assert first["creationTime"] == second["creationTime"] == third["creationTime"]
    assert first["modificationTime"] <= second["modificationTime"] <= third["modificationTime"]
    assert path.read_text() == text.replace(str(second["modificationTime"]), str(third["modificationTime"]))


@pytest.mark.parametrize("case", sampled(CHANGELOGS, 4))
def test_the_same_is_left_of_an_emptied_table(
    case: tuple[list[str], dict[str, str]], referee: Callable[[str], Any], tmp_path: Path
) -> None:
    java, ours, theirs = referee("java-2.0.0"), tmp_path / "ours", tmp_path / "theirs"
    table = made(java, ours, *case)
    table.create_tag("early", 2)
    table.create_branch("dev", tag="early")
    table.set_consumer("job", 3)
    copytree(ours, theirs)
    table.purge_files(dry_run=False)
    java.ask("keep", theirs, TABLE, what="purge")
    mine, his = our_table(ours).snapshot(), our_table(theirs).snapshot()
    reported = ("id", "commit_kind", "operation", "total_record_count", "delta_record_count")
    assert [getattr(mine, name) for name in reported] == [getattr(his, name) for name in reported]
    kinds = [Counter(re.sub(r"-?[0-9a-f]{8}-.*", "", path) for path in files(side)) for side in (ours, theirs)]
    assert kinds[0] == kinds[1]
    assert len(java.read(ours, TABLE)) == 0
    java.write(ours, TABLE, data(9))
    assert_same_rows(from_arrow(our_table(ours).to_arrow()), java.read(ours, TABLE))


INLINE: list[tuple[list[str], dict[str, str]]] = [
    (["p", "id"], {"bucket": "1"}),
    (["p", "id"], {"bucket": "1", "changelog.num-retained.min": "4", "changelog.num-retained.max": "4"}),
    ([], {"bucket": "1", "bucket-key": "id", "tag.automatic-creation": "process-time"}),
    ([], {"partition.expiration-time": "100 d", "partition.expiration-check-interval": "0 s"}),
]


@pytest.mark.parametrize("case", sampled(INLINE, 10))
def test_the_same_is_left_after_each_commit(case: Any, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """After each of the same appends, Java's table and ours have as many files, and the same snapshots and tags."""
    java, ours, theirs = referee("java-2.0.0"), tmp_path / "ours", tmp_path / "theirs"
    keys, options = case
    few = {
        "snapshot.num-retained.min": "2",
        "snapshot.num-retained.max": "2",
        "num-sorted-run.compaction-trigger": "99",
    }
    for warehouse in (ours, theirs):
        java.create(warehouse, TABLE, KEYED, keys, ["p"], {**options, **few})
    for number in range(6):
        java.write(theirs, TABLE, data(number))
        after = our_table(ours).write(data(number)).after
        assert after is not None
        assert after.failure is None
        assert shape(ours) == shape(theirs), number
    assert_same_rows(from_arrow(our_table(ours).to_arrow()), java.read(theirs, TABLE))
    assert_same_rows(java.read(ours, TABLE), from_arrow(our_table(theirs).to_arrow()))


def shape(warehouse: Path) -> dict[str, Any]:
    """Return the number of files in each directory, but the names of snapshots, changelogs and tags."""
    result: dict[str, Any] = {}
    for name, reported in files(warehouse).items():
        directory = name.rpartition("/")[0]
        if directory in ("snapshot", "changelog", "tag"):
            result[name] = reported
        else:
            result[directory] = result.get(directory, 0) + 1
    return result
