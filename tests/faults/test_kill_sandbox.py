"""A process that uses a sandbox is killed at random moments: not one byte of the warehouse has changed."""

from __future__ import annotations

import hashlib
import multiprocessing
import random
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import time

import pytest

from tests.faults.writer_process import batch
from workbench.catalog.connect import connect
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "writer": "INT", "batch": "INT"}
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["pyarrow.parquet", "pyarrow.compute", "fastavro", "workbench.table.table", __name__])


STEPS: tuple[Callable[[Table, int], object], ...] = (
    lambda s, number: s.write(batch(0, number)),
    lambda s, _: s.compact(full=True),
    lambda s, number: s.create_tag(f"tag-{number}"),
    lambda s, _: s.expire_snapshots(retain_max=2, retain_min=1, older_than=int(time() * 1000)),
    lambda s, number: s.write(batch(1, number), mode="overwrite"),
    lambda s, number: s.create_branch(f"b{number}"),
    lambda s, number: s.delete_branch(f"b{number}"),
    lambda s, _: s.remove_orphan_files(int(time() * 1000), dry_run=False),
)


def play_until_killed(location: str, scratch: str, journal: str) -> None:
    """Write and delete in a sandbox, step after step, and note each completed step."""
    tempfile.tempdir = scratch
    with connect(location).get_table("db.t").sandbox() as s, open(journal, "a", buffering=1) as notes:
        for number in count(10):
            for step in STEPS:
                step(s, number)
                notes.write("done\n")


def fingerprint(warehouse: Path) -> dict[str, tuple[int, str]]:
    """Return the modification time and the content of every file and directory."""
    return {
        str(path): (
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in (warehouse, *warehouse.rglob("*"))
    }


def steps_done(journal: Path) -> int:
    return len(journal.read_text().splitlines()) if journal.exists() else 0


@pytest.mark.parametrize("rounds", [4, pytest.param(60, marks=pytest.mark.long)])
def test_kill_anywhere(tmp_path: Path, rounds: int) -> None:
    chance = random.Random(rounds)
    catalog = connect(tmp_path / "wh")
    catalog.create_database("db")
    options = {"bucket": "1", "write-only": "true"}
    table = catalog.create_table("db.t", COLUMNS, primary_key=["id"], options=options)
    for number in range(6):
        table.write(batch(0, number))
    orphan = Path(table.location, "bucket-0", "data-orphan-0.parquet")
    orphan.write_bytes(b"x")
    before = fingerprint(tmp_path / "wh")
    played = 0
    for number in range(rounds):
        journal, scratch = tmp_path / f"journal-{number}", tmp_path / f"scratch-{number}"
        scratch.mkdir()
        task = (str(tmp_path / "wh"), str(scratch), str(journal))
        process = FORKS.Process(target=play_until_killed, args=task)
        process.start()
        wanted = chance.randrange(len(STEPS))
        while process.is_alive() and steps_done(journal) < wanted:
            process.join(0.002)
        process.join(chance.random() * 0.3)
        process.kill()
        process.join()
        assert process.exitcode == -9
        played += steps_done(journal)
        assert fingerprint(tmp_path / "wh") == before
    assert played > rounds
