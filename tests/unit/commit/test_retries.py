"""Commit attempts after one that lost to another writer: they are fast and correct, and leave no files behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

import workbench as wb
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.manifests import ManifestFiles
from workbench.storage.file_io import FileIO
from workbench.storage.wrappers import DelegatingFileIO, Operation
from workbench.table.table import Table

Result = TypeVar("Result")
QUICK = {"commit.min-retry-wait": "1 ms", "commit.max-retry-wait": "1 ms"}
KINDS: dict[str, tuple[list[str], dict[str, str]]] = {
    "append": ([], {"bucket": "-1"}),
    "tracked": ([], {"bucket": "-1", "row-tracking.enabled": "true"}),
    "keyed": (["id"], {"bucket": "1", "write-only": "true"}),
    "keyed with a changelog": (["id"], {"bucket": "1", "changelog-producer": "input"}),
}


class Race(DelegatingFileIO):
    """Lets another writer publish a snapshot first, ``losses`` times. ``attempts`` has the operations of each attempt
    from reading the newest version."""

    def __init__(self, inner: FileIO, losses: int, other: Callable[[], Any]) -> None:
        super().__init__(inner)
        self.attempts: list[list[Operation]] = []
        self._losses = losses
        self._other = other

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:
        if operation.name == "read_bytes" and operation.path.endswith("/LATEST"):
            self.attempts.append([])
        if self.attempts:
            self.attempts[-1].append(operation)
        if operation.name == "put_if_absent" and "/snapshot-" in operation.path and self._losses:
            self._losses -= 1
            self._other()
        return call()

    def written(self) -> list[int]:
        """How many metadata files each attempt wrote."""
        return [
            sum(each.name == "write_bytes" and "/manifest/" in each.path for each in attempt)
            for attempt in self.attempts
            if any(each.name == "put_if_absent" for each in attempt)
        ]


def create(catalog: FileSystemCatalog, kind: str, **options: str) -> Table:
    key, own = KINDS[kind]
    return catalog.create_table("db.t", {"id": "INT NOT NULL"}, key, options={**QUICK, **own, **options})


def racing(table: Table, losses: int, first: int = 100) -> tuple[Table, Race]:
    """Return the table on a store that makes its next commits lose to another writer, and that store."""
    ids = iter(range(first, first + losses))
    other = wb.connect(Path(table.location).parents[1]).get_table("db.t")
    race = Race(table.store.file_io, losses, lambda: other.write([{"id": next(ids)}]))
    return Table(table.store.with_file_io(race)), race


def found(table: Table) -> list[int]:
    opened = wb.connect(Path(table.location).parents[1]).get_table("db.t")
    return sorted(opened.to_arrow()["id"].to_pylist())


def check_manifests(table: Table) -> None:
    """Every metadata file belongs to a snapshot."""
    files = ManifestFiles(table.store)
    used: set[str] = set()
    for snapshot in table.snapshots():
        used.update(meta.file_name for meta in files.all_manifests(snapshot))
        lists = (snapshot.base_manifest_list, snapshot.delta_manifest_list, snapshot.changelog_manifest_list)
        used.update(name for name in (*lists, snapshot.index_manifest) if name is not None)
    assert {path.name for path in Path(table.location, "manifest").iterdir()} == used


@pytest.mark.parametrize("kind", KINDS)
def test_later_attempts_write_what_depends_on_the_version_only(kind: str, catalog: FileSystemCatalog) -> None:
    table = create(catalog, kind)
    table.write([{"id": 1}])
    racer, race = racing(table, losses=3)
    racer.write([{"id": 2}])
    assert found(table) == [1, 2, 100, 101, 102]
    check_manifests(table)
    first, *later = race.written()
    assert first == (5 if "changelog" in kind else 3)
    # The ids of tracked rows follow those of the other writer.
    assert set(later) == {3 if kind == "tracked" else 1}


def test_later_attempts_read_ahead(catalog: FileSystemCatalog) -> None:
    """Between reading the newest version and publishing the next, no manifest of the other writers is read."""
    table = create(catalog, "keyed")
    table.write([{"id": 1}])
    racer, race = racing(table, losses=2)
    racer.write([{"id": 2}])
    attempts = [attempt for attempt in race.attempts if any(each.name == "put_if_absent" for each in attempt)]
    for attempt in attempts[1:]:
        names = [each.name for each in attempt]
        until = names.index("put_if_absent")
        assert not any("/manifest/" in each.path for each in attempt[:until] if each.name == "read_bytes")
        # LATEST, the next snapshot, the newest one, the schema, the snapshot that the writer began with, the base list,
        # all schemas, the newest snapshot again.
        assert until == 8


def test_a_compaction_that_loses(catalog: FileSystemCatalog) -> None:
    table = create(catalog, "keyed")
    for number in range(4):
        table.write([{"id": number}])
    racer, race = racing(table, losses=3)
    racer.compact(full=True)
    assert found(table) == [0, 1, 2, 3, 100, 101, 102]
    check_manifests(table)
    assert race.written() == [3, 1, 1, 1]


def test_only_the_first_attempt_merges_manifests(catalog: FileSystemCatalog) -> None:
    table = create(catalog, "append", **{"manifest.merge-min-count": "5"})
    for number in range(5):
        table.write([{"id": number}])
    racer, race = racing(Table(table.store), losses=2)
    # The other writer merges the same manifests, so the result of the first attempt cannot be used.
    racer.write([{"id": 50}])
    assert race.written() == [4, 1, 1]
    assert found(table) == [0, 1, 2, 3, 4, 50, 100, 101]
    check_manifests(table)
    racer, race = racing(catalog.get_table("db.t"), losses=0)
    racer.write([{"id": 51}])
    check_manifests(table)


def test_merged_manifests_are_used_again(catalog: FileSystemCatalog) -> None:
    table = create(catalog, "append", **{"manifest.merge-min-count": "5"})
    for number in range(5):
        table.write([{"id": number}])
    options = {**table.options, "manifest.merge-min-count": "99"}
    patient = table.store.with_schema(replace(table.schema, options=options))
    other = Table(patient)
    ids = iter(range(100, 102))
    race = Race(table.store.file_io, 2, lambda: other.write([{"id": next(ids)}]))
    Table(table.store.with_file_io(race)).write([{"id": 50}])
    assert race.written() == [4, 1, 1]
    latest = table.snapshot()
    assert len(ManifestFiles(table.store).read_list(latest.base_manifest_list)) == 3
    assert found(table) == [0, 1, 2, 3, 4, 50, 100, 101]
    check_manifests(table)


def test_a_commit_that_gives_up_leaves_no_file(catalog: FileSystemCatalog) -> None:
    table = create(catalog, "append", **{"commit.max-retries": "2", "manifest.merge-min-count": "3"})
    for number in range(4):
        table.write([{"id": number}])
    racer, race = racing(table, losses=3)
    with pytest.raises(wb.CommitConflict, match=r"attempt to commit to db\.t lost"):
        racer.write([{"id": 50}])
    assert len(race.written()) == 3
    assert found(table) == [0, 1, 2, 3, 100, 101, 102]
    check_manifests(table)


def test_a_conflict_after_a_lost_attempt_leaves_no_file(catalog: FileSystemCatalog) -> None:
    table = create(catalog, "append")
    for number in range(3):
        table.write([{"id": number}])
    other = wb.connect(Path(table.location).parents[1]).get_table("db.t")
    race = Race(table.store.file_io, 1, lambda: other.compact(full=True))
    with pytest.raises(wb.CommitConflict):
        Table(table.store.with_file_io(race)).delete("id = 1")
    assert found(table) == [0, 1, 2]
    check_manifests(table)
