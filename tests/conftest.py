"""Settings of the whole test suite."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
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
