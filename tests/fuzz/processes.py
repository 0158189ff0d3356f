"""Processes that work on one table for a while: two writers, a compactor, an expirer, a reader and, where buckets are
fixed, a process that rescales.

Each writer has separate keys and changes a few of them per commit, so each knows its rows after each commit. Column
``n`` of a row is the number of the commit that wrote it; in addition, each commit writes its number to one separate
row, with key `mark_of`, so that a reader knows which commits of a writer it must see.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from typing import Any

import pyarrow as pa

from workbench.base.errors import CommitConflict
from workbench.catalog.connect import connect
from workbench.table.table import Table

COLUMNS = {"k": "INT NOT NULL", "writer": "INT", "n": "INT"}
KEYS_PER_WRITER = 40
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["pandas", "pyarrow.parquet", "pyarrow.compute", "fastavro", "workbench.commit.publish", __name__]
)
ResultMessage = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """The task of a process. ``deletes``: the table accepts rows of kind -D, or statements where not ``keyed``."""

    location: str
    seconds: float
    seed: int
    keyed: bool
    deletes: bool
    ready: Barrier
    told: Queue[ResultMessage]

    def open(self) -> Table:
        return connect(self.location).get_table("db.t")

    def _warm_up(self) -> None:
        """Load the modules for writing and compacting by using another table, so that the time is spent on concurrent
        commits."""
        model = self.open()
        catalog = connect(self.location)
        own = catalog.create_table(f"warm.t{os.getpid()}", COLUMNS, model.primary_key, options=dict(model.options))
        rows = pa.table(
            {"k": pa.array([1], pa.int32()), "writer": pa.array([0], pa.int32()), "n": pa.array([1], pa.int32())}
        )
        for _ in range(2):
            own.write(rows)
        own.compact(full=True)
        own.expire_snapshots(1, retain_min=1)
        own.to_arrow()

    def rounds(self) -> Iterator[int]:
        """Numbers from 1 on, until the time is over."""
        self._warm_up()
        self.ready.wait(120)
        deadline, number = time.monotonic() + self.seconds, 0
        while time.monotonic() < deadline:
            number += 1
            yield number


def mark_of(writer: int) -> int:
    return -1 - writer


@dataclass(frozen=True)
class Plan:
    """The rows that one commit of a writer writes, as n by key, and the keys that it deletes."""

    written: dict[int, int]
    deleted: frozenset[int]


def plan_of(task: Task, writer: int, number: int) -> Plan:
    chance = random.Random(f"{task.seed} {writer} {number}")
    first = writer * 1000
    if task.keyed:
        keys = chance.sample(range(first, first + KEYS_PER_WRITER), 8)
        removed = frozenset(keys[:3]) if task.deletes else frozenset()
        written = {key: number for key in keys if key not in removed}
        return Plan({**written, mark_of(writer): number}, removed)
    # Without a primary key, rows are distinguished by values of k that are never reused.
    base = writer * 1_000_000 + number * 10
    older = range(max(writer * 1_000_000 + 10, base - 100), base)
    removed = frozenset(chance.sample(older, 3)) if task.deletes and number % 2 == 0 and older else frozenset()
    return Plan({} if removed else dict.fromkeys(range(base, base + 5), number), removed)


def apply(rows: dict[int, int], plan: Plan) -> None:
    for key in plan.deleted:
        rows.pop(key, None)
    rows |= plan.written


def write_for(task: Task, writer: int) -> None:
    """Commit plan after plan, skipping those that conflict. Report the numbers of the committed ones."""
    table, committed, conflicts = task.open(), list[int](), Counter[str]()
    for number in task.rounds():
        plan = plan_of(task, writer, number)
        try:
            result = _commit(table, task, writer, plan)
            conflicts["given up"] += result.abandoned is not None
            committed.append(number)
        except CommitConflict as conflict:
            conflicts[str(conflict).split(" of ")[0][:40]] += 1
        if number % 10 == 0:
            table = task.open()
    task.told.put({"role": "writer", "writer": writer, "committed": committed, "counts": dict(conflicts)})


def _commit(table: Table, task: Task, writer: int, plan: Plan) -> Any:
    if not task.keyed and plan.deleted:
        return table.delete(f"k IN ({', '.join(map(str, sorted(plan.deleted)))})")
    keys = [*plan.written, *plan.deleted]
    rows = {
        "k": pa.array(keys, pa.int32()),
        "writer": pa.array([writer] * len(keys), pa.int32()),
        "n": pa.array([plan.written.get(key) for key in keys], pa.int32()),
    }
    if not task.deletes or not task.keyed:
        return table.write(pa.table(rows))
    kinds = ["+I" if key in plan.written else "-D" for key in keys]
    return table.write(pa.table({**rows, "kind": kinds}), row_kind="kind")


def repeat(task: Task, role: str, act: Callable[[Table, random.Random], Any], pause: float) -> None:
    """Repeat an operation; report how often it succeeded, and how often it lost a race."""
    chance, counts = random.Random(f"{task.seed} {role}"), Counter[str]()
    for _ in task.rounds():
        try:
            act(task.open(), chance)
            counts["done"] += 1
        except CommitConflict:
            counts["conflicts"] += 1
        time.sleep(pause)
    task.told.put({"role": role, "counts": dict(counts)})


def compact_for(task: Task) -> None:
    repeat(task, "compactor", lambda table, chance: table.compact(full=chance.random() < 0.5), 0.02)


def rescale_for(task: Task) -> None:
    """Rewrite all rows into as many buckets as before, without a pause: any commit of others is a conflict, and some of
    the rescales that succeed should coincide with deletes."""
    repeat(task, "rescaler", lambda table, _: table.rescale(), 0)


def expire_for(task: Task) -> None:
    """Expire early, but leave readers the time of a few commits."""
    repeat(task, "expirer", lambda table, _: table.expire_snapshots(12, retain_min=12), 0.1)


def read_for(task: Task) -> None:
    """Read version after version. Report the rows of each, by key, and impossible states."""
    seen: list[tuple[int, dict[int, int]]] = []
    wrong: list[str] = []
    for _ in task.rounds():
        table = task.open()
        version = table.version
        if version is None:
            continue
        rows = table.at(snapshot=version.id).to_arrow()
        keys, numbers = rows["k"].to_pylist(), rows["n"].to_pylist()
        twice = [key for key, count in Counter(keys).items() if count > 1]
        if twice:
            wrong.append(f"snapshot {version.id} has keys {twice} twice")
        seen.append((version.id, dict(zip(keys, numbers, strict=True))))
        time.sleep(0.02)
    task.told.put({"role": "reader", "seen": seen, "wrong": wrong})
