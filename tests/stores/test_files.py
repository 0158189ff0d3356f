"""The files and directories of each storage."""

from __future__ import annotations

import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.stores.servers import RunningStore
from workbench.base.parallel import parallel_map
from workbench.storage.file_io import FileIO, join
from workbench.storage.open import file_io_for


@pytest.fixture
def files(store: RunningStore, warehouse: str) -> FileIO:
    return file_io_for(warehouse, store.options)


def test_put_if_absent(files: FileIO, warehouse: str) -> None:
    path = join(warehouse, "snapshot", "snapshot-1")
    assert files.put_if_absent(path, b"first") is True
    assert files.put_if_absent(path, b"second") is False
    assert files.read_bytes(path) == b"first"
    assert files.supports_put_if_absent
    assert [each.name for each in files.list_files(join(warehouse, "snapshot"))] == ["snapshot-1"]


def test_threads_race(files: FileIO, store: RunningStore, warehouse: str) -> None:
    wins: list[int] = []

    def run() -> None:
        own = file_io_for(warehouse, store.options)
        wins.extend(i for i in range(10) if own.put_if_absent(join(warehouse, "race", str(i)), b"x" * 100))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(wins) == list(range(10))
    assert len(files.list_files(join(warehouse, "race"))) == 10


def test_directories(files: FileIO, warehouse: str) -> None:
    shop = join(warehouse, "shop.db")
    files.make_directory(shop)
    assert [(each.name, each.is_directory) for each in files.list_files(warehouse)] == [("shop.db", True)]
    assert files.list_files(shop) == []
    assert files.exists(shop)
    files.write_bytes(join(shop, "orders", "schema", "schema-0"), b"{}")
    files.write_bytes(join(shop, "orders", "f%3A x"), b"12")
    listed = [(each.name, each.size, each.is_directory) for each in files.list_files(join(shop, "orders"))]
    assert listed == [("f%3A x", 2, False), ("schema", 0, True)]
    files.rename(join(shop, "orders"), join(shop, "sales"))
    assert files.read_bytes(join(shop, "sales", "schema", "schema-0")) == b"{}"
    assert not files.exists(join(shop, "orders"))
    files.delete_directory(shop)
    assert not files.exists(shop)
    files.delete_directory(shop)


def test_missing_files(files: FileIO, warehouse: str) -> None:
    nothing = join(warehouse, "nothing")
    files.delete(nothing)
    assert files.list_files(nothing) == []
    assert files.status(nothing) is None
    with pytest.raises(FileNotFoundError):
        files.delete(nothing, missing_ok=False)
    with pytest.raises(FileNotFoundError):
        files.read_bytes(nothing)
    with pytest.raises(FileNotFoundError):
        files.read_range(nothing, 0, 10)


def test_names_with_a_prefix(files: FileIO, warehouse: str) -> None:
    for name in ("a-1", "a-10", "a-2", "b-1", "a-3/deeper"):
        files.write_bytes(join(warehouse, name), b"x")
    assert [each.name for each in files.list_files(warehouse, "a-1")] == ["a-1", "a-10"]
    listed = [(each.name, each.is_directory) for each in files.list_files(warehouse, "a-")]
    assert listed == [("a-1", False), ("a-10", False), ("a-2", False), ("a-3", True)]
    assert files.list_files(warehouse, "c") == []


def test_versions_of_files(files: FileIO, warehouse: str) -> None:
    path = join(warehouse, "f")
    files.write_bytes(path, b"1")
    (first,) = files.list_files(warehouse)
    (again,) = files.list_files(warehouse)
    files.write_bytes(path, b"2")
    (second,) = files.list_files(warehouse)
    assert first.content_key == again.content_key != second.content_key


def test_listings_are_fresh(files: FileIO, store: RunningStore, warehouse: str) -> None:
    other, directory = file_io_for(warehouse, store.options), join(warehouse, "fresh")
    assert files.list_files(directory) == []
    files.write_bytes(join(directory, "1"), b"x")
    assert len(other.list_files(directory)) == 1
    files.write_bytes(join(directory, "2"), b"x")
    assert len(other.list_files(directory)) == 2
    files.delete(join(directory, "1"))
    assert not other.exists(join(directory, "1"))


@pytest.mark.long
def test_more_than_a_page_of_names(files: FileIO, warehouse: str) -> None:
    """Stores list at most 1,000 or 5,000 names at a time."""
    names = [f"{number:04}" for number in range(1_050)]
    parallel_map(lambda name: files.write_bytes(join(warehouse, "many", name), b""), names, workers=8)
    assert [each.name for each in files.list_files(join(warehouse, "many"))] == names
    files.delete_directory(join(warehouse, "many"))
    assert files.list_files(join(warehouse, "many")) == []


@pytest.mark.parametrize("rows", [10, 400_000])
def test_parquet(files: FileIO, warehouse: str, rows: int) -> None:
    table = pa.table({column: pa.array(range(rows)) for column in "abc"})
    path = join(warehouse, "bucket-0", f"data-{rows}.parquet")
    with files.open_output(path) as sink:
        pq.write_table(table, sink)
    with files.open_input(path) as source:
        assert pq.read_table(source, columns=["b"]).equals(table.select(["b"]))
    status = files.status(path)
    assert status is not None
    assert files.read_range(path, status.size - 4, 4) == b"PAR1"
