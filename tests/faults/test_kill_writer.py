"""Writers are killed at random moments: what they committed is kept, nothing else is visible, and others continue."""

from __future__ import annotations

import multiprocessing
import random
from pathlib import Path

import pyarrow as pa
import pytest

from tests.faults.writer_process import BATCH_ROWS, batch
from tests.support.sampling import sampled
from workbench.catalog.connect import connect
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "writer": "INT", "batch": "INT"}
ROUNDS = 10
KINDS = {
    "append": ((), {"bucket": "-1"}),
    "keyed": (("id",), {"bucket": "1", "num-sorted-run.compaction-trigger": "2"}),
}
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["pyarrow.parquet", "pyarrow.compute", "fastavro", "workbench.table.table", __name__])


def write_until_killed(location: str, first: int, journal: str) -> None:
    """Commit batch after batch, and note each before it begins and once it is done."""
    table = connect(location).get_table("db.t")
    with open(journal, "a", buffering=1) as notes:
        number = first
        while True:
            notes.write(f"begin {number}\n")
            table.write(batch(0, number))
            notes.write(f"done {number}\n")
            number += 1


def committed(table: Table) -> int:
    """Return the number of batches of writer 0, all of which must be complete and right."""
    rows = table.to_arrow().sort_by("id")
    mine = rows.filter(pa.compute.equal(rows.column("writer"), 0))
    count, rest = divmod(mine.num_rows, BATCH_ROWS)
    assert rest == 0
    expected = [batch(0, number) for number in range(count)]
    if expected:
        assert mine.equals(pa.concat_tables(expected).cast(mine.schema))
    assert table.to_batches().read_all().sort_by("id").equals(rows)
    return count


def count_done(journal: Path) -> int:
    return journal.read_text().count("done") if journal.exists() else 0


def bounds(journal: Path, before: int) -> tuple[int, int]:
    """Return the minimum and the maximum number of committed batches; ``before`` are those of earlier processes."""
    lines = journal.read_text().splitlines() if journal.exists() else []
    numbers = {word: [int(line.split()[1]) for line in lines if line.startswith(word)] for word in ("begin", "done")}
    return max(numbers["done"], default=before - 1) + 1, max(numbers["begin"], default=before - 1) + 1


@pytest.mark.parametrize("kind", sampled(KINDS, 2))
def test_kill_anywhere(tmp_path: Path, kind: str) -> None:
    chance = random.Random(kind)
    keys, options = KINDS[kind]
    catalog = connect(tmp_path / "wh")
    catalog.create_database("db")
    table = catalog.create_table("db.t", COLUMNS, primary_key=keys, options=options)
    there = 0
    for round_ in range(ROUNDS):
        journal = tmp_path / f"journal-{round_}"
        process = FORKS.Process(target=write_until_killed, args=(str(tmp_path / "wh"), there, str(journal)))
        process.start()
        # The writer is killed after this many of its commits, at a random moment of the next ones.
        wanted = chance.randint(0, 3)
        while process.is_alive() and count_done(journal) < wanted:
            process.join(0.002)
        process.join(chance.random() * 0.1)
        process.kill()
        process.join()
        assert process.exitcode == -9
        sure, begun = bounds(journal, there)
        there = committed(connect(tmp_path / "wh").get_table("db.t"))
        assert sure <= there <= begun
        commit = connect(tmp_path / "wh").get_table("db.t").write(batch(1, round_))
        assert commit.snapshots
        assert committed(table) == there
    assert there > 0
    assert table.to_arrow().num_rows == (there + ROUNDS) * BATCH_ROWS
    assert [each.id for each in table.snapshots()] == list(range(1, table.snapshot().id + 1))
