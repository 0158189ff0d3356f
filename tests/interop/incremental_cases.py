"""Tables whose changes are read: every changelog producer and merge engine, with and without a key."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from tests.interop.rows import Rows

COLUMNS = {"id": "BIGINT NOT NULL", "part": "STRING NOT NULL", "v": "BIGINT", "s": "STRING"}
KEYS = 60
OVERWRITE, COMPACT = "overwrite", "compact"
DELETES = ("+I", "+U", "-D")
INSERTS = ("+I", "+U")

PARTIAL = {"merge-engine": "partial-update", "partial-update.remove-record-on-delete": "true"}
SUM = {
    "merge-engine": "aggregation",
    "fields.v.aggregate-function": "sum",
    "fields.s.aggregate-function": "last_non_null_value",
}
FIRST = {"merge-engine": "first-row"}
VECTORS = {"deletion-vectors.enabled": "true"}


def producer(name: str) -> dict[str, str]:
    return {"changelog-producer": name}


@dataclass(frozen=True)
class Changing:
    """A table and its history: the row kinds of its commits, and its steps. It has no key if ``keyed`` is false."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = DELETES
    keyed: bool = True
    steps: tuple[str, ...] = ("write", "write", COMPACT, "write", OVERWRITE, "write", COMPACT, "write")

    def __str__(self) -> str:
        return self.name

    @property
    def has_producer(self) -> bool:
        return "changelog-producer" in self.options

    @property
    def newest_file_tells(self) -> bool:
        """Whether the newest file that contains a key has the current row of this key, and reads hide no file."""
        return not {"deletion-vectors.enabled", "merge-engine", "sequence.field"} & set(self.options)

    def live(self, java: Any, warehouse: Any, table: str) -> None:
        """Create the table and run its history."""
        keys = ["part", "id"] if self.keyed else []
        java.create(warehouse, table, COLUMNS, keys, ["part"], {"bucket": "2", **self.options})
        for number, step in enumerate(self.steps):
            if step == COMPACT:
                java.compact(warehouse, table)
                continue
            data, kinds = self.commit(number)
            java.write(warehouse, table, data, kinds if self.keyed else None, overwrite=step == OVERWRITE)

    def commit(self, number: int) -> tuple[pa.Table, tuple[str, ...]]:
        """Return the rows of one commit, some keys more than once, and their kinds; they are the same in every run."""
        chance = random.Random(f"{self.name} {number}")
        ids = [chance.randrange(KEYS) for _ in range(KEYS // 2)]
        data = pa.table(
            {
                "id": pa.array(ids, pa.int64()),
                "part": pa.array([f"p{each % 2}" for each in ids]),
                "v": pa.array([None if chance.random() < 0.2 else chance.randrange(50) for _ in ids], pa.int64()),
                "s": pa.array([None if chance.random() < 0.2 else f"{number}-{each}" for each in ids]),
            }
        )
        return data, tuple(chance.choice(self.kinds) for _ in ids)


CASES = (
    Changing("none"),
    Changing("lookup", producer("lookup")),
    Changing("input", producer("input")),
    Changing("full-compaction", producer("full-compaction")),
    Changing("append", {"bucket": "-1"}, keyed=False),
    Changing("lookup-vectors", {**producer("lookup"), **VECTORS}),
    Changing("lookup-first-row", {**producer("lookup"), **FIRST}, INSERTS),
    Changing("lookup-partial-update", {**producer("lookup"), **PARTIAL}),
    Changing("lookup-aggregation", {**producer("lookup"), **SUM}),
    Changing("full-compaction-partial-update", {**producer("full-compaction"), **PARTIAL}),
    Changing("full-compaction-aggregation", {**producer("full-compaction"), **SUM}),
    Changing("input-aggregation", {**producer("input"), **SUM}),
    Changing("first-row", FIRST, INSERTS),
    Changing("partial-update", PARTIAL),
    Changing("aggregation", SUM),
    Changing("vectors", VECTORS),
    Changing("sequence-field", {**producer("lookup"), "sequence.field": "v"}),
    Changing("orc", {"file.format": "orc", **producer("lookup")}),
    Changing("avro", {"file.format": "avro", **producer("lookup")}),
    Changing(
        "changelog-format", {"changelog-file.format": "avro", "changelog-file.prefix": "log-", **producer("input")}
    ),
    Changing("append-bucketed", {"bucket-key": "id"}, keyed=False),
    Changing("append-vectors", {"bucket": "-1", **VECTORS}, keyed=False),
)


def with_kinds(result: Rows) -> Rows:
    """Return the rows with the kinds that Java returned as their first column."""
    assert result.kinds is not None
    return Rows(
        ("rowkind", *result.columns), tuple((kind, *row) for kind, row in zip(result.kinds, result.rows, strict=True))
    )
