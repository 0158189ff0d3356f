"""Which of several writers was first: put-if-absent of each storage, and commits that depend on it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime

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


@pytest.mark.long
def test_one_of_eight_processes_wins(store: RunningStore, warehouse: str) -> None:
    processes, names = 8, 200
    won = _race(store, warehouse, processes, names)
    winners = Counter(name for each in won for name in each)
    assert winners == dict.fromkeys(range(names), 1)
    files = file_io_for(warehouse, store.options)
    assert files.supports_put_if_absent
    for number, each in enumerate(won):
        for name in each[:3]:
            assert files.read_bytes(join(warehouse, str(name))) == f"process {number}".encode()


_WRITER = """
import json, sys
import workbench as wb
url, options, first, commits = json.loads(sys.argv[1])
table = wb.connect(url, **options).get_table("shop.t")
for number in range(commits):
    table.write([{"id": first + number}])
"""


def _table(catalog: wb.FileSystemCatalog) -> wb.Table:
    # Beside writers without pauses, the default of ten attempts may not be enough.
    options = {"bucket": "1", "commit.max-retries": "100"}
    return catalog.create_table("shop.t", {"id": "BIGINT NOT NULL"}, primary_key="id", options=options)


def _check_rows(table: wb.Table, writers: int, commits: int) -> None:
    expected = [1000 * writer + number for writer in range(writers) for number in range(commits)]
    assert sorted(table.to_arrow()["id"].to_pylist()) == expected


def test_threads_lose_nothing(catalog: wb.FileSystemCatalog) -> None:
    table = _table(catalog)

    def write(writer: int) -> None:
        own = catalog.get_table("shop.t")
        for number in range(3):
            own.write([{"id": 1000 * writer + number}])

    with ThreadPoolExecutor() as pool:
        working = [pool.submit(write, writer) for writer in range(2)]
        while any(each.running() for each in working):
            # A writer may have compacted the same files first.
            with suppress(wb.CommitConflict):
                table.compact()
        for each in working:
            each.result()
    _check_rows(table, writers=2, commits=3)


@pytest.mark.long
def test_processes_lose_nothing(catalog: wb.FileSystemCatalog, store: RunningStore, warehouse: str) -> None:
    table, writers, commits = _table(catalog), 4, 100
    arguments = [json.dumps([warehouse, store.options, 1000 * writer, commits]) for writer in range(writers)]
    started = [subprocess.Popen([sys.executable, "-c", _WRITER, each]) for each in arguments]
    while any(each.poll() is None for each in started):
        with suppress(wb.CommitConflict):
            table.compact()
        time.sleep(0.5)
    assert [each.returncode for each in started] == [0] * writers
    _check_rows(table, writers, commits)


_MAINTAINER = """
import json, sys, time, warnings
import workbench as wb
url, options, seconds = json.loads(sys.argv[1])
table = wb.connect(url, **options).get_table("shop.t")
end = time.time() + seconds
while time.time() < end:
    try:
        table.compact()
        table.expire_snapshots(retain_max=5, retain_min=2, older_than=int(time.time() * 1000))
    except wb.CommitConflict:
        pass
"""
_COUNTING_WRITER = """
import json, sys
import workbench as wb
url, options, first, commits = json.loads(sys.argv[1])
table = wb.connect(url, **options).get_table("shop.t")
for number in range(commits):
    table.write([{"id": first + number}])
    print(first + number, flush=True)
"""


@pytest.mark.long
def test_writers_that_are_killed_beside_maintenance(
    catalog: wb.FileSystemCatalog, store: RunningStore, warehouse: str
) -> None:
    """What was reported as written is there, once; what is left behind is found as orphan files and removed."""
    # Beside writers without pauses, the default of ten attempts may not be enough.
    options = {"bucket": "-1", "commit.max-retries": "100"}
    table = catalog.create_table("shop.t", {"id": "BIGINT NOT NULL"}, options=options)
    arguments = json.dumps([warehouse, store.options, 120])
    maintainer = subprocess.Popen([sys.executable, "-c", _MAINTAINER, arguments])
    steady = [
        subprocess.Popen(
            [sys.executable, "-c", _COUNTING_WRITER, json.dumps([warehouse, store.options, 1000 * writer, 100])],
            stdout=subprocess.PIPE,
            text=True,
        )
        for writer in range(3)
    ]
    reported: set[int] = set()
    attempts = 0
    while any(each.poll() is None for each in steady) and attempts < 40:
        attempts += 1
        first = 100_000 + 1000 * attempts
        killed = subprocess.Popen(
            [sys.executable, "-c", _COUNTING_WRITER, json.dumps([warehouse, store.options, first, 1000])],
            stdout=subprocess.PIPE,
            text=True,
        )
        time.sleep(5)
        killed.kill()
        reported |= {int(line) for line in killed.communicate()[0].split()}
    for each in steady:
        output, _ = each.communicate(timeout=600)
        assert each.returncode == 0
        reported |= {int(line) for line in output.split()}
    assert maintainer.wait(timeout=300) == 0
    stored = table.to_arrow()["id"].to_pylist()
    assert len(stored) == len(set(stored)), "no row is doubled"
    assert reported <= set(stored), "no row is lost"
    # A killed writer may have published its last commit without a report.
    assert len(set(stored) - reported) <= attempts
    ids = [each.id for each in table.snapshots()]
    assert ids == list(range(ids[0], ids[-1] + 1))
    time.sleep(1.1)
    table.remove_orphan_files(older_than=datetime.now(UTC), dry_run=False)
    assert sorted(table.to_arrow()["id"].to_pylist()) == sorted(stored)
    assert table.remove_orphan_files(older_than=datetime.now(UTC)).files == ()
