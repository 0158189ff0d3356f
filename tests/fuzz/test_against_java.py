"""Random histories of tables that Java 2.0.0 and this library change in turn, Java also during our operations: both
read the rows of the model, with and without conditions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.fuzz.budget import seeds
from tests.fuzz.interleaving import History, same
from tests.fuzz.kinds import KEYS, KINDS, NAMES, PARTITIONS, Kind
from tests.fuzz.operations import Maker, Operation, Operations, arrow
from tests.fuzz.repeating import fuzz
from tests.interop import rows
from tests.interop.lives import TABLE, condition_of
from tests.interop.referees import Filter, JavaPaimon, start
from tests.support.merge_model import Row
from workbench.format.spec.paths import EARLIEST, LATEST

pytestmark = pytest.mark.java
# Java only reads these. The first two are written by Flink and Spark: Java's core alone does not find the bucket of a
# row. In the others, Java's own compaction to a middle level loses what older levels have, or repeats a key of them.
READ_ONLY = [
    kind
    for kind in KINDS
    if kind.crosses
    or kind.waits
    or kind.name == "forced-lookup-full"
    or kind.options.get("merge-engine") == "first-row"
]


@pytest.fixture(scope="module")
def java() -> Iterator[JavaPaimon]:
    engine = start("java-2.0.0")
    assert isinstance(engine, JavaPaimon)
    yield engine
    engine.close()


@dataclass(frozen=True)
class JavaOperations(Operations):
    """Our operations, and those that Java does on the same table."""

    java: JavaPaimon
    warehouse: Path

    def changing(self) -> list[Maker]:
        ours = super().changing()
        return ours if self.kind in READ_ONLY else [*ours, *[self.java_writes] * len(ours)]

    def keeping(self) -> list[Maker]:
        ours = super().keeping()
        if self.kind in READ_ONLY:
            return ours
        compacts = self.kind.keyed and self.kind.options.get("bucket") != "-1"
        theirs = [self.java_expires, self.java_compacts if compacts else self.java_expires]
        return [*ours, *theirs * (len(ours) // 2)]

    def java_writes(self, chance: random.Random, keys: list[int]) -> Operation:
        written, kinds = self.rows_to_write(chance, keys)

        def run(_: Any) -> int:
            data = arrow(written)
            if self.kind.keyed and self.kind.options.get("bucket") == "-1":
                rows.to_json_lines(data, kinds, self.java.path("json"))
                answer = self.java.ask("assign", self.warehouse, TABLE, rows=str(self.java.path("json")))
                return int(answer["snapshot"])
            return self.java.write(self.warehouse, TABLE, data, kinds)

        return Operation(
            f"Java writes {written} {kinds or ''}",
            run,
            lambda model: model.put(written, kinds or ["+I"] * len(written)),
        )

    def java_compacts(self, *_: Any) -> Operation:
        return Operation("Java compacts fully", lambda _: str(self.java.compact(self.warehouse, TABLE)))

    def java_expires(self, chance: random.Random, _: list[int]) -> Operation:
        keep = chance.randint(1, 4)
        return Operation(
            f"Java expires all but {keep}",
            lambda _: str(self.java.expire(self.warehouse, TABLE, keep)),
        )


@dataclass
class SharedHistory(History):
    """A history in which Java performs some of the operations."""

    java: JavaPaimon = field(kw_only=True)
    # Java trusts a hint whose next snapshot has expired, so a hint that is written late stops its readers and writers.
    uninterrupted = (LATEST, EARLIEST)

    def make_operations(self) -> Operations:
        return JavaOperations(self.kind, bool(self.table.partition_keys), self.java, self.warehouse)

    def check(self, chance: random.Random) -> None:
        super().check(chance)
        if self._newly_opened().version is None:
            return
        same(self._read_by_java(()), self.model.rows, "the newest version as Java reads it")
        filters, holds = conditions(chance)
        expected = Counter({row: count for row, count in self.model.rows.items() if holds(row)})
        text = " and ".join(map(str, filters))
        same(self._read_by_java(filters), expected, f"what Java reads where {text}")
        where = reduce(lambda one, other: one & other, map(condition_of, filters))
        rows = self._newly_opened().to_arrow(list(NAMES), where=where)
        same(Counter(tuple(row.values()) for row in rows.to_pylist()), expected, f"what we read where {text}")

    def _read_by_java(self, filters: Sequence[Filter]) -> Counter[Row]:
        result = self.java.read(self.warehouse, TABLE, NAMES, filters)
        return Counter((p, int(str(k)), None if n is None else int(str(n)), s) for p, k, n, s in result.rows)


def conditions(chance: random.Random) -> tuple[list[Filter], Callable[[Row], bool]]:
    """A random conjunction as filters, and what it means."""
    result = [_condition(chance) for _ in range(chance.randint(1, 2))]
    return [each for each, _ in result], lambda row: all(holds(row) for _, holds in result)


def _condition(chance: random.Random) -> tuple[Filter, Callable[[Row], bool]]:
    position = chance.randrange(len(NAMES))
    values = [PARTITIONS, list(KEYS), range(7), ("x", "y" * 30, "z")][position]
    kind = pa.string() if position in (0, 3) else pa.int32()
    operation = chance.choice(["equal", "in", "between", "greater_or_equal", "is_null", "is_not_null"])
    if operation.startswith("is_"):
        wanted = operation == "is_null"
        return Filter(NAMES[position], operation), lambda row: (row[position] is None) == wanted
    count = {"equal": 1, "greater_or_equal": 1}.get(operation, 2)
    chosen: list[Any] = sorted(chance.choice(values) for _ in range(count))

    def holds(row: Row) -> bool:
        value = row[position]
        if value is None:
            return False
        if operation == "between":
            return bool(chosen[0] <= value <= chosen[1])
        return bool(value >= chosen[0]) if operation == "greater_or_equal" else value in chosen

    return Filter(NAMES[position], operation, pa.array(chosen, kind)), holds


def fuzz_shared(java: JavaPaimon, kind: Kind, seed: int, directory: Path) -> None:
    make = partial(SharedHistory, kind, java=java)
    fuzz(make, seed, directory, f"test_against_java.py::test_many_shared_histories[{kind}]")


@pytest.mark.parametrize("kind", KINDS[2::16], ids=str)
def test_one_shared_history(java: JavaPaimon, kind: Kind, tmp_path: Path) -> None:
    fuzz_shared(java, kind, 1, tmp_path / "warehouse")


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_many_shared_histories(java: JavaPaimon, kind: Kind, tmp_path: Path) -> None:
    for seed in seeds():
        fuzz_shared(java, kind, seed, tmp_path / "warehouse")
