"""Random lives of tables that compact as they are written: what they hold is what a dictionary holds, and their
changelog, replayed from nothing, leads there."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format import paths
from workbench.storage.file_io import join
from workbench.table.compaction.bucket_compaction import levels_of
from workbench.table.index_files import index_entries
from workbench.table.manifests import ManifestFiles
from workbench.table.table import Table
from workbench.table.writing.bucket_states import known_buckets

Row = tuple[int, int | None, str | None]
Merge = Callable[[Row | None, Row], Row | None]
COLUMNS = {"k": "INT NOT NULL", "n": "INT", "s": "STRING"}
LOOKUP = {"changelog-producer": "lookup"}
FULL = {"changelog-producer": "full-compaction"}
VECTORS = {"deletion-vectors.enabled": "true"}
DEDUPLICATED = {"changelog-producer.row-deduplicate": "true"}


def newest(_: Row | None, row: Row) -> Row:
    return row


def oldest(known: Row | None, row: Row) -> Row:
    return known or row


def partial(known: Row | None, row: Row) -> Row:
    if known is None:
        return row
    return row[0], known[1] if row[1] is None else row[1], known[2] if row[2] is None else row[2]


def summed(known: Row | None, row: Row) -> Row:
    if known is None:
        return row
    numbers = [number for number in (known[1], row[1]) if number is not None]
    return row[0], sum(numbers) if numbers else None, known[2] if row[2] is None else row[2]


def by_sequence(known: Row | None, row: Row) -> Row:
    """NULL is older than anything; of equals the later one wins."""
    if known is None or (row[1] is None, -(row[1] or 0)) <= (known[1] is None, -(known[1] or 0)):
        return row
    return known


@dataclass(frozen=True)
class Kind:
    """A table, and what one more row makes of the one that is there."""

    name: str
    merge: Merge
    options: Mapping[str, str] = field(default_factory=dict)
    deletes: bool = False

    def __str__(self) -> str:
        return self.name


SUM = {"merge-engine": "aggregation", "fields.n.aggregate-function": "sum"}
PARTIAL = {"merge-engine": "partial-update"}
FIRST = {"merge-engine": "first-row"}
KINDS = (
    Kind("lookup", newest, LOOKUP, deletes=True),
    Kind("lookup-deduplicated", newest, {**LOOKUP, **DEDUPLICATED}, deletes=True),
    Kind("lookup-aggregation", summed, {**LOOKUP, **SUM}),
    Kind("lookup-partial-update", partial, {**LOOKUP, **PARTIAL}),
    Kind("lookup-first-row", oldest, {**LOOKUP, **FIRST}),
    Kind("lookup-sequence", by_sequence, {**LOOKUP, "sequence.field": "n"}),
    Kind("full", newest, FULL, deletes=True),
    Kind("full-aggregation", summed, {**FULL, **SUM, **DEDUPLICATED}),
    Kind("full-partial-update", partial, {**FULL, **PARTIAL}),
    Kind("vectors", newest, VECTORS, deletes=True),
    Kind("vectors-64", newest, {**VECTORS, "deletion-vectors.bitmap64": "true"}, deletes=True),
    Kind("vectors-lookup", newest, {**VECTORS, **LOOKUP}, deletes=True),
    Kind("vectors-aggregation", summed, {**VECTORS, **LOOKUP, **SUM}),
    Kind("vectors-partial-update", partial, {**VECTORS, **PARTIAL}),
    Kind("vectors-sequence", by_sequence, {**VECTORS, "sequence.field": "n"}),
    Kind("vectors-merged-on-read", newest, {**VECTORS, "deletion-vectors.merge-on-read": "true"}, deletes=True),
    Kind("first-row", oldest, FIRST),
    Kind("forced-lookup", summed, {**SUM, "force-lookup": "true"}),
    Kind("forced-up", newest, {"compaction.force-up-level-0": "true"}, deletes=True),
    Kind("forced-rewrite", newest, {"compaction.force-rewrite-all-files": "true", **LOOKUP}, deletes=True),
    Kind("avro-then-parquet", newest, {"file.format.per.level": "0:avro", **VECTORS, **LOOKUP}, deletes=True),
)

row = st.tuples(
    st.integers(0, 9), st.none() | st.integers(0, 5), st.none() | st.sampled_from(["a", "b"]), st.integers(0, 3)
)
step = st.lists(row, min_size=1, max_size=8) | st.sampled_from(["compact", "full"])


@dataclass
class Life:
    """One table, its model, and its changelog as far as it was replayed."""

    kind: Kind
    catalog: FileSystemCatalog
    name: str

    def __post_init__(self) -> None:
        options = {"bucket": "1", "num-sorted-run.compaction-trigger": "3", **self.kind.options}
        self.table = self.catalog.create_table(self.name, COLUMNS, primary_key=["k"], options=options)
        self.rows: dict[int, Row] = {}
        self.replayed: dict[int, Row] = {}
        self.seen = 0

    def take(self, step: Any) -> None:
        if isinstance(step, str):
            self.table.compact(full=step == "full")
            return
        for k, n, s, chance in step:
            if self.kind.deletes and not chance:
                self.rows.pop(k, None)
            else:
                self.rows[k] = self.kind.merge(self.rows.get(k), (k, n, s))
        kinds = ["-D" if self.kind.deletes and not chance else "+I" for *_, chance in step]
        k, n, s, _ = zip(*step, strict=True)
        data = {"k": pa.array(k, pa.int32()), "n": pa.array(n, pa.int32()), "s": pa.array(s, pa.string())}
        self.table.write(pa.table({**data, "kind": kinds}), row_kind="kind")

    def check(self) -> None:
        """The rows are those of the model, and what the table names is there."""
        held = [tuple(each.values()) for each in self.table.to_arrow().to_pylist()]
        assert sorted(held, key=lambda each: each[0]) == [self.rows[k] for k in sorted(self.rows)]
        check_files(self.table)

    def replay(self) -> None:
        """Apply what the changelog tells since the last time; each change must fit what was there."""
        newest = self.table.snapshot().id
        for start, end in itertools.pairwise(range(self.seen, newest + 1)):
            before: Row | None = None
            for change in self.table.changes(start, end, "changelog").to_pylist():
                kind, *values = change.values()
                row = (values[0], values[1], values[2])
                if kind in ("-U", "-D"):
                    assert self.replayed.pop(row[0]) == row
                    before = row
                    continue
                assert row[0] not in self.replayed
                if kind == "+U":
                    assert before is not None
                    assert before[0] == row[0]
                    if "changelog-producer.row-deduplicate" in self.kind.options:
                        assert before != row
                self.replayed[row[0]] = row
        self.seen = newest


def check_files(table: Table) -> None:
    store, snapshot = table.store, table.snapshot()
    live = ManifestFiles(store).live_files(snapshot)
    names = {entry.file.file_name for entry in live}
    for entry in live:
        assert store.file_io.exists(store.data_file_path(entry.partition, entry.bucket, entry.file))
    entries = index_entries(store, snapshot)
    for index in entries:
        assert store.file_io.exists(join(store.path(paths.INDEX_DIRECTORY), index.file_name))
        assert {vector.data_file for vector in index.vectors} <= names
    for state in known_buckets(live, entries).buckets.values():
        levels_of(table.schema, state.files).check()


def live(kind: Kind, directory: Path, steps: list[Any]) -> None:
    catalog = connect(directory)
    catalog.create_database("db")
    life = Life(kind, catalog, "db.t")
    tells_each = kind.options.get("changelog-producer") == "lookup"
    for each in [*steps, "full"]:
        life.take(each)
        if not life.table.snapshots():
            continue
        life.check()
        if tells_each or (each == "full" and "changelog-producer" in kind.options):
            life.replay()
            assert life.replayed == life.rows


def random_steps(chance: random.Random) -> list[Any]:
    def rows() -> list[tuple[int, int | None, str | None, int]]:
        numbers, texts = [None, *range(6)], [None, "a", "b"]
        return [
            (chance.randrange(10), chance.choice(numbers), chance.choice(texts), chance.randrange(4))
            for _ in range(chance.randint(1, 8))
        ]

    return [chance.choice([rows(), rows(), rows(), "compact", "full"]) for _ in range(6)]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_history(kind: Kind, tmp_path: Path) -> None:
    live(kind, tmp_path, random_steps(random.Random(f"{kind}")))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=str)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(step, min_size=3, max_size=12))
def test_many_histories(kind: Kind, tmp_path_factory: pytest.TempPathFactory, steps: list[Any]) -> None:
    live(kind, tmp_path_factory.mktemp("life"), steps)
