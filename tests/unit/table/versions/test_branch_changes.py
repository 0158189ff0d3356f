"""Branches, rollback and consumers: effects, remaining files, and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.versioned import NO_NAMES, expire, ids, make, row
from workbench.base.errors import (
    AlreadyExists,
    CommitConflict,
    InvalidRequest,
    SnapshotNotFound,
    TableNotFound,
    Unsupported,
    WorkbenchError,
)
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.file_io import FileStatus
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    return make(catalog)


def snapshot_files(table: Table) -> list[str]:
    return sorted(path.name for path in Path(table.location, "snapshot").iterdir())


def test_a_table_never_written(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.new", {"id": "INT"})
    for act in (lambda: table.create_tag("v1"), lambda: table.rollback_to(snapshot=1)):
        with pytest.raises(SnapshotNotFound, match="never written"):
            act()


def test_an_empty_branch(table: Table) -> None:
    assert repr(table.create_branch("dev")) == "<db.t: branch dev created>"
    branch = table.branch("dev")
    assert (branch.version, branch.schema) == (None, table.schema)
    branch.write(row(9))
    assert (ids(branch), ids(table), branch.snapshots()[0].id) == ([9], [1, 2, 3, 4], 1)


def test_a_branch_of_a_tag(table: Table) -> None:
    table.create_tag("v2", 2, "1 d")
    expire(table, 1, 2)
    assert repr(table.create_branch("dev", tag="v2")) == "<db.t: branch dev created at snapshot 2 of tag v2>"
    branch = table.branch("dev")
    assert ids(branch) == [1, 2]
    assert branch.tags() == {"v2": table.tags()["v2"]}
    branch.write(row(9))
    assert (ids(branch), ids(table), branch.snapshots()[-1].id) == ([1, 2, 9], [1, 2, 3, 4], 3)
    assert not list(Path(table.location, "branch").glob(".*"))


def test_a_branch_of_a_snapshot_and_one_of_a_branch(table: Table) -> None:
    table.create_branch("dev", snapshot=3)
    branch = table.branch("dev")
    branch.write(row(9))
    branch.create_tag("mine")
    branch.create_branch("second", tag="mine")
    assert ids(table.branch("second")) == [1, 2, 3, 9]
    assert table.branches() == ["dev", "second"]


class LateListing(LocalFileIO):
    """A store whose listings do not show a concurrent change."""

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        return [] if path.endswith("/branch") else super().list_files(path, prefix)


def test_two_that_make_the_same_branch(table: Table) -> None:
    table.create_branch("dev", snapshot=2)
    late = Table(table.store.with_file_io(LateListing()))
    with pytest.raises(AlreadyExists, match="already has a branch 'dev'"):
        late.create_branch("dev", snapshot=3)
    assert [path.name for path in Path(table.location, "branch").iterdir()] == ["branch-dev"]
    assert ids(table.branch("dev")) == [1, 2]


def test_renaming_and_deleting_a_branch(table: Table) -> None:
    table.create_branch("dev", snapshot=3)
    table.create_branch("other")
    assert repr(table.rename_branch("dev", "main2")) == "<db.t: branch main2 renamed, which was dev>"
    assert ids(table.branch("main2")) == [1, 2, 3]
    with pytest.raises(AlreadyExists, match="already has a branch 'other'"):
        table.rename_branch("main2", "other")
    assert repr(table.delete_branch("main2")) == "<db.t: branch main2 deleted>"
    assert table.branches() == ["other"]
    assert [path.name for path in Path(table.location, "branch").iterdir()] == ["branch-other"]
    assert ids(table) == [1, 2, 3, 4]


@pytest.mark.parametrize("name", [*NO_NAMES, "main", "123", "१२"])
def test_names_that_no_branch_can_have(table: Table, name: str) -> None:
    table.create_branch("dev")
    for act in (table.create_branch, lambda name: table.rename_branch("dev", name)):
        with pytest.raises(InvalidRequest):
            act(name)
    assert table.branches() == ["dev"]


def test_existing_and_missing_branches(table: Table) -> None:
    table.create_branch("dev")
    with pytest.raises(AlreadyExists, match="already has a branch 'dev'"):
        table.create_branch("dev")
    for act in (table.delete_branch, table.fast_forward, lambda name: table.rename_branch(name, "x")):
        with pytest.raises(TableNotFound, match=r"no branch 'deva'\. Did you mean 'dev'"):
            act("deva")
        with pytest.raises(InvalidRequest, match="main"):
            act("main")
    with pytest.raises(SnapshotNotFound, match="no tag 'v1'"):
        table.create_branch("x", tag="v1")
    with pytest.raises(InvalidRequest, match="not both"):
        table.create_branch("x", tag="v1", snapshot=1)
    assert table.branches() == ["dev"]


@pytest.mark.parametrize("option", ["scan.fallback-branch", "scan.primary-branch"])
def test_a_branch_that_reads_use(table: Table, catalog: FileSystemCatalog, option: str) -> None:
    table.create_branch("dev")
    schema = Path(table.location, "schema", "schema-0")
    stored = json.loads(schema.read_text())
    schema.write_text(json.dumps({**stored, "options": {option: "dev"}}))
    through = catalog.get_table("db.t")
    for act in (lambda: through.delete_branch("dev"), lambda: through.rename_branch("dev", "x")):
        with pytest.raises(WorkbenchError, match=f"in use: option '{option}' names it"):
            act()
    assert through.branches() == ["dev"]


def test_fast_forward(table: Table) -> None:
    for number in (1, 2, 4):
        table.create_tag(f"v{number}", number)
    table.create_branch("dev", tag="v2")
    branch = table.branch("dev")
    branch.write(row(13))
    branch.create_tag("done")
    done = table.fast_forward("dev")
    assert (done.snapshot, done.taken_snapshots, done.dropped_snapshots, done.dropped_tags) == (
        3,
        (3,),
        (3, 4),
        ("v4",),
    )
    assert "1 snapshot taken over, 2 snapshots and 1 tag dropped" in repr(done)
    assert ids(table) == [1, 2, 13]
    assert [each.id for each in table.snapshots()] == [1, 2, 3]
    assert {name: tag.snapshot.id for name, tag in table.tags().items()} == {"v1": 1, "v2": 2, "done": 3}
    assert Path(table.location, "snapshot", "LATEST").read_text() == "3"
    table.write(row(14))
    assert (ids(table), ids(branch)) == ([1, 2, 13, 14], [1, 2, 13])
    # Snapshot 3, which the branch has too, remains; snapshot 4, committed since, is dropped.
    again = table.fast_forward("dev")
    assert (again.taken_snapshots, again.dropped_snapshots) == ((), (4,))


def test_fast_forward_to_before_the_oldest_snapshot(table: Table) -> None:
    table.create_tag("v1", 1)
    table.create_branch("dev", tag="v1")
    expire(table, 1, 2)
    Path(table.location, "snapshot", "EARLIEST").write_text("3")
    branch = table.branch("dev")
    for number in (12, 13):
        branch.write(row(number))
    table.fast_forward("dev")
    assert [each.id for each in table.snapshots()] == [1, 2, 3]
    assert Path(table.location, "snapshot", "EARLIEST").read_text() == "1"
    assert ids(table) == [1, 12, 13]


def test_invalid_fast_forwards(table: Table) -> None:
    table.create_branch("dev")
    with pytest.raises(SnapshotNotFound, match=r"Branch 'dev' of db\.t has no snapshots"):
        table.fast_forward("dev")
    with pytest.raises(InvalidRequest, match="cannot be fast-forwarded to branch 'dev'"):
        table.branch("dev").fast_forward("dev")
    assert ids(table) == [1, 2, 3, 4]


def test_fast_forward_keeps_the_schemas_of_older_snapshots(table: Table, catalog: FileSystemCatalog) -> None:
    """A fast-forward is refused if older snapshots have a schema that the branch lacks. The branch has expired its
    first snapshots, and the table has a newer schema."""
    table.create_branch("dev", snapshot=2)
    branch = table.branch("dev")
    for number in (13, 14, 15):
        branch.write(row(number))
    expire(branch, 2, 3, 4)
    stored = json.loads(Path(table.location, "schema", "schema-0").read_text())
    stored["fields"].append({"id": 1, "name": "added", "type": "INT"})
    Path(table.location, "schema", "schema-1").write_text(json.dumps({**stored, "id": 1, "highestFieldId": 1}))
    before = snapshot_files(table)
    altered = catalog.get_table("db.t")
    altered.create_tag("x", 4)
    tag = Path(table.location, "tag", "tag-x")
    tag.write_text(json.dumps({**json.loads(tag.read_text()), "schemaId": 1}))
    with pytest.raises(InvalidRequest, match="missing or different in the branch"):
        altered.fast_forward("dev")
    assert snapshot_files(table) == before


def test_merging_a_branch(table: Table) -> None:
    table.create_branch("dev", snapshot=1)
    branch = table.branch("dev")
    branch.write(row(9))
    merged = table.merge_branch("dev")
    assert (merged.rows, [each.id for each in merged.snapshots]) == (1, [5])
    assert (ids(table), ids(branch)) == ([1, 2, 3, 4, 9], [1, 9])
    assert not table.merge_branch("dev").snapshots
    assert branch.merge_branch("main").rows == 3
    assert ids(branch) == [1, 2, 3, 4, 9]


def test_invalid_merges(table: Table, catalog: FileSystemCatalog) -> None:
    table.create_branch("empty")
    with pytest.raises(SnapshotNotFound, match="branch_empty has no snapshots"):
        table.merge_branch("empty")
    with pytest.raises(InvalidRequest, match="into itself"):
        table.merge_branch("main")
    table.create_branch("late", snapshot=2)
    with pytest.raises(Unsupported, match="branch_late have expired"):
        table.merge_branch("late")
    table.branch("empty").write(row(8), mode="overwrite")
    with pytest.raises(Unsupported, match=r"Snapshot 1 of .* has commit kind OVERWRITE"):
        table.merge_branch("empty")
    table.create_branch("other", snapshot=1)
    path = Path(table.location, "branch", "branch-other", "schema", "schema-0")
    path.write_text(path.read_text().replace('"type": "INT"', '"type": "BIGINT"'))
    with pytest.raises(InvalidRequest, match="different columns"):
        table.merge_branch("other")
    keyed = catalog.create_table("db.k", {"id": "INT NOT NULL"}, ["id"], options={"bucket": "1"})
    keyed.create_branch("dev")
    with pytest.raises(Unsupported, match="has a primary key"):
        keyed.merge_branch("dev")
    assert ids(table) == [1, 2, 3, 4]


@pytest.mark.parametrize("to", [{"snapshot": 2}, {"tag": "v2"}, {"timestamp": 2999}])
def test_rolling_back(table: Table, to: dict[str, Any]) -> None:
    set_times(table)
    for number in (1, 2, 4):
        table.create_tag(f"v{number}", number)
    done = table.rollback_to(**to)
    assert (done.snapshot, done.snapshots, done.changelogs, done.tags) == (2, (3, 4), (), ("v4",))
    assert repr(done) == "<db.t: rolled back to snapshot 2, 2 snapshots, 0 changelogs and 1 tag removed>"
    assert snapshot_files(table) == ["EARLIEST", "LATEST", "snapshot-1", "snapshot-2"]
    assert Path(table.location, "snapshot", "LATEST").read_text() == "2"
    assert list(table.tags()) == ["v1", "v2"]
    assert ids(table) == [1, 2]
    table.write(row(7))
    assert (ids(table), table.snapshot().id) == ([1, 2, 7], 3)


def set_times(table: Table) -> None:
    """Set the time of snapshot N to second N."""
    for number in (1, 2, 3, 4):
        path = Path(table.location, "snapshot", f"snapshot-{number}")
        path.write_text(json.dumps({**json.loads(path.read_text()), "timeMillis": number * 1000}))


@pytest.mark.parametrize("to", [{"snapshot": 1}, {"tag": "v1"}])
def test_rolling_back_to_an_expired_version(table: Table, to: dict[str, Any]) -> None:
    table.create_tag("v1", 1)
    content = table.snapshot(1)
    expire(table, 1, 2)
    Path(table.location, "snapshot", "EARLIEST").write_text("3")
    table.rollback_to(**to)
    assert snapshot_files(table) == ["EARLIEST", "LATEST", "snapshot-1"]
    assert Path(table.location, "snapshot", "EARLIEST").read_text() == "1"
    assert (table.snapshot(), ids(table)) == (content, [1])


def test_rolling_back_removes_retained_changelogs(table: Table) -> None:
    directory = Path(table.location, "changelog")
    directory.mkdir()
    table.create_tag("v1", 1)
    for number in (1, 2, 3):
        Path(table.location, "snapshot", f"snapshot-{number}").rename(directory / f"changelog-{number}")
    (directory / "LATEST").write_text("3")
    assert table.rollback_to(tag="v1").changelogs == (2, 3)
    assert sorted(path.name for path in directory.iterdir()) == ["LATEST", "changelog-1"]
    assert (directory / "LATEST").read_text() == "1"


def test_rolling_back_a_branch(table: Table) -> None:
    table.create_branch("dev", snapshot=2)
    branch = table.branch("dev")
    branch.write(row(9))
    branch.rollback_to(snapshot=2)
    assert (ids(branch), ids(table)) == ([1, 2], [1, 2, 3, 4])


def test_invalid_rollback_targets(table: Table) -> None:
    for missing in ({"snapshot": 5}, {"tag": "v1"}, {"timestamp": 0}):
        with pytest.raises(SnapshotNotFound):
            table.rollback_to(**missing)
    for given in ({}, {"snapshot": 1, "tag": "v1"}):
        with pytest.raises(InvalidRequest, match="requires one of snapshot, tag, timestamp and watermark"):
            table.rollback_to(**given)
    assert ids(table) == [1, 2, 3, 4]


def test_a_tag_of_another_history(table: Table) -> None:
    """A table cannot roll back to a tag that an interrupted rollback left behind."""
    table.create_tag("lost", 4)
    content = Path(table.location, "tag", "tag-lost").read_text()
    table.rollback_to(snapshot=3)
    Path(table.location, "tag", "tag-lost").write_text(content)
    table.write(row(9))
    with pytest.raises(InvalidRequest, match="no longer part of the history"):
        table.rollback_to(tag="lost")
    assert ids(table) == [1, 2, 3, 9]


class OtherWriter(LocalFileIO):
    """A store in which another writer commits a snapshot when one is deleted."""

    def delete(self, path: str, missing_ok: bool = True) -> None:
        super().delete(path, missing_ok)
        if path.endswith("snapshot-4"):
            stored = json.loads(self.read_bytes(path.replace("snapshot-4", "snapshot-3")))
            self.write_bytes(path.replace("snapshot-4", "snapshot-5"), json.dumps({**stored, "id": 5}).encode())


def test_a_concurrent_writer(table: Table) -> None:
    busy = Table(table.store.with_file_io(OtherWriter()))
    with pytest.raises(CommitConflict, match=r"committed snapshot 5 to db\.t while it was set to snapshot 2"):
        busy.rollback_to(snapshot=2)
    assert ids(table) == [1, 2, 3]


def test_consumers(table: Table) -> None:
    assert repr(table.set_consumer("job", 2)) == "<db.t: consumer job reads snapshot 2 next>"
    assert json.loads(Path(table.location, "consumer", "consumer-job").read_text()) == {"nextSnapshot": 2}
    table.set_consumer("job", 5)
    table.create_branch("dev")
    table.branch("dev").set_consumer("other", 1)
    assert (table.consumers(), table.branch("dev").consumers()) == ({"job": 5}, {"other": 1})
    with pytest.raises(
        SnapshotNotFound, match=r"no snapshot 6.*Its earliest snapshot is 1, and the next one will be 5"
    ):
        table.set_consumer("job", 6)
    with pytest.raises(InvalidRequest, match=r"no consumer 'jop'\. Did you mean 'job'"):
        table.delete_consumer("jop")
    assert repr(table.delete_consumer("job")) == "<db.t: consumer job deleted>"
    assert table.consumers() == {}


@pytest.mark.parametrize("name", NO_NAMES)
def test_names_that_no_consumer_can_have(table: Table, name: str) -> None:
    with pytest.raises(InvalidRequest):
        table.set_consumer(name, 1)


def test_read_only_tables(table: Table, catalog: FileSystemCatalog) -> None:
    table.create_tag("v1")
    calls: list[Callable[[Table], object]] = [
        *(lambda each: each.create_tag("x"), lambda each: each.delete_tag("v1"), lambda each: each.create_branch("x")),
        *(lambda each: each.rollback_to(snapshot=1), lambda each: each.set_consumer("x", 1)),
        *(lambda each: each.rollback_to(snapshot=1, as_latest=True), lambda each: each.repair_earliest_snapshot()),
        *(lambda each: each.create_tag_from_timestamp("x", 0), lambda each: each.clear_consumers()),
        *(lambda each: each.trigger_tag_automatic_creation(), lambda each: each.purge_files()),
    ]
    for call in calls:
        for fixed in (table.at(snapshot=4), catalog.open("db.t$files")):
            with pytest.raises(WorkbenchError, match="read-only"):
                call(fixed)
    assert (list(table.tags()), table.branches()) == (["v1"], [])
