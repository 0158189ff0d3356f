"""Small calls that keep a table in shape: tags by time, tags that are due, consumers by pattern, bounded expiry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.maintained_tables import DAY, START, clocked, files, unused
from tests.support.versioned import expire, ids, make, row
from workbench.base.clock import ManualClock
from workbench.base.errors import AlreadyExists, InvalidRequest, SnapshotNotFound
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

# --- tags by time -----------------------------------------------------------------------------------------------------


@pytest.fixture
def timed(catalog: FileSystemCatalog) -> Table:
    """Create a table whose version N was committed at second N, except version 3, at second 2."""
    table = make(catalog)
    for number, second in ((1, 1), (2, 2), (3, 2), (4, 4)):
        path = Path(table.location, "snapshot", f"snapshot-{number}")
        path.write_text(json.dumps({**json.loads(path.read_text()), "timeMillis": second * 1000}))
    return table


@pytest.mark.parametrize(("millis", "version"), [(0, 1), (1000, 1), (1001, 2), (2000, 2), (2001, 4), (4000, 4)])
def test_a_tag_of_a_time(timed: Table, millis: int, version: int) -> None:
    done = timed.create_tag_from_timestamp("v", millis, "1 d")
    assert repr(done) == f"<db.t: tag v of snapshot {version} created, kept for 1 day, 0:00:00>"
    assert timed.tags()["v"].snapshot == timed.snapshot(version)


@pytest.mark.parametrize(("millis", "version"), [(0, 1), (1001, 2), (2000, 2), (2001, 4)])
def test_a_tag_of_a_time_known_only_from_tags(timed: Table, millis: int, version: int) -> None:
    for number in (1, 2, 4):
        timed.create_tag(f"v{number}", number)
    expire(timed, 1, 2, 3)
    assert timed.create_tag_from_timestamp("x", millis).snapshot == version


def test_times_without_a_snapshot_to_tag(timed: Table, catalog: FileSystemCatalog) -> None:
    with pytest.raises(SnapshotNotFound, match=r"db\.t has no snapshot at or after that time"):
        timed.create_tag_from_timestamp("v", 4001)
    with pytest.raises(SnapshotNotFound):
        catalog.create_table("db.empty", {"id": "INT"}).create_tag_from_timestamp("v", 0)
    timed.create_tag_from_timestamp("v", 4000)
    with pytest.raises(AlreadyExists, match="already has a tag 'v'"):
        timed.create_tag_from_timestamp("v", 1000)
    with pytest.raises(InvalidRequest):
        timed.create_tag_from_timestamp("a/b", 1000)


# --- tags that are due ------------------------------------------------------------------------------------------------

DAILY = {"tag.automatic-creation": "process-time", "sink.process-time-zone": "UTC", "write-only": "true"}


def days(warehouse: Path, count: int, **options: str) -> tuple[Table, ManualClock]:
    """Create a table with one version per day, none of which created a tag."""
    catalog, clock = clocked(warehouse)
    named = {name.replace("_", "-").replace("--", "."): text for name, text in options.items()}
    table = catalog.create_table("db.t", {"id": "INT"}, options={**DAILY, **named})
    for number in range(count):
        table.write(row(number))
        clock.advance(DAY)
    return table, clock


def test_tags_that_are_due(tmp_path: Path) -> None:
    table, _ = days(tmp_path, 3)
    planned = table.trigger_tag_automatic_creation(dry_run=True)
    assert (planned.created, table.tags()) == (("2025-12-31", "2026-01-01", "2026-01-02"), {})
    done = table.trigger_tag_automatic_creation()
    assert (done.created, done.removed, done.deleted_files) == (planned.created, (), ())
    assert repr(done) == "<AutomaticTags of db.t: 3 created>"
    assert {name: tag.snapshot.id for name, tag in table.tags().items()} == dict(
        zip(done.created, (1, 2, 3), strict=True)
    )
    assert table.trigger_tag_automatic_creation().created == ()
    assert done.metrics is not None


def test_tags_that_are_too_many(tmp_path: Path) -> None:
    table, _ = days(tmp_path, 2, tag__num_retained_max="2")
    table.trigger_tag_automatic_creation()
    table.write(row(8), mode="overwrite")
    table.expire_snapshots(1, 1, older_than=START + 9 * DAY)
    table.write(row(9))
    before = files(table)
    planned = table.trigger_tag_automatic_creation(dry_run=True)
    assert files(table) == before
    assert (planned.created, planned.removed) == (("2026-01-02",), ("2025-12-31",))
    assert repr(planned).startswith("<AutomaticTags of db.t (dry run): 1 created, 1 removed")
    done = table.trigger_tag_automatic_creation()
    assert (done.created, done.removed) == (planned.created, planned.removed)
    assert set(done.deleted_files) == set(planned.deleted_files)
    assert done.metrics is not None
    assert done.metrics.files_deleted == len(done.deleted_files) > 0
    assert list(table.tags()) == ["2026-01-01", "2026-01-02"]
    assert not unused(table)


def test_tables_without_periodic_tags(catalog: FileSystemCatalog) -> None:
    for creation in ("none", "batch"):
        options = {"tag.automatic-creation": creation}
        table = catalog.create_table(f"db.{creation}", {"id": "INT"}, options=options)
        with pytest.raises(InvalidRequest, match=f"'tag.automatic-creation' = '{creation}' of db.{creation}"):
            table.trigger_tag_automatic_creation()


# --- consumers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("including", "excluding", "gone"),
    [
        (None, None, ["etl", "job-1", "job-2", "test-job-1"]),
        ("job-.*", None, ["job-1", "job-2"]),
        ("job", None, []),
        (".*job.*", ".*-1", ["job-2"]),
        ("", "  ", ["etl", "job-1", "job-2", "test-job-1"]),
        (None, "job-.*|etl", ["test-job-1"]),
    ],
)
def test_consumers_are_removed_by_name(
    catalog: FileSystemCatalog, including: str | None, excluding: str | None, gone: list[str]
) -> None:
    table = make(catalog)
    names = ["etl", "job-1", "job-2", "test-job-1"]
    for name in names:
        table.set_consumer(name, 2)
    # The content of the file does not matter.
    Path(table.location, "consumer", "consumer-etl").write_text("{")
    planned = table.clear_consumers(including, excluding, dry_run=True)
    count = f"{len(gone)} consumer{'s' if len(gone) != 1 else ''}" if gone else "nothing"
    assert (list(planned.consumers), repr(planned)) == (gone, f"<ConsumersCleared of db.t (dry run): {count}>")
    assert len(list(Path(table.location, "consumer").iterdir())) == len(names)
    done = table.clear_consumers(including, excluding)
    assert (list(done.consumers), repr(done)) == (gone, f"<ConsumersCleared of db.t: {count}>")
    left = sorted(path.name for path in Path(table.location, "consumer").iterdir())
    assert left == [f"consumer-{name}" for name in names if name not in gone]


def test_patterns_that_are_none(catalog: FileSystemCatalog) -> None:
    table = make(catalog)
    table.set_consumer("job", 2)
    for given in ({"including": "job-("}, {"excluding": "*"}):
        with pytest.raises(InvalidRequest, match="is not a regular expression"):
            table.clear_consumers(**given)
    assert table.consumers() == {"job": 2}


# --- bounded expiry ---------------------------------------------------------------------------------------------------


def test_expiry_in_small_steps(tmp_path: Path) -> None:
    catalog, clock = clocked(tmp_path)
    longer = {"changelog.num-retained.max": "9", "changelog.num-retained.min": "9", "snapshot.expire.limit": "2"}
    table = catalog.create_table("db.t", {"id": "INT"}, options={**longer, "write-only": "true"})
    for number in range(8):
        table.write(row(number))
    clock.advance(DAY)
    assert table.expire_snapshots(1, 1, max_deletes=1, dry_run=True).snapshots == (1,)
    assert table.expire_snapshots(1, 1, max_deletes=1).snapshots == (1,)
    assert table.expire_snapshots(1, 1).snapshots == (2, 3)
    assert table.expire_snapshots(1, 1, max_deletes=99).snapshots == (4, 5, 6, 7)
    now = clock.now_millis()
    assert table.expire_changelogs(1, 1, older_than=now, max_deletes=1, dry_run=True).changelogs == (1,)
    assert table.expire_changelogs(1, 1, older_than=now, max_deletes=1).changelogs == (1,)
    assert table.expire_changelogs(1, 1, older_than=now).changelogs == (2, 3)
    assert table.expire_changelogs(1, 1, older_than=now, max_deletes=99).changelogs == (4, 5, 6)
    assert ids(table) == list(range(8))
    assert not unused(table)


def test_an_expiration_limit_of_zero_is_refused(catalog: FileSystemCatalog) -> None:
    table = make(catalog)
    for call in (table.expire_snapshots, table.expire_changelogs):
        with pytest.raises(InvalidRequest, match="max_deletes must be at least 1"):
            call(1, 1, max_deletes=0)
    assert len(table.snapshots()) == 4
