"""The kinds of tables that are fuzzed, and the effect of a history on their rows."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.support.merge_model import Merge, Row, by_sequence, newest, oldest, partial, summed
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

COLUMNS = {"p": "STRING NOT NULL", "k": "INT NOT NULL", "n": "INT", "s": "STRING"}
NAMES = tuple(COLUMNS)
PARTITIONS = ("a", "b")
KEYS = range(24)


@dataclass(frozen=True)
class Kind:
    """A kind of table. ``merge``: merges a new row into the existing row of its key; None without a key.

    ``deletes``: it takes rows of kind -D, and statements. ``crosses``: a key may move to another partition.
    ``nulls``: NULL values do not make the result depend on the layout of files.
    """

    name: str
    merge: Merge | None
    options: Mapping[str, str] = field(default_factory=dict)
    deletes: bool = False
    crosses: bool = False
    nulls: bool = True

    def __str__(self) -> str:
        return self.name

    @property
    def keyed(self) -> bool:
        return self.merge is not None

    @property
    def hides_level_0(self) -> bool:
        """Whether rows are read only once they are compacted."""
        options = self.options
        hides = options.get("deletion-vectors.enabled") == "true" or options.get("merge-engine") == "first-row"
        return self.keyed and hides and options.get("deletion-vectors.merge-on-read") != "true"

    @property
    def waits(self) -> bool:
        """Whether rows wait for a bucket."""
        return self.options.get("bucket") == "-2"

    @property
    def statements(self) -> bool:
        return self.deletes or not self.keyed

    def identity(self, row: Row) -> Row:
        """The key of a row."""
        return row[1:2] if self.crosses else row[:2]


VECTORS = {"deletion-vectors.enabled": "true"}
VECTORS_64 = {**VECTORS, "deletion-vectors.bitmap64": "true"}
LOOKUP = {"changelog-producer": "lookup"}
FULL = {"changelog-producer": "full-compaction"}
SUM = {"merge-engine": "aggregation", "fields.n.aggregate-function": "sum"}
PARTIAL = {"merge-engine": "partial-update"}
REMOVING = {**PARTIAL, "partial-update.remove-record-on-delete": "true"}
FIRST = {"merge-engine": "first-row"}
DYNAMIC = {"bucket": "-1", "dynamic-bucket.target-row-num": "5"}
WAITING = {"bucket": "-2", "postpone.default-bucket-num": "2"}
CROSSING = {**DYNAMIC, "dynamic-partition-overwrite": "false"}
UNAWARE = {"bucket": "-1"}
HASHED = {"bucket": "2", "bucket-key": "k"}


def newest_of(name: str, options: Mapping[str, str], *, crosses: bool = False) -> Kind:
    return Kind(name, newest, options, deletes=True, crosses=crosses)


KINDS = (
    newest_of("vectors", VECTORS),
    newest_of("vectors-64", VECTORS_64),
    newest_of("vectors-lookup", {**VECTORS, **LOOKUP}),
    newest_of("vectors-merge-on-read", {**VECTORS, "deletion-vectors.merge-on-read": "true"}),
    Kind("vectors-partial-update", partial, {**VECTORS, **PARTIAL}),
    Kind("vectors-aggregation", summed, {**VECTORS, **SUM}),
    Kind("vectors-sequence", by_sequence, {**VECTORS, "sequence.field": "n"}),
    newest_of("vectors-dynamic", {**VECTORS, **DYNAMIC}),
    newest_of("vectors-waiting", {**VECTORS, **WAITING}),
    newest_of("vectors-across", {**VECTORS, **CROSSING}, crosses=True),
    Kind("append-vectors", None, {**UNAWARE, **VECTORS}),
    Kind("append-vectors-hashed", None, {**HASHED, **VECTORS_64}),
    Kind("append", None, UNAWARE),
    Kind("append-hashed", None, HASHED),
    Kind("append-tracked", None, {**UNAWARE, "row-tracking.enabled": "true"}),
    newest_of("deduplicate", {}),
    newest_of("deduplicate-input", {"changelog-producer": "input"}),
    newest_of("deduplicate-lookup", LOOKUP),
    newest_of("deduplicate-full", FULL),
    newest_of("dynamic", DYNAMIC),
    newest_of("waiting", WAITING),
    newest_of("across", CROSSING, crosses=True),
    Kind("partial-update", partial, PARTIAL),
    # A -D keeps its values until it is compacted away, and a NULL in a later row brings them back (docs/format.md §17).
    Kind("partial-update-removing", partial, REMOVING, deletes=True, nulls=False),
    Kind("aggregation", summed, SUM),
    Kind("aggregation-lookup", summed, {**SUM, **LOOKUP}),
    Kind("forced-lookup", summed, {**SUM, "force-lookup": "true"}),
    Kind("forced-lookup-full", summed, {**SUM, **FULL, "force-lookup": "true"}),
    Kind("first-row", oldest, FIRST),
    Kind("first-row-lookup", oldest, {**FIRST, **LOOKUP}),
    Kind("sequence", by_sequence, {"sequence.field": "n"}),
    Kind("sequence-lookup", by_sequence, {"sequence.field": "n", **LOOKUP}),
)


def varied(chance: random.Random, kind: Kind) -> dict[str, str]:
    """The options of the kind, and others that must not matter."""
    options = {"file.format": chance.choice(["parquet", "parquet", "orc", "avro"])}
    if kind.keyed:
        options["bucket"] = chance.choice(["1", "1", "2"])
        options["num-sorted-run.compaction-trigger"] = chance.choice(["2", "3", "5"])
        if not kind.hides_level_0 and chance.random() < 0.25:
            options["write-only"] = "true"
    if chance.random() < 0.3:
        options["target-file-size"] = "2 kb"
    if chance.random() < 0.3:
        options |= {"manifest.merge-min-count": "3", "manifest.target-file-size": "3 kb"}
    if chance.random() < 0.2:
        options["num-levels"] = "3"
    return {**options, "commit.max-retry-wait": "1 ms", "commit.min-retry-wait": "1 ms", **kind.options}


def create(catalog: FileSystemCatalog, kind: Kind, chance: random.Random) -> Table:
    """Create ``db.t``, partitioned or not."""
    catalog.create_database("db", exist_ok=True)
    partitioned = kind.crosses or chance.random() < 0.5
    key = (["k"] if kind.crosses else ["p", "k"]) if kind.keyed else []
    return catalog.create_table("db.t", COLUMNS, key, ["p"] if partitioned else [], varied(chance, kind))


def random_rows(chance: random.Random, kind: Kind, keys: list[int], maximum: int = 8) -> list[Row]:
    nulls = [None] if kind.nulls else []
    return [
        (
            chance.choice(PARTITIONS),
            chance.choice(keys),
            chance.choice([*nulls, *range(6)]),
            chance.choice([*nulls, "x", "y" * 30]),
        )
        for _ in range(chance.randint(1, maximum))
    ]
