"""Where every request takes long, requests are sent at the same time."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import CommitConflict, CorruptFile
from workbench.datafile import data_input
from workbench.datafile.ahead import REQUESTS, reading_ahead
from workbench.datafile.formats import avro_reader, orc_reader
from workbench.datafile.open import open_data_file
from workbench.lens.history.history import collect_history
from workbench.storage.file_io import FileIO
from workbench.storage.stores import registry
from workbench.storage.stores.failures import StorageError
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
    assert together["read_bytes"] > 2
    with noted(slow) as together:
        assert len(reopened(table).snapshots()) == WRITES
    assert together["read_bytes"] >= WRITES // 2
    with noted(slow) as together:
        str(wb.health(reopened(table)))
    assert together["list_files"] >= 3


def test_runs_that_are_merged_are_read_together(table: wb.Table, slow: SlowFileIO) -> None:
    for number in range(WRITES):
        write(table, number)
    opened = reopened(table)
    opened.scan().plan()
    with noted(slow) as together:
        rows = opened.to_arrow(where="id = 7")
    assert rows.to_pylist() == [{"id": 7, "v": f"{WRITES - 1}"}]
    assert together["read_bytes"] > WRITES // 2


def test_a_compaction_reads_its_files_together(table: wb.Table, slow: SlowFileIO) -> None:
    for number in range(WRITES):
        write(table, number)
    with noted(slow) as together:
        table.compact(full=True)
    assert together["read_bytes"] > WRITES // 2
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


def test_few_versions_of_a_remote_history_are_measured(table: wb.Table) -> None:
    for number in range(20):
        table.write([{"id": number, "v": "x"}])
    history = collect_history(table)
    assert history.complete
    assert len(history.bins.ids) == 20
    assert sum(files is not None for files in history.bins.files) == 16


def test_an_interrupted_upload_leaves_nothing(table: wb.Table, slow: SlowFileIO) -> None:
    write(table)
    before = {each.name for each in slow.list_files(table.store.path("manifest"))}
    begun = threading.Event()

    def interrupt() -> None:
        assert begun.wait(10)
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    def slowly(operation: Operation) -> bool:
        if operation.name == "write_bytes" and "/manifest/" in operation.path:
            begun.set()
            time.sleep(0.5)
        return False

    slow.fails = slowly
    user = threading.Thread(target=interrupt)
    user.start()
    with pytest.raises(KeyboardInterrupt):
        write(table, 1)
    user.join()
    assert not slow.running["write_bytes"]
    assert {each.name for each in slow.list_files(table.store.path("manifest"))} == before


def numbers(table: wb.Table, columns: int, rows: int, options: dict[str, str]) -> wb.Table:
    """A table beside another one, with one file of random numbers."""
    catalog = wb.connect(table.store.location.rpartition("/shop.db")[0])
    names = [f"c{number}" for number in range(columns)]
    made = catalog.create_table("shop.numbers", dict.fromkeys(names, "BIGINT"), options={"bucket": "-1", **options})
    chance = np.random.default_rng(7)
    made.write(pa.table({name: chance.integers(0, 1 << 62, rows) for name in names}))
    return wb.connect(catalog.warehouse).get_table("shop.numbers")


def noted_reads(slow: SlowFileIO) -> list[str]:
    """A list of the reads of data files from now on."""
    reads: list[str] = []

    def note(operation: Operation) -> bool:
        if "/bucket-" in operation.path and operation.name.startswith("read"):
            reads.append(operation.name)
        return False

    slow.fails = note
    return reads


def test_parts_of_a_small_file_are_one_request(
    table: wb.Table, slow: SlowFileIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.scan.split_reader._PART_ROWS", 1 << 17)
    opened = numbers(table, 1, 300_000, {})
    reads = noted_reads(slow)
    assert opened.to_arrow().num_rows == 300_000
    assert reads == ["read_bytes"]


@pytest.mark.parametrize("whole_bytes", [4 << 20, 0], ids=["whole", "by ranges"])
def test_a_streamed_file_is_not_kept(
    table: wb.Table, slow: SlowFileIO, monkeypatch: pytest.MonkeyPatch, whole_bytes: int
) -> None:
    monkeypatch.setattr(data_input, "_WHOLE_REMOTE_BYTES", whole_bytes)
    opened = numbers(table, 2, 10_000, {})
    (split,) = opened.scan().plan()
    (file,) = split.files
    given: list[bytes] = []
    for method in ("read_bytes", "read_range"):
        read = getattr(slow.inner, method)
        monkeypatch.setattr(slow.inner, method, lambda *where, read=read: given.append(read(*where)) or given[-1])
    reader = open_data_file(opened.store, split.path(file), file, opened.schema)
    assert sum(each.num_rows for each in reader.batches(["c0", "c1"], 1000)) == 10_000
    assert given
    # Those of the list, of the loop and of the call.
    assert [sys.getrefcount(each) for each in given] == [3] * len(given)


def test_few_columns_of_an_orc_file_are_few_requests(
    table: wb.Table, slow: SlowFileIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_input, "_WHOLE_REMOTE_BYTES", 0)
    monkeypatch.setattr(orc_reader, "_BYTES_AHEAD", 1 << 10)
    opened = numbers(table, 9, 60_000, {"file.format": "orc"})
    reads = noted_reads(slow)
    assert opened.to_arrow(["c1", "c7"]).num_rows == 60_000
    assert len(reads) <= 5


def test_a_reader_of_avro_keeps_one_range(table: wb.Table, slow: SlowFileIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_input, "_WHOLE_REMOTE_BYTES", 0)
    monkeypatch.setattr(avro_reader, "_BYTES_AHEAD", 128 << 10)
    opened = numbers(table, 4, 60_000, {"file.format": "avro"})
    given: list[bytes] = []
    read = slow.inner.read_range
    monkeypatch.setattr(slow.inner, "read_range", lambda *where: given.append(read(*where)) or given[-1])
    batches = opened.to_batches()
    assert batches.read_next_batch().num_rows
    # The tail and the last range.
    assert len([each for each in given if sys.getrefcount(each) > 3]) <= 2 < len(given)


@pytest.mark.parametrize("whole_bytes", [4 << 20, 0], ids=["whole", "by ranges"])
@pytest.mark.parametrize("file_format", ["parquet", "orc", "avro"])
def test_a_failed_request_keeps_its_cause(
    table: wb.Table, slow: SlowFileIO, monkeypatch: pytest.MonkeyPatch, file_format: str, whole_bytes: int
) -> None:
    monkeypatch.setattr(data_input, "_WHOLE_REMOTE_BYTES", whole_bytes)
    opened = numbers(table, 1, 1000, {"file.format": file_format})

    def fails(operation: Operation) -> bool:
        if "/bucket-" in operation.path:
            raise StorageError(f"The storage lake:9000 does not answer: {operation.path}.")
        return False

    slow.fails = fails
    with pytest.raises(StorageError, match="lake:9000 does not answer"):
        opened.to_arrow()
    with pytest.raises(StorageError, match="lake:9000 does not answer"):
        opened.to_batches().read_all()
    slow.fails = lambda _: False
    (split,) = opened.scan().plan()
    slow.delete(split.path(split.files[0]))
    with pytest.raises(CorruptFile, match="the file is missing"):
        opened.to_arrow()


def test_a_dead_storage_is_not_waited_for_once_for_each_file(table: wb.Table, slow: SlowFileIO) -> None:
    opened = numbers(table, 1, 10, {})
    (split,) = opened.scan().plan()
    (file,) = split.files
    requests = []

    def fails(operation: Operation) -> bool:
        if operation.name != "read_bytes":
            return False
        requests.append(operation)
        raise StorageError("The storage lake:9000 does not answer.")

    slow.fails = fails
    with pytest.raises(StorageError):
        reading_ahead(opened.store, [(split.path(file), file)] * 200)
    assert len(requests) <= 2 * REQUESTS


def test_a_table_that_was_created_again_is_noticed(table: wb.Table) -> None:
    """Shortly after it was opened, a table is not looked for again; creating another one takes longer."""
    write(table)
    opened = reopened(table)
    assert opened.snapshot().id == 1
    other = reopened(table)
    catalog = wb.connect(table.store.location.rpartition("/shop.db")[0])
    catalog.drop_table("shop.t")
    catalog.create_table("shop.t", {"other": "STRING"}).write([{"other": "row"}])
    time.sleep(0.5)
    for handle in (opened, other):
        with pytest.raises(wb.TableNotFound, match="created again"):
            handle.snapshot()
        with pytest.raises(wb.TableNotFound, match="created again"):
            handle.to_arrow()
