"""The catalog lock, between threads and between processes."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from workbench.base.clock import ManualClock
from workbench.base.errors import CatalogError
from workbench.storage.lock import CatalogLock, LocalFileLock, NoLock

COUNT_UP = """
import sys
from workbench.storage.lock import LocalFileLock
lock, path = LocalFileLock(sys.argv[1]), sys.argv[2]
for _ in range(50):
    with lock.lock("shop", "orders"):
        with open(path) as file:
            value = int(file.read())
        with open(path, "w") as file:
            file.write(str(value + 1))
"""


def test_processes_take_turns(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    command = [sys.executable, "-c", COUNT_UP, str(tmp_path / "locks"), str(counter)]
    running = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait() for process in running] == [0, 0]
    assert counter.read_text() == "100"


def test_threads_take_turns(tmp_path: Path) -> None:
    lock = LocalFileLock(str(tmp_path))
    inside: list[int] = []
    maximum: list[int] = []

    def work() -> None:
        for _ in range(20):
            with lock.lock("d", "t"):
                inside.append(1)
                maximum.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert maximum == [1] * 60


def test_timeout_names_the_table(tmp_path: Path) -> None:
    holder, waiter = LocalFileLock(str(tmp_path)), LocalFileLock(str(tmp_path), timeout=5, clock=ManualClock())
    with holder.lock("shop", "orders"):
        with pytest.raises(CatalogError, match=r"shop\.orders was not free within 5 s"), waiter.lock("shop", "orders"):
            pytest.fail("held by another")
        with waiter.lock("shop", "other"):
            pass
    with waiter.lock("shop", "orders"):
        pass


def test_names_never_share_a_lock_nor_leave_the_directory(tmp_path: Path) -> None:
    lock = LocalFileLock(str(tmp_path / "locks"), timeout=0)
    with lock.lock("a@b", "c"), lock.lock("a", "b@c"), lock.lock("../x", "y/z"), lock.lock("a.b", "c"):
        assert len(list((tmp_path / "locks").iterdir())) == 4
    assert [p.name for p in tmp_path.iterdir()] == ["locks"]


def test_an_error_inside_frees_the_lock(tmp_path: Path) -> None:
    lock = LocalFileLock(str(tmp_path), timeout=0)
    with pytest.raises(ZeroDivisionError), lock.lock("d", "t"):
        raise ZeroDivisionError
    with lock.lock("d", "t"):
        pass


def test_no_lock() -> None:
    lock: CatalogLock = NoLock()
    with lock.lock("d", "t"), lock.lock("d", "t"):
        pass
