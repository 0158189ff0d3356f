"""Snapshots whose ids expire while they are published: the commit is repeated, although no hint says so yet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.storage.file_io import FileIO
from workbench.storage.wrappers import DelegatingFileIO
from workbench.table.table import Table

EVERYTHING = {"retain_max": 1, "retain_min": 1, "older_than": "2999-01-01 00:00:00"}
OPTIONS = {"bucket": "-1", "snapshot.num-retained.min": "100", "snapshot.num-retained.max": "100"}


class AtThePut(DelegatingFileIO):
    """Does something once, before or after the n-th file of a snapshot is written."""

    def __init__(self, inner: FileIO, number: int, act: Callable[[], None], *, after: bool = False) -> None:
        super().__init__(inner)
        self._left = number
        self._act = act
        self._after = after

    @property
    def is_local(self) -> bool:
        return self.inner.is_local

    def put_if_absent(self, path: str, data: bytes) -> bool:
        self._left -= "/snapshot-" in path
        if self._left == 0 and not self._after:
            self._act()
        written = super().put_if_absent(path, data)
        if self._left == 0 and self._after:
            self._act()
        return written


class InterruptedExpiryError(Exception):
    pass


class WithoutHints(DelegatingFileIO):
    """A storage that fails before the hint of an expiry is written."""

    def overwrite_atomic(self, path: str, data: bytes) -> None:
        if path.endswith("EARLIEST"):
            raise InterruptedExpiryError
        super().overwrite_atomic(path, data)


@pytest.fixture(params=["local", "remote"])
def warehouse(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path) if request.param == "local" else f"memory://{tmp_path.name}-expiring"


@pytest.fixture
def table(warehouse: str) -> wb.Table:
    catalog = wb.connect(warehouse)
    catalog.create_database("d")
    table = catalog.create_table("d.t", {"id": "INT"}, options=OPTIONS)
    for each in range(2):
        table.write([{"id": each}])
    return table


def opened(warehouse: str) -> wb.Table:
    return wb.connect(warehouse).get_table("d.t")


def ids_of(table: Table) -> list[int]:
    return sorted(table.to_arrow()["id"].to_pylist())


def commit_and_begin_to_expire(warehouse: str, commits: int, kept: int) -> None:
    other = opened(warehouse)
    for each in range(commits):
        other.write([{"id": 50 + each}])
    interrupted = Table(other.store.with_file_io(WithoutHints(other.store.file_io)))
    with pytest.raises(InterruptedExpiryError):
        interrupted.expire_snapshots(retain_max=kept, retain_min=kept, older_than="2999-01-01 00:00:00")


@pytest.mark.parametrize(("commits", "kept"), [(1, 1), (2, 1), (3, 2), (3, 1), (12, 10)])
def test_an_expiry_that_has_not_written_its_hint(table: wb.Table, warehouse: str, commits: int, kept: int) -> None:
    late = AtThePut(table.store.file_io, 1, lambda: commit_and_begin_to_expire(warehouse, commits, kept))
    Table(opened(warehouse).store.with_file_io(late)).write([{"id": 9}])
    assert ids_of(opened(warehouse)) == [0, 1, 9, *range(50, 50 + commits)]
    snapshots = [each.id for each in opened(warehouse).snapshots()]
    assert snapshots == list(range(snapshots[0], snapshots[-1] + 1))


@pytest.mark.parametrize("merges", [False, True])
def test_a_commit_whose_predecessor_expires_at_once_stays(table: wb.Table, warehouse: str, merges: bool) -> None:
    """Others commit on top of it, with merged manifests, and expire all versions below it."""

    def act() -> None:
        other = opened(warehouse)
        options = {"manifest.merge-min-count": "1"} if merges else {}
        if merges:
            wb.connect(warehouse).alter_table("d.t", wb.SetOption("manifest.merge-min-count", "1"))
        other = opened(warehouse)
        other.write([{"id": 50}])
        assert options == {} or other.schema.options["manifest.merge-min-count"] == "1"
        other.expire_snapshots(retain_max=2, retain_min=2, older_than="2999-01-01 00:00:00")

    watched = AtThePut(table.store.file_io, 1, act, after=True)
    commit = Table(opened(warehouse).store.with_file_io(watched)).write([{"id": 9}])
    assert [each.id for each in commit.snapshots] == [3]
    assert ids_of(opened(warehouse)) == [0, 1, 9, 50]
    assert [each.id for each in opened(warehouse).snapshots()] == [3, 4]


class KilledError(BaseException):
    """The process ends after it has written a snapshot."""


def test_a_snapshot_of_a_killed_writer_is_removed_by_the_next_expiry(table: wb.Table, warehouse: str) -> None:
    others: list[Any] = []

    def expired_by_others() -> None:
        commit_and_begin_to_expire(warehouse, 3, 1)

    class Dying(AtThePut):
        def put_if_absent(self, path: str, data: bytes) -> bool:
            written = super().put_if_absent(path, data)
            if "/snapshot-" in path:
                raise KilledError
            return written

    dying = Dying(table.store.file_io, 1, expired_by_others)
    with pytest.raises(KilledError):
        Table(opened(warehouse).store.with_file_io(dying)).write([{"id": 9}])
    assert [each.id for each in opened(warehouse).snapshots()] == [3, 5]
    # The id after that of the stray snapshot is free, too.
    following = opened(warehouse)
    following.write([{"id": 10}])
    others.append(following)
    following.expire_snapshots(**EVERYTHING)
    assert [each.id for each in opened(warehouse).snapshots()] == [6]
    assert ids_of(opened(warehouse)) == [0, 1, 10, 50, 51, 52]


def test_a_commit_after_a_stray_snapshot_is_repeated(table: wb.Table, warehouse: str) -> None:
    """Its predecessor exists again, but belongs to no history."""

    def act() -> None:
        stray = opened(warehouse).store
        content = stray.file_io.read_bytes(stray.path("snapshot", "snapshot-2"))
        commit_and_begin_to_expire(warehouse, 3, 1)
        stray.file_io.write_bytes(stray.path("snapshot", "snapshot-2"), content)

    late = AtThePut(table.store.file_io, 1, act)
    Table(opened(warehouse).store.with_file_io(late)).write([{"id": 9}])
    assert ids_of(opened(warehouse)) == [0, 1, 9, 50, 51, 52]


def test_a_damaged_snapshot_of_another_writer_does_not_undo_a_commit(table: wb.Table, warehouse: str) -> None:
    def act() -> None:
        store = opened(warehouse).store
        for number in (1, 2):
            store.file_io.delete(store.path("snapshot", f"snapshot-{number}"))
        store.file_io.write_bytes(store.path("snapshot", "snapshot-4"), b"{")

    watched = AtThePut(table.store.file_io, 1, act, after=True)
    store = opened(warehouse).store.with_file_io(watched)
    commit = Table(store).write([{"id": 9}])
    assert [each.id for each in commit.snapshots] == [3]
    store.file_io.delete(store.path("snapshot", "snapshot-4"))
    assert ids_of(opened(warehouse)) == [0, 1, 9]
