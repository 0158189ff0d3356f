"""Threads of a server that read the same at the same time send one request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

import workbench as wb
from workbench.catalog.shared_reads import SharedReads, with_shared_reads
from workbench.server.catalog_cache import CatalogCache
from workbench.storage.file_io import FileIO, FileStatus
from workbench.storage.local import LocalFileIO
from workbench.storage.wrappers import DelegatingFileIO

PATH = "memory://lake/shop.db"


class HeldFileIO(DelegatingFileIO):
    """Answers when the test lets it."""

    def __init__(self, inner: FileIO) -> None:
        super().__init__(inner)
        self.sent: list[str] = []
        self.arrived = threading.Semaphore(0)
        self.answers = threading.Event()
        self.fails = False

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        self._hold(f"{path} {prefix}")
        return [FileStatus(f"{path}/{prefix}1", 0, 0, False)]

    def exists(self, path: str) -> bool:
        self._hold(path)
        return False

    def _hold(self, request: str) -> None:
        self.sent.append(request)
        self.arrived.release()
        assert self.answers.wait(20)
        if self.fails:
            raise OSError("The storage does not answer.")


@pytest.fixture
def held() -> HeldFileIO:
    return HeldFileIO(LocalFileIO())


def _at_once(held: HeldFileIO, reads: list[Callable[[], object]], sent: int) -> list[Future[object]]:
    """Begin all reads before the first answer; ``sent`` of them arrive at the storage."""
    begun = threading.Barrier(len(reads) + 1)

    def begin(read: Callable[[], object]) -> object:
        begun.wait(20)
        return read()

    with ThreadPoolExecutor(len(reads)) as threads:
        futures = [threads.submit(begin, read) for read in reads]
        begun.wait(20)
        for _ in range(sent):
            assert held.arrived.acquire(timeout=20)
        # The other threads have begun, and only have to find the request.
        time.sleep(0.3)
        held.answers.set()
    return futures


def test_the_same_reads_are_sent_once(held: HeldFileIO) -> None:
    shared = SharedReads(held)
    futures = _at_once(held, [lambda: shared.list_files(PATH, "snapshot-")] * 5, sent=1)
    results = [future.result() for future in futures]
    assert results == [[FileStatus(f"{PATH}/snapshot-1", 0, 0, False)]] * 5
    assert len({id(result) for result in results}) == 5, "each thread may change its list"
    assert held.sent == [f"{PATH} snapshot-"]


def test_other_reads_are_not_shared(held: HeldFileIO) -> None:
    shared = SharedReads(held)
    reads: list[Callable[[], object]] = [
        lambda: shared.list_files(PATH, "snapshot-"),
        lambda: shared.list_files(PATH, "schema-"),
        lambda: shared.exists(PATH),
    ]
    _at_once(held, reads, sent=3)
    assert len(held.sent) == 3


def test_a_later_read_is_sent_again(held: HeldFileIO) -> None:
    shared = SharedReads(held)
    held.answers.set()
    for _ in range(2):
        shared.exists(PATH)
    assert held.sent == [PATH, PATH]


def test_all_threads_get_the_error(held: HeldFileIO) -> None:
    shared = SharedReads(held)
    held.fails = True
    futures = _at_once(held, [lambda: shared.exists(PATH)] * 3, sent=1)
    for future in futures:
        with pytest.raises(OSError, match="does not answer"):
            future.result()
    held.fails = False
    assert shared.exists(PATH) is False


def test_the_server_shares_the_reads_of_remote_catalogs(tmp_path: Path) -> None:
    opened = CatalogCache().open({"warehouse": "memory://shared/lake"})
    assert isinstance(_storage(opened), SharedReads)
    assert not isinstance(_storage(wb.connect("memory://shared/lake")), SharedReads)
    assert not isinstance(_storage(with_shared_reads(wb.connect(tmp_path))), SharedReads)


def _storage(catalog: wb.Catalog) -> FileIO:
    return catalog.metastore.storages.at(catalog.warehouse)
