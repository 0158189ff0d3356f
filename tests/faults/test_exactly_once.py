"""The same messages given to several committers, or again after a crash, are committed once; if a store has no atomic
put-if-absent, a lock decides."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from tests.faults.operations import clean
from tests.faults.writer_process import batch
from tests.support.file_ios import FaultyFileIO
from workbench.base.errors import CommitConflict, Unsupported
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.spec.snapshot import CommitKind
from workbench.storage.local import LocalFileIO
from workbench.storage.lock import lock_for
from workbench.storage.wrappers import DelegatingFileIO
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "writer": "INT", "batch": "INT"}
BUSY = {"bucket": "1", "num-sorted-run.compaction-trigger": "2"}
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["pyarrow.parquet", "pyarrow.compute", "fastavro", "workbench.table.table", __name__])


def make(warehouse: Path, options: dict[str, str]) -> Table:
    catalog = connect(warehouse)
    catalog.create_database("db")
    return catalog.create_table("db.t", COLUMNS, primary_key=["id"], options=options)


def prepared(table: Table, number: int, user: str = "job") -> list[bytes]:
    with table.writer(user) as writer:
        writer.write(batch(0, number))
        return writer.prepare()


def run(target: Callable[..., None], arguments: Sequence[tuple[object, ...]]) -> None:
    """Run each in a separate process, all at the same time."""
    barrier = FORKS.Barrier(len(arguments))
    processes = [FORKS.Process(target=target, args=(barrier, *each)) for each in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0


def commit(barrier: Barrier, warehouse: str, messages: list[bytes], identifier: int) -> None:
    table = connect(warehouse).get_table("db.t")
    barrier.wait()
    table.commit(messages, identifier, "job")


def test_many_committers_of_the_same_messages(tmp_path: Path) -> None:
    table = make(tmp_path, BUSY)
    table.write(batch(0, 0))
    for identifier in range(1, 4):
        messages = prepared(table, identifier)
        run(commit, [(str(tmp_path), messages, identifier)] * 4)
        assert table.to_arrow().num_rows == (identifier + 1) * 10
    result = Counter(
        (each.commit_identifier, each.commit_kind) for each in table.snapshots() if each.commit_user == "job"
    )
    assert set(result.values()) == {1}
    assert sum(kind == CommitKind.APPEND for _, kind in result) == 3
    assert any(kind == CommitKind.COMPACT for _, kind in result)


def test_a_crash_between_the_two_snapshots_of_a_commit(tmp_path: Path) -> None:
    """If a crash lost only the compaction of a commit, a retry adds nothing, and later commits succeed."""
    make(tmp_path, BUSY).write(batch(0, 0))
    table = connect(tmp_path).get_table("db.t")
    messages = prepared(table, 1)

    class DyingAfterAppend(FaultyFileIO):
        """Dies right after the first snapshot."""

        def put_if_absent(self, path: str, data: bytes) -> bool:
            done = super().put_if_absent(path, data)
            self.fail_at = len(self.log) + 1
            return done

    dying = DyingAfterAppend(LocalFileIO(), None)
    reported = FileSystemCatalog(str(tmp_path), dying).get_table("db.t").commit(messages, 1, "job")
    assert dying.dead
    assert reported.abandoned is not None
    assert [each.commit_kind for each in table.snapshots()] == [CommitKind.APPEND, CommitKind.APPEND]
    run(commit, [(str(tmp_path), messages, 1)] * 2)
    assert len(table.snapshots()) == 2
    assert table.to_arrow().num_rows == 20
    files = set(Path(table.location).rglob("*.parquet"))
    clean(table)
    assert len(files) - len(set(Path(table.location).rglob("*.parquet"))) == 1
    assert table.commit(prepared(connect(tmp_path).get_table("db.t"), 2), 2, "job").snapshots[0].id == 3
    assert table.to_arrow().num_rows == 30


class Careless(DelegatingFileIO):
    """A store that checks whether a file exists before it writes it, slowly enough for two writers to find none. Files
    appear atomically, as objects do."""

    supports_put_if_absent = False

    def put_if_absent(self, path: str, data: bytes) -> bool:
        if self.exists(path):
            return False
        time.sleep(0.03)
        self.inner.overwrite_atomic(path, data)
        return True


def options_of(warehouse: str) -> dict[str, str]:
    return {"lock.enabled": "true", "lock.type": "local-file", "lock.directory": f"{warehouse}.locks"}


def write_under_lock(barrier: Barrier, warehouse: str, writer: int, commits: int) -> None:
    catalog = FileSystemCatalog(warehouse, Careless(LocalFileIO()), lock=lock_for(options_of(warehouse)))
    table = catalog.get_table("db.t")
    barrier.wait()
    for number in range(commits):
        table.write(batch(writer, number))


def test_no_commit_is_lost_under_a_lock(tmp_path: Path) -> None:
    table = make(tmp_path / "wh", {"bucket": "1", "write-only": "true", "commit.max-retries": "100"})
    run(write_under_lock, [(str(tmp_path / "wh"), writer, 6) for writer in (0, 1, 2)])
    assert table.to_arrow().num_rows == 3 * 6 * 10
    assert len(table.snapshots()) == 18


def test_a_lock_that_only_java_knows(tmp_path: Path) -> None:
    make(tmp_path, BUSY).write(batch(0, 0))
    table = connect(tmp_path, **{"lock.enabled": True, "lock.type": "zookeeper"}).get_table("db.t")
    assert table.to_arrow().num_rows == 10
    with pytest.raises(Unsupported, match=r"'lock\.type' = 'zookeeper'"):
        table.write(batch(0, 1))
    assert table.to_arrow().num_rows == 10


def test_messages_without_an_identifier_are_refused_again(tmp_path: Path) -> None:
    table = make(tmp_path, {"bucket": "1", "write-only": "true"})
    messages = prepared(table, 0)
    table.commit(messages)
    with pytest.raises(CommitConflict, match="is already in"):
        table.commit(messages)
