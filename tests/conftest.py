"""Settings of the whole test suite."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# A file system in memory, and what must be free there and in memory: tests of the whole suite write 1 GB.
MEMORY_DISK = Path("/dev/shm")
ENOUGH_BYTES = 8 << 30
# Tests neither fill the cache of the user nor depend on it; this also holds for the processes that they start.
os.environ["PAIMON_WORKBENCH_DISK_CACHE"] = ""
# Folders with the slowest files come first, so that small files fill the idle time of a worker at the end.
SLOW_FIRST = (
    "browser",
    "packaging",
    "spark",
    "stores",
    "catalogs",
    "interop",
    "fuzz",
    "faults",
    "notebooks",
    "golden",
    "server",
    "unit",
)


def _use_memory() -> None:
    """Create the directories of tests in memory if there is enough: removing files from a disk takes longer than many a
    test. What is needed by other programs, such as Spark, stays on the disk."""
    meminfo = Path("/proc/meminfo")
    if not (MEMORY_DISK.is_dir() and os.access(MEMORY_DISK, os.W_OK) and meminfo.is_file()):
        return
    (available,) = (line.split()[1] for line in meminfo.read_text().splitlines() if line.startswith("MemAvailable"))
    if min(shutil.disk_usage(MEMORY_DISK).free, int(available) << 10) > ENOUGH_BYTES:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY_DISK))


_use_memory()


@pytest.fixture(autouse=True, scope="session")
def _not_synchronized() -> Iterator[None]:
    """Skip ``fsync``: no test depends on files that survive a failure of the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the test files for the scheduler; the order within a file is kept."""
    items.sort(key=lambda item: _rank(item.path))


def _rank(path: Path) -> int:
    folder = path.relative_to(HERE).parts[0]
    return SLOW_FIRST.index(folder) if folder in SLOW_FIRST else len(SLOW_FIRST)
