"""Operations count their work, and report it in one line of the log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from workbench.base.metrics import Metrics
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table


@pytest.fixture
def table(catalog: FileSystemCatalog) -> Table:
    created = catalog.create_table("db.t", {"id": "BIGINT"}, options={"compaction.min.file-num": "2"})
    for number in range(3):
        created.write(rows(number, 10))
    return created


def rows(first: int, count: int) -> pa.Table:
    return pa.table({"id": pa.array(range(first, first + count), pa.int64())})


def size_of(table: Table) -> int:
    return sum(file.file_size for split in table.scan().plan() for file in split.files)


def counts(metrics: Metrics | None) -> dict[str, int]:
    assert metrics is not None
    names = (f"{what}_{done}" for what in ("rows", "files", "bytes") for done in ("read", "written"))
    result = {name: getattr(metrics, name) for name in (*names, "files_deleted", "bytes_deleted")}
    return {name: count for name, count in result.items() if count}


def test_a_write(table: Table) -> None:
    before = size_of(table)
    metrics = table.write(rows(50, 7)).metrics
    assert counts(metrics) == {"rows_written": 7, "files_written": 1, "bytes_written": size_of(table) - before}
    assert metrics is not None
    assert metrics.requests["open_output"] == 1
    assert metrics.requests["put_if_absent"] == 1
    assert metrics.seconds["total"] > 0


def test_a_compaction(table: Table) -> None:
    before = size_of(table)
    metrics = table.compact().metrics
    after = size_of(table)
    result = {"rows_read": 30, "rows_written": 30, "files_read": 3, "files_written": 1, "files_deleted": 3}
    assert counts(metrics) == {**result, "bytes_read": before, "bytes_written": after, "bytes_deleted": before}
    assert metrics is not None
    assert metrics.seconds["total"] >= metrics.seconds["commit compaction"] > 0
    assert sum(metrics.requests.values()) > 6


def test_files_that_are_only_lifted(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.k", {"id": "BIGINT"}, primary_key="id", options={"bucket": "1"})
    table.write(rows(0, 9))
    compaction = table.compact(full=True)
    assert len(compaction.compactions) == 1
    assert counts(compaction.metrics) == {}


def test_a_sort(table: Table) -> None:
    before = size_of(table)
    result = counts(table.compact(order_by=["id"]).metrics)
    assert (result["rows_read"], result["files_read"], result["bytes_read"]) == (30, 3, before)
    assert (result["rows_written"], result["files_written"]) == (30, 1)


def test_an_expiry(table: Table) -> None:
    table.compact()
    size = sum(file.file_size for split in table.at(snapshot=3).scan().plan() for file in split.files)
    dry = table.expire_snapshots(retain_max=1, retain_min=1, dry_run=True)
    assert counts(dry.metrics) == {}
    done = table.expire_snapshots(retain_max=1, retain_min=1)
    assert counts(done.metrics) == {"files_deleted": len(done.deleted_files), "bytes_deleted": size}
    assert done.metrics is not None
    assert done.metrics.requests["delete"] >= len(done.deleted_files)


def test_a_scan(table: Table) -> None:
    scan = table.scan(where="id < 2")
    assert scan.metrics is None
    assert scan.to_arrow().num_rows == 3
    files = [file for split in scan.plan() for file in split.files]
    read = {"rows_read": 3, "files_read": len(files), "bytes_read": sum(file.file_size for file in files)}
    assert counts(scan.metrics) == read
    assert scan.metrics is not None
    assert set(scan.metrics.seconds) == {"total", "plan"}
    assert sum(scan.metrics.requests.values()) >= len(files)


def test_a_count(table: Table) -> None:
    scan = table.scan()
    assert scan.count() == 30
    assert counts(scan.metrics) == {}
    assert scan.metrics is not None
    assert set(scan.metrics.seconds) == {"total", "plan"}
    uncertain = table.scan(where="id < 2", limit=2)
    assert uncertain.count() == 2
    files = [file for split in uncertain.plan() for file in split.files]
    assert len(files) == 2
    read = {"rows_read": 3, "files_read": 2, "bytes_read": sum(file.file_size for file in files)}
    assert counts(uncertain.metrics) == read
    without_columns = table.scan(columns=[])
    assert without_columns.to_arrow().num_rows == 30
    assert without_columns.metrics is not None


def test_an_expiry_of_partitions(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.p", {"id": "BIGINT", "dt": "STRING"}, partition_by=["dt"])
    days = pa.array([f"2020-01-0{number}" for number in range(1, 4)])
    table.write(rows(0, 3).append_column("dt", days))
    size = size_of(table)
    assert counts(table.expire_partitions("1 d", dry_run=True).metrics) == {}
    metrics = table.expire_partitions("1 d").metrics
    assert counts(metrics) == {"files_deleted": 3, "bytes_deleted": size}
    assert metrics is not None
    assert metrics.requests["put_if_absent"] == 1


def test_missing_files(table: Table) -> None:
    size = size_of(table)
    for path in Path(table.location, "bucket-0").iterdir():
        path.unlink()
    assert counts(table.remove_unexisting_files().metrics) == {}
    metrics = table.remove_unexisting_files(dry_run=False).metrics
    assert counts(metrics) == {"files_deleted": 3, "bytes_deleted": size}


def test_a_stream(table: Table) -> None:
    scan = table.scan()
    stream = scan.to_batches()
    assert scan.metrics is None
    assert stream.read_all().num_rows == 30
    assert counts(scan.metrics) == {"rows_read": 30, "files_read": 3, "bytes_read": size_of(table)}


@pytest.mark.parametrize(
    ("operation", "run"),
    [
        ("write", lambda table: table.write(rows(7, 1))),
        ("compact", lambda table: table.compact()),
        ("sort", lambda table: table.compact(order_by=["id"])),
        ("compact manifests", lambda table: table.compact_manifest()),
        ("expire snapshots", lambda table: table.expire_snapshots()),
        ("remove orphan files", lambda table: table.remove_orphan_files()),
        ("count", lambda table: table.scan().count()),
        ("remove unexisting files", lambda table: table.remove_unexisting_files()),
        ("purge files", lambda table: table.purge_files(dry_run=False)),
        ("roll back as latest", lambda table: table.rollback_to(snapshot=1, as_latest=True)),
        ("scan", lambda table: table.to_arrow()),
        ("scan", lambda table: table.to_batches().read_all()),
    ],
)
def test_one_line_for_each_operation(
    table: Table, operation: str, run: Callable[[Table], Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "workbench"):
        run(table)
    (record,) = (each for each in caplog.records if each.name == "workbench")
    assert record.levelname == "INFO"
    assert record.getMessage().startswith(f"{operation} of db.t: ")
    assert "requests" in record.getMessage()


def test_text() -> None:
    metrics = Metrics(rows_read=1234, files_read=2, seconds={"total": 0.5}, requests={"open_input": 2, "status": 1})
    assert str(metrics) == "rows_read 1,234, files_read 2, total 0.500 s, 3 requests"
