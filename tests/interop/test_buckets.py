"""Buckets as Java fills them: every bucket function, both ways; rows that wait for a bucket."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.lives import TABLE, our_table
from tests.interop.rows import assert_same_rows, from_arrow
from tests.interop.tiers import JAVA
from tests.support.sampling import sampled
from workbench.format.rows.bucket import fixed_buckets
from workbench.format.types import char_length

pytestmark = pytest.mark.java

ROWS = 120
CHANCE = random.Random(5)
TEXTS = ["", "a", "äß", "日本語", "😀 and some more"]
VALUES: dict[str, tuple[pa.DataType, Callable[[], Any]]] = {
    "INT": (pa.int32(), lambda: CHANCE.randrange(-(2**31), 2**31)),
    "BIGINT": (pa.int64(), lambda: CHANCE.randrange(-(2**63), 2**63)),
    "SMALLINT": (pa.int16(), lambda: CHANCE.randrange(-(2**15), 2**15)),
    "TINYINT": (pa.int8(), lambda: CHANCE.randrange(-(2**7), 2**7)),
    "BOOLEAN": (pa.bool_(), lambda: CHANCE.random() < 0.5),
    "STRING": (pa.string(), lambda: CHANCE.choice(TEXTS)),
    "CHAR(5)": (pa.string(), lambda: "abcde"[: CHANCE.randrange(1, 6)]),
    "BYTES": (pa.binary(), lambda: CHANCE.randbytes(CHANCE.randrange(9))),
    "FLOAT": (pa.float32(), lambda: CHANCE.choice([0.0, -0.0, float("nan"), 1.5, -3.25, 1e30])),
    "DOUBLE": (pa.float64(), lambda: CHANCE.choice([0.0, -0.0, float("nan"), 1.5, -3.25e200])),
    "DATE": (pa.int32(), lambda: CHANCE.randrange(-10_000, 30_000)),
    "DECIMAL(10, 2)": (pa.decimal128(10, 2), lambda: Decimal(CHANCE.choice([0, 100, -120, 123, 10**9])) / 100),
    "DECIMAL(30, 10)": (pa.decimal128(30, 10), lambda: Decimal(CHANCE.choice([0, 10**10, -123, 7 - 10**28])) / 10**10),
}
KEYS = [("mod", ("INT",)), ("hive", ("INT", "STRING", "DECIMAL(10, 2)")), ("mod", ("BIGINT",))]
KEYS += [("hive", (kind,)) for kind in VALUES]


def keyed_rows(kinds: tuple[str, ...]) -> pa.Table:
    """Return rows with a row number and a column for each type, in which one value in ten is null."""
    columns = {}
    for position, kind in enumerate(kinds):
        arrow, make = VALUES[kind]
        values = pa.array([None if CHANCE.random() < 0.1 else make() for _ in range(ROWS)], arrow)
        columns[f"k{position}"] = values.cast(pa.date32()) if kind == "DATE" else values
    return pa.table({**columns, "n": pa.array(range(ROWS), pa.int32())})


@pytest.mark.parametrize("key", sampled(KEYS, len(KEYS)), ids=str)
def test_rows_are_in_the_buckets_of_java(
    key: tuple[str, tuple[str, ...]], referee: Callable[[str], Any], tmp_path: Path
) -> None:
    function, kinds = key
    java, rows = referee("java-2.0.0"), keyed_rows(kinds)
    columns = {**{f"k{position}": kind for position, kind in enumerate(kinds)}, "n": "INT"}
    names = [f"k{position}" for position in range(len(kinds))]
    options = {"bucket": "7", "bucket-key": ",".join(names), "bucket-function.type": function}
    java.create(tmp_path, TABLE, columns, [], [], options)
    java.write(tmp_path, TABLE, rows)
    theirs = our_table(tmp_path)
    scan = theirs.scan()
    for split in scan.plan():
        held = scan.reader.read_all([split])
        types = [theirs.schema.field(name).type for name in names]
        assert set(fixed_buckets([held[name] for name in names], types, 7, function)) == {split.bucket}
    ours = wb.connect(str(tmp_path)).create_table("db.ours", columns, options=options)
    ours.write(rows)
    assert_same_rows(java.read(tmp_path, "db.ours"), from_arrow(rows))
    for table in (theirs, ours):
        check_lookups(table, rows.select(names))


def check_lookups(table: Any, keys: pa.Table) -> None:
    """Check that a filter on the key finds the row and prunes the other buckets."""
    for number, key in enumerate(keys.to_pylist()):
        if number % 10 == 0 and all(value is not None and value == value for value in key.values()):
            scan = table.scan(where=reduce(and_, (wb.col(name) == value for name, value in key.items())))
            assert number in scan.to_arrow()["n"].to_pylist()
            # A CHAR may be stored with some of its blanks, and all of its forms can be in different buckets.
            if not any(char_length(table.schema.field(name).type) for name in key):
                assert scan.explain().files_pruned["bucket"] > 0


@pytest.mark.parametrize("engine", JAVA)
def test_rows_without_a_bucket_are_not_visible_yet(engine: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee(engine)
    java.create(tmp_path, TABLE, {"id": "BIGINT NOT NULL", "v": "INT"}, ["id"], [], {"bucket": "-2"})
    java.write(tmp_path, TABLE, pa.table({"id": pa.array([1, 2]), "v": pa.array([1, 2], pa.int32())}))
    table = our_table(tmp_path)
    assert len(java.read(tmp_path, TABLE)) == table.to_arrow().num_rows == 0
    assert table.scan().explain().files_pruned == {"no bucket yet": 1}
    assert table.changes(0, 1, mode="diff").num_rows == 0
    java.alter(tmp_path, TABLE, ("set", "postpone.merge-on-read", "true"))
    java.write(tmp_path, TABLE, pa.table({"id": pa.array([2, 3]), "v": pa.array([4, 6], pa.int32())}))
    read = our_table(tmp_path).to_arrow()
    assert sorted(zip(*read.to_pydict().values(), strict=True)) == [(1, 1), (2, 4), (3, 6)]
    our_table(tmp_path).compact()
    assert_same_rows(java.read(tmp_path, TABLE), from_arrow(read))


def test_the_newest_commit_wins_with_snapshot_ordering(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    options = {"bucket": "1", "write-only": "true", "sequence.snapshot-ordering": "true"}
    java.create(tmp_path, TABLE, {"id": "BIGINT NOT NULL", "v": "INT"}, ["id"], [], options)

    def write(ids: list[int], value: int, kinds: list[str] | None = None) -> None:
        values = pa.array([value] * len(ids), pa.int32())
        java.write(tmp_path, TABLE, pa.table({"id": pa.array(ids, pa.int64()), "v": values}), kinds)
        rows = java.read(tmp_path, TABLE)
        assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), rows)
        assert_same_rows(from_arrow(our_table(tmp_path).to_batches().read_all()), rows)

    # The second commit stores smaller sequence numbers: writers continue from the file's number, the snapshot id.
    write(list(range(50)), 1)
    write([3, 4, 5], 2)
    java.compact(tmp_path, TABLE)
    write([4, 6], 3, ["-D", "+I"])
    write([5], 4)
    actual_rows = dict(zip(*our_table(tmp_path).to_arrow().to_pydict().values(), strict=True))
    assert (actual_rows[3], actual_rows.get(4), actual_rows[5], actual_rows[6], len(actual_rows)) == (2, None, 4, 3, 49)
    our_table(tmp_path).write([{"id": 5, "v": 5}])
    rows = from_arrow(our_table(tmp_path).to_arrow())
    assert ("5", "5") in rows.rows
    assert_same_rows(rows, java.read(tmp_path, TABLE))
