"""Pages of snapshots: which files they read, and that they are correct regardless of what happened to the table."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.support.file_ios import CountingFileIO
from workbench.base.errors import TableNotFound
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.snapshots import Snapshots
from workbench.metadata.store import TableStore
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table

COUNT = 6


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    created = catalog.create_table("db.t", {"id": "INT"})
    write(created, COUNT)
    return created


def write(table: Table, count: int = 1) -> None:
    for number in range(count):
        table.write(pa.table({"id": [number]}))


def file(table: Table, name: str | int) -> Path:
    return Path(table.location, "snapshot", f"snapshot-{name}" if isinstance(name, int) else name)


class Reader:
    """Reads pages of a table with one cache, and checks them against the files."""

    def __init__(self, table: Table) -> None:
        self.io = CountingFileIO(LocalFileIO())
        self.store: TableStore = table.store.with_file_io(self.io)
        self.directory = Path(table.location, "snapshot")

    def page(self, limit: int | None = None, before: int | None = None) -> list[int]:
        page = Snapshots(self.store).newest(limit, before)
        files = {int(path.name[9:]): path for path in self.directory.glob("snapshot-*")}
        assert sorted(page.ids) == sorted(files)
        expected = [number for number in sorted(files, reverse=True) if before is None or number < before]
        read = [each.id for each in page.snapshots]
        assert read == expected[:limit]
        assert page.next == (read[-1] if len(read) < len(expected) else None)
        for snapshot in page.snapshots:
            assert snapshot.delta_manifest_list == json.loads(files[snapshot.id].read_text())["deltaManifestList"]
        return read

    def counts(self, act: Callable[[], Any]) -> dict[str, int]:
        self.io.counts.clear()
        act()
        return {name: count for name, count in self.io.counts.items() if not name.startswith("bytes")}


def test_the_directory_is_not_listed(table: Table) -> None:
    reader = Reader(table)
    # The two hints and the newest snapshot, then each snapshot once.
    assert reader.counts(reader.page) == {"read_bytes": 3 + COUNT, "exists": 2}
    assert reader.counts(reader.page) == {"read_bytes": 3, "exists": 2}
    assert reader.counts(lambda: reader.page(2)) == {"read_bytes": 3, "exists": 2}
    assert reader.counts(lambda: reader.page(2, before=3)) == {"read_bytes": 3, "exists": 2}


def test_a_commit_costs_as_much_after_few_snapshots_as_after_many(table: Table) -> None:
    reader = Reader(table)
    reader.page(5)
    costs = []
    for _ in range(3):
        write(table)
        # In addition, the previous newest snapshot and the new one.
        costs.append(reader.counts(lambda: reader.page(5)))
        write(table, 20)
        reader.page(5)
    assert costs == [{"read_bytes": 5, "exists": 2}] * 3


@pytest.mark.parametrize("hint", [b"5", b"3", b"1"])
def test_snapshots_after_the_hint_are_found(table: Table, hint: bytes) -> None:
    reader = Reader(table)
    reader.page()
    file(table, "LATEST").write_bytes(hint)
    assert reader.page(2) == [6, 5]
    assert "list_files" not in reader.counts(lambda: reader.page(2))


def test_a_hint_far_below_the_newest_is_not_followed(table: Table) -> None:
    write(table, 20)
    file(table, "LATEST").write_bytes(b"1")
    reader = Reader(table)
    assert reader.page(2) == [26, 25]
    assert reader.counts(lambda: reader.page(2))["list_files"] == 1


@pytest.mark.parametrize("name", ["LATEST", "EARLIEST"])
@pytest.mark.parametrize("hint", [b"9", b"0", b"-7", b"", b"four", b"\xff", None])
def test_wrong_hints(table: Table, name: str, hint: bytes | None) -> None:
    reader = Reader(table)
    reader.page()
    path = file(table, name)
    path.unlink() if hint is None else path.write_bytes(hint)
    assert reader.page() == [6, 5, 4, 3, 2, 1]
    assert reader.page(2, before=4) == [3, 2]
    assert reader.counts(reader.page)["list_files"] == 1


def test_an_earliest_hint_after_the_oldest_snapshot(table: Table) -> None:
    file(table, "EARLIEST").write_bytes(b"3")
    assert Reader(table).page(4) == [6, 5, 4, 3]


def test_expired_snapshots(table: Table) -> None:
    reader = Reader(table)
    reader.page()
    table.store.snapshots.expire([1, 2], 3)
    assert reader.counts(lambda: reader.page(3)) == {"read_bytes": 3, "exists": 3}
    assert reader.page() == [6, 5, 4, 3]
    # The hint is updated after the deletion; until then, it names a deleted snapshot.
    file(table, 3).unlink()
    assert reader.page() == [6, 5, 4]


def test_snapshots_that_expire_up_to_the_newest_one(table: Table) -> None:
    reader = Reader(table)
    reader.page()
    write(table)
    table.store.snapshots.expire([1, 2, 3, 4, 5, 6], 7)
    assert reader.page() == [7]


@pytest.mark.parametrize("target", [1, 4, 5])
@pytest.mark.parametrize("more", [0, 1, 2, 5, 9])
def test_a_rollback(table: Table, target: int, more: int) -> None:
    reader = Reader(table)
    reader.page()
    table.rollback_to(snapshot=target)
    write(table, more)
    assert reader.page(3)[0] == target + more
    assert len(reader.page()) == target + more
    assert "list_files" not in reader.counts(reader.page)


def test_a_rollback_by_another_engine_that_leaves_the_hint(table: Table) -> None:
    reader = Reader(table)
    reader.page()
    file(table, 6).unlink()
    assert reader.page() == [5, 4, 3, 2, 1]


def test_a_replaced_snapshot_of_the_same_size_and_time(table: Table) -> None:
    """A replaced snapshot of the same size and time is detected by its content."""
    reader = Reader(table)
    reader.page()
    for number in (5, 6):
        path = file(table, number)
        before = path.stat()
        changed = json.loads(path.read_text())
        changed["deltaManifestList"] = changed["deltaManifestList"][::-1]
        path.write_text(json.dumps(changed, indent=2))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    reader.page()


def test_a_table_that_is_created_again(catalog: FileSystemCatalog, table: Table) -> None:
    reader = Reader(table)
    reader.page()
    catalog.drop_table("db.t")
    again = catalog.create_table("db.t", {"id": "INT"})
    with pytest.raises(TableNotFound, match="was created again"):
        reader.page()
    reader = Reader(again)
    assert reader.page() == []
    write(again, COUNT)
    reader.page()
    write(again, 1)
    assert len(reader.page()) == COUNT + 1


def test_branches_have_their_own_snapshots(table: Table) -> None:
    main = Reader(table)
    main.page()
    table.create_tag("t", snapshot=3)
    table.create_branch("b", tag="t")
    other = table.branch("b")
    write(other, 2)
    branch = Reader(other)
    branch.store = other.store.with_file_io(branch.io)
    branch.directory = Path(table.location, "branch", "branch-b", "snapshot")
    assert branch.page() == [5, 4, 3]
    assert main.page() == [6, 5, 4, 3, 2, 1]
    table.fast_forward("b")
    assert main.page() == [5, 4, 3, 2, 1]


def test_a_gap_between_the_hints(table: Table) -> None:
    file(table, 3).unlink()
    reader = Reader(table)
    assert reader.page() == [6, 5, 4, 2, 1]
    assert reader.page(2, before=4) == [2, 1]


def test_a_damaged_snapshot_is_met_where_it_is_read(table: Table) -> None:
    file(table, 6).write_text("{")
    page = Snapshots(table.store).newest(2, before=6)
    assert [each.id for each in page.snapshots] == [5, 4]


def test_a_table_without_snapshots(catalog: FileSystemCatalog) -> None:
    assert Reader(catalog.create_table("db.empty", {"id": "INT"})).page() == []
