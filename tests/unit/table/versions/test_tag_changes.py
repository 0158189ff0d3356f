"""Tags created, replaced, renamed and deleted: effects, remaining files, and refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.versioned import NO_NAMES, expire, ids, make, row
from workbench.base.clock import ManualClock
from workbench.base.errors import (
    AlreadyExists,
    InvalidRequest,
    InvalidSchema,
    SnapshotNotFound,
    Unsupported,
)
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.spec.snapshot import Snapshot
from workbench.format.spec.tag import Tag
from workbench.table.table import Table


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    return make(catalog)


def test_a_tag_is_a_plain_snapshot(table: Table) -> None:
    done = table.create_tag("v1")
    assert (done.done, done.name, done.snapshot, done.retained) == ("created", "v1", 4, None)
    assert repr(done) == "<db.t: tag v1 of snapshot 4 created>"
    stored = Path(table.location, "tag", "tag-v1").read_text()
    assert stored == Path(table.location, "snapshot", "snapshot-4").read_text()
    table.create_tag("v2", 2)
    table.write(row(5))
    assert (ids(table.at(tag="v1")), ids(table.at(tag="v2"))) == ([1, 2, 3, 4], [1, 2])


@pytest.mark.parametrize(
    ("now", "retained", "created", "seconds"),
    [
        ("2026-08-22T17:32:37.120", timedelta(days=1), [2026, 8, 22, 17, 32, 37, 120_000_000], "86400.000000000"),
        ("2026-08-22T17:32:00", "1500 ms", [2026, 8, 22, 17, 32], "1.500000000"),
        ("2026-08-22T17:00:05", timedelta(microseconds=1), [2026, 8, 22, 17, 0, 5], "0.000001000"),
        ("2026-08-22T00:00:00.5", timedelta(0), [2026, 8, 22, 0, 0, 0, 500_000_000], "0.0"),
    ],
)
def test_a_retention(table: Table, now: str, retained: Any, created: list[int], seconds: str) -> None:
    clock = ManualClock(int((datetime.fromisoformat(now) - datetime(1970, 1, 1)).total_seconds() * 1000))
    done = Table(replace(table.store, runtime=replace(table.store.runtime, clock=clock))).create_tag("v1", 2, retained)
    text = Path(table.location, "tag", "tag-v1").read_text()
    assert json.loads(text)["tagCreateTime"] == created
    assert text.endswith(f'"tagTimeRetained": {seconds}\n}}')
    result = table.tags()["v1"]
    assert result == Tag("v1", table.snapshot(2), datetime.fromisoformat(now), done.retained)


def test_the_default_retention_is_for_new_tags_only(catalog: FileSystemCatalog) -> None:
    table = make(catalog, tag__default_time_retained="2 h")
    table.create_tag("a")
    table.create_tag("b", time_retained="1 d")
    table.create_tag("c")
    table.replace_tag("c", 1)
    retained = {name: tag.retained for name, tag in table.tags().items()}
    assert retained == {"c": None, "a": timedelta(hours=2), "b": timedelta(days=1)}


def test_a_tag_of_a_version_that_only_a_tag_keeps(table: Table) -> None:
    table.create_tag("old", 1)
    expire(table, 1)
    table.create_tag("again", 1)
    assert table.tags()["again"].snapshot == table.tags()["old"].snapshot
    with pytest.raises(SnapshotNotFound, match="no snapshot 7"):
        table.create_tag("x", 7)


def test_replacing_renaming_and_deleting(table: Table) -> None:
    table.create_tag("v1", 1, "1 d")
    files = sorted(path.name for path in Path(table.location, "bucket-0").iterdir())
    assert table.replace_tag("v1", 2).snapshot == 2
    assert ids(table.at(tag="v1")) == [1, 2]
    assert repr(table.rename_tag("v1", "v2")) == "<db.t: tag v2 renamed, which was v1>"
    assert list(table.tags()) == ["v2"]
    expire(table, 2)
    assert repr(table.delete_tag("v2")) == "<db.t: tag v2 deleted>"
    assert table.tags() == {}
    assert sorted(path.name for path in Path(table.location, "bucket-0").iterdir()) == files


def test_a_garbled_tag_can_be_replaced_and_deleted(table: Table) -> None:
    for act in (lambda: table.replace_tag("v1", 2), lambda: table.delete_tag("v1")):
        file = Path(table.location, "tag", "tag-v1")
        file.parent.mkdir(exist_ok=True)
        file.write_text("{")
        act()
    assert table.tags() == {}


def test_existing_and_missing_tags(table: Table) -> None:
    table.create_tag("v1", 1)
    table.create_tag("v2", 2)
    for act in (lambda: table.create_tag("v1"), lambda: table.rename_tag("v2", "v1")):
        with pytest.raises(AlreadyExists, match=r"db\.t already has a tag 'v1'"):
            act()
    for missing in (table.delete_tag, table.replace_tag, lambda name: table.rename_tag(name, "x")):
        with pytest.raises(SnapshotNotFound, match=r"no tag 'v2x'\. Did you mean 'v2'"):
            missing("v2x")
    assert {name: tag.snapshot.id for name, tag in table.tags().items()} == {"v1": 1, "v2": 2}


@pytest.mark.parametrize("name", [*NO_NAMES, "success-file"])
def test_names_that_no_tag_can_have(table: Table, name: str) -> None:
    table.create_tag("v1", 1)
    for act in (table.create_tag, lambda name: table.rename_tag("v1", name)):
        with pytest.raises(InvalidRequest):
            act(name)
    assert list(table.tags()) == ["v1"]


def test_invalid_retentions(table: Table) -> None:
    with pytest.raises(InvalidRequest, match="cannot be kept"):
        table.create_tag("v1", time_retained=timedelta(seconds=-1))
    with pytest.raises(InvalidSchema, match="not a duration"):
        table.create_tag("v1", time_retained="soon")
    assert table.tags() == {}


@pytest.mark.parametrize(
    ("options", "first", "second"),
    [
        ({}, "2026-11-01", "2026-11-02"),
        ({"tag__creation_period": "hourly"}, "2026-11-01 05", "2026-11-01 06"),
        ({"tag__creation_period": "two-hours", "tag__period_formatter": "without_dashes"}, "2026-11-01 04", None),
        ({"tag__period_formatter": "without_dashes"}, "20261101", "20261102"),
        ({"tag__creation_period_duration": "5 min"}, "202611010500", "202611010505"),
    ],
)
def test_one_automatic_tag_for_a_version(
    catalog: FileSystemCatalog, options: dict[str, str], first: str, second: str | None
) -> None:
    table = make(catalog, tag__automatic_creation="process-time", **options)
    table.create_tag(first)
    table.create_tag("release")
    with pytest.raises(AlreadyExists, match=f"automatic tag '{first}'"):
        table.create_tag(second or "2026-11-01 06")
    table.create_tag(second or "2026-11-01 06", 3)


def test_success_files(catalog: FileSystemCatalog) -> None:
    table = make(catalog, tag__create_success_file="true")
    table.create_tag("v1")
    file = Path(table.location, "tag", "tag-success-file", "v1_SUCCESS")
    assert json.loads(file.read_text()).keys() == {"creationTime", "modificationTime"}
    assert list(table.tags()) == ["v1"]
    table.delete_tag("v1")
    assert not file.exists()


def test_tables_with_tag_callbacks_are_refused(catalog: FileSystemCatalog) -> None:
    table = make(catalog, tag__callbacks="org.example.Mail")
    with pytest.raises(Unsupported, match=r"'tag\.callbacks' = 'org\.example\.Mail'"):
        table.create_tag("v1")


def test_snapshots_are_restored_unchanged(table: Table) -> None:
    """A tag holds every field of its snapshot."""
    table.create_tag("v1", 2, "1 d")
    path = str(Path(table.location, "tag", "tag-v1"))
    assert Snapshot.from_json(Path(path).read_text(), path) == table.snapshot(2)
