"""Random histories of tables that compact during writes: their rows equal those of a dictionary, and replaying their
changelog has the same result."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.merge_model import Merge, Row, by_sequence, check_files, newest, oldest, partial, summed
from tests.support.sampling import sampled
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.manifests import ManifestFiles

COLUMNS = {"k": "INT NOT NULL", "n": "INT", "s": "STRING"}
LOOKUP = {"changelog-producer": "lookup"}
FULL = {"changelog-producer": "full-compaction"}
FORCED = {"force-lookup": "true"}
VECTORS = {"deletion-vectors.enabled": "true"}
DEDUPLICATED = {"changelog-producer.row-deduplicate": "true"}


@dataclass(frozen=True)
class Kind:
    """A table, and the effect of a row on the existing one."""

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
    Kind("forced-lookup", summed, {**SUM, **FORCED}),
    Kind("forced-lookup-full", newest, {**FULL, **FORCED}, deletes=True),
    Kind("forced-lookup-full-aggregation", summed, {**FULL, **FORCED, **SUM, **DEDUPLICATED}),
    Kind("forced-lookup-full-partial-update", partial, {**FULL, **FORCED, **PARTIAL}),
    Kind("forced-lookup-full-sequence", by_sequence, {**FULL, **FORCED, "sequence.field": "n"}),
    Kind("forced-lookup-partial-update", partial, {**PARTIAL, **FORCED}),
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
        """The rows are those of the model, and all referenced files exist."""
        held = [tuple(each.values()) for each in self.table.to_arrow().to_pylist()]
        assert sorted(held, key=lambda each: each[0]) == [self.rows[k] for k in sorted(self.rows)]
        check_files(self.table)

    def replay(self) -> None:
        """Apply the changelog since the last time; each change must match the existing row."""
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


LAYOUTS = {
    # Level 0 is compacted again and again, into levels of ever lower numbers above a large last level.
    "tall": {"num-sorted-run.compaction-trigger": "6", "compaction.max-size-amplification-percent": "100000"},
    "lifted-slowly": {"num-sorted-run.compaction-trigger": "4", "compaction.size-ratio": "0", "num-levels": "8"},
}
TALL_KINDS = [kind for kind in KINDS if {*FORCED.items(), *LOOKUP.items()} & kind.options.items()]


def tall_steps(chance: random.Random, count: int) -> list[Any]:
    """Writes of very different sizes on top of a large first one, so that several levels hold the same keys."""

    def rows(keys: int, number: int) -> list[tuple[int, int | None, str | None, int]]:
        texts = [None, *(chance.randbytes(40).hex() for _ in range(number))]
        return [
            (chance.randrange(keys), chance.choice([None, *range(6)]), chance.choice(texts), chance.randrange(4))
            for _ in range(number)
        ]

    sizes = [chance.choice([2, 5, 20, 80, 300]) for _ in range(count)]
    return [rows(3000, 6000), "full", *(rows(size, size) for size in sizes)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", sampled(TALL_KINDS, 6), ids=str)
def test_no_part_is_lost_between_levels(kind: Kind, layout: str, tmp_path: Path) -> None:
    """If reads use only the newest level above 0, compaction has merged all older parts into it."""
    catalog = connect(tmp_path)
    catalog.create_database("db")
    life = Life(replace(kind, options={**kind.options, **LAYOUTS[layout]}), catalog, "db.t")
    several = 0
    for each in tall_steps(random.Random(f"{kind}"), 8):
        life.take(each)
        life.check()
        files = ManifestFiles(life.table.store).live_files(life.table.snapshot())
        several += len({entry.file.level for entry in files if entry.file.level > 0}) > 1
    assert several
    life.take("full")
    life.check()
    if "changelog-producer" in kind.options:
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
