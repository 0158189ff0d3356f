"""Several processes commit to one table at once, while it is read: nothing is lost, nothing is seen in part."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from tests.faults.writer_process import BATCH_ROWS, batch, start
from tests.support.sampling import sampled
from workbench.catalog.connect import connect
from workbench.format.spec.snapshot import CommitKind
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "writer": "INT", "batch": "INT"}
KINDS = {
    "append": ((), {"bucket": "-1"}),
    "keyed-inline": (("id",), {"bucket": "1"}),
    "keyed-busy-compaction": (("id",), {"bucket": "1", "num-sorted-run.compaction-trigger": "2"}),
    "keyed-write-only": (("id",), {"bucket": "2", "write-only": "true"}),
}


def create(warehouse: Path, kind: str) -> Table:
    keys, options = KINDS[kind]
    catalog = connect(warehouse)
    catalog.create_database("db", exist_ok=True)
    return catalog.create_table("db.t", COLUMNS, primary_key=keys, options=options)


def run_writers(warehouse: Path, writers: int, commits: int, same_keys: bool = False) -> Counter[str]:
    """Run the writers, and count their commits by number of snapshots, or as ``abandoned`` ones."""
    processes = [
        start(warehouse=warehouse, table="db.t", writer=number, commits=commits, same_keys=same_keys)
        for number in range(writers)
    ]
    counts: Counter[str] = Counter()
    for process in processes:
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        counts.update(line.split()[2] for line in output.splitlines() if line.startswith("done"))
    return counts


def check_prefixes(result: pa.Table) -> None:
    """Check that the rows are the first batches of each writer, without a gap, and that no batch is incomplete."""
    rows = Counter(zip(result.column("writer").to_pylist(), result.column("batch").to_pylist(), strict=True))
    assert set(rows.values()) <= {BATCH_ROWS}
    last: dict[int, int] = {}
    for writer, number in rows:
        last[writer] = max(last.get(writer, -1), number)
    assert len(rows) == sum(number + 1 for number in last.values())
    assert len(set(result.column("id").to_pylist())) == result.num_rows


def check_one_batch(result: pa.Table) -> None:
    """Check that the rows are none, or all keys as written by one commit."""
    assert result.num_rows in (0, BATCH_ROWS)
    assert len(set(zip(result.column("writer").to_pylist(), result.column("batch").to_pylist(), strict=True))) <= 1


@contextmanager
def reading(warehouse: Path, check: Callable[[pa.Table], None]) -> Iterator[None]:
    """Read the table repeatedly in the background; the first error is raised at the end."""
    stop, failures, reads = threading.Event(), list[BaseException](), 0

    def loop() -> None:
        nonlocal reads
        try:
            while not stop.is_set():
                opened = connect(warehouse).get_table("db.t")
                check(opened.to_arrow())
                check(opened.to_batches().read_all())
                reads += 1
                stop.wait(0.05)
        except BaseException as failure:
            failures.append(failure)
            raise

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    assert not failures, failures
    assert reads > 3


def check_snapshots(table: Table, commits: int, own_keys: bool = True) -> None:
    snapshots = table.snapshots()
    assert [each.id for each in snapshots] == list(range(1, len(snapshots) + 1))
    kinds = Counter(each.commit_kind for each in snapshots)
    assert kinds[CommitKind.APPEND] == commits
    assert kinds[CommitKind.COMPACT] == len(snapshots) - commits
    live = ManifestFiles(table.store).live_files(snapshots[-1])
    names = [entry.file.file_name for entry in live]
    assert len(set(names)) == len(names)
    for before, after in pairwise(snapshots):
        # If two writers write a key at the same time, either may win, and a compaction may decide differently.
        if own_keys and after.commit_kind == CommitKind.COMPACT:
            both = [table.at(snapshot=each.id).to_arrow().sort_by("id") for each in (before, after)]
            assert both[0].equals(both[1]), f"snapshot {after.id} compacted and changed rows"


@pytest.mark.parametrize("kind", sampled(KINDS, 4))
def test_two_processes(tmp_path: Path, kind: str) -> None:
    table = create(tmp_path / "wh", kind)
    with reading(tmp_path / "wh", check_prefixes):
        reported = run_writers(tmp_path / "wh", writers=2, commits=50)
    assert reported.total() == 100
    rows = table.to_arrow()
    check_prefixes(rows)
    assert rows.num_rows == 100 * BATCH_ROWS
    expected = pa.concat_tables([batch(writer, number) for writer in (0, 1) for number in range(50)])
    assert rows.sort_by("id").equals(expected.cast(rows.schema).sort_by("id"))
    check_snapshots(table, commits=100)
    check_leftovers(table)


@pytest.mark.parametrize("kind", ["append", "keyed-busy-compaction"])
@pytest.mark.long
def test_four_processes(tmp_path: Path, kind: str) -> None:
    table = create(tmp_path / "wh", kind)
    with reading(tmp_path / "wh", check_prefixes):
        run_writers(tmp_path / "wh", writers=4, commits=25)
    assert table.to_arrow().num_rows == 100 * BATCH_ROWS
    check_snapshots(table, commits=100)
    check_leftovers(table)


@pytest.mark.parametrize("kind", sampled(["keyed-busy-compaction", "keyed-inline", "keyed-write-only"], 3))
def test_same_keys(tmp_path: Path, kind: str) -> None:
    table = create(tmp_path / "wh", kind)
    with reading(tmp_path / "wh", check_one_batch):
        run_writers(tmp_path / "wh", writers=2, commits=25, same_keys=True)
    rows = table.to_arrow()
    check_one_batch(rows)
    assert rows.num_rows == BATCH_ROWS
    check_snapshots(table, commits=50, own_keys=False)


def test_compactor_and_writers_run_concurrently(tmp_path: Path) -> None:
    """Writers that never compact and one job that does, the usual production setup, lose no commit."""
    table = create(tmp_path / "wh", "keyed-write-only")
    processes = [start(warehouse=tmp_path / "wh", table="db.t", writer=number, commits=30) for number in (0, 1)]
    compacted = 0
    with reading(tmp_path / "wh", check_prefixes):
        while any(process.poll() is None for process in processes):
            compacted += len(table.compact(full=True).snapshots)
        for process in processes:
            assert process.wait() == 0, process.stderr and process.stderr.read()
    assert compacted > 1
    assert table.to_arrow().num_rows == 60 * BATCH_ROWS
    check_snapshots(table, commits=60)


def check_leftovers(table: Table) -> None:
    """Every file in the buckets belongs to some version: writers that lost a race deleted their files."""
    manifests = ManifestFiles(table.store)
    used = {
        table.store.data_file_path(entry.partition, entry.bucket, entry.file)
        for snapshot in table.snapshots()
        for entry in manifests.delta_entries(snapshot)
    }
    there = {str(path) for path in Path(table.location).rglob("data-*.parquet")}
    assert there == used
    temporary = list(Path(table.location, "snapshot").glob(".*.tmp"))
    assert not temporary
