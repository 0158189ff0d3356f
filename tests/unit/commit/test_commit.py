"""Commits: exactly once, retried, in order, and with reported conflicts."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from tests.support.commit_tables import BUSY, append_table, commit_when, ids_of, keyed_table, messages_of, rows
from tests.support.file_ios import CountingFileIO, LatencyFileIO
from workbench.base.clock import ManualClock
from workbench.base.errors import CommitConflict, SchemaMismatch
from workbench.base.ids import CountingIds
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.commit.commit import TableCommit
from workbench.commit.publication import Publication
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.snapshot import BATCH_COMMIT_IDENTIFIER, CommitKind, Snapshot
from workbench.metadata.file_system.environment import FileSystemEnvironment
from workbench.metadata.file_system.snapshots import FileSystemSnapshotStore
from workbench.metadata.manifests import ManifestFiles
from workbench.metadata.protocol import TableBranch
from workbench.storage.local import LocalFileIO
from workbench.storage.wrappers import DelegatingFileIO
from workbench.table.table import Table

# --- exactly once -----------------------------------------------------------------------------------------------------


def test_a_commit_is_shown_in_one_line(catalog: FileSystemCatalog) -> None:
    shown = repr(append_table(catalog).write(rows(1, 2)))
    assert shown.startswith("<Commit of db.a: snapshot 1 (APPEND), 2 rows in 1 file, ")


def test_same_identifier_commits_once(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    first, second = messages_of(table, rows(1)), messages_of(table, rows(2))
    assert len(table.commit(first, 7, "job").snapshots) == 1
    assert table.commit(first, 7, "job").snapshots == ()
    assert table.commit(second, 6, "job").snapshots == (), "an older identifier was committed with the newer one"
    assert len(table.commit(second, 7, "other job").snapshots) == 1
    assert ids_of(table) == [1, 2]


def test_commit_users_have_the_prefix_of_the_option(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, **{"commit.user-prefix": "nightly"})
    users = [table.write(rows(number)).snapshots[0].commit_user for number in (1, 2)]
    assert all(user.startswith("nightly_") for user in users)
    assert len(set(users)) == 2


@pytest.mark.parametrize(
    ("options", "identifier", "made"),
    [
        ({}, 1, 0),
        ({"commit.force-create-snapshot": "true"}, 1, 1),
        ({"commit.force-create-snapshot": "true"}, BATCH_COMMIT_IDENTIFIER, 0),
        ({"snapshot.ignore-empty-commit": "false"}, BATCH_COMMIT_IDENTIFIER, 1),
        ({"snapshot.ignore-empty-commit": "true"}, 1, 0),
    ],
)
def test_commits_of_nothing(catalog: FileSystemCatalog, options: dict[str, str], identifier: int, made: int) -> None:
    table = append_table(catalog, **options)
    assert len(table.commit([], identifier, "job").snapshots) == made
    assert len(table.snapshots()) == made


def test_messages_committed_twice_without_identifier_are_refused(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    messages = messages_of(table, rows(1))
    table.commit(messages)
    with pytest.raises(CommitConflict, match="is already in"):
        table.commit(messages)
    with pytest.raises(CommitConflict, match="is already in"):
        table.commit(messages_of(table, rows(2)) * 2)
    assert ids_of(table) == [1]
    table.write(rows(3))
    assert ids_of(table) == [1, 3]


def test_batches_that_share_a_user_are_both_committed(catalog: FileSystemCatalog) -> None:
    """Batches share an identifier: the one that lost a race must not mistake the other's snapshot for its own."""
    table = append_table(catalog)
    mine, others = messages_of(table, rows(1)), messages_of(table, rows(2))
    racing = commit_when(table, "put_if_absent", lambda: table.commit(others, commit_user="nightly"))
    assert racing.commit(mine, commit_user="nightly").snapshots[0].id == 2
    assert ids_of(table) == [1, 2]


def test_same_commit_by_two_processes_at_once(catalog: FileSystemCatalog) -> None:
    for moment in ("put_if_absent", "list_files"):
        table = catalog.create_table(f"db.{moment}", {"id": "BIGINT", "v": "STRING"})
        messages = messages_of(table, rows(1))
        racing = commit_when(table, moment, lambda table=table, messages=messages: table.commit(messages, 3, "job"))
        racing.commit(messages, 3, "job")
        assert ids_of(table) == [1], moment
        assert len(table.snapshots()) == 1


# --- retries ----------------------------------------------------------------------------------------------------------


class LosesRaces(FileSystemEnvironment):
    """Snapshots whose first publications lose their races."""

    def __init__(self, times: int) -> None:
        self.times = times

    def snapshots(self, branch: TableBranch) -> FileSystemSnapshotStore:
        versions = self

        class Late(FileSystemSnapshotStore):
            def publish(self, snapshot: Snapshot) -> bool:
                versions.times -= 1
                return versions.times < 0 and super().publish(snapshot)

        return Late(branch)


def test_back_off(tmp_path: Path) -> None:
    clock = ManualClock()
    catalog = FileSystemCatalog(str(tmp_path), LocalFileIO(), clock=clock, ids=CountingIds())
    catalog.create_database("db")
    table = append_table(catalog)
    messages = [CommitMessage.from_bytes(each) for each in messages_of(table, rows(1))]
    started = clock.monotonic()
    store = replace(table.store, runtime=replace(table.store.runtime, environment=LosesRaces(3)))
    commit = TableCommit(Publication(store, "me")).append(messages)
    assert commit is not None
    assert commit.id == 1
    assert 0.07 <= clock.monotonic() - started <= 0.14
    left = {path.name for path in Path(table.location, "manifest").iterdir()}
    assert len(left) == 3, "attempts that lost take their manifests away"
    assert commit.time_millis >= 1_767_225_600_000


@pytest.mark.parametrize(("option", "value"), [("commit.max-retries", "2"), ("commit.timeout", "1 s")])
def test_giving_up(tmp_path: Path, option: str, value: str) -> None:
    clock = ManualClock()
    catalog = FileSystemCatalog(str(tmp_path), LocalFileIO(), clock=clock, ids=CountingIds())
    catalog.create_database("db")
    table = append_table(catalog, **{option: value})
    messages = [CommitMessage.from_bytes(each) for each in messages_of(table, rows(1))]
    versions = LosesRaces(1000)
    store = replace(table.store, runtime=replace(table.store.runtime, environment=versions))
    with pytest.raises(CommitConflict, match=r"db\.a.*commit\.max-retries"):
        TableCommit(Publication(store, "me")).append(messages)
    assert 1000 - versions.times <= 11
    assert not list(Path(table.location).glob("manifest/*"))
    assert not list(Path(table.location).glob("snapshot/*"))


def test_slow_store_with_two_threads(tmp_path: Path) -> None:
    """A slow store makes races likely; both writers succeed."""
    catalog = FileSystemCatalog(str(tmp_path), LatencyFileIO(LocalFileIO(), 0.002))
    catalog.create_database("db")
    table = keyed_table(catalog, **BUSY)

    def write(first: int) -> None:
        mine = catalog.get_table("db.k")
        for number in range(first, first + 8):
            mine.write(rows(number))

    threads = [threading.Thread(target=write, args=(first,)) for first in (0, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ids_of(table) == [*range(8), *range(100, 108)]


def test_few_operations(tmp_path: Path) -> None:
    """A small commit to a table that was just read costs a handful of operations, however many versions there are."""
    counting = CountingFileIO(LocalFileIO())
    catalog = FileSystemCatalog(str(tmp_path), counting)
    catalog.create_database("db")
    table = append_table(catalog)
    for number in range(12):
        before = counting.counts.copy()
        table.write(rows(number))
        spent = counting.counts - before
        operations = sum(count for name, count in spent.items() if not name.startswith("bytes"))
        assert operations <= 38, (number, spent)


def test_a_failure_to_write_a_hint_is_ignored(catalog: FileSystemCatalog) -> None:
    class NoHints(DelegatingFileIO):
        def overwrite_atomic(self, path: str, data: bytes) -> None:
            raise OSError(f"No space for {path} ({len(data)} bytes).")

    table = append_table(catalog)
    stubborn = Table(table.store.with_file_io(NoHints(table.store.file_io)))
    for number in range(3):
        assert len(stubborn.write(rows(number)).snapshots) == 1
    assert ids_of(table) == [0, 1, 2]


# --- conflicts --------------------------------------------------------------------------------------------------------


def test_compaction_that_lost_is_abandoned(catalog: FileSystemCatalog) -> None:
    table = keyed_table(catalog, **BUSY)
    table.write(rows(1, 2))
    first, second = messages_of(table, rows(2, 3)), messages_of(table, rows(3, 4))
    assert [each.commit_kind for each in table.commit(first).snapshots] == [CommitKind.APPEND, CommitKind.COMPACT]
    before = set(Path(table.location).rglob("*.parquet"))
    commit = table.commit(second)
    assert [each.commit_kind for each in commit.snapshots] == [CommitKind.APPEND]
    assert commit.abandoned is not None
    assert "removed by another commit" in commit.abandoned
    assert commit.compactions == ()
    assert commit.rows == 2
    assert len(before - set(Path(table.location).rglob("*.parquet"))) == 1, "what it compacted to is taken away"
    assert ids_of(table) == [1, 2, 3, 4]


def test_compact_that_lost_raises(catalog: FileSystemCatalog) -> None:
    table = keyed_table(catalog, **{"write-only": "true"})
    table.write(rows(1, 2))
    table.write(rows(2, 3))
    racing = commit_when(table, "put_if_absent", lambda: table.compact(full=True))
    with pytest.raises(CommitConflict, match=r"db\.k was removed by another commit"):
        racing.compact(full=True)
    live = ManifestFiles(table.store).live_files(table.snapshot())
    there = {path.name for path in Path(table.location).rglob("*.parquet")}
    assert len(there) == 3
    assert {entry.file.file_name for entry in live} < there
    assert ids_of(table) == [1, 2, 3]


def test_overwrite_concurrent_with_an_append(catalog: FileSystemCatalog) -> None:
    """An overwrite replaces the rows that exist when it is committed, not when it began."""
    table = append_table(catalog)
    table.write(rows(1))
    racing = commit_when(table, "put_if_absent", lambda: table.write(rows(2)))
    racing.write(rows(3), mode="overwrite")
    assert ids_of(table) == [3]
    assert [each.commit_kind for each in table.snapshots()] == [
        CommitKind.APPEND,
        CommitKind.APPEND,
        CommitKind.OVERWRITE,
    ]


def test_other_bucket_number(catalog: FileSystemCatalog) -> None:
    table = keyed_table(catalog)
    table.write(rows(1))
    schema = replace(table.schema, options={**table.options, "bucket": "3"})
    rescaled = Table(table.store.with_schema(schema))
    with pytest.raises(CommitConflict, match="1 bucket, but the table is now configured for 3"):
        rescaled.write(rows(2))
    assert len(list(Path(table.location).rglob("*.parquet"))) == 1
    rescaled.write(rows(1, 2, 3, 4), mode="overwrite")
    assert ids_of(rescaled) == [1, 2, 3, 4]


def test_an_abandoned_writer_removes_its_files(catalog: FileSystemCatalog) -> None:
    table = keyed_table(catalog)
    with table.writer() as writer:
        writer.write(rows(1))
        messages = writer.prepare()
        writer.write(rows(2))
    table.commit(messages)
    assert ids_of(table) == [1]
    with pytest.raises(SchemaMismatch), table.writer() as writer:  # noqa: PT012 - the block is what is tested
        writer.write(rows(3))
        writer.prepare()
        writer.write(rows(4))
        writer.write([{"id": "stop"}])
    assert len(list(Path(table.location).rglob("*.parquet"))) == 2


def test_second_prepare_sees_the_first(catalog: FileSystemCatalog) -> None:
    """A compaction of the second batch alone would drop its delete, and the first batch's row would reappear."""
    table = keyed_table(catalog, **BUSY)
    with table.writer("stream") as writer:
        writer.write(rows(1, 2))
        first = writer.prepare()
        for _ in range(2):
            deletes = rows(1).append_column("op", pa.array(["-D"]))
            writer.write(deletes, "op")
        second = writer.prepare()
    table.commit(first, 1, "stream")
    table.commit(second, 2, "stream")
    assert ids_of(table) == [2]
