"""The work after a commit, according to the table's options."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.file_ios import FaultyFileIO
from tests.support.maintained_tables import HOUR, clocked, unused
from tests.support.versioned import ids, row
from workbench.base.clock import ManualClock
from workbench.base.errors import SnapshotNotFound
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.file_io import FileStatus
from workbench.storage.local import LocalFileIO
from workbench.table.maintenance import after_commit
from workbench.table.maintenance.after_commit import AfterCommit
from workbench.table.table import Table

FEW = {"snapshot.num-retained.min": "2", "snapshot.num-retained.max": "3"}


def made(warehouse: Path, **options: str) -> tuple[Table, ManualClock]:
    catalog, clock = clocked(warehouse)
    return catalog.create_table("db.t", {"id": "INT"}, options=options), clock


def after(table: Table, number: int = 1) -> AfterCommit:
    result = table.write(row(number)).after
    assert result is not None
    return result


def snapshots(table: Table) -> list[int]:
    return [snapshot.id for snapshot in table.snapshots()]


def test_young_snapshots_are_kept(tmp_path: Path) -> None:
    table, clock = made(tmp_path)
    for number in range(12):
        assert after(table, number) == AfterCommit()
    clock.advance(HOUR + 1)
    assert after(table).snapshots_expired == (1, 2, 3)
    assert after(table).snapshots_expired == (4,)
    assert snapshots(table) == list(range(5, 15))
    assert not unused(table)


def test_options_limit_retention(tmp_path: Path) -> None:
    table, _ = made(tmp_path, **FEW)
    assert [after(table, number).snapshots_expired for number in range(5)] == [(), (), (), (1,), (2,)]
    assert (snapshots(table), ids(table)) == ([3, 4, 5], [0, 1, 2, 3, 4])
    assert Path(table.location, "snapshot", "EARLIEST").read_text() == "3"
    assert "snapshots_expired (3,)" in repr(after(table))


class RemoteFileIO(LocalFileIO):
    """A storage that is treated as a remote one, and counts requests."""

    is_local = False
    requests = 0

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        RemoteFileIO.requests += 1
        return super().list_files(path, prefix)

    def read_bytes(self, path: str) -> bytes:
        RemoteFileIO.requests += 1
        return super().read_bytes(path)

    def exists(self, path: str) -> bool:
        RemoteFileIO.requests += 1
        return super().exists(path)


def remote(table: Table) -> Table:
    return Table(table.store.with_file_io(RemoteFileIO()))


def test_remote_tables_expire_as_soon_as_local_ones(tmp_path: Path) -> None:
    table, clock = made(tmp_path)
    table = remote(table)
    for number in range(12):
        assert after(table, number) == AfterCommit()
    clock.advance(HOUR + 1)
    assert after(table).snapshots_expired == (1, 2, 3)
    assert after(table).snapshots_expired == (4,)
    few, _ = made(tmp_path / "few", **FEW)
    few = remote(few)
    assert [after(few, number).snapshots_expired for number in range(5)] == [(), (), (), (1,), (2,)]


def test_remote_tables_that_are_created_again_expire(tmp_path: Path) -> None:
    table, _ = made(tmp_path, **FEW)
    old = remote(table)
    for number in range(8):
        after(old, number)
    shutil.rmtree(Path(table.location).parent)
    new, _ = made(tmp_path, **FEW)
    new = remote(new)
    assert [after(new, number).snapshots_expired for number in range(5)] == [(), (), (), (1,), (2,)]


def test_remote_tables_are_not_asked_for_what_cannot_be_due(tmp_path: Path) -> None:
    table, clock = made(tmp_path)
    table = remote(table)
    for number in range(3):
        after(table, number)
    RemoteFileIO.requests = 0
    after(table)
    few = RemoteFileIO.requests
    clock.advance(60_001)
    RemoteFileIO.requests = 0
    after(table)
    assert RemoteFileIO.requests == few + 1, "the tags are listed once a minute"


def test_writers_that_only_write_leave_it(tmp_path: Path) -> None:
    table, _ = made(tmp_path, **FEW, **{"write-only": "true"})
    for number in range(5):
        assert after(table, number) == AfterCommit()
    assert snapshots(table) == [1, 2, 3, 4, 5]
    assert not Path(table.location, "snapshot", "EARLIEST").exists()


def test_changelogs_are_kept_longer(tmp_path: Path) -> None:
    table, _ = made(tmp_path, **FEW, **{"changelog.num-retained.max": "5", "changelog.num-retained.min": "5"})
    result = [after(table, number) for number in range(8)]
    assert [each.snapshots_expired for each in result][-2:] == [(4,), (5,)]
    assert [each.changelogs_expired for each in result][-2:] == [(2,), (3,)]
    kept = sorted(path.name for path in Path(table.location, "changelog").iterdir())
    assert kept == ["EARLIEST", "LATEST", "changelog-4", "changelog-5"]
    assert ids(table) == list(range(8))


def test_every_kind_of_commit(tmp_path: Path) -> None:
    catalog, _ = clocked(tmp_path)
    options = {"bucket": "1", "snapshot.num-retained.min": "1", "snapshot.num-retained.max": "1"}
    table = catalog.create_table("db.k", {"id": "INT NOT NULL"}, primary_key=["id"], options=options)
    with table.writer("job") as writer:
        writer.write(row(1))
        messages = writer.prepare()
    table.commit(messages, 1, "job")
    for act in (
        lambda: table.write(row(2)),
        lambda: table.write(row(3), mode="overwrite"),
        lambda: table.compact(full=True),
    ):
        act()
        assert len(snapshots(table)) == 1
    assert (ids(table), unused(table)) == ([3], set())


def test_idle_consumers(tmp_path: Path) -> None:
    table, clock = made(tmp_path, **FEW, **{"consumer.expiration-time": "1 h"})
    for number in range(3):
        after(table, number)
    table.set_consumer("job", 2)
    assert after(table).snapshots_expired == (1,)
    assert after(table).snapshots_expired == ()
    written = int(Path(table.location, "consumer", "consumer-job").stat().st_mtime * 1000)
    clock.millis = written + 2 * HOUR
    result = after(table)
    assert (result.consumers_expired, result.snapshots_expired) == (("job",), (2, 3, 4))


def test_partitions_are_looked_through_at_the_end_of_a_job(tmp_path: Path) -> None:
    catalog, _ = clocked(tmp_path)
    options = {"partition.expiration-time": "1 d", "partition.expiration-check-interval": "1000 d"}
    for name, more in (("t", {}), ("u", {"end-input.check-partition-expire": "true"})):
        table = catalog.create_table(
            f"db.{name}", {"id": "INT", "dt": "STRING"}, partition_by=["dt"], options={**options, **more}
        )
        result = table.write([{"id": 1, "dt": "2020-01-01"}, {"id": 2, "dt": "2030-01-01"}]).after
        assert result is not None
        assert result.partitions_dropped == (("dt=2020-01-01",) if more else ())
        assert table.to_arrow().num_rows == (1 if more else 2)


def test_partitions_are_looked_through_now_and_then(tmp_path: Path) -> None:
    catalog, clock = clocked(tmp_path)
    table = catalog.create_table(
        "db.t", {"id": "INT", "dt": "STRING"}, partition_by=["dt"], options={"partition.expiration-time": "1 d"}
    )
    old = [{"id": 1, "dt": "2020-01-01"}]
    table.write(old)
    clock.advance(HOUR + 1)
    dropped = [table.write(old).after, table.write(old).after]
    assert [each.partitions_dropped for each in dropped if each] == [("dt=2020-01-01",), ()]
    clock.advance(HOUR + 1)
    again = table.write(old).after
    assert again is not None
    assert again.partitions_dropped == ("dt=2020-01-01",)


def test_partitions_are_marked_done(tmp_path: Path) -> None:
    catalog, _ = clocked(tmp_path)
    table = catalog.create_table(
        "db.t", {"id": "INT", "dt": "STRING"}, partition_by=["dt"], options={"partition.end-input-to-done": "true"}
    )
    result = table.write([{"id": 1, "dt": "a"}, {"id": 2, "dt": "b"}]).after
    assert result is not None
    assert sorted(result.partitions_done) == ["dt=a", "dt=b"]
    assert all(Path(table.location, each, "_SUCCESS").exists() for each in result.partitions_done)


def test_a_failure_is_reported_and_the_commit_remains(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    table, clock = made(tmp_path, **FEW)
    for number in range(3):
        after(table, number)
    table.create_tag("kept", 2)
    tagged = Path(table.location, "manifest", table.tags()["kept"].snapshot.delta_manifest_list)
    content = tagged.read_bytes()
    tagged.write_bytes(content[:40])
    table = FileSystemCatalog(str(tmp_path), LocalFileIO(), clock=clock).get_table("db.t")
    with caplog.at_level(logging.WARNING):
        commit = table.write(row(3))
    assert commit.after is not None
    assert commit.after.failure is not None
    assert tagged.name in commit.after.failure
    assert "follow-up maintenance failed" in str(commit)
    assert "The commit to db.t succeeded" in caplog.text
    assert snapshots(table) == [1, 2, 3, 4]
    tagged.write_bytes(content)
    assert after(table, 4).snapshots_expired == (1, 2)
    assert (ids(table), ids(table.at(tag="kept"))) == ([0, 1, 2, 3, 4], [0, 1])


def test_untagged_periods_do_not_expire(tmp_path: Path) -> None:
    table, _ = made(tmp_path, **FEW, **{"tag.automatic-creation": "process-time", "tag.creation-delay": "99 d"})
    for number in range(5):
        assert "tag.creation-delay" in (after(table, number).failure or "")
    assert snapshots(table) == [1, 2, 3, 4, 5]


def test_streams_continue_meanwhile(tmp_path: Path) -> None:
    table, _ = made(tmp_path, **FEW, **{"snapshot.expire.execution-mode": "async"})
    result = []
    for number in range(5):
        with table.writer("job") as writer:
            writer.write(row(number))
            result.append(table.commit(writer.prepare(), number + 1, "job").after)
    assert result == [AfterCommit(in_background=True)] * 5
    after_commit._background().submit(lambda: None).result()
    assert snapshots(table) == [3, 4, 5]
    assert after(table, 5).snapshots_expired == (3,), "a batch job waits"


def test_a_version_that_expired_concurrently(tmp_path: Path) -> None:
    table, _ = made(tmp_path, **FEW)
    table.write(row(1))
    table.write(row(2), mode="overwrite")
    pinned = FileSystemCatalog(str(tmp_path), LocalFileIO()).get_table("db.t").at(snapshot=1)
    cached = table.at(snapshot=1)
    assert ids(cached) == [1]
    for number in range(3):
        table.write(row(number))
    for each in (pinned, cached):
        with pytest.raises(SnapshotNotFound, match="expired while it was read"):
            each.to_arrow()


def test_a_dying_store_does_not_fail_the_commit(tmp_path: Path) -> None:
    catalog, _ = clocked(tmp_path)
    catalog.create_table("db.t", {"id": "INT"}, options=FEW)
    writer: Any = catalog.get_table("db.t")
    for number in range(3):
        writer.write(row(number))
    healthy = FaultyFileIO(LocalFileIO(), None)
    FileSystemCatalog(str(tmp_path), healthy).get_table("db.t").write(row(3))
    steps = [(operation.name, operation.path.rsplit("/", 1)[-1]) for operation in healthy.log]
    last = steps.index(("overwrite_atomic", "LATEST")) + 1
    dying = FaultyFileIO(LocalFileIO(), last + 3)
    commit = FileSystemCatalog(str(tmp_path), dying).get_table("db.t").write(row(4))
    assert dying.dead
    assert commit.snapshots[0].id == 5
    assert commit.after is not None
    assert commit.after.failure is not None
    assert ids(writer) == [0, 1, 2, 3, 4]
