"""Changes as stored by commits, and how versions and modes are resolved; test_table_model covers differences."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.clock import ManualClock
from workbench.base.errors import CorruptFile, SnapshotNotFound, Unsupported, WorkbenchError
from workbench.base.session import session_options
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.datafile.readers.packed_changelog import over_packed
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "p": "STRING NOT NULL", "v": "STRING"}
HOUR = 3_600_000
START = 1_767_225_600_000  # 2026-01-01 00:00 UTC
FIRST = [("+I", 1, "a1"), ("+I", 2, "a2")]
SECOND = [("+U", 2, "b2"), ("+I", 3, "b3")]
FOURTH = [("-D", 1, "c1"), ("+U", 2, "c2")]


def rows(text: str, **kinds: str) -> pa.Table:
    ids = [int(each[1:]) for each in kinds]
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "p": [f"p{each % 2}" for each in ids],
            "v": [f"{text}{each}" for each in ids],
            "k": list(kinds.values()),
        }
    )


def told(changes: pa.Table) -> list[tuple[str, int, str]]:
    return sorted(((row["rowkind"], row["id"], row["v"]) for row in changes.to_pylist()), key=lambda each: each[1:])


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    """Four commits an hour apart: two of rows, a compaction, an update and a delete."""
    monkeypatch.setattr(session_options, "timezone", "UTC")
    clock = ManualClock(START)
    catalog = FileSystemCatalog(str(tmp_path), LocalFileIO(), clock=clock)
    catalog.create_database("db")
    created = catalog.create_table("db.t", COLUMNS, ["id", "p"], ["p"], {"bucket": "1"})
    steps: list[Callable[[], Any]] = [
        lambda: created.write(rows("a", _1="+I", _2="+I"), row_kind="k"),
        lambda: created.write(rows("b", _2="+U", _3="+I"), row_kind="k"),
        lambda: created.compact(full=True),
        lambda: created.write(rows("c", _1="-D", _2="+U"), row_kind="k"),
    ]
    for step in steps:
        step()
        clock.advance(HOUR)
    assert [each.commit_kind for each in created.snapshots()] == ["APPEND", "APPEND", "COMPACT", "APPEND"]
    return created


def edit(path: Path, **members: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


def snapshot_file(table: Table, number: int) -> Path:
    return Path(table.location, "snapshot", f"snapshot-{number}")


def tag(table: Table, name: str, number: int) -> None:
    directory = Path(table.location, "tag")
    directory.mkdir(exist_ok=True)
    (directory / f"tag-{name}").write_bytes(snapshot_file(table, number).read_bytes())


def outlive(table: Table, number: int) -> None:
    """Expire a snapshot as Java does where changelogs are kept longer."""
    directory = Path(table.location, "changelog")
    directory.mkdir(exist_ok=True)
    snapshot_file(table, number).rename(directory / f"changelog-{number}")


def with_producer(table: Table, tmp_path: Path) -> Table:
    """Return the table with changelogs that have the same content as its deltas."""
    schema = Path(table.location, "schema", "schema-0")
    edit(schema, options={**json.loads(schema.read_text())["options"], "changelog-producer": "input"})
    for number in (1, 2, 4):
        stored = json.loads(snapshot_file(table, number).read_text())
        edit(snapshot_file(table, number), changelogManifestList=stored["deltaManifestList"])
    return FileSystemCatalog(str(tmp_path), LocalFileIO()).get_table("db.t")


def test_rows_of_each_commit(table: Table) -> None:
    assert told(table.changes(0, 1)) == FIRST
    assert told(table.changes(1, 3)) == SECOND
    assert told(table.changes(2, 3)) == []
    assert [text[0] for text in table.changes()["v"].to_pylist()] == list("aabbcc")
    assert told(table.changes()) == told(table.changes(0, 4, "delta")) == sorted([*FIRST, *SECOND, *FOURTH], key=by_row)
    assert table.changes().schema == pa.schema([pa.field("rowkind", pa.string(), False), *table.arrow_schema])
    assert told(table.changes(0, 4, "diff")) == [("+I", 2, "c2"), ("+I", 3, "b3")]


def by_row(row: tuple[str, int, str]) -> tuple[int, str]:
    return row[1:]


def test_versions_by_id_tag_and_time(table: Table) -> None:
    tag(table, "early", 1)
    tag(table, "4", 2)
    late = datetime(2026, 1, 1, 3, 59, tzinfo=UTC)
    for start in (1, "1", "early", "2026-01-01", "2026-01-01 00:59:59", datetime(2026, 1, 1, tzinfo=UTC)):
        for end in (4, None, "2027-01-01", late):
            assert told(table.changes(start, end)) == sorted([*SECOND, *FOURTH], key=by_row)
        assert told(table.changes(start, "4", "delta")) == SECOND
    assert told(table.changes("1999-01-01", "2026-01-01 00:00:00")) == FIRST
    assert told(table.changes("1998-01-01", "1999-01-01")) == []
    assert told(table.changes("2030-01-01", "2031-01-01")) == []
    assert told(table.at(snapshot=2).changes(1)) == SECOND


def test_two_tags_are_compared(table: Table) -> None:
    tag(table, "early", 1)
    tag(table, "late", 4)
    for number in (1, 2, 3, 4):
        expected = [("-D", 1, "a1"), ("-U", 2, "a2"), ("+U", 2, "c2"), ("+I", 3, "b3")]
        assert told(table.changes("early", "late")) == told(table.changes("early", "late", "diff")) == expected
        if number < 4:
            snapshot_file(table, number).unlink()
    with pytest.raises(SnapshotNotFound, match=r"2 has expired.*earliest available snapshot is 4: start at 3 or later"):
        table.changes("early", "late", "delta")
    assert told(table.changes(3, "late")) == FOURTH


def test_rows_replaced_by_overwrites_are_not_in_the_delta(table: Table) -> None:
    table.write(rows("d", _5="+I"), mode="overwrite", row_kind="k")
    assert told(table.changes(4)) == []
    assert ("-D", 3, "b3") in told(table.changes(4, mode="diff"))
    edit(snapshot_file(table, 5), commitKind="APPEND")
    with pytest.raises(Unsupported, match=r"db\.t removes files.* Use mode 'diff'"):
        table.changes(4)


def test_changelogs(table: Table, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=r"'changelog-producer' is 'none'.*'delta' or 'diff'"):
        table.changes(0, 4, "changelog")
    assert told(table.changes(4, 4, "changelog")) == []
    table = with_producer(table, tmp_path)
    assert told(table.changes()) == told(table.changes(0, 4, "changelog")) == told(table.changes(0, 4, "delta"))
    edit(snapshot_file(table, 4), changelogManifestList=None)
    assert told(table.changes(2)) == []
    assert told(table.changes(2, mode="delta")) == FOURTH
    edit(snapshot_file(table, 2), commitKind="OVERWRITE")
    assert told(table.changes()) == FIRST


def test_changelogs_that_outlive_their_snapshots(table: Table, tmp_path: Path) -> None:
    table = with_producer(table, tmp_path)
    everything = told(table.changes())
    for number in (1, 2, 3):
        outlive(table, number)
    assert told(table.changes()) == everything
    assert told(table.changes("1999-01-01", "2026-01-01 01:30:00")) == told(table.changes(0, 2))
    for mode in ("delta", "diff"):
        with pytest.raises(SnapshotNotFound, match="use mode 'changelog'" if mode == "delta" else "4 to 4"):
            table.changes(1, 4, mode)
    with pytest.raises(SnapshotNotFound, match=r"that time has expired.*earliest available snapshot is 4"):
        table.changes("1999-01-01", 4, "delta")
    Path(table.location, "changelog", "changelog-2").write_text("{")
    with pytest.raises(CorruptFile, match="changelog-2"):
        table.changes()
    Path(table.location, "changelog", "changelog-2").unlink()
    with pytest.raises(SnapshotNotFound, match=r"after snapshot 0 .* 2 has expired.*is 3: start at 2 or later"):
        table.changes()


def test_without_a_producer_deltas_outlive_their_snapshots(table: Table) -> None:
    everything = told(table.changes())
    for number in (1, 2, 3):
        outlive(table, number)
    assert told(table.changes()) == everything


def test_unreadable_ranges_are_reported(table: Table, tmp_path: Path) -> None:
    for call, error, match in (
        (lambda: table.changes(3, 1), WorkbenchError, "Version 3 is newer than version 1"),
        (lambda: table.changes(0, 9), SnapshotNotFound, "no snapshot 9.* 1 to 4"),
        (lambda: table.changes("9", 9), SnapshotNotFound, "no snapshot 9"),
        (lambda: table.changes(-1), SnapshotNotFound, "no snapshot -1"),
        (
            lambda: table.changes("soon"),
            SnapshotNotFound,
            "'soon' is not a tag of db.t, a snapshot id or a time",
        ),
        (lambda: table.changes(mode="dlta"), Unsupported, "'dlta'.*'delta'"),
    ):
        with pytest.raises(error, match=match):
            call()
    stored = json.loads(snapshot_file(table, 2).read_text())
    Path(table.location, "manifest", stored["deltaManifestList"]).unlink()
    with pytest.raises(CorruptFile, match=stored["deltaManifestList"]):
        FileSystemCatalog(str(tmp_path), LocalFileIO()).get_table("db.t").changes(1, 2)


def test_as_system_tables_show_them(table: Table, tmp_path: Path) -> None:
    catalog = FileSystemCatalog(str(tmp_path), LocalFileIO())
    assert catalog.open("db.t$audit_log").changes(1, 4) == table.changes(1, 4)
    packed = catalog.open("db.t$binlog").changes(1, 4, "diff").to_pylist()
    assert sorted(packed, key=lambda row: str(row["id"])) == [
        {"rowkind": "-D", "id": [1], "p": ["p1"], "v": ["a1"]},
        {"rowkind": "+U", "id": [2, 2], "p": ["p0", "p0"], "v": ["a2", "c2"]},
        {"rowkind": "+I", "id": [3], "p": ["p1"], "v": ["b3"]},
    ]
    edit(
        Path(table.location, "schema", "schema-0"),
        options={"table-read.sequence-number.enabled": "true", "bucket": "1"},
    )
    log = catalog.open("db.t$audit_log")
    assert log.changes(0, 1)["_SEQUENCE_NUMBER"].to_pylist() == [0, 0]
    with pytest.raises(Unsupported, match="with sequence numbers"):
        log.changes(0, 1, "diff")


def test_packed_changelog_files(table: Table) -> None:
    """A file name contains the position of its content in the file of another bucket."""
    first = table.store.path("bucket-0", "compacted-changelog-x$0-4.cc-parquet")
    second = table.store.path("bucket-7", "compacted-changelog-x$0-4-4-6.cc-parquet")
    table.store.file_io.write_bytes(first, b"abcdefghij")
    for path, expected in ((first, b"abcd"), (second, b"efghij")):
        file_io = over_packed(table.store, path)[0].file_io
        assert file_io.read_bytes(path) == expected
        assert file_io.read_range(path, 1, 2) == expected[1:3]
        assert file_io.open_input(path).read() == expected
        assert file_io.status(path) == table.store.file_io.status(first)
    with pytest.raises(CorruptFile, match="does not contain its position"):
        over_packed(table.store, table.store.path("bucket-0", "compacted-changelog-x.cc-parquet"))


def test_keys_that_moved_to_other_buckets(table: Table, tmp_path: Path) -> None:
    schema = Path(table.location, "schema", "schema-0")
    edit(schema, options={**json.loads(schema.read_text())["options"], "bucket": "3"})
    table = FileSystemCatalog(str(tmp_path), LocalFileIO()).get_table("db.t")
    table.write(rows("c", _2="+I", _4="+I"), mode="overwrite", row_kind="k")
    assert told(table.changes(4, mode="diff")) == [("+I", 4, "c4")]
    table.write(rows("e", _1="+I", _3="+I", _5="+I"), mode="overwrite", row_kind="k")
    assert told(table.changes(4, mode="diff")) == [
        ("+I", 1, "e1"),
        ("-U", 3, "b3"),
        ("+U", 3, "e3"),
        ("+I", 4, "c4"),
        ("+I", 5, "e5"),
    ]


@pytest.mark.parametrize("keys", [["id"], ["id", "p"]], ids=["across-partitions", "within"])
def test_keys_whose_buckets_were_reassigned(keys: list[str], tmp_path: Path) -> None:
    """An overwrite that moves keys to other buckets, which have two rows each, does not change these keys."""
    catalog = FileSystemCatalog(str(tmp_path), LocalFileIO())
    catalog.create_database("db")
    options = {"bucket": "-1", "dynamic-bucket.target-row-num": "2", "dynamic-partition-overwrite": "false"}
    table = catalog.create_table("db.t", COLUMNS, keys, ["p"], options)
    table.write(rows("a", **{f"_{each}": "+I" for each in range(12)}), row_kind="k")
    table.write(rows("a", **{f"_{each}": "+I" for each in (12, *range(10, 1, -1))}), mode="overwrite", row_kind="k")
    table.write(rows("b", _3="+U"), row_kind="k")
    removed = [("-D", each, f"a{each}") for each in (0, 1)]
    expected = [*removed, ("-U", 3, "a3"), ("+U", 3, "b3"), ("-D", 11, "a11"), ("+I", 12, "a12")]
    assert told(table.changes(1, mode="diff")) == expected


def test_keys_that_moved_to_another_partition(tmp_path: Path) -> None:
    catalog = FileSystemCatalog(str(tmp_path), LocalFileIO())
    catalog.create_database("db")
    table = catalog.create_table("db.t", COLUMNS, ["id"], ["p"], {"bucket": "-1"})
    table.write(rows("a", _1="+I", _2="+I"), row_kind="k")
    table.write([{"id": 2, "p": "p1", "v": "a2"}])
    changes = table.changes(1, mode="diff").to_pylist()
    before, after = {"id": 2, "p": "p0", "v": "a2"}, {"id": 2, "p": "p1", "v": "a2"}
    assert changes == [{"rowkind": "-U", **before}, {"rowkind": "+U", **after}]


def test_a_table_of_keys_only(tmp_path: Path) -> None:
    catalog = FileSystemCatalog(str(tmp_path), LocalFileIO())
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"a": "INT NOT NULL"}, ["a"], options={"bucket": "1"})
    table.write([{"a": number} for number in range(4)])
    table.write([{"a": number} for number in (2, 3, 9)])
    table.delete("a = 1")
    assert table.changes(1, 3, mode="diff").to_pylist() == [{"rowkind": "-D", "a": 1}, {"rowkind": "+I", "a": 9}]
