"""Where every request takes long, requests are sent at the same time."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest

import workbench as wb
from workbench.base.errors import CommitConflict
from workbench.storage.file_io import FileIO
from workbench.storage.stores import registry
from workbench.storage.wrappers import DelegatingFileIO, Operation

Result = TypeVar("Result")
BUCKETS, WRITES = 8, 6
SCHEMA = {"id": "BIGINT NOT NULL", "v": "STRING"}


class SlowFileIO(DelegatingFileIO):
    """A storage that takes a moment for every request, and notes how many of a kind it answered at the same time."""

    def __init__(self, inner: FileIO) -> None:
        super().__init__(inner)
        self.running: Counter[str] = Counter()
        self.together: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.fails: Callable[[Operation], bool] = lambda _: False

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:
        kind = operation.name
        with self.lock:
            self.running[kind] += 1
            self.together[kind] = max(self.together[kind], self.running[kind])
        try:
            if kind in ("read_bytes", "list_files", "write_bytes", "close_output"):
                time.sleep(0.02)
            if self.fails(operation):
                raise OSError(5, "Input/output error")
            return call()
        finally:
            with self.lock:
                self.running[kind] -= 1


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowFileIO:
    """The storage of all warehouses that are opened in a test."""
    slow = SlowFileIO(registry.open_store("memory://latency", {}))
    monkeypatch.setattr(registry, "open_store", lambda *_: slow)
    return slow


@pytest.fixture
def table(slow: SlowFileIO, request: pytest.FixtureRequest) -> Iterator[wb.Table]:
    warehouse = f"memory://latency/{request.node.name}"
    catalog = wb.connect(warehouse)
    catalog.create_database("shop")
    options = {"bucket": str(BUCKETS), "num-sorted-run.compaction-trigger": "100"}
    yield catalog.create_table("shop.t", SCHEMA, primary_key="id", options=options)
    slow.delete_directory(warehouse)


def write(table: wb.Table, number: int = 0) -> None:
    table.write([{"id": each, "v": f"{number}"} for each in range(200)])


@contextmanager
def noted(slow: SlowFileIO) -> Iterator[Counter[str]]:
    """Note from now on."""
    slow.together.clear()
    yield slow.together


def reopened(table: wb.Table) -> wb.Table:
    """The table in a catalog without caches."""
    return wb.connect(table.store.location.rpartition("/shop.db")[0]).get_table("shop.t")


def test_files_and_manifests_are_uploaded_together(table: wb.Table, slow: SlowFileIO) -> None:
    with noted(slow) as together:
        write(table)
    assert together["close_output"] > 2
    assert together["write_bytes"] >= 2


def test_manifests_files_and_snapshots_are_read_together(table: wb.Table, slow: SlowFileIO) -> None:
    for number in range(WRITES):
        write(table, number)
    opened = reopened(table)
    with noted(slow) as together:
        opened.scan().plan()
    assert together["read_bytes"] > WRITES // 2
    with noted(slow) as together:
        assert opened.to_arrow().num_rows == 200
    assert together["read_bytes"] >= BUCKETS
    with noted(slow) as together:
        assert len(reopened(table).snapshots()) == WRITES
    assert together["read_bytes"] >= WRITES - 1
    with noted(slow) as together:
        str(wb.health(reopened(table)))
    assert together["list_files"] >= 5


def test_runs_that_are_merged_are_read_together(table: wb.Table, slow: SlowFileIO) -> None:
    for number in range(WRITES):
        write(table, number)
    opened = reopened(table)
    opened.scan().plan()
    with noted(slow) as together:
        rows = opened.to_arrow(where="id = 7")
    assert rows.to_pylist() == [{"id": 7, "v": f"{WRITES - 1}"}]
    assert together["read_bytes"] >= WRITES


def test_a_compaction_reads_its_files_together(table: wb.Table, slow: SlowFileIO) -> None:
    for number in range(WRITES):
        write(table, number)
    with noted(slow) as together:
        table.compact(full=True)
    assert together["read_bytes"] >= WRITES
    assert len(table.scan().plan()) == BUCKETS
    assert {row["v"] for row in table.to_arrow().to_pylist()} == {f"{WRITES - 1}"}


@pytest.mark.parametrize("kind", ["manifest-list", "manifest-"])
def test_a_failed_upload_leaves_nothing(table: wb.Table, slow: SlowFileIO, kind: str) -> None:
    write(table)
    before = {each.name for each in slow.list_files(table.store.path("manifest"))}
    slow.fails = lambda operation: operation.name == "write_bytes" and kind in operation.path
    with pytest.raises((OSError, CommitConflict, wb.WorkbenchError)):
        write(table, 1)
    slow.fails = lambda _: False
    assert {each.name for each in slow.list_files(table.store.path("manifest"))} == before
    assert table.snapshot().id == 1
    write(table, 2)
    assert {row["v"] for row in table.to_arrow().to_pylist()} == {"2"}
