"""Two writers, a compactor, an expirer, a reader and, where buckets are fixed, a rescaler work on one table, each in a
separate process: nothing is lost, no key is duplicated, no deleted row reappears, and every version is explained by the
commits of the writers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.budget import SECONDS, first_seed
from tests.fuzz.kinds import DYNAMIC, FIRST, HASHED, LOOKUP, PARTIAL, UNAWARE, VECTORS, VECTORS_64
from tests.fuzz.processes import (
    COLUMNS,
    FORKS,
    ResultMessage,
    Task,
    apply,
    compact_for,
    expire_for,
    mark_of,
    plan_of,
    read_for,
    rescale_for,
    write_for,
)
from workbench.catalog.connect import connect

PATIENT = {"commit.max-retries": "1000", "commit.max-retry-wait": "100 ms", "commit.min-retry-wait": "2 ms"}
ONE, TWO, BUSY = {"bucket": "1"}, {"bucket": "2"}, {"num-sorted-run.compaction-trigger": "3"}
KINDS: dict[str, Mapping[str, str]] = {
    "vectors": {**ONE, **VECTORS, **BUSY},
    "vectors-64": {**TWO, **VECTORS_64},
    "vectors-lookup": {**ONE, **VECTORS, **LOOKUP},
    "vectors-partial-update": {**ONE, **VECTORS, **PARTIAL},
    "vectors-merge-on-read": {**ONE, **VECTORS, "deletion-vectors.merge-on-read": "true"},
    "vectors-dynamic": {**DYNAMIC, "dynamic-bucket.target-row-num": "1000", **VECTORS},
    "append-vectors": {**UNAWARE, **VECTORS},
    "append-vectors-hashed": {**HASHED, **VECTORS},
    "append": UNAWARE,
    "deduplicate": {**ONE, **BUSY},
    "lookup": {**TWO, **LOOKUP},
    "partial-update": {**ONE, **PARTIAL, **BUSY},
    "first-row": {**ONE, **FIRST},
}
WRITERS = (0, 1)


def run(location: Path, kind: str, seconds: float, seed: int) -> tuple[Task, list[ResultMessage]]:
    """Run all processes, and return their task and reports."""
    options = KINDS[kind]
    keyed = not kind.startswith("append")
    catalog = connect(location)
    for name in ("db", "warm"):
        catalog.create_database(name)
    catalog.create_table("db.t", COLUMNS, ["k"] if keyed else [], options={**PATIENT, **options})
    deletes = options.get("merge-engine") is None
    roles = [compact_for, expire_for, read_for, *([rescale_for] if int(options["bucket"]) > 0 else [])]
    ready, reports = FORKS.Barrier(len(WRITERS) + len(roles)), FORKS.Queue()
    task = Task(str(location), seconds, seed, keyed, deletes, ready, reports)
    processes = [FORKS.Process(target=write_for, args=(task, writer)) for writer in WRITERS]
    processes += [FORKS.Process(target=each, args=(task,)) for each in roles]
    for process in processes:
        process.start()
    answers = [reports.get(timeout=seconds + 120) for _ in processes]
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    return task, answers


def states_of(task: Task, writer: int, committed: list[int], first_counts: bool) -> list[dict[int, int]]:
    """The rows of a writer before its first commit and after each. ``first_counts``: the first row of a key is kept."""
    states: list[dict[int, int]] = [{}]
    for number in committed:
        rows, plan = dict(states[-1]), plan_of(task, writer, number)
        if first_counts:
            rows = {**plan.written, **rows}
        else:
            apply(rows, plan)
        states.append(rows)
    return states


def of_writer(rows: Mapping[int, int], writer: int, task: Task) -> dict[int, int]:
    width = 1000 if task.keyed else 1_000_000
    return {k: n for k, n in rows.items() if k == mark_of(writer) or (k // width == writer and k >= 0)}


def check(task: Task, kind: str, answers: list[ResultMessage]) -> None:
    reader = next(each for each in answers if each["role"] == "reader")
    assert not reader["wrong"], reader["wrong"]
    actual_rows = connect(task.location).get_table("db.t").to_arrow()
    table = connect(task.location).get_table("db.t")
    table.compact(full=True)
    compacted = table.to_arrow()
    for writer in WRITERS:
        committed = next(each["committed"] for each in answers if each.get("writer") == writer)
        assert committed
        states = states_of(task, writer, committed, kind == "first-row")
        for version, rows in ((actual_rows, "at the end"), (compacted, "after a full compaction")):
            keys = version["k"].to_pylist()
            assert len(set(keys)) == len(keys), f"Keys are there twice {rows}: {twice(keys)}"
            held = of_writer(dict(zip(keys, version["n"].to_pylist(), strict=True)), writer, task)
            assert held == states[-1], f"Rows of writer {writer} {rows}: {difference(held, states[-1])}"
        check_seen(task, writer, states, reader["seen"])


def check_seen(task: Task, writer: int, states: list[dict[int, int]], seen: list[tuple[int, Any]]) -> None:
    """Check that each version read has the rows of a writer as after one of its commits, and that later versions do not
    show earlier states."""
    position = 0
    for snapshot, rows in seen:
        held = of_writer(rows, writer, task)
        positions = itertools.chain(range(position, len(states)))
        at = next((each for each in positions if states[each] == held), None)
        if at is None:
            closest = min(states, key=lambda state: len(set(state.items()) ^ set(held.items())))
            raise AssertionError(
                f"Snapshot {snapshot} shows writer {writer} as it never was after commit {position}; "
                f"what comes closest: {difference(held, closest)}"
            )
        position = at


def twice(keys: list[int]) -> list[int]:
    return sorted({key for key in keys if keys.count(key) > 1})


def difference(result: dict[int, int], expected: dict[int, int]) -> str:
    lacks, has = dict(expected.items() - result.items()), dict(result.items() - expected.items())
    return f"it lacks {lacks} and has {has}"


def fuzz(location: Path, kind: str, seconds: float, seed: int) -> None:
    task, answers = run(location, kind, seconds, seed)
    for each in answers:
        print(each["role"], each.get("counts"), len(each.get("committed", each.get("seen", ()))))
    why = failure_of(task, kind, answers)
    if why is not None:
        pytest.fail(
            f"{why}\n\nTry again: WORKBENCH_FUZZ_SECONDS={seconds} WORKBENCH_FUZZ_SEED={seed} "
            f"python -m pytest 'tests/fuzz/test_processes.py::test_for_long[{kind}]'",
            pytrace=False,
        )


def failure_of(task: Task, kind: str, answers: list[ResultMessage]) -> str | None:
    """Why the check failed, None where it did not."""
    try:
        check(task, kind, answers)
    except AssertionError as failure:
        return str(failure)
    return None


def test_for_a_moment(tmp_path: Path) -> None:
    fuzz(tmp_path, "vectors", 4, 1)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_for_long(tmp_path: Path, kind: str) -> None:
    fuzz(tmp_path, kind, SECONDS, first_seed())
