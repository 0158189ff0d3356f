"""The store dies at every operation of every change of versions: the table can be read, and a retry completes it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pyarrow as pa
import pytest

from tests.support.file_ios import FaultInjected, FaultMode, FaultyFileIO
from workbench.base.errors import AlreadyExists, InvalidRequest, SnapshotNotFound, TableNotFound, WorkbenchError
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table

MODES: tuple[FaultMode, ...] = ("before", "after", "torn")
# Errors of a repeated change that was already complete.
DONE = (AlreadyExists, SnapshotNotFound, TableNotFound, InvalidRequest)
READS = ("read_bytes", "read_range", "open_input", "exists", "status", "list_files")
State = dict[str, Any]

CHANGES: dict[str, Callable[[Table], object]] = {
    "create tag": lambda table: table.create_tag("new"),
    "create tag of an expired snapshot": lambda table: table.create_tag("new", 1, "1 d"),
    "replace tag": lambda table: table.replace_tag("v3", 5),
    "rename tag": lambda table: table.rename_tag("v3", "new"),
    "delete tag": lambda table: table.delete_tag("v3"),
    "create empty branch": lambda table: table.create_branch("new"),
    "create branch of tag": lambda table: table.create_branch("new", tag="v1"),
    "create branch of snapshot": lambda table: table.create_branch("new", snapshot=4),
    "rename branch": lambda table: table.rename_branch("dev", "new"),
    "delete branch": lambda table: table.delete_branch("dev"),
    "fast-forward": lambda table: table.fast_forward("dev"),
    "fast-forward to another history": lambda table: table.fast_forward("other"),
    "roll back": lambda table: table.rollback_to(snapshot=3),
    "roll back to an expired snapshot": lambda table: table.rollback_to(tag="v1"),
    "set consumer": lambda table: table.set_consumer("reader", 4),
    "delete consumer": lambda table: table.delete_consumer("old"),
}

# Changes of several steps; all others have a single step.
QUICK = ("create branch of tag", "delete branch", "fast-forward", "roll back to an expired snapshot")


def data(number: int) -> pa.Table:
    return pa.table({"id": pa.array([number], pa.int64())})


def add_column(table: Table) -> None:
    """Write a new version of the schema with one more column, as ALTER TABLE does."""
    directory = Path(table.location, *(["branch", f"branch-{table.store.branch}"] * (table.store.branch != "main")))
    schema = json.loads((directory / "schema" / "schema-0").read_text())
    schema["fields"].append({"id": 1, "name": table.store.branch, "type": "INT"})
    (directory / "schema" / "schema-1").write_text(json.dumps({**schema, "id": 1, "highestFieldId": 1}))


def make(warehouse: Path) -> None:
    """Create a table with snapshots 3 to 6, tags of 1, 3 and 6, and two branches; it and a branch have a new column."""
    catalog = connect(warehouse)
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"id": "BIGINT"}, [], [], {})
    for number in range(1, 5):
        table.write(data(number))
    for number in (1, 3):
        table.create_tag(f"v{number}", number)
    table.create_branch("dev", tag="v3")
    table.create_branch("other")
    branch = table.branch("dev")
    branch.write(data(14))
    add_column(branch)
    table.branch("dev").write(data(15))
    branch.create_tag("dev-only")
    table.branch("other").write(data(21))
    add_column(table)
    for number in (5, 6):
        catalog.get_table("db.t").write(data(number))
    table.create_tag("v6")
    table.set_consumer("old", 2)
    changelogs = Path(table.location, "changelog")
    changelogs.mkdir()
    for number in (1, 2):
        file = Path(table.location, "snapshot", f"snapshot-{number}")
        file.rename(changelogs / f"changelog-{number}")
    (changelogs / "LATEST").write_text("2")
    Path(table.location, "snapshot", "EARLIEST").write_text("3")


def ids(table: Table) -> list[int]:
    rows = sorted(table.to_arrow()["id"].to_pylist())
    assert rows == sorted(table.to_batches().read_all()["id"].to_pylist())
    return rows


def opened(warehouse: Path, fail_at: int | None) -> tuple[FaultyFileIO, Callable[[FaultMode], Table]]:
    faulty = FaultyFileIO(LocalFileIO(), None)
    table = FileSystemCatalog(str(warehouse), faulty).get_table("db.t")
    first = len(faulty.log)

    def at(mode: FaultMode) -> Table:
        faulty.fail_at = None if fail_at is None else first + fail_at
        faulty.mode = mode
        return table

    return faulty, at


def state(warehouse: Path) -> State:
    """Return the readable content; every version, tag and branch must be complete."""
    table = connect(warehouse).get_table("db.t")
    return {
        "columns": table.schema.field_names,
        "snapshots": {each.id: ids(table.at(snapshot=each.id)) for each in table.snapshots()},
        "latest": None if table.version is None else (table.version.id, ids(table)),
        "tags": {name: (ids(table.at(tag=name)), tag.retained) for name, tag in table.tags().items()},
        "branches": {name: branch_state(table, name) for name in table.branches()},
        "consumers": table.consumers(),
        "changelogs": sorted(path.name for path in Path(table.location, "changelog").glob("changelog-*")),
    }


def branch_state(table: Table, name: str) -> Any:
    try:
        branch = table.branch(name)
    except TableNotFound as error:
        return str(error)
    return (branch.schema.field_names, ids(branch), [each.id for each in branch.snapshots()], sorted(branch.tags()))


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    warehouse = tmp_path_factory.mktemp("start") / "wh"
    make(warehouse)
    return warehouse


def crash_everywhere(
    start: Path, tmp_path: Path, name: str, mode_at: Callable[[int], FaultMode], reads: bool = False
) -> None:
    act = CHANGES[name]
    before = state(start)
    copytree(start, tmp_path / "whole")
    faulty, table_at = opened(tmp_path / "whole", None)
    opening = len(faulty.log)
    act(table_at("before"))
    after = state(tmp_path / "whole")
    assert after != before
    for point, operation in enumerate(faulty.log[opening:], 1):
        # A crash at a read leaves the same files as a crash right before the next change.
        if operation.name in READS and not reads:
            continue
        mode = mode_at(point)
        position = tmp_path / f"{mode}-{point}"
        copytree(start, position)
        check_crash(position, act, point, mode, before, after)


def check_crash(
    position: Path, act: Callable[[Table], object], point: int, mode: FaultMode, before: State, after: State
) -> None:
    faulty, table_at = opened(position, point)
    with pytest.raises((FaultInjected, WorkbenchError)):
        act(table_at(mode))
    assert faulty.dead
    where = f"{mode} operation {point}: {faulty.log[-1].name} of {faulty.log[-1].path}"
    result = state(position)
    for part in ("snapshots", "tags"):
        possible = [*before[part].items(), *after[part].items()]
        assert all(each in possible for each in result[part].items()), where
    assert result["latest"] in [*before["snapshots"].items(), *after["snapshots"].items(), None], where
    assert result["columns"] in (before["columns"], after["columns"]), where
    untouched = before["branches"].keys() & after["branches"].keys()
    assert all(result["branches"][each] == before["branches"][each] for each in untouched), where
    try:
        act(connect(position).get_table("db.t"))
    except DONE:
        assert result == after or mode == "torn", where
    assert state(position) == after, where
    written = connect(position).get_table("db.t")
    number = written.write(data(100)).snapshots[0].id
    assert (number, ids(written)) == (after["latest"][0] + 1, sorted([*after["latest"][1], 100])), where


@pytest.mark.parametrize("name", QUICK)
def test_one_mode_at_every_point(start: Path, tmp_path: Path, name: str) -> None:
    chance = random.Random(name)
    crash_everywhere(start, tmp_path, name, lambda _: chance.choice(MODES))


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CHANGES)
def test_every_mode_at_every_point(start: Path, tmp_path: Path, name: str, mode: FaultMode) -> None:
    crash_everywhere(start, tmp_path, name, lambda _: mode, reads=mode == "before")
