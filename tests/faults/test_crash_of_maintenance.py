"""The store dies at every operation of expiry and orphan cleaning: every remaining version can be read, and repeating
both has the same result as one complete run."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copytree
from time import sleep, time
from typing import Any

import pyarrow as pa
import pytest

from tests.support.file_ios import FaultInjected, FaultMode, FaultyFileIO
from workbench.base.errors import SnapshotNotFound, WorkbenchError
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table

MODES: tuple[FaultMode, ...] = ("before", "after", "torn")
READS = ("read_bytes", "read_range", "open_input", "exists", "status", "list_files")
LONGER = {"changelog.num-retained.min": "9"}


def make(warehouse: Path, options: dict[str, str], before: Callable[[Table], None]) -> None:
    """Create a table with six snapshots, the newest a compaction, a tag, a branch, and unreferenced files."""
    catalog = connect(warehouse)
    catalog.create_database("db")
    fixed = {"bucket": "1", "write-only": "true", "snapshot.clean-empty-directories": "true"}
    columns = {"id": "BIGINT NOT NULL", "p": "INT NOT NULL"}
    table = catalog.create_table("db.t", columns, ["p", "id"], ["p"], {**fixed, **options})
    for number in range(5):
        table.write(pa.table({"id": pa.array([number % 2], pa.int64()), "p": pa.array([number % 2], pa.int32())}))
    table.create_tag("two", 2)
    table.create_branch("dev", snapshot=3)
    table.compact(full=True)
    before(table)
    for name in ("manifest/manifest-x-0", "p=7/bucket-0/data-x-0.parquet", "branch/.branch-a.0f.tmp/schema/schema-0"):
        path = Path(table.location, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def expire(table: Table) -> None:
    table.expire_snapshots(retain_max=1, retain_min=1)


def clean(table: Table) -> None:
    sleep(0.005)
    table.remove_orphan_files(int(time() * 1000), dry_run=False)


def expire_changelogs(table: Table) -> None:
    table.expire_changelogs(retain_max=1, retain_min=1)


def expire_tags(table: Table) -> None:
    sleep(0.005)
    table.expire_tags(older_than=int(time() * 1000))


@dataclass(frozen=True)
class Call:
    """An operation that deletes. ``before``: earlier operations on the table."""

    act: Callable[[Table], None]
    options: dict[str, str] = field(default_factory=dict)
    before: Callable[[Table], None] = lambda _: None


CALLS = {
    "expire": Call(expire),
    "expire, with changelogs that stay": Call(expire, LONGER),
    "expire changelogs": Call(expire_changelogs, LONGER, expire),
    "expire tags": Call(expire_tags, {"tag.create-success-file": "true"}, expire),
    "clean": Call(clean),
}


def versions(warehouse: Path) -> dict[Any, Any]:
    """Return the rows of every version."""
    table = connect(warehouse).get_table("db.t")
    result: dict[Any, Any] = {}
    for history in (table, *map(table.branch, table.branches())):
        for snapshot in history.snapshots():
            result[history.name, snapshot.id] = rows(history.at(snapshot=snapshot.id))
        for tag in history.tags():
            result[history.name, tag] = rows(history.at(tag=tag))
    return result


def rows(table: Table) -> list[dict[str, Any]]:
    return sorted(table.to_arrow().to_pylist(), key=str)


def everything(warehouse: Path) -> set[str]:
    return {str(path.relative_to(warehouse)) for path in warehouse.rglob("*")}


def crash(
    tmp_path: Path,
    name: str,
    mode_at: Callable[[int], FaultMode],
    chosen: Callable[[list[int]], list[int]] = lambda points: points,
) -> None:
    act, start = CALLS[name].act, tmp_path / "start"
    make(start, CALLS[name].options, CALLS[name].before)
    copytree(start, tmp_path / "whole")
    faulty = FaultyFileIO(LocalFileIO(), None)
    table = FileSystemCatalog(str(tmp_path / "whole"), faulty).get_table("db.t")
    opening = len(faulty.log)
    act(table)
    points = [point for point, each in enumerate(faulty.log, 1) if point > opening and each.name not in READS]
    assert len(points) > 3
    expire(table)
    clean(table)
    before, after = versions(start), versions(tmp_path / "whole")
    for point in chosen(points):
        mode = mode_at(point)
        position = tmp_path / f"{mode}-{point}"
        copytree(start, position)
        dying = FaultyFileIO(LocalFileIO(), point, mode)
        with pytest.raises((FaultInjected, WorkbenchError)):
            act(FileSystemCatalog(str(position), dying).get_table("db.t"))
        where = f"{mode} operation {point}: {dying.log[-1].name} of {dying.log[-1].path}"
        left = versions(position)
        assert left.items() <= before.items(), where
        assert after.items() <= left.items(), where
        again = connect(position).get_table("db.t")
        act(again)
        expire(again)
        clean(again)
        assert everything(position) == everything(tmp_path / "whole"), where
        assert versions(position) == after, where
        assert again.write([{"id": 9, "p": 9}]).snapshots[0].id == 7, where
        with pytest.raises(SnapshotNotFound):
            again.at(snapshot=1)


@pytest.mark.parametrize("name", CALLS)
def test_at_some_points(tmp_path: Path, name: str) -> None:
    chance = random.Random(name)
    crash(tmp_path, name, lambda _: chance.choice(MODES), lambda points: chance.sample(points, min(5, len(points))))


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CALLS)
def test_every_mode_at_every_point(tmp_path: Path, name: str, mode: FaultMode) -> None:
    crash(tmp_path, name, lambda _: mode)
