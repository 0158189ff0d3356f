"""Expired tags and automatic tags."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.maintained_tables import DAY, HOUR, START, clocked, files, unused
from tests.support.versioned import ids, row
from workbench.base.clock import ManualClock
from workbench.base.errors import CorruptFile, InvalidSchema, Unsupported
from workbench.base.progress import Progress
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.local import LocalFileIO
from workbench.table.maintenance.automatic_tags import create_periodic_tags
from workbench.table.table import Table

DAILY = {"tag.automatic-creation": "process-time", "sink.process-time-zone": "UTC"}


def keyed(warehouse: Path, **options: str) -> tuple[Table, ManualClock]:
    """Create a table with three commits of one key, each of which wrote a separate file."""
    catalog, clock = clocked(warehouse)
    named = {"bucket": "1", "write-only": "true", **options}
    table = catalog.create_table("db.t", {"id": "INT NOT NULL"}, primary_key=["id"], options=named)
    for _ in range(3):
        table.write(row(1))
    return table, clock


def automatic(warehouse: Path, **options: str) -> tuple[Table, ManualClock]:
    catalog, clock = clocked(warehouse)
    return catalog.create_table("db.t", {"id": "INT"}, options={**DAILY, **options}), clock


def commit_after(table: Table, clock: ManualClock, millis: int) -> tuple[str, ...]:
    """Commit when this time has passed, and return the tags that the commit creates."""
    clock.advance(millis)
    after = table.write(row(1)).after
    assert after is not None
    assert after.failure is None
    return after.tags_created


def test_tags_whose_time_is_over(tmp_path: Path) -> None:
    table, clock = keyed(tmp_path)
    table.create_tag("short", 1, "1 h")
    table.create_tag("long", 1, "2 h")
    table.create_tag("ever", 2)
    clock.advance(HOUR)
    assert table.expire_tags().tags == ()
    clock.advance(1)
    planned = table.expire_tags(dry_run=True)
    assert (planned.tags, planned.dry_run, list(table.tags())) == (("short",), True, ["long", "short", "ever"])
    assert table.expire_tags().tags == ("short",)
    assert list(table.tags()) == ["long", "ever"]
    assert table.expire_tags(older_than=START + 2 * HOUR).tags == ("long",)


def test_files_used_only_by_a_tag_are_deleted_with_it(tmp_path: Path) -> None:
    table, clock = keyed(tmp_path)
    table.create_tag("one", 1, "1 h")
    table.create_tag("same", 1)
    table.create_tag("two", 2, "1 h")
    table.compact(full=True)
    table.expire_snapshots(retain_max=1, retain_min=1)
    assert len(unused(table)) == 0
    clock.advance(2 * HOUR)
    done = table.expire_tags()
    assert done.tags == ("one", "two")
    assert len(done.data_files) == 1, "the first file is still needed by the other tag of its snapshot"
    assert done.bytes > 0
    assert not any(Path(path).exists() for path in (*done.data_files, *done.metadata_files))
    assert not unused(table)
    assert (ids(table.at(tag="same")), ids(table)) == ([1], [1])
    table.replace_tag("same", 4, "1 h")
    assert repr(done).startswith("<TagExpiry of db.t: 2 tags, 1 data file, ")


def test_success_files_are_deleted_with_their_tags(tmp_path: Path) -> None:
    table, clock = keyed(tmp_path, **{"tag.create-success-file": "true"})
    table.create_tag("one", 1, "1 h")
    success = Path(table.location, "tag", "tag-success-file", "one_SUCCESS")
    assert success.exists()
    clock.advance(2 * HOUR)
    table.expire_tags()
    assert not success.exists()


def test_nothing_is_deleted_if_retained_metadata_is_unreadable(tmp_path: Path) -> None:
    table, clock = keyed(tmp_path)
    table.create_tag("one", 1, "1 h")
    table.compact(full=True)
    table.expire_snapshots(retain_max=1, retain_min=1)
    clock.advance(2 * HOUR)
    kept = Path(table.location, "manifest", table.snapshot().delta_manifest_list)
    kept.write_bytes(kept.read_bytes()[:40])
    fresh = FileSystemCatalog(str(tmp_path), LocalFileIO(), clock=clock).get_table("db.t")
    before = files(fresh)
    with pytest.raises(CorruptFile, match="manifest-list"):
        fresh.expire_tags()
    assert files(fresh) == before


def test_callbacks_are_refused(tmp_path: Path) -> None:
    table, _ = keyed(tmp_path, **{"tag.callbacks": "com.example.Callback"})
    with pytest.raises(Unsupported, match="callbacks"):
        table.expire_tags(older_than=START + 1)


@pytest.mark.parametrize(
    ("options", "first", "later"),
    [
        ({}, "2025-12-31", "2026-01-01"),
        ({"tag.period-formatter": "without_dashes"}, "20251231", "20260101"),
        ({"tag.creation-period": "hourly"}, "2025-12-31 23", "2026-01-01 23"),
        ({"tag.creation-period": "hourly", "tag.period-formatter": "without_dashes"}, "20251231 23", "20260101 23"),
        (
            {"tag.creation-period": "hourly", "tag.period-formatter": "without_dashes_and_spaces"},
            "2025123123",
            "2026010123",
        ),
        ({"tag.creation-period": "two-hours"}, "2025-12-31 22", "2026-01-01 22"),
        ({"tag.creation-period-duration": "30 min"}, "202512312330", "202601012330"),
        ({"sink.process-time-zone": "Asia/Tokyo"}, "2025-12-31", "2026-01-01"),
    ],
)
def test_names_of_periods(tmp_path: Path, options: dict[str, str], first: str, later: str) -> None:
    table, clock = automatic(tmp_path, **options)
    assert commit_after(table, clock, 0) == (first,)
    assert commit_after(table, clock, 60_000) == ()
    assert commit_after(table, clock, DAY - 60_000) == (later,)
    assert {name: tag.snapshot.id for name, tag in table.tags().items()} == {first: 1, later: 3}


def test_tags_wait_for_late_rows(tmp_path: Path) -> None:
    table, clock = automatic(tmp_path, **{"tag.creation-delay": "1 h"})
    assert commit_after(table, clock, 0) == ("2025-12-31",)
    assert commit_after(table, clock, DAY) == ()
    assert commit_after(table, clock, HOUR) == ("2026-01-01",)
    assert table.tags()["2026-01-01"].snapshot.id == 3


@pytest.mark.parametrize("completes", ["false", "true"])
def test_missed_periods(tmp_path: Path, completes: str) -> None:
    table, clock = automatic(tmp_path, **{"tag.automatic-completion": completes})
    result = [commit_after(table, clock, 0), *(commit_after(table, clock, 3 * DAY) for _ in range(2))]
    second = ("2026-01-01",) if completes == "true" else ("2026-01-03",)
    third = ("2026-01-02",) if completes == "true" else ("2026-01-06",)
    assert result == [("2025-12-31",), second, third]


def test_snapshots_of_others_are_tagged_as_well(tmp_path: Path) -> None:
    table, clock = automatic(tmp_path)
    options = {**table.options, "write-only": "true"}
    silent = table.with_store(table.store.with_schema(replace(table.schema, options=options)))
    commit_after(table, clock, 0)
    for _ in range(2):
        clock.advance(DAY)
        silent.write(row(2))
    assert commit_after(table, clock, 10) == ("2026-01-01", "2026-01-02")
    assert {name: tag.snapshot.id for name, tag in table.tags().items()} == {
        "2025-12-31": 1,
        "2026-01-01": 2,
        "2026-01-02": 3,
    }


def test_by_watermark(tmp_path: Path) -> None:
    table, clock = automatic(tmp_path, **{"tag.automatic-creation": "watermark"})
    assert commit_after(table, clock, 0) == ()
    snapshot = Path(table.location, "snapshot", "snapshot-1")
    text = snapshot.read_text()
    snapshot.write_text(text.replace('"timeMillis"', f'"watermark" : {START + DAY},\n  "timeMillis"'))
    table = FileSystemCatalog(str(tmp_path), LocalFileIO(), clock=clock).get_table("db.t")
    assert commit_after(table, clock, 0) == ("2026-01-01",)


def test_old_automatic_tags_are_deleted(tmp_path: Path) -> None:
    table, clock = automatic(tmp_path, **{"tag.num-retained-max": "2"})
    table.write(row(1))
    table.create_tag("mine", 1)
    for _ in range(4):
        commit_after(table, clock, DAY)
    assert list(table.tags()) == ["mine", "2026-01-03", "2026-01-04"]


def test_automatic_tags_are_retained_according_to_options(tmp_path: Path) -> None:
    table, clock = automatic(tmp_path, **{"tag.default-time-retained": "36 h"})
    commit_after(table, clock, 0)
    assert table.tags()["2025-12-31"].retained == timedelta(hours=36)
    commit_after(table, clock, DAY)
    after = table.write(row(1)).after
    assert after is not None
    assert after.tags_expired == ()
    clock.advance(13 * HOUR)
    after = table.write(row(1)).after
    assert after is not None
    assert after.tags_expired == ("2025-12-31",)


def test_a_delay_as_long_as_a_period(tmp_path: Path) -> None:
    table, _ = automatic(tmp_path, **{"tag.creation-delay": "24 h"})
    after = table.write(row(1)).after
    assert after is not None
    assert after.failure is not None
    assert "tag.creation-delay" in after.failure
    assert ids(table) == [1]


def test_zones_that_do_not_exist(tmp_path: Path) -> None:
    table, _ = automatic(tmp_path, **{"sink.process-time-zone": "Mars/Olympus"})
    with pytest.raises(InvalidSchema, match="Mars/Olympus"):
        create_periodic_tags(table.store, Progress())


def test_tags_of_batch_jobs(tmp_path: Path) -> None:
    options = {"tag.automatic-creation": "batch", "tag.num-retained-max": "2", "write-only": "true"}
    table, clock = automatic(tmp_path, **options)
    for day in range(3):
        for _ in range(2):
            commit_after(table, clock, HOUR)
        clock.advance(DAY - 2 * HOUR)
        assert table.tags()[f"batch-write-2026-01-0{day + 1}"].snapshot.id == 2 * day + 2
    assert list(table.tags()) == ["batch-write-2026-01-02", "batch-write-2026-01-03"]


def test_a_batch_tag_releases_its_previous_snapshot(tmp_path: Path) -> None:
    options = {"tag.automatic-creation": "batch", "tag.batch.customized-name": "newest"}
    table, _ = keyed(tmp_path, **options)
    assert table.tags()["newest"].snapshot.id == 3
    table.compact(full=True)
    assert table.expire_snapshots(retain_max=1, retain_min=1).snapshots == (1, 2, 3)
    table.write(row(2))
    assert (list(table.tags()), table.tags()["newest"].snapshot.id) == (["newest"], 5)
    assert not unused(table)
