"""A table changed by concurrent writers, in one process: operations that others interrupt, and writes that are
prepared long before they are committed. Commits take effect in the order of their snapshots; operations that raise
CommitConflict must have changed nothing."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import workbench as wb
from tests.fuzz.interruption import InterruptedFileIO
from tests.fuzz.kinds import NAMES, Kind, create
from tests.fuzz.model import Effect, Model, nothing
from tests.fuzz.operations import Operation, Operations, arrow, of_slot
from tests.support.merge_model import Row, check_files
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.local import LocalFileIO
from workbench.table.commits.commit import Commit
from workbench.table.table import Table

# Each key belongs to one of four: two writers that prepare commits, the main one, and those that interrupt it.
PREPARING, MAIN, OTHERS = (0, 1), 2, 3
REFUSALS = (wb.InvalidSchema, wb.Unsupported)
# The exponent of a power of two.
MAX_OPERATIONS_AHEAD = 7
MAX_WRITES_AHEAD = 8


@dataclass
class Branch:
    """A branch. ``begin``: the snapshot from which it was created."""

    begin: int
    model: Model


@dataclass
class History:
    """One table and its expected content. ``seed`` and the numbers of the steps determine everything."""

    kind: Kind
    warehouse: Path
    seed: int
    log: list[str] = field(default_factory=list)
    uninterrupted: ClassVar[Collection[str]] = ()
    """Names of files whose operations are not interrupted."""

    def __post_init__(self) -> None:
        chance = random.Random(f"{self.kind} {self.seed}")
        self.catalog = connect(self.warehouse)
        self.table = create(self.catalog, self.kind, chance)
        self.operations = self.make_operations()
        self.log.append(f"create {self.table.partition_keys} {dict(self.table.options)}")
        self._forget()

    def make_operations(self) -> Operations:
        return Operations(self.kind, bool(self.table.partition_keys))

    def _forget(self) -> None:
        self.model = Model(self.kind)
        self.states: dict[int, Counter[Row]] = {}
        self.tags: dict[str, Counter[Row]] = {}
        self.prepared: dict[int, tuple[list[bytes], Effect]] = {}
        self.branch: Branch | None = None
        self.done: list[tuple[int, Effect]] = []

    # --- steps ----------------------------------------------------------------------------------------------------

    def step(self, number: int) -> None:
        chance = random.Random(f"{self.kind} {self.seed} {number}")
        steps = [self.interleaved] * 8 + [self.prepare] * 3 + [self.commit_prepared] * 2
        steps += [self.alter, self.tag, self.branch_off, self.write_to_branch, self.fast_forward, self.reopen]
        if self.seed % 4 == 3:
            steps += [self.alter, self.branch_off, self.write_to_branch, self.fast_forward] * 3
        chance.choice(steps)(chance, number)
        self.settle()
        self.check(chance)

    def interleaved(self, chance: random.Random, number: int) -> None:
        """Perform one operation, and in the middle of it some of others."""
        mine = [key for slot in (MAIN, *PREPARING) if slot not in self.prepared for key in of_slot(slot)]
        count = chance.choice([0, 1, 1, 1, 2, 3])
        outer = self.operations.any(chance, mine if count else [*mine, *of_slot(OTHERS)], changes=0.5)
        theirs = [*of_slot(OTHERS), *(mine if outer.effect is nothing else ())]
        between: list[Operation] = []
        for _ in range(count):
            # Operations that follow cannot read rows that wait for a bucket.
            is_unread = self.kind.waits and any(each.effect is not nothing for each in between)
            between.append(self._other(chance, outer, theirs, is_unread=is_unread))
        if not between:
            self.perform(f"{number}.", outer, self._some_handle(chance))
            return
        failures: list[Exception] = []

        def others() -> None:
            for operation in between:
                try:
                    self.perform(f"{number}.   at the same time, at {store.happened}:", operation, self._newly_opened())
                except Exception as failure:  # noqa: BLE001 - raised below, where it is not taken for one of the store
                    failures.append(failure)

        store = InterruptedFileIO(LocalFileIO(), others, self.uninterrupted)
        opened = FileSystemCatalog(self.catalog.warehouse, store).get_table("db.t")
        # First reads and last writes matter most: others interrupt early among all operations, or among the writes.
        if chance.random() < 0.4:
            store.arm(int(2 ** chance.uniform(0, MAX_OPERATIONS_AHEAD)) - 1, counts_reads=True)
        else:
            store.arm(chance.randrange(MAX_WRITES_AHEAD), counts_reads=False)
        self.perform(f"{number}.", outer, opened)
        if failures:
            raise failures[0]

    def _other(self, chance: random.Random, outer: Operation, keys: list[int], *, is_unread: bool) -> Operation:
        prepared = [slot for slot in PREPARING if slot in self.prepared]
        while True:
            if prepared and chance.random() < 0.2:
                return self._commit_of(prepared.pop())
            other = self.operations.any(chance, keys, changes=0.65)
            if not ((outer.reads and other.replaces) or ((outer.replaces or is_unread) and other.reads)):
                return other

    def prepare(self, chance: random.Random, number: int) -> None:
        """Prepare messages of a writer that starts from this version and commits later."""
        free = [slot for slot in PREPARING if slot not in self.prepared]
        if not free:
            return
        slot, table = free[0], self._some_handle(chance)
        rows, kinds = self.operations.rows_to_write(chance, of_slot(slot))
        self.log.append(f"{number}. writer {slot} prepares {rows} {kinds or ''}")
        with table.writer() as writer:
            writer.write(arrow(rows, kinds), kinds and "kind")
            messages = writer.prepare()
        self.prepared[slot] = messages, lambda model: model.put(rows, kinds or ["+I"] * len(rows))

    def commit_prepared(self, chance: random.Random, number: int) -> None:
        if self.prepared:
            operation = self._commit_of(chance.choice(sorted(self.prepared)))
            self.perform(f"{number}.", operation, self._some_handle(chance))

    def _commit_of(self, slot: int) -> Operation:
        messages, effect = self.prepared.pop(slot)
        return Operation(f"writer {slot} commits", lambda table: table.commit(messages), effect)

    def alter(self, chance: random.Random, number: int) -> None:
        name = "db.t$branch_b" if self.branch and chance.random() < 0.5 else "db.t"
        changes: list[Any] = [
            wb.AddColumn(f"e{number}", chance.choice(["INT", "STRING", "DOUBLE"])),
            wb.SetOption("num-sorted-run.compaction-trigger", chance.choice(["2", "4"])),
            wb.SetOption("file.format", chance.choice(["parquet", "orc", "avro"])),
            wb.SetOption("changelog-producer", chance.choice(["none", "lookup", "full-compaction", "input"])),
        ]
        change = chance.choice(changes if self.kind.keyed else changes[:3])
        altering = Operation(
            f"alter {name} {change}",
            lambda _: self.catalog.alter_table(name, change),
            conflicts=(wb.CommitConflict, *REFUSALS),
        )
        self.perform(f"{number}.", altering, self.table)

    def tag(self, _: random.Random, number: int) -> None:
        if self.table.version is not None:
            self.log.append(f"{number}. create tag t{number}")
            self.table.create_tag(f"t{number}")
            self.tags[f"t{number}"] = self.model.rows

    def branch_off(self, _: random.Random, number: int) -> None:
        version = self.table.version
        if version is not None and self.branch is None:
            self.log.append(f"{number}. create tag b{number} and branch b of it")
            self.table.create_tag(f"b{number}")
            self.tags[f"b{number}"] = self.model.rows
            self.table.create_branch("b", tag=f"b{number}")
            self.branch = Branch(version.id, self.model.copy())

    def write_to_branch(self, chance: random.Random, number: int) -> None:
        if self.branch is not None:
            operation = self.operations.write(chance, of_slot(MAIN))
            self.log.append(f"{number}. on branch b: {operation.text}")
            branch = self._newly_opened().branch("b")
            operation.run(branch)
            operation.effect(self.branch.model)
            if self.kind.waits:
                branch.compact()

    def fast_forward(self, _: random.Random, number: int) -> None:
        if self.branch is None:
            return
        self.log.append(f"{number}. fast forward to branch b, and delete it")
        self.table.fast_forward("b")
        self.table.delete_branch("b")
        self.model = self.branch.model
        self.states = {id: rows for id, rows in self.states.items() if id < self.branch.begin}
        self.tags = {name: rows for name, rows in self.tags.items() if name in self.table.tags()}
        self.branch = None

    def reopen(self, _: random.Random, number: int) -> None:
        self.log.append(f"{number}. open the table again")
        self.catalog = connect(self.warehouse)
        self.table = self.catalog.get_table("db.t")

    # --- inside ---------------------------------------------------------------------------------------------------

    def _newly_opened(self) -> Table:
        return connect(self.warehouse).get_table("db.t")

    def _some_handle(self, chance: random.Random) -> Table:
        return self.table if chance.random() < 0.5 else self._newly_opened()

    def perform(self, where: str, operation: Operation, table: Table) -> None:
        position = len(self.log)
        self.log.append(f"{where} {operation.text}")
        try:
            result = operation.run(table)
        except operation.conflicts as conflict:
            self.log[position] += f" -> {type(conflict).__name__}: {conflict}"
            return
        if isinstance(result, int):
            self.log[position] += f" -> [{result}]"
            self.done.append((result, operation.effect))
        if not isinstance(result, Commit):
            return
        self.log[position] += f" -> {[each.id for each in result.snapshots]}"
        self.log[position] += f", compaction given up: {result.abandoned}" if result.abandoned else ""
        if result.snapshots:
            self.done.append((result.snapshots[0].id, operation.effect))

    def settle(self) -> None:
        """Apply to the model what was committed, in the order of the commits."""
        for _, effect in sorted(self.done, key=lambda each: each[0]):
            effect(self.model)
        self.done.clear()
        if self.kind.waits:
            self._newly_opened().compact()

    # --- what must hold -------------------------------------------------------------------------------------------

    def check(self, chance: random.Random) -> None:
        opened = self._newly_opened()
        version = opened.version
        if version is None:
            assert not self.model.rows
            return
        same(read(opened), self.model.rows, "the newest version")
        same(read(self.table), self.model.rows, "the newest version by a table opened before")
        check_files(opened)
        there = {each.id for each in opened.snapshots()}
        self.states = {id: rows for id, rows in self.states.items() if id in there}
        self.states[version.id] = self.model.rows
        self._check_versions(opened, chance.sample(sorted(self.states), min(2, len(self.states))), ())

    def finish(self) -> None:
        """Deleted rows do not reappear after a full compaction, and all versions keep their rows."""
        opened = self._newly_opened()
        if opened.version is None:
            return
        self.log.append("finally: compact fully")
        opened.compact(full=True)
        same(read(opened), self.model.rows, "the compacted table")
        self._check_versions(opened, self.states, self.tags)
        self.log.append("finally: expire all but the newest, and remove orphan files")
        opened.expire_snapshots(1, retain_min=1)
        opened.remove_orphan_files(now(), dry_run=False)
        same(read(opened), self.model.rows, "the table after expiry")
        self._check_versions(opened, (), self.tags)
        check_files(opened)

    def _check_versions(self, table: Table, ids: Iterable[int], tags: Iterable[str]) -> None:
        for id in ids:
            same(read(table.at(snapshot=id)), self.states[id], f"snapshot {id}")
        for tag in tags:
            same(read(table.at(tag=tag)), self.tags[tag], f"tag {tag}")


def now() -> int:
    """The time of orphan cleaning, at which all existing files are old enough."""
    time.sleep(0.002)
    return int(time.time() * 1000)


def read(table: Table) -> Counter[Row]:
    rows = table.to_arrow(list(NAMES))
    return Counter(zip(*(rows[name].to_pylist() for name in NAMES), strict=True))


def same(result: Counter[Row], expected: Counter[Row], what: str) -> None:
    if result != expected:
        missing, extra = (
            sorted(map(str, (expected - result).elements())),
            sorted(map(str, (result - expected).elements())),
        )
        raise AssertionError(f"{what} lacks {missing} and has {extra}, which it must not have.")
