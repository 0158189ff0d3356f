"""The store dies at every operation of everything that changes a table. Then the table is as before, as after or at a
version in between; the next commit succeeds, and orphan cleaning leaves only files that some version references."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from tests.faults.operations import NEW_ROW, OPERATIONS, clean, make, rows
from tests.support.file_ios import FaultInjected, FaultMode, FaultyFileIO
from workbench.base.errors import WorkbenchError
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.spec.data_file import ManifestEntry
from workbench.format.spec.snapshot import Snapshot
from workbench.metadata.index_files import index_entries, index_file_path
from workbench.metadata.manifests import ManifestFiles
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table

# When Arrow's writer is garbage-collected, it tries again to finish its file in the dead store.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
MODES: tuple[FaultMode, ...] = ("before", "after", "torn")
READS = ("read_bytes", "read_range", "open_input", "exists", "status", "list_files")
Versions = dict[object, list[str]]


def versions(table: Table) -> Versions:
    """Return the rows of every version."""
    snapshots: Versions = {each.id: rows(table.at(snapshot=each.id)) for each in table.snapshots()}
    return snapshots | {name: rows(table.at(tag=name)) for name in table.tags()}


def referenced(table: Table) -> tuple[set[Path], set[Path]]:
    """Return every file that some version references, and those of them that reads of some version need."""
    store, manifests = table.store, ManifestFiles(table.store)
    needed: set[str] = set()
    replaced: set[str] = set()

    def data(entries: Iterable[ManifestEntry]) -> Iterator[str]:
        for entry in entries:
            path = store.data_file_path(entry.partition, entry.bucket, entry.file)
            yield from (path, *(f"{path.rpartition('/')[0]}/{extra}" for extra in entry.file.extra_files))

    def version(snapshot: Snapshot, lists: Sequence[str | None]) -> None:
        metas = [meta for name in lists if name is not None for meta in manifests.read_list(name)]
        names = (*lists, snapshot.index_manifest, *(meta.file_name for meta in metas))
        needed.update(store.path("manifest", name) for name in names if name is not None)
        needed.update(data(manifests.live_files(snapshot)))
        needed.update(index_file_path(store, entry) for entry in index_entries(store, snapshot))
        # Manifests may still list files that were replaced before the oldest snapshot.
        replaced.update(data(entry for entry in manifests.entries(metas) if entry.kind == 0))

    for each in table.snapshots():
        version(each, (each.base_manifest_list, each.delta_manifest_list, each.changelog_manifest_list))
        if each.changelog_manifest_list is not None:
            needed.update(data(manifests.entries(manifests.read_list(each.changelog_manifest_list))))
        if each.statistics is not None:
            needed.add(store.path("statistics", each.statistics))
    for tag in table.tags().values():
        version(tag.snapshot, (tag.snapshot.base_manifest_list, tag.snapshot.delta_manifest_list))
        if tag.snapshot.statistics is not None:
            replaced.add(store.path("statistics", tag.snapshot.statistics))
    return {Path(path) for path in needed | replaced}, {Path(path) for path in needed}


def check_clean(table: Table, where: str) -> None:
    """Clean up, and check that only files of versions, files that they reference, and markers remain, and that no file
    is missing that a version needs."""
    clean(table)
    files = {path for path in Path(table.location).rglob("*") if path.is_file()}
    kept = ("snapshot", "schema", "tag", "consumer", "changelog")
    every, needed = referenced(table)
    unnamed = {each for each in files if each.parent.name not in kept and each.name != "_SUCCESS"} - every
    assert not unnamed, where
    assert not needed - files, where
    assert not [each for each in files if each.name.endswith(".tmp")], where


def crash(
    tmp_path: Path, name: str, mode_at: Callable[[int], FaultMode], chosen: Callable[[list[int]], list[int]]
) -> None:
    operation = OPERATIONS[name]
    start, whole = tmp_path / "start", tmp_path / "whole"
    make(start, operation)
    copytree(start, whole)
    faulty = FaultyFileIO(LocalFileIO(), None)
    table = FileSystemCatalog(str(whole), faulty).get_table("db.t")
    opening = len(faulty.log)
    operation.act(table)
    before, after = (versions(connect(position).get_table("db.t")) for position in (start, whole))
    newest = [rows(connect(position).get_table("db.t")) for position in (start, whole)]
    assert (newest[0] != newest[1]) == operation.changes_rows
    # A crash at a read leaves the same files as a crash right before the next change.
    points = [point for point, each in enumerate(faulty.log, 1) if point > opening and each.name not in READS]
    assert points
    died = 0
    for point in chosen(points):
        position, mode = tmp_path / "crashed", mode_at(point)
        rmtree(position, ignore_errors=True)
        copytree(start, position)
        dying = FaultyFileIO(LocalFileIO(), point, mode)
        try:
            operation.act(FileSystemCatalog(str(position), dying).get_table("db.t"))
        except (FaultInjected, WorkbenchError):
            told_success = False
        else:
            told_success = True
        if not dying.dead:
            # What is old enough to expire depends on milliseconds, so the number of operations varies.
            continue
        died += 1
        where = f"{mode} operation {point}: {dying.log[-1].name} of {dying.log[-1].path}"
        table = connect(position).get_table("db.t")
        left, content = versions(table), rows(table)
        # Old versions read as before, new ones as after a complete run, or as its newest one if that expired them.
        for version, result in left.items():
            assert result == before.get(version, after.get(version, newest[1])), where
        assert content in ([newest[1]] if told_success else newest), where
        check_clean(table, where)
        assert versions(table) == left, where
        connect(position).get_table("db.t").write([NEW_ROW])
        assert rows(connect(position).get_table("db.t")) == sorted([*content, str(NEW_ROW)]), where
        check_clean(connect(position).get_table("db.t"), where)
    assert died > 0


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long if position % 4 else ()) for position, name in enumerate(OPERATIONS)],
)
def test_at_a_point(tmp_path: Path, name: str) -> None:
    chance = random.Random(name)
    crash(tmp_path, name, lambda _: chance.choice(MODES), lambda points: chance.sample(points, min(2, len(points))))


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_mode_at_every_point(tmp_path: Path, name: str, mode: FaultMode) -> None:
    crash(tmp_path, name, lambda _: mode, lambda points: points)
