"""The timed tasks, the same for every engine: a task prepares its work and returns the function that is timed."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from tests.benchmarks.specs import SPECS, stored_commits


@dataclass(frozen=True)
class Task:
    """One side of one benchmark. Of the ``arguments``, ``files`` names the engine that wrote the files, and ``remote``
    are the options of a catalog in a store, which replaces the directory."""

    engine: Any
    directory: Path
    scale: float
    arguments: dict[str, Any]

    @property
    def name(self) -> str:
        return self.arguments["table"]

    @property
    def remote(self) -> dict[str, str] | None:
        return self.arguments.get("remote")

    @property
    def connection(self) -> dict[str, str]:
        """The options of the catalog."""
        return self.remote or {"warehouse": str(self.directory / self.arguments["files"])}

    @property
    def scratch(self) -> Path:
        return self.directory / f"scratch-{os.getpid()}"

    def commits(self) -> list[Any]:
        return stored_commits(self.directory, self.name)

    def open(self) -> Any:
        return self.engine.open_table(self.connection, self.name)

    def open_newest(self) -> Any:
        """Return the table after its newest snapshot was found."""
        table = self.open()
        self.engine.newest_snapshot(table)
        return table

    def between(self) -> tuple[str, Any, Any] | None:
        """Return the requested filter; ids refer to the full size."""
        if "between" not in self.arguments:
            return None
        name, low, high = self.arguments["between"]
        scale = self.scale if name == "id" else 1
        return name, int(low * scale), int(high * scale)

    def new_table(self) -> Any:
        return self.engine.create(self._new_warehouse(), self.name, SPECS[self.name])

    def _new_warehouse(self) -> dict[str, str]:
        if self.remote:
            return {**self.remote, "warehouse": f"{self.remote['warehouse']}/{uuid.uuid4().hex}"}
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()
        return {"warehouse": str(self.scratch)}

    def scratch_bytes(self) -> int:
        """Bytes of the data files of the last table written."""
        return sum(path.stat().st_size for path in self.scratch.rglob("*.parquet"))


Run = Callable[[], int]


def write(task: Task) -> Run:
    """Write all commits of a table into a new table."""
    commits, table = task.commits(), task.new_table()

    def run() -> int:
        for each in commits:
            task.engine.append(table, each)
        return sum(each.num_rows for each in commits)

    return run


def write_last(task: Task) -> Run:
    """Write the last commit of a table into a new table that has the others."""
    *others, last = task.commits()
    table = task.new_table()
    for each in others:
        task.engine.append(table, each)

    def run() -> int:
        task.engine.append(table, last)
        return int(last.num_rows)

    return run


def make(task: Task) -> Run:
    """Write all commits of a table whose files are kept for other tasks."""

    def run() -> int:
        spec = SPECS[task.name]
        table = task.engine.create(task.connection, task.name, spec)
        commits = task.commits()
        for each in commits:
            task.engine.append(table, each)
        if spec.files:
            task.engine.list_files(table, int(spec.files * task.scale))
        return len(commits)

    return run


def read(task: Task) -> Run:
    """Open the table and read it, or some columns or rows of it."""
    columns, between = task.arguments.get("columns"), task.between()
    return lambda: task.engine.read(task.open(), columns, between).num_rows


def read_again(task: Task) -> Run:
    """Read a table that was read before and has not changed."""
    table = task.open()
    task.engine.read(table, None, None)
    return lambda: task.engine.read(table, None, None).num_rows


def stream(task: Task) -> Run:
    """Read batch by batch, keeping none."""
    return lambda: sum(batch.num_rows for batch in task.engine.stream(task.open()))


def _some_keys(task: Task, number: int) -> Iterator[int]:
    return (int(1_999_993 * task.scale * part / number) for part in range(number))


def lookup_cold(task: Task) -> Run:
    """Look up ten keys, opening the table again for each."""
    keys = list(_some_keys(task, 10))
    return lambda: sum(task.engine.read(task.open(), None, ("id", key, key)).num_rows for key in keys)


_rounds = count()


def lookup_warm(task: Task) -> Run:
    """Look up fifty keys in a table that was read before."""
    table, offset = task.open(), next(_rounds)
    task.engine.read(table, None, ("id", 1, 1))
    keys = [key + offset for key in _some_keys(task, 50)]
    return lambda: sum(task.engine.read(table, None, ("id", key, key)).num_rows for key in keys)


def open_newest(task: Task) -> Run:
    """Open the table and find its newest snapshot."""
    return lambda: task.engine.newest_snapshot(task.open())


def list_snapshots(task: Task) -> Run:
    """Read all snapshots of a table whose newest one is known."""
    table = task.open_newest()
    return lambda: task.engine.snapshots(table)


def plan(task: Task) -> Run:
    """Plan a table whose newest snapshot is known."""
    table = task.open_newest()
    return lambda: task.engine.files(table) > 0


def plan_again(task: Task) -> Run:
    """Plan a table that has been planned before and has not changed."""
    table = task.open()
    task.engine.files(table)
    return lambda: task.engine.files(table) > 0


def plan_cold(task: Task) -> Run:
    """Plan five times, opening the table again for each."""
    return lambda: sum(task.engine.files(task.open()) > 0 for _ in range(5))


def plan_warm(task: Task) -> Run:
    """Plan twenty times a table that has been planned before."""
    table = task.open()
    task.engine.files(table)
    return lambda: sum(task.engine.files(table) > 0 for _ in range(20))


def difference(task: Task) -> Run:
    """The rows that changed between the first snapshot and the last."""
    return lambda: task.engine.difference(task.open(), 1, len(task.commits())).num_rows


def compact(task: Task) -> Run:
    """A full compaction of a copy of the table."""
    _copy(task)
    return lambda: task.engine.compact(task.engine.open_table({"warehouse": str(task.scratch)}, task.name))


def rewrite(task: Task) -> Run:
    """Read and write a copy of the table plainly, which is the least work of a full compaction."""
    _copy(task)
    left = task.commits()[0].num_rows
    return lambda: task.engine.rewrite({"warehouse": str(task.scratch)}, task.name, left)


def _copy(task: Task) -> None:
    shutil.rmtree(task.scratch, ignore_errors=True)
    shutil.copytree(Path(task.connection["warehouse"]) / "db.db" / task.name, task.scratch / "db.db" / task.name)


TASKS: dict[str, Callable[[Task], Run]] = {
    each.__name__: each
    for each in (
        write,
        write_last,
        make,
        read,
        read_again,
        stream,
        lookup_cold,
        lookup_warm,
        open_newest,
        list_snapshots,
        plan,
        plan_again,
        plan_cold,
        plan_warm,
        difference,
        compact,
        rewrite,
    )
}
