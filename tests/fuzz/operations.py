"""Random operations on a table: what is called, and what it must do to the rows."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

import workbench as wb
from tests.fuzz.kinds import KEYS, NAMES, PARTITIONS, Kind, random_rows
from tests.fuzz.model import Effect, nothing
from tests.support.merge_model import Row
from workbench.table.table import Table


@dataclass(frozen=True)
class Operation:
    """``run`` returns the commit or the id of a snapshot, if it makes one; ``effect`` is what it does to the model once
    it is committed.

    ``reads``: it depends on the rows that it reads, so partitions must not be dropped concurrently. ``replaces``: rows
    of others are removed, regardless of their age. ``conflicts``: what it may raise, having changed nothing.
    """

    text: str
    run: Callable[[Table], Any]
    effect: Effect = nothing
    reads: bool = False
    replaces: bool = False
    conflicts: tuple[type[Exception], ...] = field(default=(wb.CommitConflict,))


Maker = Callable[[random.Random, list[int]], Operation]


def arrow(rows: Sequence[Row], kinds: Sequence[str] | None = None) -> pa.Table:
    p, k, n, s = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns = {"p": pa.array(p, pa.string()), "k": pa.array(k, pa.int32()), "n": pa.array(n, pa.int32())}
    columns["s"] = pa.array(s, pa.string())
    return pa.table(columns if kinds is None else {**columns, "kind": pa.array(kinds, pa.string())})


@dataclass(frozen=True)
class Operations:
    """The operations that a kind of table supports. ``partitioned``: by column p."""

    kind: Kind
    partitioned: bool

    def any(self, chance: random.Random, keys: Sequence[int], changes: float) -> Operation:
        """A random operation on rows of ``keys``, or on partitions. ``changes``: how likely it is to change rows."""
        makers = self.changing() if chance.random() < changes else self.keeping()
        return chance.choice(makers)(chance, list(keys))

    def changing(self) -> list[Maker]:
        makers = [self.write, self.write, self.overwrite]
        if self.kind.statements:
            makers += [self.write, self.delete, self.delete, self.update, self.merge]
        if self.partitioned:
            makers.append(self.drop_partition)
        return makers

    def keeping(self) -> list[Maker]:
        makers: list[Maker] = [self.compact, self.compact_fully, self.compact_fully, self.expire]
        if not self.kind.keyed and self.kind.name in ("append", "append-vectors"):
            makers.append(self.sort)
        if self.kind.options.get("bucket", "1") != "-1":
            makers.append(self.rescale)
        return [*makers, *makers, self.compact_manifest, self.analyze]

    def rows_to_write(self, chance: random.Random, keys: list[int]) -> tuple[list[Row], list[str] | None]:
        rows = random_rows(chance, self.kind, keys)
        if not self.kind.deletes:
            return rows, None
        return rows, chance.choices(["+I", "+U", "-D"], [3, 2, 2], k=len(rows))

    def write(self, chance: random.Random, keys: list[int]) -> Operation:
        rows, kinds = self.rows_to_write(chance, keys)
        return Operation(
            f"write {rows} {kinds or ''}",
            lambda table: table.write(arrow(rows, kinds), row_kind=kinds and "kind"),
            lambda model: model.put(rows, kinds or ["+I"] * len(rows)),
        )

    def overwrite(self, chance: random.Random, keys: list[int]) -> Operation:
        rows = random_rows(chance, self.kind, keys)
        removed = {row[0] for row in rows} if self.partitioned and not self.kind.crosses else set(PARTITIONS)

        def effect(model: Any) -> None:
            model.change(lambda row: row[0] in removed, lambda _: None)
            model.put(rows, ["+I"] * len(rows))

        return Operation(
            f"overwrite {rows}", lambda table: table.write(arrow(rows), mode="overwrite"), effect, replaces=True
        )

    def drop_partition(self, chance: random.Random, _: list[int]) -> Operation:
        name = chance.choice(PARTITIONS)
        return Operation(
            f"drop partition {name}",
            lambda table: table.drop_partitions({"p": name}),
            lambda model: model.change(lambda row: row[0] == name, lambda _: None),
            replaces=True,
        )

    # --- statements -----------------------------------------------------------------------------------------------

    def _condition(self, chance: random.Random, keys: list[int]) -> tuple[str, Callable[[Row], bool]]:
        chosen = frozenset(chance.sample(keys, chance.randint(1, len(keys))))
        text = f"k IN ({', '.join(map(str, sorted(chosen)))})"
        if chance.random() < 0.4:
            return f"{text} AND n > 2", lambda row: row[1] in chosen and row[2] is not None and row[2] > 2
        return text, lambda row: row[1] in chosen

    def delete(self, chance: random.Random, keys: list[int]) -> Operation:
        where, holds = self._condition(chance, keys)
        return Operation(
            f"delete where {where}",
            lambda table: table.delete(where),
            lambda model: model.change(holds, lambda _: None),
            reads=True,
        )

    def update(self, chance: random.Random, keys: list[int]) -> Operation:
        where, holds = self._condition(chance, keys)
        number = chance.randint(10, 99)
        return Operation(
            f"update n = {number} where {where}",
            lambda table: table.update({"n": number}, where),
            lambda model: model.change(holds, lambda row: (*row[:2], number, row[3])),
            reads=True,
        )

    def merge(self, chance: random.Random, keys: list[int]) -> Operation:
        rows = list(
            {
                self.kind.identity(row): (*row[:2], row[1], row[3]) for row in random_rows(chance, self.kind, keys)
            }.values()
        )
        on = ["k"] if self.kind.crosses else ["p", "k"]
        clauses = [wb.WhenMatched(update={"n": "s.n"}), wb.WhenNotMatched({name: f"s.{name}" for name in NAMES})]
        return Operation(
            f"merge {rows}",
            lambda table: table.merge(arrow(rows), on, clauses),
            lambda model: model.upsert(rows),
            reads=True,
        )

    # --- what leaves the rows as they are ---------------------------------------------------------------------------

    def compact(self, chance: random.Random, _: list[int]) -> Operation:
        where = "p = 'a'" if self.partitioned and chance.random() < 0.3 else None
        return Operation(f"compact {where or ''}", lambda table: table.compact(where=where))

    def compact_fully(self, *_: Any) -> Operation:
        return Operation("compact fully", lambda table: table.compact(full=True))

    def compact_manifest(self, *_: Any) -> Operation:
        return Operation("compact manifests", lambda table: table.compact_manifest())

    def analyze(self, *_: Any) -> Operation:
        return Operation("analyze", lambda table: table.analyze())

    def sort(self, *_: Any) -> Operation:
        return Operation("sort by n", lambda table: table.compact(order_by=["n"]))

    def rescale(self, *_: Any) -> Operation:
        if self.kind.waits:
            return Operation("rescale into 2", lambda table: table.rescale(bucket=2))
        return Operation("rescale", lambda table: table.rescale())

    def expire(self, chance: random.Random, _: list[int]) -> Operation:
        keep = chance.randint(1, 4)
        return Operation(f"expire all but {keep}", lambda table: table.expire_snapshots(keep, retain_min=1))


def of_slot(slot: int) -> list[int]:
    """The keys of one of four writers."""
    return [key for key in KEYS if key % 4 == slot]
