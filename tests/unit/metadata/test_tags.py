"""Tags: found, read, and read from; their versions outlive the snapshots."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import CorruptFile, SnapshotNotFound, WorkbenchError
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    """Three versions; version N holds the rows 1 … N."""
    created = catalog.create_table("db.t", {"id": "INT"})
    for number in range(1, 4):
        created.write(pa.table({"id": pa.array([number], pa.int32())}))
    return created


def tag(table: Table, name: str, snapshot: int, **added: Any) -> Path:
    """Write a tag as Java does: the content of the snapshot's file, and ``added`` time fields if it has a retention."""
    stored = json.loads(Path(table.location, "snapshot", f"snapshot-{snapshot}").read_text())
    file = Path(table.location, "tag", f"tag-{name}")
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({**stored, **added}))
    return file


def ids(table: Table) -> list[int]:
    return sorted(table.to_arrow()["id"].to_pylist())


def test_a_table_without_tags(table: Table) -> None:
    assert table.tags() == {}
    with pytest.raises(SnapshotNotFound, match=r"no tag 'v1'.*no tags"):
        table.at(tag="v1")


def test_tags_by_name_those_of_older_snapshots_first(table: Table) -> None:
    tag(table, "b", 2)
    tag(table, "z", 1)
    tag(table, "a", 2, tagCreateTime=[2026, 8, 22, 17, 32, 37, 120_000_000], tagTimeRetained=86400.5)
    tags = table.tags()
    assert [(name, each.name, each.snapshot.id) for name, each in tags.items()] == [
        *(("z", "z", 1), ("a", "a", 2), ("b", "b", 2)),
    ]
    assert (tags["b"].created, tags["b"].retained) == (None, None)
    assert tags["a"].created == datetime(2026, 8, 22, 17, 32, 37, 120_000)
    assert tags["a"].retained == timedelta(days=1, milliseconds=500)
    assert tags["b"].snapshot == table.snapshot(2)


@pytest.mark.parametrize(
    ("stored", "created"),
    [
        ([2026, 8, 22, 17, 32], datetime(2026, 8, 22, 17, 32)),
        ([2026, 8, 22, 17, 32, 5], datetime(2026, 8, 22, 17, 32, 5)),
        ([2026, 8, 22, 17, 32, 5, 1000], datetime(2026, 8, 22, 17, 32, 5, 1)),
    ],
)
def test_times_without_their_last_parts(table: Table, stored: list[int], created: datetime) -> None:
    tag(table, "x", 1, tagCreateTime=stored, tagTimeRetained=60)
    assert table.tags()["x"].created == created


def test_reading_at_a_tag(table: Table) -> None:
    tag(table, "v1", 2)
    pinned = table.at(tag="v1")
    assert ids(pinned) == [1, 2]
    assert pinned.snapshot().id == 2
    with pytest.raises(WorkbenchError, match="read-only"):
        pinned.write(pa.table({"id": [9]}))


def test_a_tag_outlives_its_snapshot(table: Table) -> None:
    tag(table, "v1", 1)
    Path(table.location, "snapshot", "snapshot-1").unlink()
    with pytest.raises(SnapshotNotFound):
        table.at(snapshot=1)
    pinned = table.at(tag="v1")
    assert ids(pinned) == [1]
    assert pinned.version is not None
    assert pinned.version.id == 1


def test_a_tag_that_is_replaced(table: Table) -> None:
    tag(table, "v", 1)
    assert ids(table.at(tag="v")) == [1]
    tag(table, "v", 3, tagTimeRetained=60)
    assert ids(table.at(tag="v")) == [1, 2, 3]


def test_similar_names(table: Table) -> None:
    tag(table, "2026-11-01", 1)
    with pytest.raises(SnapshotNotFound, match=r"db\.t has no tag '2026-11-02'\. Did you mean '2026-11-01'"):
        table.at(tag="2026-11-02")
    with pytest.raises(SnapshotNotFound, match="It has tag 2026-11-01"):
        table.at(tag="release")
    for name in "abcdefg":
        tag(table, name, 1)
    with pytest.raises(SnapshotNotFound, match="It has tags 2026-11-01, a, b, c, d and 3 more"):
        table.at(tag="release")


@pytest.mark.parametrize("name", ["../snapshot/snapshot-1", "", "x/../v1", "success-file", "/etc/passwd", "v1\0"])
def test_a_name_is_never_a_path(table: Table, name: str) -> None:
    tag(table, "v1", 1)
    Path(table.location, "tag", "tag-success-file").mkdir()
    with pytest.raises(SnapshotNotFound):
        table.at(tag=name)
    assert list(table.tags()) == ["v1"]


def test_any_name(table: Table) -> None:
    name = "<img src=x onerror=alert(1)> 1%2F"
    tag(table, name, 1)
    assert list(table.tags()) == [name]
    assert ids(table.at(tag=name)) == [1]


@pytest.mark.parametrize(
    "added",
    [
        {"tagCreateTime": "2026-08-22"},
        {"tagCreateTime": [2026, 13, 1, 0, 0]},
        {"tagCreateTime": [2026, 1]},
        {"tagCreateTime": [2026, 1, 1, 0, 0, 0, 0, 0]},
        {"tagCreateTime": 5},
        {"tagCreateTime": [2026, 1, 1, 0, 0, "x"]},
        {"tagCreateTime": {}},
        {"tagTimeRetained": "PT24H"},
        {"tagTimeRetained": 1e300},
        {"id": None},
    ],
)
def test_garbled_files_are_named(table: Table, added: dict[str, Any]) -> None:
    file = tag(table, "v1", 1, **added)
    for act in (table.tags, lambda: table.at(tag="v1")):
        with pytest.raises(CorruptFile) as error:
            act()
        assert error.value.path == str(file)


def test_one_version_at_a_time(table: Table) -> None:
    tag(table, "v1", 1)
    for given in ({}, {"snapshot": 1, "tag": "v1"}, {"timestamp": 0, "tag": "v1"}):
        with pytest.raises(WorkbenchError, match="snapshot, timestamp, tag, watermark and version"):
            table.at(**given)
