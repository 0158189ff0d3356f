"""Reads whose snapshot another process expires while they run."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.spark.tasks import ReadTask
from workbench.table.table import Table

EXPIRED = r"Snapshot 2 of db\.t expired while it was read\. Read the table again.*snapshot\.time-retained"
KINDS: dict[str, tuple[list[str], dict[str, str]]] = {
    "append": ([], {"bucket": "-1"}),
    "keyed": (["id"], {"bucket": "1", "num-sorted-run.compaction-trigger": "9"}),
    "vectors": (["id"], {"bucket": "1", "deletion-vectors.enabled": "true"}),
}


@pytest.fixture(params=KINDS)
def table(request: pytest.FixtureRequest, catalog: FileSystemCatalog) -> Table:
    key, options = KINDS[request.param]
    made = catalog.create_table("db.t", {"id": "INT NOT NULL"}, key, options=options)
    for number in (1, 2):
        made.write([{"id": number}])
    return made


def newly_opened(table: Table, part: str = "") -> Any:
    """Open the table, or a system table of it, with a separate cache."""
    return wb.connect(Path(table.location).parents[1]).open(f"db.t{part}")


def expire(table: Table) -> None:
    """Replace all files of snapshot 2, and expire it."""
    other = newly_opened(table)
    other.write([{"id": 3}], "overwrite")
    other.expire_snapshots(retain_max=1, retain_min=1, older_than="2999-01-01 00:00:00")


def drain(batches: Iterable[Any]) -> None:
    for _ in batches:
        pass


READS: dict[str, Callable[[Table], Callable[[], Any]]] = {
    "a planned scan": lambda table: _planned(table).to_arrow,
    "a scan that is not planned": lambda table: table.scan().to_arrow,
    "a plan": lambda table: table.scan().plan,
    "a filtered plan": lambda table: table.scan(where="id > 1").plan,
    "a count": lambda table: table.scan(where="id > 1").count,
    "a stream": lambda table: partial(drain, table.to_batches()),
    "a limited scan": lambda table: table.scan(limit=1).to_arrow,
    "a Spark task": lambda table: _task(table),
    "an audit log": lambda table: newly_opened(table, "$audit_log").at(snapshot=2).to_arrow,
    "a list of files": lambda table: newly_opened(table, "$files").at(snapshot=2).to_arrow,
}


def _planned(table: Table) -> Any:
    scan = table.scan()
    scan.plan()
    return scan


def _task(table: Table) -> Callable[[], None]:
    scan = table.scan()
    task = pickle.loads(pickle.dumps(ReadTask(scan.store, scan.schema, ("id",), snapshot=scan.snapshot)))
    splits = [pickle.dumps(split) for split in scan.plan()]
    return lambda: drain(batch for split in splits for batch in task.read(split))


@pytest.mark.parametrize("read", READS)
def test_the_error_says_that_the_snapshot_expired(read: str, table: Table) -> None:
    version = newly_opened(table).at(snapshot=2)
    run = READS[read](version)
    expire(table)
    with pytest.raises(wb.SnapshotNotFound, match=EXPIRED):
        run()


def test_a_read_of_the_newest_version_goes_on_with_the_next(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    for read in (
        lambda each: each.to_arrow(),
        lambda each: each.to_batches().read_all(),
        lambda each: each.to_pandas(),
    ):
        opened, plan = newly_opened(table), wb.Scan.plan
        before = opened.version.id

        def planned_late(scan: Any, plan: Any = plan) -> Any:
            monkeypatch.setattr(wb.Scan, "plan", plan)
            expire(table)
            return plan(scan)

        monkeypatch.setattr(wb.Scan, "plan", planned_late)
        assert len(read(opened)) == 1
        assert opened.version.id > before


def test_a_damaged_file_of_a_version_that_is_kept(table: Table) -> None:
    version = newly_opened(table).at(snapshot=2)
    table.create_tag("kept", 2)
    for file in Path(table.location).rglob("data-*"):
        file.unlink()
    for _ in range(2):
        with pytest.raises(wb.CorruptFile, match="missing"):
            version.to_arrow()
        with pytest.raises(wb.CorruptFile, match="missing"):
            newly_opened(table).at(tag="kept").to_arrow()
        expire(table)
