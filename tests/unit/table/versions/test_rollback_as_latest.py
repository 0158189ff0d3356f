"""Rollbacks by a new commit, to a watermark, and past missing snapshots."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import sleep, time
from typing import Any

import pyarrow as pa
import pytest

from tests.support.versioned import expire, ids, make, row
from workbench.base.errors import CommitConflict, InvalidRequest, SnapshotNotFound
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.spec.snapshot import CommitKind
from workbench.metadata.manifests import ManifestFiles
from workbench.storage.local import LocalFileIO
from workbench.table.table import Table

COLUMNS = {"p": "INT NOT NULL", "id": "BIGINT NOT NULL", "v": "STRING"}
VECTORS = {"deletion-vectors.enabled": "true"}
KINDS: dict[str, dict[str, Any]] = {
    "append": {},
    "append with vectors": {"options": VECTORS},
    "append with row ids": {"options": {"row-tracking.enabled": "true"}},
    "key": {"primary_key": ["p", "id"], "options": {"bucket": "1"}},
    "key with vectors": {"primary_key": ["p", "id"], "options": {"bucket": "1", **VECTORS}},
    "dynamic buckets": {"primary_key": ["p", "id"], "options": {"dynamic-bucket.target-row-num": "5"}},
    "by snapshot": {
        "primary_key": ["p", "id"],
        "options": {"bucket": "1", "write-only": "true", "sequence.snapshot-ordering": "true"},
    },
}


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    return make(catalog)


def rows(*numbers: int, value: str = "v") -> pa.Table:
    partitions = pa.array([each % 2 for each in numbers], pa.int32())
    texts = [f"{value}{each}" for each in numbers]
    return pa.table({"p": partitions, "id": pa.array(numbers, pa.int64()), "v": texts})


def content(table: Table) -> list[tuple[Any, ...]]:
    columns = [*COLUMNS, "_ROW_ID"] if table.options.get("row-tracking.enabled") else list(COLUMNS)
    return sorted(tuple(each.values()) for each in table.to_arrow(columns).to_pylist())


def life(catalog: FileSystemCatalog, kind: str) -> Table:
    """Create a table whose versions all differ, by every operation that changes files or indexes."""
    table = catalog.create_table("db.t", COLUMNS, partition_by=["p"], **KINDS[kind])
    table.write(rows(*range(8)))
    table.write(rows(*range(4, 14), value="w"))
    if kind.startswith("append") or "vectors" in kind:
        table.delete("id IN (1, 5, 6)")
    table.compact(full=True)
    table.write(rows(20, 21), mode="overwrite")
    table.write(rows(7, 30, value="x"))
    table.truncate()
    return table


@pytest.mark.parametrize("kind", KINDS)
def test_every_version_can_be_restored(catalog: FileSystemCatalog, kind: str) -> None:
    table = life(catalog, kind)
    versions = {each.id: content(table.at(snapshot=each.id)) for each in table.snapshots()}
    counts = {each.id: each.total_record_count for each in table.snapshots()}
    for number in (*versions, *reversed(versions)):
        before = table.snapshot()
        done = table.rollback_to(snapshot=number, as_latest=True)
        result = table.snapshot()
        assert (done.snapshot, done.latest, done.snapshots) == (number, before.id + 1, ())
        assert (result.id, result.commit_kind, result.operation) == (before.id + 1, CommitKind.OVERWRITE, None)
        assert (result.total_record_count, result.changelog_manifest_list) == (counts[number], None)
        assert result.delta_record_count == (result.total_record_count or 0) - (before.total_record_count or 0)
        base = ManifestFiles(table.store).read_list(result.base_manifest_list)
        assert {meta.num_deleted_files for meta in base} <= {0}
        assert (content(table), table.scan().count()) == (versions[number], len(versions[number]))
    assert {number: content(table.at(snapshot=number)) for number in versions} == versions


@pytest.mark.parametrize("kind", KINDS)
def test_writes_continue_after_a_rollback(catalog: FileSystemCatalog, kind: str) -> None:
    """Row ids are not assigned twice, and neither expiry nor cleaning deletes restored files."""
    table = life(catalog, kind)
    expected = content(table.at(snapshot=2))
    table.rollback_to(snapshot=2, as_latest=True)
    table.write(rows(100, 101))
    result = content(table)
    assert [each for each in result if each[1] < 100] == expected
    assert len({each[-1] for each in result}) == len(result)
    table.compact(full=True)
    sleep(0.005)
    assert table.expire_snapshots(1, 1, older_than=int(time() * 1000)).snapshots
    table.remove_orphan_files(int(time() * 1000), dry_run=False)
    assert content(table) == result
    (tag,) = table.tags()
    assert content(table.at(tag=tag)) == expected
    table.delete_tag(tag)
    table.remove_orphan_files(int(time() * 1000), dry_run=False)
    assert content(table) == result


@pytest.mark.parametrize("to", [{"snapshot": 2}, {"tag": "v2"}, {"timestamp": 2999}, {"watermark": 250}])
def test_ways_to_name_the_target(table: Table, to: dict[str, Any]) -> None:
    change(table, lambda number: {"timeMillis": number * 1000, "watermark": number * 100})
    table.create_tag("v2", 2, "1 ms")
    done = table.rollback_to(**to, as_latest=True)
    assert repr(done) == f"<db.t: snapshot 5 has the rows of 2, kept by tag {done.kept_by}>"
    assert (ids(table), table.snapshot().watermark, done.files_back) == ([1, 2], 200, 0)
    assert sorted(table.tags()) == sorted([done.kept_by, "v2"])
    assert table.tags()[done.kept_by or ""].retained is None
    assert done.metrics is not None
    assert (done.metrics.files_deleted, done.metrics.bytes_deleted > 0) == (2, True)
    noted = table.snapshot().properties
    assert noted["workbench.statement"] == "ROLLBACK TO SNAPSHOT 2 AS LATEST"


def test_a_version_that_only_a_tag_keeps(table: Table) -> None:
    table.create_tag("old", 1)
    expire(table, 1)
    table.rollback_to(snapshot=1, as_latest=True)
    assert (ids(table), [each.id for each in table.snapshots()]) == ([1], [2, 3, 4, 5])


def test_properties_of_a_version_are_restored(table: Table) -> None:
    noted = {"workbench.statement": "DELETE", "workbench.compaction": "[]", "job": "nightly"}
    change(table, lambda number: {"properties": noted} if number == 2 else {})
    table.analyze()
    assert table.snapshot().statistics is not None
    table.rollback_to(snapshot=2, as_latest=True)
    result = table.snapshot()
    assert result.statistics is None
    assert set(result.properties) == {"job", "workbench.writer", "workbench.statement"}
    table.rollback_to(snapshot=5, as_latest=True)
    assert table.snapshot().statistics == table.snapshot(5).statistics


def test_in_a_branch_and_in_a_sandbox(table: Table) -> None:
    table.create_branch("dev", snapshot=2)
    branch = table.branch("dev")
    branch.write(row(9))
    branch.rollback_to(snapshot=2, as_latest=True)
    assert (ids(branch), branch.snapshot().id, ids(table)) == ([1, 2], 4, [1, 2, 3, 4])
    with table.sandbox() as trial:
        trial.rollback_to(snapshot=3, as_latest=True)
        assert ids(table) == [1, 2, 3, 4]
        trial.apply()
    assert (ids(table), table.snapshot().id) == ([1, 2, 3], 5)


class OtherWriter(LocalFileIO):
    """A store in which another writer commits snapshot 5 first."""

    def put_if_absent(self, path: str, data: bytes) -> bool:
        if path.endswith("snapshot-5"):
            stored = json.loads(self.read_bytes(path.replace("snapshot-5", "snapshot-4")))
            super().put_if_absent(path, json.dumps({**stored, "id": 5}).encode())
        return super().put_if_absent(path, data)


def test_another_writer_is_not_undone(table: Table) -> None:
    before = {path for path in Path(table.location).rglob("*") if path.is_file()}
    other = Table(table.store.with_file_io(OtherWriter()))
    with pytest.raises(CommitConflict, match=r"committed snapshot 5 to db\.t first"):
        other.rollback_to(snapshot=2, as_latest=True)
    after = {path for path in Path(table.location).rglob("*") if path.is_file()}
    assert {path.name for path in after - before} == {"snapshot-5"}
    assert (ids(table), table.tags()) == ([1, 2, 3, 4], {})


# --- watermarks -------------------------------------------------------------------------------------------------------


def change(table: Table, values: Callable[[int], dict[str, Any]]) -> None:
    """Add to each snapshot file the members that ``values`` returns for its id."""
    for number in [each.id for each in table.snapshots()]:
        path = Path(table.location, "snapshot", f"snapshot-{number}")
        path.write_text(json.dumps({**json.loads(path.read_text()), **values(number)}))


@pytest.mark.parametrize(("watermark", "version"), [(200, 3), (201, 3), (299, 3), (300, 4), (2**62, 4), (150, 2)])
def test_rolling_back_to_a_watermark(table: Table, watermark: int, version: int) -> None:
    """A rollback finds the last version whose watermark does not exceed the given one; version 1 has none."""
    change(table, lambda number: {"watermark": {2: 150, 3: 200, 4: 300}[number]} if number > 1 else {})
    assert table.rollback_to(watermark=watermark).snapshot == version
    assert ids(table) == list(range(1, version + 1))


def test_watermarks_that_cannot_be_restored(table: Table) -> None:
    with pytest.raises(SnapshotNotFound, match="no snapshot with watermark 5 or earlier"):
        table.rollback_to(watermark=5)
    change(table, lambda number: {"watermark": 150} if number > 1 else {})
    with pytest.raises(SnapshotNotFound, match="no snapshot with watermark 149 or earlier"):
        table.rollback_to(watermark=149)
    assert ids(table) == [1, 2, 3, 4]


# --- the oldest snapshot ----------------------------------------------------------------------------------------------


def earliest(table: Table) -> str:
    return Path(table.location, "snapshot", "EARLIEST").read_text()


@pytest.mark.parametrize(
    ("missing", "hint", "before", "found"),
    [((2,), None, 1, 3), ((2,), "1", 1, 3), ((1, 3), "2", 2, 4), ((), "2", 2, 2), ((), None, 1, 1), ((1,), "1", 2, 2)],
)
def test_repairing_the_oldest_snapshot(
    table: Table, missing: tuple[int, ...], hint: str | None, before: int, found: int
) -> None:
    expire(table, *missing)
    if hint is not None:
        Path(table.location, "snapshot", "EARLIEST").write_text(hint)
    done = table.repair_earliest_snapshot()
    assert (done.before, done.snapshot, earliest(table)) == (before, found, str(found))
    assert repr(done) == f"<db.t: the oldest snapshot is {found}, previously {before}>"
    assert table.repair_earliest_snapshot(found).before == found


def test_another_snapshot_than_the_one_expected(catalog: FileSystemCatalog, table: Table) -> None:
    expire(table, 2)
    Path(table.location, "snapshot", "EARLIEST").write_text("1")
    for number in (1, 2, 4, 9):
        with pytest.raises(InvalidRequest, match=f"Snapshot {number} cannot be the oldest .* missing after 3"):
            table.repair_earliest_snapshot(number)
    assert earliest(table) == "1"
    with pytest.raises(SnapshotNotFound, match="never written"):
        catalog.create_table("db.empty", {"id": "INT"}).repair_earliest_snapshot()
