"""Random statements on tables of every kind, each state compared with a list of rows in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.sampling import sampled
from tests.support.statements_model import (
    BY_SOURCE,
    COLUMNS,
    MATCHED,
    MOVES,
    NAMES,
    NOT_MATCHED,
    SETS,
    TESTS,
    Model,
    Row,
)
from workbench.base.errors import MergeError
from workbench.catalog.connect import connect
from workbench.metadata.manifests import ManifestFiles
from workbench.table.dml.result import RowChanges
from workbench.table.table import Table

KINDS: dict[str, dict[str, str]] = {
    "append": {},
    "append in buckets": {"bucket": "2", "bucket-key": "id"},
    "append with vectors": {"deletion-vectors.enabled": "true"},
    "append in buckets with vectors": {"bucket": "2", "bucket-key": "id", "deletion-vectors.enabled": "true"},
    "append with wide vectors": {"deletion-vectors.enabled": "true", "deletion-vectors.bitmap64": "true"},
    "key": {"bucket": "2"},
    "key, busy": {"bucket": "1", "num-sorted-run.compaction-trigger": "2"},
}


def rows_of(chance: random.Random, count: int) -> list[Row]:
    return [
        {
            "id": chance.randrange(14),
            "p": chance.choice("aabc"),
            "v": chance.choice([None, 0, 3, 5, 7, 9]),
            "s": chance.choice([None, "x", "y"]),
        }
        for _ in range(count)
    ]


def source_of(chance: random.Random) -> list[Row]:
    return [
        {
            "id": chance.randrange(18),
            "p": chance.choice("abd"),
            "w": chance.choice([None, 0, 3, 7]),
            "note": chance.choice([None, "n"]),
        }
        for _ in range(chance.randrange(1, 7))
    ]


def bag(rows: list[Row]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row[name] for name in NAMES) for row in rows)


class Life:
    """One table and its model."""

    def __init__(self, warehouse: Path, kind: str, chance: random.Random, *, partitioned: bool) -> None:
        self.chance = chance
        keyed = kind.startswith("key")
        catalog = connect(warehouse)
        catalog.create_database("db")
        keys = ["id", "p"] if keyed else []
        self.table: Table = catalog.create_table("db.t", COLUMNS, keys, ["p"] if partitioned else [], KINDS[kind])
        self.model = Model(keyed)
        self.before: list[tuple[int, Counter[tuple[Any, ...]]]] = []

    def step(self) -> None:
        getattr(
            self, self.chance.choice(["write", "write", "delete", "delete", "update", "update", "merge", "merge"])
        )()
        rows = self.table.to_arrow().to_pylist()
        assert bag(rows) == bag(self.model.rows)
        assert bag(self.table.to_batches(where="v > 3").read_all().to_pylist()) == bag(
            [row for row in self.model.rows if (row["v"] or 0) > 3]
        )
        version = self.table.version
        if version is not None:
            self.before.append((version.id, bag(rows)))

    def finish(self) -> None:
        """Check that versions are unchanged, and that the row count of the last one is that of its files."""
        for number, rows in self.before:
            assert bag(self.table.at(snapshot=number).to_arrow().to_pylist()) == rows
        last = self.table.version
        if last is not None:
            live = ManifestFiles(self.table.store).live_files(last)
            assert last.total_record_count == sum(entry.file.row_count for entry in live)

    def write(self) -> None:
        rows = rows_of(self.chance, self.chance.randrange(1, 12))
        self.table.write(rows)
        self.model.write(rows)

    def delete(self) -> None:
        test = self.chance.choice(TESTS)
        done = self.table.delete(test.sql)
        removed = self.model.delete(test)
        assert done.deleted in (removed, None)
        self.check(done, changed=removed)

    def update(self) -> None:
        choices = SETS if self.model.keyed else (*SETS, MOVES)
        change, test = self.chance.choice(choices), self.chance.choice([None, *TESTS])
        done = self.table.update(change.sql, None if test is None else test.sql)
        assert done.updated == self.model.update(change, test)
        self.check(done, changed=done.updated)

    def merge(self) -> None:
        matched = self.chance.sample(MATCHED, self.chance.randrange(3))
        clauses = [*matched, *self.chance.sample(BY_SOURCE, self.chance.randrange(2))]
        clauses += self.chance.sample(NOT_MATCHED, self.chance.randrange(0 if clauses else 1, 3))
        source = source_of(self.chance)
        on = self.chance.choice(
            [["id", "p"], "t.id = s.id AND s.p = t.p", "t.id <= s.id AND t.id >= s.id AND t.p = s.p"]
        )
        if isinstance(on, str) and "<=" in on:
            # Without `=` on the key, MERGE does not know that an update sets the key to the value that it has.
            clauses = [each for each in clauses if "id" not in (getattr(each.clause, "update", None) or ())]
        if not clauses:
            return
        expected = self.model.merge(source, clauses)
        version = self.table.version
        if expected is None:
            with pytest.raises(MergeError, match="Several rows of the source"):
                self.table.merge(source, on, [each.clause for each in clauses])
            assert self.table.version == version
            return
        done = self.table.merge(source, on, [each.clause for each in clauses])
        assert (done.deleted, done.updated, done.inserted) == expected
        self.check(done, changed=sum(expected))

    def check(self, done: RowChanges, changed: int) -> None:
        if done.deleted is not None:
            assert bool(done.snapshots) == bool(changed)


def live(kind: str, seed: int, steps: int, *, partitioned: bool) -> None:
    with TemporaryDirectory() as position:
        life = Life(Path(position), kind, random.Random(seed), partitioned=partitioned)
        for _ in range(steps):
            life.step()
        life.finish()


@pytest.mark.parametrize("partitioned", [True, False], ids=["partitioned", "flat"])
@pytest.mark.parametrize("kind", sampled(KINDS, 2))
def test_some_histories(kind: str, partitioned: bool) -> None:
    live(kind, 1, 9, partitioned=partitioned)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 1 << 32), partitioned=st.booleans())
def test_many_histories(kind: str, seed: int, partitioned: bool) -> None:
    live(kind, seed, 12, partitioned=partitioned)
