"""Partitions marked done, and data files that are lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.maintained_tables import clocked, files
from tests.support.versioned import ids, row
from workbench.base.errors import CorruptFile, InvalidRequest, SchemaMismatch, Unsupported
from workbench.base.progress import Progress, Step
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table


def partitioned(catalog: FileSystemCatalog, **options: str) -> Table:
    columns = {"id": "INT", "dt": "DATE NOT NULL", "hour": "INT NOT NULL"}
    return catalog.create_table("db.p", columns, partition_by=["dt", "hour"], options=options)


def test_marked_done(tmp_path: Path) -> None:
    catalog, clock = clocked(tmp_path)
    table = partitioned(catalog, **{"partition.legacy-name": "false"})
    done = table.mark_partitions_done([{"dt": "2026-01-02", "hour": 7}, {"hour": "8", "dt": "2026-01-02"}])
    assert done.partitions == ("dt=2026-01-02/hour=7", "dt=2026-01-02/hour=8")
    path = Path(table.location, "dt=2026-01-02", "hour=7", "_SUCCESS")
    assert str(path) == done.files[0]
    first = clock.now_millis()
    assert json.loads(path.read_text()) == {"creationTime": first, "modificationTime": first}
    clock.advance(5)
    table.mark_partitions_done([{"dt": "2026-01-02", "hour": 7}])
    assert json.loads(path.read_text()) == {"creationTime": first, "modificationTime": first + 5}
    assert ": 2 partitions, 2 files>" in repr(done)
    assert table.remove_orphan_files(first).files == ()
    path.write_text("{}")
    with pytest.raises(CorruptFile, match="_SUCCESS"):
        table.mark_partitions_done([{"dt": "2026-01-02", "hour": 7}])


@pytest.mark.parametrize(
    ("partition", "error", "match"),
    [
        ({"dt": "2026-01-02"}, InvalidRequest, "missing column 'hour'"),
        ({"dt": "2026-01-02", "huor": 1}, SchemaMismatch, "Did you mean 'hour'"),
        ({"dt": "yesterday", "hour": 1}, SchemaMismatch, "'yesterday' is not a value"),
        ({"dt": "2026-01-02", "hour": 2**40}, SchemaMismatch, "not a value"),
    ],
)
def test_invalid_partitions(
    catalog: FileSystemCatalog, partition: dict[str, object], error: type[Exception], match: str
) -> None:
    table = partitioned(catalog)
    with pytest.raises(error, match=match):
        table.mark_partitions_done([{"dt": "2026-01-02", "hour": 1}, partition])
    assert not list(Path(table.location).rglob("_SUCCESS"))


@pytest.mark.parametrize("action", ["done-partition", "success-file,mark-event", "http-report", "custom"])
def test_actions_that_need_more(catalog: FileSystemCatalog, action: str) -> None:
    table = partitioned(catalog, **{"partition.mark-done-action": action})
    with pytest.raises(Unsupported, match=action.split(",")[-1]):
        table.mark_partitions_done([{"dt": "2026-01-02", "hour": 1}])
    assert not list(Path(table.location).rglob("_SUCCESS"))


def test_a_table_without_partitions(catalog: FileSystemCatalog) -> None:
    with pytest.raises(InvalidRequest, match="no partitions"):
        catalog.create_table("db.t", {"id": "INT"}).mark_partitions_done([{}])


@pytest.mark.parametrize("keyed", [False, True])
def test_lost_files(catalog: FileSystemCatalog, keyed: bool) -> None:
    options = {"bucket": "2", "bucket-key": "id", "write-only": "true"}
    columns = {"id": "INT NOT NULL"}
    table = catalog.create_table("db.t", columns, primary_key=["id"] if keyed else [], options=options)
    for number in range(6):
        table.write(row(number))
    whole = table.remove_unexisting_files()
    assert (whole.files, whole.dry_run) == ((), True)
    lost = sorted(map(str, Path(table.location).rglob("data-*.parquet")))[:2]
    for path in lost:
        Path(path).unlink()
    table = connect(catalog.warehouse).get_table("db.t")
    with pytest.raises(CorruptFile):
        table.to_arrow()
    steps: list[Step] = []
    result = table.remove_unexisting_files(progress=Progress(steps.append))
    assert (sorted(result.files), result.records, result.snapshot, table.snapshot().id) == (lost, 2, None, 6)
    assert max(step.done for step in steps) == 6
    done = table.remove_unexisting_files(dry_run=False)
    assert (sorted(done.files), done.records, done.snapshot) == (lost, 2, 7)
    snapshot = table.snapshot()
    assert (snapshot.commit_kind, snapshot.delta_record_count, snapshot.total_record_count) == ("OVERWRITE", -2, 4)
    assert len(ids(table)) == 4
    assert table.remove_unexisting_files(dry_run=False).snapshot is None
    assert ": 2 files, 2 records, snapshot " in repr(done)
    table.write(row(9))
    assert len(ids(table)) == 5


def test_files_are_not_reported_missing_if_the_storage_fails(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"id": "INT"})
    table.write(row(1))
    path = Path(table.location, "manifest", table.snapshot().delta_manifest_list)
    path.write_bytes(path.read_bytes()[:30])
    table = connect(catalog.warehouse).get_table("db.t")
    before = files(table)
    with pytest.raises(CorruptFile, match="manifest-list"):
        table.remove_unexisting_files(dry_run=False)
    assert files(table) == before
