"""Random histories of tables that Java and Flink write with default options, to test the explanation of compactions."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from tests.interop.flink import FlinkSql
from tests.interop.lives import TABLE
from tests.interop.referees import JavaPaimon

_COLUMNS = {"p": "STRING NOT NULL", "k": "BIGINT NOT NULL", "n": "INT", "s": "STRING"}
_SQL = "p STRING, k BIGINT, n INT, s STRING"


@dataclass(frozen=True)
class Shape:
    """A shape of tables: its key, its partitions, and the options that a table of it needs."""

    name: str
    options: dict[str, str] = field(default_factory=dict)
    partitioned: bool = False
    keyed: bool = True

    def __str__(self) -> str:
        return self.name


SHAPES = (
    Shape("one-bucket", {"bucket": "1"}),
    Shape("three-buckets", {"bucket": "3"}),
    Shape("partitioned", {"bucket": "1"}, partitioned=True),
    Shape("dynamic", {"bucket": "-1"}),
    Shape("appended", {"bucket": "2", "bucket-key": "k"}, keyed=False),
)


def write_history(java: JavaPaimon, warehouse: Path, shape: Shape, seed: int, commits: int = 70) -> None:
    """Create ``db.t`` and write it with Java; of the given number of commits, some are full compactions."""
    chance = random.Random(f"{shape} {seed}")
    key = (["p", "k"] if shape.partitioned else ["k"]) if shape.keyed else []
    java.create(warehouse, TABLE, _COLUMNS, key, ["p"] if shape.partitioned else [], shape.options)
    for _ in range(commits):
        if chance.random() < 0.03:
            java.compact(warehouse, TABLE)
            continue
        rows = _rows(chance)
        kinds = _kinds(chance, len(rows)) if shape.keyed else None
        if shape.options["bucket"] == "-1":
            from tests.interop.rows import to_json_lines

            to_json_lines(rows, kinds, java.path("json"))
            java.ask("assign", warehouse, TABLE, rows=str(java.path("json")))
        else:
            java.write(warehouse, TABLE, rows, kinds)


def _rows(chance: random.Random) -> pa.Table:
    """Return few or many rows, with keys that are close together or far apart, as in commits of real tables."""
    count = int(2 ** chance.uniform(0, chance.choice([5, 9, 12])))
    low = chance.randrange(100_000)
    width = chance.choice([count, 10 * count, 100_000])
    keys = [low + chance.randrange(width) for _ in range(count)]
    return pa.table(
        {
            "p": pa.array([chance.choice("ab") for _ in keys], pa.string()),
            "k": pa.array(keys, pa.int64()),
            "n": pa.array([chance.randrange(1000) for _ in keys], pa.int32()),
            "s": pa.array([f"{chance.getrandbits(64):x}" for _ in keys], pa.string()),
        }
    )


def _kinds(chance: random.Random, count: int) -> list[str] | None:
    if chance.random() < 0.6:
        return None
    return [chance.choice(["+I", "+I", "+I", "-D"]) for _ in range(count)]


def stream_history(flink: FlinkSql, name: str, shape: Shape, seed: int, rows: int = 40_000) -> None:
    """Write a table with a Flink job that checkpoints every 300 milliseconds; ``flink`` must be a streaming session."""
    chance = random.Random(f"{shape} {seed}")
    options = ", ".join(f"'{key}'='{value}'" for key, value in shape.options.items())
    keys = "p, k" if shape.partitioned else "k"
    key = f", PRIMARY KEY ({keys}) NOT ENFORCED" if shape.keyed else ""
    partitions = " PARTITIONED BY (p)" if shape.partitioned else ""
    flink.execute(f"CREATE TABLE {name} ({_SQL}{key}){partitions} WITH ({options})")
    flink.set("execution.checkpointing.interval", "300 ms")
    source = f"source_of_{name.replace('.', '_')}"
    per_second = rows // 15
    flink.execute(
        f"CREATE TEMPORARY TABLE {source} (k BIGINT, n INT, s STRING) WITH ('connector'='datagen', "
        f"'number-of-rows'='{rows}', 'rows-per-second'='{per_second}', 'fields.k.min'='0', "
        f"'fields.k.max'='{chance.choice([1_000, 30_000, 10_000_000])}', 'fields.s.length'='{chance.choice([4, 40])}')"
    )
    flink.execute(f"INSERT INTO {name} SELECT IF(MOD(k, 2) = 0, 'a', 'b'), k, n, s FROM {source}")
