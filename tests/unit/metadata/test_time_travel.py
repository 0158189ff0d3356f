"""Versions by id and by time."""

from __future__ import annotations

import json
import pickle
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pytest

from workbench.base.clock import ManualClock
from workbench.base.errors import SnapshotNotFound, WorkbenchError
from workbench.base.session import session_options
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.times import to_millis
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table

HOUR = 3_600_000
START = 1_767_225_600_000  # 2026-01-01 00:00 UTC


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    """Five versions, an hour apart; version N holds the rows 1 … N."""
    monkeypatch.setattr(session_options, "timezone", "UTC")
    clock = ManualClock(START)
    catalog = FileSystemCatalog(str(tmp_path), LocalFileIO(), clock=clock)
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"id": "INT"})
    for number in range(1, 6):
        table.write(pa.table({"id": [number]}))
        clock.advance(HOUR)
    return table


@pytest.mark.parametrize(
    ("moment", "version"),
    [
        (START, 1),
        (START + 1, 1),
        (START + HOUR - 1, 1),
        (START + HOUR, 2),
        (START + 100 * HOUR, 5),
        ("2026-01-01", 1),
        ("2026-01-01 02:00:00", 3),
        ("2026-01-01 02:59:59.999", 3),
        ("2026-01-01T03:00:00Z", 4),
        ("2026-01-01T03:00:00+02:00", 2),
        (date(2026, 1, 2), 5),
        (datetime(2026, 1, 1, 1, 30), 2),
        (datetime(2026, 1, 1, 1, 30, tzinfo=UTC), 2),
        (datetime(2026, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=-2))), 4),
    ],
)
def test_by_time(table: Table, moment: int | str | datetime | date, version: int) -> None:
    pinned = table.at(timestamp=moment)
    assert pinned.snapshot().id == version
    assert pinned.to_arrow().num_rows == version


def test_by_time_in_another_zone(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_options, "timezone", "Asia/Tokyo")
    assert table.at(timestamp="2026-01-01 11:00:00").snapshot().id == 3
    assert to_millis("2026-01-01") == START - 9 * HOUR


def test_before_the_first(table: Table) -> None:
    with pytest.raises(SnapshotNotFound, match="oldest snapshot is 1"):
        table.at(timestamp=START - 1)


def test_after_expiry(table: Table) -> None:
    """The state after an expiry by any engine: the first snapshots are removed."""
    for number in (1, 2):
        Path(table.location, "snapshot", f"snapshot-{number}").unlink()
    with pytest.raises(SnapshotNotFound, match="3 to 5"):
        table.at(snapshot=2)
    with pytest.raises(SnapshotNotFound, match="oldest snapshot is 3"):
        table.at(timestamp=START + HOUR)
    assert table.at(timestamp=START + 2 * HOUR).to_arrow().num_rows == 3
    assert [each.id for each in table.snapshots()] == [3, 4, 5]
    assert table.write(pa.table({"id": [6]})).snapshots[0].id == 6


def test_changes_by_time(table: Table) -> None:
    result = table.changes("2026-01-01 01:00:00", "2026-01-01 03:30:00")
    assert result.to_pylist() == [{"rowkind": "+I", "id": 3}, {"rowkind": "+I", "id": 4}]
    assert table.changes(0).num_rows == 5
    assert table.changes(5).num_rows == 0
    assert table.changes(2, 2).num_rows == 0


def test_a_pinned_table_keeps_its_version(table: Table) -> None:
    pinned = table.at(snapshot=2)
    again = pickle.loads(pickle.dumps(pinned))
    table.write(pa.table({"id": [6]}), mode="overwrite")
    for each in (pinned, again):
        assert sorted(each.to_arrow().column(0).to_pylist()) == [1, 2]
        assert each.snapshot().id == 2
        assert "snapshot 2" in repr(each)
    assert table.to_arrow().column(0).to_pylist() == [6]
    assert pickle.loads(pickle.dumps(table)).to_arrow().column(0).to_pylist() == [6]


def test_a_table_never_written(tmp_path: Path) -> None:
    catalog = FileSystemCatalog(str(tmp_path), LocalFileIO())
    catalog.create_database("db")
    table = catalog.create_table(
        "db.t", {"id": "INT NOT NULL", "v": "STRING"}, primary_key="id", options={"bucket": "1"}
    )
    assert table.to_arrow().num_rows == 0
    assert table.to_arrow().schema.names == ["id", "v"]
    assert table.to_batches(where="id = 3").read_all().num_rows == 0
    assert table.snapshots() == []
    assert table.changes(0).num_rows == 0
    assert table.compact(full=True).snapshots == ()
    assert table.write([]).snapshots == ()
    assert table.scan().explain().files == 0
    for act in (lambda: table.at(snapshot=1), lambda: table.at(timestamp="2030-01-01"), lambda: table.snapshot()):
        with pytest.raises(SnapshotNotFound):
            act()
    with pytest.raises(WorkbenchError):
        table.changes(0, 1)


def set_watermarks(table: Table, **watermarks: int) -> None:
    for name, watermark in watermarks.items():
        file = Path(table.location, "snapshot", name.replace("_", "-"))
        file.write_text(json.dumps({**json.loads(file.read_text()), "watermark": watermark}))


def make_tag(table: Table, name: str, snapshot: int) -> None:
    stored = Path(table.location, "snapshot", f"snapshot-{snapshot}").read_text()
    file = Path(table.location, "tag", f"tag-{name}")
    file.parent.mkdir(exist_ok=True)
    file.write_text(stored)


@pytest.mark.parametrize(
    ("watermark", "version"), [(-(2**63), 2), (99, 2), (100, 2), (101, 4), (200, 4), (201, 5), (300, 5)]
)
def test_the_oldest_version_of_a_watermark(table: Table, watermark: int, version: int) -> None:
    """The oldest version with at least the given watermark is found; version 1 has none, and 2 and 3 share one."""
    set_watermarks(table, snapshot_2=100, snapshot_3=100, snapshot_4=200, snapshot_5=300)
    assert table.at(watermark=watermark).snapshot().id == version


def test_watermarks_that_no_snapshot_reached(table: Table) -> None:
    with pytest.raises(SnapshotNotFound, match="no watermarks"):
        table.at(watermark=0)
    set_watermarks(table, snapshot_5=300)
    with pytest.raises(SnapshotNotFound, match="newest watermark is 300"):
        table.at(watermark=301)


def test_a_version_by_text(table: Table) -> None:
    """A tag of that name takes precedence over other meanings of the text."""
    set_watermarks(table, snapshot_4=1000, snapshot_5=2000)

    def found(text: str) -> int:
        return table.at(version=text).snapshot().id

    assert (found("2"), found("watermark-1001"), found("watermark--5")) == (2, 5, 4)
    for name, snapshot in (("2", 3), ("watermark-1001", 1), ("v1", 2)):
        make_tag(table, name, snapshot)
    assert (found("2"), found("watermark-1001"), found("v1"), found("4")) == (3, 1, 2, 4)
    for text, match in (
        ("9", "no snapshot 9"),
        ("v2", "no tag 'v2'"),
        ("watermark-x", "no tag"),
        ("٣", "no tag"),
    ):
        with pytest.raises(SnapshotNotFound, match=match):
            table.at(version=text)
