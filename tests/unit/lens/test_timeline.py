from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.base.errors import InvalidRequest
from workbench.base.session import session_options
from workbench.format.spec.snapshot import CommitKind, Snapshot
from workbench.format.spec.tag import Tag
from workbench.lens.timeline import TagValue, collect_timeline, describe_timeline
from workbench.metadata.snapshots import SnapshotPage
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table


def snapshot(id: int, **given: Any) -> Snapshot:
    return Snapshot(
        id=id,
        schema_id=0,
        base_manifest_list="b",
        delta_manifest_list="d",
        commit_user="me",
        commit_identifier=1,
        commit_kind=CommitKind.APPEND,
        time_millis=1000 * id,
        **given,
    )


def page(*snapshots: Snapshot) -> SnapshotPage:
    return SnapshotPage(snapshots, None, frozenset(each.id for each in snapshots))


def test_a_table_never_written(table: Table) -> None:
    timeline = collect_timeline(table)
    assert (timeline.snapshots, timeline.tags, timeline.total, timeline.next) == ((), (), 0, None)
    assert timeline.zone == session_options.timezone


def test_facts_of_a_snapshot() -> None:
    noted = {
        "workbench.writer": "paimon-workbench 1",
        "workbench.statement": "INSERT INTO <b>",
        "workbench.compaction": json.dumps([{"reason": "size", "why": "Too many."}, {"reason": "other"}, {"more": 3}]),
    }
    reported = snapshot(
        2**60,
        total_record_count=2**61,
        delta_record_count=-5,
        changelog_record_count=3,
        operation="WRITE",
        properties=noted,
    )
    (value,) = describe_timeline("d.t", page(reported), {}).snapshots
    assert (value.id, value.rows_total, value.rows_added, value.changelog_rows) == (2**60, 2**61, -5, 3)
    assert (value.kind, value.operation, value.statement) == ("APPEND", "WRITE", "INSERT INTO <b>")
    assert (value.writer, value.reason, value.tags) == (
        "paimon-workbench 1",
        "Too many. other 3 more buckets without a recorded reason.",
        (),
    )


def test_an_engine_records_its_version() -> None:
    (value,) = describe_timeline("d.t", page(snapshot(1, writer_version="2.1-abc")), {}).snapshots
    assert (value.writer, value.operation, value.reason, value.statement) == ("2.1-abc", "", "", "")
    assert (value.rows_added, value.rows_total, value.changelog_rows) == (None, None, None)


def test_tags_mark_snapshots_and_outlive_them() -> None:
    kept, removed = snapshot(5), snapshot(2)
    tags = {name: Tag(name, of) for name, of in (("b", kept), ("old", removed), ("a <i>", kept))}
    timeline = describe_timeline("d.t", page(snapshot(6), kept), tags)
    assert [each.tags for each in timeline.snapshots] == [(), ("a <i>", "b")]
    assert timeline.tags == (
        TagValue("a <i>", 5, None, False),
        TagValue("b", 5, None, False),
        TagValue("old", 2, None, True),
    )


def test_a_tag_of_another_page_is_not_expired(table: Table, write: Any) -> None:
    for key in range(3):
        write("a", [key], "x")
    directory = Path(table.location, "tag")
    directory.mkdir()
    (directory / "tag-first").write_text(Path(table.location, "snapshot", "snapshot-1").read_text())
    timeline = collect_timeline(table, limit=1)
    assert [each.id for each in timeline.snapshots] == [3]
    assert timeline.tags == (TagValue("first", 1, None, False),)
    Path(table.location, "snapshot", "snapshot-1").unlink()
    timeline = collect_timeline(table)
    assert timeline.tags == (TagValue("first", 1, None, True),)
    assert ([each.id for each in timeline.snapshots], timeline.total) == ([3, 2], 2)


def test_when_a_tag_was_made(table: Table, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a", [1], "x")
    stored = json.loads(Path(table.location, "snapshot", "snapshot-1").read_text())
    directory = Path(table.location, "tag")
    directory.mkdir()
    result = {**stored, "tagCreateTime": [1970, 1, 2, 9, 0, 1, 500_000_000], "tagTimeRetained": 86400.0}
    (directory / "tag-x").write_text(json.dumps(result))
    monkeypatch.setattr(session_options, "timezone", "Asia/Tokyo")
    assert collect_timeline(table).tags == (TagValue("x", 1, 86_401_500, False),)


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_pages(table: Table, write: Any, limit: int) -> None:
    for key in range(4):
        write("a", [key], "x")
    result, cursor = [], None
    while True:
        timeline = collect_timeline(table, cursor, limit)
        assert timeline.total == 4
        result.extend(each.id for each in timeline.snapshots)
        cursor = timeline.next
        if cursor is None:
            break
        assert len(timeline.snapshots) == limit
    assert result == [4, 3, 2, 1]


def test_a_cursor_stays_valid_when_others_write_and_expire(table: Table, write: Any) -> None:
    for key in range(4):
        write("a", [key], "x")
    first = collect_timeline(table, limit=2)
    write("a", [9], "x")
    Path(table.location, "snapshot", "snapshot-1").unlink()
    rest = collect_timeline(table, first.next, 2)
    left = list(Path(table.location, "snapshot").glob("snapshot-*"))
    assert ([each.id for each in rest.snapshots], rest.next, rest.total) == ([2], None, len(left))


def test_only_the_page_is_read(table: Table, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in range(5):
        write("a", [key], "x")
    read: list[str] = []
    original = LocalFileIO.read_bytes

    def counted(self: LocalFileIO, path: str) -> bytes:
        read.append(path)
        return original(self, path)

    monkeypatch.setattr(LocalFileIO, "read_bytes", counted)
    collect_timeline(table, "4", 2)
    # The newest snapshot shows whether cached snapshots are still those of the table.
    assert sorted(Path(path).name for path in read) == ["EARLIEST", "LATEST", "snapshot-2", "snapshot-3", "snapshot-6"]


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "٣", " 1", "9" * 20, "../1"])
def test_no_cursor(table: Table, cursor: str) -> None:
    with pytest.raises(InvalidRequest, match="cursor"):
        collect_timeline(table, cursor)


def test_a_page_of_nothing(table: Table) -> None:
    with pytest.raises(InvalidRequest):
        collect_timeline(table, limit=0)


def test_why_a_compaction_ran(table: Table, write: Any) -> None:
    for value in "abcdef":
        write("a", [1, 2, 3], value)
    timeline = collect_timeline(table)
    compactions = [each for each in timeline.snapshots if each.kind == "COMPACT"]
    assert compactions
    assert all(each.reason for each in compactions)
    assert [each.id for each in timeline.snapshots] == sorted((each.id for each in timeline.snapshots), reverse=True)
