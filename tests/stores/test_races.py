"""Which of several writers was first: put-if-absent of each storage, and commits that depend on it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress

import pytest

import workbench as wb
from tests.stores.servers import RunningStore
from workbench.storage.file_io import join
from workbench.storage.open import file_io_for

_RACER = """
import json, sys, time
from workbench.storage.open import file_io_for
url, options, name, names, start = json.loads(sys.argv[1])
files = file_io_for(url, options)
files.exists(f"{url}/warm")
time.sleep(max(0, start - time.time()))
print(json.dumps([each for each in range(names) if files.put_if_absent(f"{url}/{each}", name.encode())]))
"""


def _race(store: RunningStore, url: str, processes: int, names: int) -> list[list[int]]:
    start = time.time() + 3 + processes / 2
    arguments = [json.dumps([url, store.options, f"process {number}", names, start]) for number in range(processes)]
    started = [
        subprocess.Popen([sys.executable, "-c", _RACER, each], stdout=subprocess.PIPE, text=True) for each in arguments
    ]
    ended = [each.communicate(timeout=600) for each in started]
    assert [each.returncode for each in started] == [0] * processes
    return [json.loads(output) for output, _ in ended]


def _check_winners(store: RunningStore, url: str, processes: int, names: int) -> None:
    won = _race(store, url, processes, names)
    winners = Counter(name for each in won for name in each)
    assert winners == dict.fromkeys(range(names), 1)
    files = file_io_for(url, store.options)
    assert files.supports_put_if_absent
    for number, each in enumerate(won):
        for name in each[:3]:
            assert files.read_bytes(join(url, str(name))) == f"process {number}".encode()


def test_one_of_three_processes_wins(store: RunningStore, warehouse: str) -> None:
    _check_winners(store, warehouse, processes=3, names=20)


@pytest.mark.long
def test_one_of_eight_processes_wins(store: RunningStore, warehouse: str) -> None:
    _check_winners(store, warehouse, processes=8, names=200)


_WRITER = """
import json, sys
import workbench as wb
url, options, first, commits = json.loads(sys.argv[1])
table = wb.connect(url, **options).get_table("shop.t")
for number in range(commits):
    table.write([{"id": first + number}])
"""


@pytest.mark.parametrize(
    ("writers", "commits"), [(2, 4), pytest.param(4, 100, marks=pytest.mark.long)], ids=["few", "many"]
)
def test_writers_lose_nothing(
    catalog: wb.FileSystemCatalog, store: RunningStore, warehouse: str, writers: int, commits: int
) -> None:
    table = catalog.create_table("shop.t", {"id": "BIGINT NOT NULL"}, primary_key="id", options={"bucket": "1"})
    arguments = [json.dumps([warehouse, store.options, 1000 * writer, commits]) for writer in range(writers)]
    started = [subprocess.Popen([sys.executable, "-c", _WRITER, each]) for each in arguments]
    while any(each.poll() is None for each in started):
        # A writer may have compacted the same files first.
        with suppress(wb.CommitConflict):
            table.compact()
    assert [each.returncode for each in started] == [0] * writers
    expected = [1000 * writer + number for writer in range(writers) for number in range(commits)]
    assert sorted(table.to_arrow()["id"].to_pylist()) == expected
