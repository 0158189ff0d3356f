"""Eight processes write to one table and one compacts it: nothing is lost or duplicated, and conflicts are counted.
A soak test: five hundred commits that compact and expire as they go do not make the table grow."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections import Counter
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.faults.writer_process import BATCH_ROWS, batch
from workbench.base.errors import CommitConflict
from workbench.catalog.connect import connect
from workbench.format.spec.snapshot import CommitKind
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "writer": "INT", "batch": "INT"}
PATIENT = {"commit.max-retries": "1000", "commit.max-retry-wait": "200 ms"}
KINDS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "dedicated": (("id",), {"bucket": "2", "write-only": "true"}),
    # Every writer compacts too, so compactions conflict with each other.
    "inline": (("id",), {"bucket": "1", "num-sorted-run.compaction-trigger": "3"}),
    "append": ((), {"bucket": "-1", "write-only": "true"}),
}
WRITERS = 8
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["pandas", "pyarrow.parquet", "pyarrow.compute", "fastavro", "workbench.commit.publish", __name__]
)


def write_for(seconds: float, ready: Barrier, location: str, writer: int, reports: Queue[Any]) -> None:
    """Commit batch after batch; report how many, how many of its compactions lost a race, and how often another writer
    published its snapshot id first."""
    table = connect(location).get_table("db.t")
    commits = abandoned = races = 0
    # Load what the first commit needs; that is not part of the measurement.
    table.scan().plan()
    ready.wait()
    deadline = time.time() + seconds
    while time.time() < deadline:
        commit = table.write(batch(writer, commits))
        commits += 1
        abandoned += commit.abandoned is not None
        assert commit.metrics is not None
        races += commit.metrics.requests["put_if_absent"] - len(commit.snapshots)
    reports.put((writer, commits, abandoned, races))


def compact_for(seconds: float, ready: Barrier, location: str, reports: Queue[Any]) -> None:
    """Compact repeatedly; report how often it succeeded, and how often it lost a race."""
    table = connect(location).get_table("db.t")
    done = conflicts = 0
    ready.wait()
    deadline = time.time() + seconds
    while time.time() < deadline:
        try:
            done += len(table.compact(full=True).snapshots)
        except CommitConflict:
            conflicts += 1
        time.sleep(0.05)
    reports.put((None, done, conflicts, 0))


def check(table: Table, commits: dict[int, int]) -> None:
    """Check that the table has exactly the batches that their writers reported."""
    expected = pa.concat_tables([batch(writer, number) for writer in commits for number in range(commits[writer])])
    rows = table.to_arrow().sort_by("id")
    assert rows.equals(expected.cast(rows.schema).sort_by("id"))
    snapshots = table.snapshots()
    assert [each.id for each in snapshots] == list(range(1, len(snapshots) + 1))
    kinds = Counter(each.commit_kind for each in snapshots)
    assert kinds[CommitKind.APPEND] == sum(commits.values())
    # Every version agrees: rows are only added, batch by batch.
    for snapshot in snapshots[:: max(1, len(snapshots) // 10)]:
        count = table.at(snapshot=snapshot.id).to_arrow().num_rows
        result = sum(each.commit_kind == CommitKind.APPEND for each in snapshots[: snapshot.id])
        assert count == result * BATCH_ROWS


@pytest.mark.parametrize(
    ("kind", "seconds"),
    [("dedicated", 4), *(pytest.param(kind, 60, marks=pytest.mark.long) for kind in KINDS)],
)
def test_eight_writers_and_a_compactor(tmp_path: Path, kind: str, seconds: int) -> None:
    keys, options = KINDS[kind]
    catalog = connect(tmp_path)
    catalog.create_database("db")
    table = catalog.create_table("db.t", COLUMNS, primary_key=keys, options={**options, **PATIENT})
    reports, ready = FORKS.Queue(), FORKS.Barrier(WRITERS + 1)
    processes = [
        FORKS.Process(target=write_for, args=(seconds, ready, str(tmp_path), writer, reports))
        for writer in range(WRITERS)
    ]
    processes.append(FORKS.Process(target=compact_for, args=(seconds, ready, str(tmp_path), reports)))
    for process in processes:
        process.start()
    answers = [reports.get(timeout=seconds + 300) for _ in processes]
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    commits = {writer: count for writer, count, _, _ in answers if writer is not None}
    compacted, conflicts = next((count, lost) for writer, count, lost, _ in answers if writer is None)
    abandoned = sum(lost for writer, _, lost, _ in answers if writer is not None)
    races = sum(each[3] for each in answers)
    print(
        f"{kind}: {sum(commits.values())} commits by {WRITERS} writers in {seconds} s, tried again {races} times, "
        f"{abandoned} compactions of theirs given up; {compacted} compactions beside them, {conflicts} conflicts"
    )
    assert len(commits) == WRITERS
    check(connect(tmp_path).get_table("db.t"), commits)
    assert len(set(names(table))) == len(names(table))


def names(table: Table) -> list[str]:
    return [entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.snapshot())]


def measured(location: Path) -> tuple[int, int, float]:
    """Return the number of files in the warehouse, the number of rows, and the processor seconds of a read of the
    reopened table, the best of five, to exclude other load."""
    best = float("inf")
    for _ in range(5):
        started = time.process_time()
        rows = connect(location).get_table("db.t").to_arrow().num_rows
        best = min(best, time.process_time() - started)
    return sum(path.is_file() for path in location.rglob("*")), rows, best


def resident() -> int:
    """Bytes of memory that this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.parametrize("commits", [40, pytest.param(500, marks=pytest.mark.long)])
def test_a_soak(tmp_path: Path, commits: int) -> None:
    """Each commit writes ten keys, and each key is written four times: all keys exist after a quarter of the commits,
    and from then on the table does not grow."""
    catalog = connect(tmp_path)
    catalog.create_database("db")
    options = {
        "bucket": "1",
        "snapshot.num-retained.min": "3",
        "snapshot.num-retained.max": "5",
        "snapshot.time-retained": "1 ms",
        "manifest.merge-min-count": "5",
    }
    table = catalog.create_table("db.t", COLUMNS, primary_key=["id"], options=options)
    keys = commits * 10 // 4
    marks = []
    for number in range(commits):
        first = number * 10 % keys
        rows = {"id": list(range(first, first + 10)), "writer": [0] * 10, "batch": [number] * 10}
        assert table.write(rows_of(rows)).after is not None
        if number % (commits // 4) == commits // 4 - 1:
            marks.append((*measured(tmp_path), resident()))
    for files, actual_rows, seconds, memory in marks:
        print(f"{files} files, {actual_rows} rows, read in {seconds * 1000:.0f} ms, {memory >> 20} MB")
    assert {actual_rows for _, actual_rows, _, _ in marks} == {keys}
    assert marks[-1][0] <= marks[0][0] * 1.5 + 10
    assert marks[-1][2] <= marks[0][2] * 3 + 0.05
    assert marks[-1][3] <= marks[0][3] + (64 << 20)
    assert len(table.snapshots()) <= 6
    newest = {key: number for number in range(commits) for key in range(number * 10 % keys, number * 10 % keys + 10)}
    actual_rows = table.to_arrow()
    assert dict(zip(actual_rows["id"].to_pylist(), actual_rows["batch"].to_pylist(), strict=True)) == newest


def rows_of(columns: dict[str, list[int]]) -> pa.Table:
    types = {"id": pa.int64(), "writer": pa.int32(), "batch": pa.int32()}
    return pa.table({name: pa.array(values, types[name]) for name, values in columns.items()})
