"""Compaction of idle partitions."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.support.maintained_tables import HOUR, clocked
from workbench.base.clock import ManualClock
from workbench.base.errors import InvalidRequest, InvalidSchema
from workbench.format.spec.data_file import CommitMessage
from workbench.lens.compaction.collect import collect_compactions
from workbench.lens.compaction.value import NumberValue
from workbench.table.table import Table

COLUMNS = {"p": "INT NOT NULL", "id": "BIGINT NOT NULL"}
KINDS: dict[str, dict[str, Any]] = {
    "append": {"options": {"compaction.min.file-num": "2"}},
    "append in buckets": {
        "options": {"bucket": "1", "bucket-key": "id", "write-only": "true", "compaction.min.file-num": "2"}
    },
    "key": {"primary_key": ["p", "id"], "options": {"bucket": "1", "write-only": "true"}},
    "postponed": {"primary_key": ["p", "id"], "options": {"bucket": "-2"}},
}


def rows(partition: int) -> pa.Table:
    return pa.table({"p": pa.array([partition] * 3, pa.int32()), "id": pa.array(range(3), pa.int64())})


def made(warehouse: Path, kind: str) -> tuple[Table, ManualClock]:
    """Partitions 0, 1 and 2, last written to 5, 3 and 1 hours ago."""
    catalog, clock = clocked(warehouse)
    table = catalog.create_table("db.t", COLUMNS, partition_by=["p"], **KINDS[kind])
    for partition in range(3):
        for _ in range(3):
            table.write(rows(partition))
        clock.advance(2 * HOUR)
    clock.advance(-HOUR)
    return table, clock


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("idle", "partitions"),
    [
        ("6 h", []),
        ("5 h", ["p=0"]),
        (timedelta(hours=4), ["p=0"]),
        ("3 h", ["p=0", "p=1"]),
        ("0 s", ["p=0", "p=1", "p=2"]),
    ],
)
def test_only_idle_partitions(tmp_path: Path, kind: str, idle: timedelta | str, partitions: list[str]) -> None:
    table, _ = made(tmp_path, kind)
    before = table.snapshot().id
    done = table.compact(full=True, partition_idle_time=idle)
    assert sorted({each["partition"] for each in done.compactions}) == partitions
    assert table.snapshot().id == before + bool(partitions)


@pytest.mark.parametrize("kind", KINDS)
def test_the_story_says_that_the_partition_was_idle(tmp_path: Path, kind: str) -> None:
    table, _ = made(tmp_path, kind)
    table.compact(full=True, partition_idle_time="5 h")
    newest = collect_compactions(table, limit=1).compactions[0]
    assert newest.partition == "p=0"
    assert newest.text.endswith("The partition had no writes for 5 h or longer.")
    assert NumberValue("idle_millis", "5 h") in newest.numbers


def test_a_write_makes_a_partition_busy(tmp_path: Path) -> None:
    table, clock = made(tmp_path, "append")
    clock.advance(9 * HOUR)
    table.delete("p = 1 AND id = 0")
    done = table.compact(full=True, partition_idle_time="1 h")
    assert sorted({each["partition"] for each in done.compactions}) == ["p=0", "p=2"]


def test_together_with_a_condition(tmp_path: Path) -> None:
    table, _ = made(tmp_path, "key")
    done = table.compact(full=True, where="p > 0", partition_idle_time="2 h")
    assert {each["partition"] for each in done.compactions} == {"p=1"}


def test_files_without_a_creation_time(tmp_path: Path) -> None:
    """Files without a creation time count as old, because their writers ended long ago."""
    catalog, _ = clocked(tmp_path)
    table = catalog.create_table("db.t", COLUMNS, partition_by=["p"], **KINDS["append"])
    for _ in range(2):
        with table.writer() as writer:
            writer.write(rows(0))
            (message,) = map(CommitMessage.from_bytes, writer.prepare())
        (file,) = message.new_files
        table.commit([replace(message, new_files=(replace(file, creation_time=None),))])
    assert {each["partition"] for each in table.compact(partition_idle_time="9 d").compactions} == {"p=0"}


def test_a_table_without_partitions(tmp_path: Path) -> None:
    catalog, clock = clocked(tmp_path)
    table = catalog.create_table("db.t", COLUMNS, options=KINDS["append"]["options"])
    table.write(rows(0))
    table.write(rows(1))
    clock.advance(HOUR)
    assert table.compact(partition_idle_time="61 min").snapshots == ()
    assert len(table.compact(partition_idle_time="1 h").snapshots) == 1


def test_invalid_requests(tmp_path: Path) -> None:
    table, _ = made(tmp_path, "append")
    with pytest.raises(InvalidRequest, match="partition_idle_time cannot be combined with order_by"):
        table.compact(order_by=["id"], partition_idle_time="1 h")
    with pytest.raises(InvalidSchema, match="'soon' is not a duration"):
        table.compact(partition_idle_time="soon")
