"""Tables whose buckets are assigned key by key: Java and we write in turns, and find each other's keys."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.interop import rows
from tests.interop.lives import TABLE, our_table
from tests.interop.referees import JavaPaimon, RefereeError
from tests.interop.rows import assert_same_rows, from_arrow
from tests.support.sampling import sampled
from workbench.format.index.hash_index import read_hash_index
from workbench.format.spec.index_entry import HASH
from workbench.metadata.index_files import index_entries, index_file_path
from workbench.table.table import Table
from workbench.write.dynamic_buckets import key_hashes

pytestmark = pytest.mark.java

COLUMNS = {"id": "BIGINT NOT NULL", "name": "STRING NOT NULL", "p": "STRING NOT NULL", "v": "INT"}
KINDS = ["+I", "+I", "+I", "-D"]
HISTORIES = [
    ({"dynamic-bucket.target-row-num": "40"}, 0),
    ({"dynamic-bucket.target-row-num": "25", "dynamic-bucket.initial-buckets": "3"}, 1),
    ({"dynamic-bucket.target-row-num": "15", "dynamic-bucket.max-buckets": "4"}, 2),
    ({"dynamic-bucket.target-row-num": "30", "index-file-in-data-file-dir": "true"}, 3),
    ({"dynamic-bucket.target-row-num": "35", "deletion-vectors.enabled": "true"}, 4),
]


def java_assigns(
    java: JavaPaimon, warehouse: Path, data: pa.Table, kinds: list[str] | None = None, *, overwrite: bool = False
) -> None:
    """Make one commit in Java, with the bucket assigner that its engines use."""
    rows.to_json_lines(data, kinds, java.path("json"))
    java.ask("assign", warehouse, TABLE, rows=str(java.path("json")), overwrite=overwrite)


def random_rows(chance: random.Random, count: int = 80) -> pa.Table:
    ids = [chance.randrange(150) for _ in range(count)]
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "name": [f"name of {number % 150}" for number in ids],
            "p": [chance.choice("ab") for _ in ids],
            "v": pa.array([chance.randrange(10**6) for _ in ids], pa.int32()),
        }
    )


def check_index(table: Table) -> None:
    """Check that each key is in one bucket, and that the index of a bucket has the hashes of all its keys."""
    indexes = {
        (entry.partition, entry.bucket): set(
            read_hash_index(
                table.store.file_io.read_bytes(index_file_path(table.store, entry)), entry.file_name, entry.row_count
            ).tolist()
        )
        for entry in index_entries(table.store, table.version)
        if entry.index_type == HASH
    }
    seen: dict[tuple[bytes, int], int] = {}
    scan = table.scan()
    for split in scan.plan():
        hashes = set(np.unique(key_hashes(table.store, scan.reader.read_all([split]))).tolist())
        assert hashes <= indexes[split.partition, split.bucket]
        for value in hashes:
            assert seen.setdefault((split.partition, value), split.bucket) == split.bucket
    of_partition: dict[bytes, list[int]] = {}
    for (partition, _), hashes in indexes.items():
        of_partition.setdefault(partition, []).extend(hashes)
    assert all(len(set(hashes)) == len(hashes) for hashes in of_partition.values())


@pytest.mark.parametrize("history", sampled(HISTORIES, 5))
def test_java_and_we_write_in_turns(
    history: tuple[dict[str, str], int], referee: Callable[[str], Any], tmp_path: Path
) -> None:
    options, seed = history
    java, chance = referee("java-2.0.0"), random.Random(seed)
    java.create(tmp_path, TABLE, COLUMNS, ["id", "name", "p"], ["p"], {"bucket": "-1", **options})
    expected: dict[tuple[Any, ...], Any] = {}
    for step in range(8):
        data = random_rows(chance)
        kinds = [chance.choice(KINDS) for _ in range(data.num_rows)]
        if (step + seed) % 2:
            java_assigns(java, tmp_path, data, kinds)
        else:
            our_table(tmp_path).write(data.append_column("kind", [kinds]), row_kind="kind")
        for row, kind in zip(data.to_pylist(), kinds, strict=True):
            expected[row["id"], row["p"]] = row["v"] if kind == "+I" else None
        if step == 5:
            java.compact(tmp_path, TABLE)
        table = our_table(tmp_path)
        rows = {(row["id"], row["p"]): row["v"] for row in table.to_arrow().to_pylist()}
        assert rows == {key: value for key, value in expected.items() if value is not None}
        assert table.to_arrow().num_rows == len(rows)
        assert_same_rows(from_arrow(table.to_arrow()), java.read(tmp_path, TABLE))
        check_index(table)
    for other in ("pypaimon", "java-1.4.2"):
        assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), referee(other).read(tmp_path, TABLE))


def test_an_overwrite_begins_with_an_empty_index(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java, chance = referee("java-2.0.0"), random.Random(9)
    options = {"bucket": "-1", "dynamic-bucket.target-row-num": "20"}
    java.create(tmp_path, TABLE, COLUMNS, ["id", "name", "p"], ["p"], options)
    java_assigns(java, tmp_path, random_rows(chance))
    only_a = random_rows(chance, 30).filter(pa.array([True] * 15 + [False] * 15))
    our_table(tmp_path).write(only_a.set_column(2, "p", [["a"] * 15]), mode="overwrite")
    check_index(our_table(tmp_path))
    java_assigns(java, tmp_path, random_rows(chance))
    check_index(our_table(tmp_path))
    java_assigns(java, tmp_path, random_rows(chance), overwrite=True)
    our_table(tmp_path).write(random_rows(chance))
    check_index(our_table(tmp_path))
    assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), java.read(tmp_path, TABLE))


CROSSING = [
    ({"merge-engine": "deduplicate", "dynamic-bucket.target-row-num": "15"}, 0),
    ({"merge-engine": "deduplicate", "dynamic-bucket.initial-buckets": "3"}, 1),
    ({"deletion-vectors.enabled": "true"}, 2),
    ({"changelog-producer": "lookup"}, 3),
]


@pytest.mark.parametrize("history", sampled(CROSSING, 4))
def test_keys_cross_partitions_as_in_java(
    history: tuple[dict[str, str], int], referee: Callable[[str], Any], tmp_path: Path
) -> None:
    options, seed = history
    java, chance = referee("java-2.0.0"), random.Random(seed)
    java.create(tmp_path, TABLE, COLUMNS, ["id", "name"], ["p"], {"bucket": "-1", **options})
    expected: dict[int, tuple[str, int]] = {}
    for step in range(8):
        data = random_rows(chance)
        # When Java loads an empty table, it ignores row kinds.
        kinds = [chance.choice(KINDS) if step else "+I" for _ in range(data.num_rows)]
        if (step + seed) % 2:
            java_assigns(java, tmp_path, data, kinds)
        else:
            our_table(tmp_path).write(data.append_column("kind", [kinds]), row_kind="kind")
        for row, kind in zip(data.to_pylist(), kinds, strict=True):
            if kind == "+I":
                expected[row["id"]] = (row["p"], row["v"])
            else:
                expected.pop(row["id"], None)
        if step == 5:
            java.compact(tmp_path, TABLE)
        table = our_table(tmp_path)
        assert {row["id"]: (row["p"], row["v"]) for row in table.to_arrow().to_pylist()} == expected
        assert table.to_arrow().num_rows == len(expected)
        assert_same_rows(from_arrow(table.to_arrow()), java.read(tmp_path, TABLE))
        assert all(entry.index_type != HASH for entry in index_entries(table.store, table.version))


@pytest.mark.parametrize("engine", sampled(["partial-update", "first-row"], 2))
def test_keys_stay_in_their_partition_as_in_java(engine: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java, chance = referee("java-2.0.0"), random.Random(3)
    java.create(tmp_path, TABLE, COLUMNS, ["id", "name"], ["p"], {"bucket": "-1", "merge-engine": engine})
    first: dict[int, dict[str, Any]] = {}
    for step in range(5):
        data = random_rows(chance)
        if step % 2:
            java_assigns(java, tmp_path, data)
        else:
            our_table(tmp_path).write(data)
        for row in data.to_pylist():
            kept = first.setdefault(row["id"], dict(row))
            if engine == "partial-update":
                kept["v"] = row["v"]
    java.compact(tmp_path, TABLE)
    table = our_table(tmp_path).to_arrow()
    assert {row["id"]: row for row in table.to_pylist()} == first
    assert table.num_rows == len(first)
    assert_same_rows(from_arrow(table), java.read(tmp_path, TABLE))


def waiting_rows(java: JavaPaimon, warehouse: Path) -> Any:
    """The rows that wait for a bucket, as Java reads them."""
    java.ask("waiting", warehouse, TABLE, out=str(java.path("json")))
    return rows.from_json_lines(java.path("json"), list(COLUMNS), [])


def test_waiting_rows_of_either_get_their_buckets(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java, chance = referee("java-2.0.0"), random.Random(4)
    options = {"bucket": "-2", "postpone.default-bucket-num": "3", "postpone.batch-write-fixed-bucket": "false"}
    java.create(tmp_path, TABLE, COLUMNS, ["id", "name", "p"], ["p"], options)
    expected: dict[tuple[Any, ...], Any] = {}
    for step in range(6):
        data = random_rows(chance)
        kinds = [chance.choice(KINDS) for _ in range(data.num_rows)]
        if step % 2:
            java.write(tmp_path, TABLE, data, kinds)
        else:
            our_table(tmp_path).write(data.append_column("kind", [kinds]), row_kind="kind")
        for row, kind in zip(data.to_pylist(), kinds, strict=True):
            expected[row["id"], row["p"]] = row["v"] if kind == "+I" else None
        if step in (2, 5):
            waiting = waiting_rows(java, tmp_path)
            assert len(waiting) == 240
            our_table(tmp_path).compact(full=step == 5)
            assert len(waiting_rows(java, tmp_path)) == 0
            table = our_table(tmp_path)
            rows = {(row["id"], row["p"]): row["v"] for row in table.to_arrow().to_pylist()}
            assert rows == {key: value for key, value in expected.items() if value is not None}
            assert_same_rows(from_arrow(table.to_arrow()), java.read(tmp_path, TABLE))
            assert {split.total_buckets for split in table.scan().plan()} == {3}


def test_java_reads_the_rows_that_wait_as_they_were_written(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java, chance = referee("java-2.0.0"), random.Random(4)
    java.create(tmp_path, TABLE, COLUMNS, ["id", "name"], [], {"bucket": "-2"})
    data = random_rows(chance)
    kinds = [chance.choice(KINDS) for _ in range(data.num_rows)]
    table = our_table(tmp_path)
    with table.writer("stream") as writer:
        writer.write(data.append_column("kind", [kinds]).slice(0, 50), row_kind="kind")
        writer.write(data.append_column("kind", [kinds]).slice(50), row_kind="kind")
        table.commit(writer.prepare(), 1, "stream")
    result = waiting_rows(java, tmp_path)
    assert list(result.kinds) == kinds
    assert result.rows == from_arrow(data).rows


@pytest.mark.parametrize("keyed", sampled([True, False], 1))
def test_java_continues_after_a_rescale(keyed: bool, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java, chance = referee("java-2.0.0"), random.Random(5)
    options = {"bucket": "2", "bucket-key": "id"}
    java.create(tmp_path, TABLE, COLUMNS, ["id", "p"] if keyed else [], ["p"], options)
    java.write(tmp_path, TABLE, random_rows(chance))
    java.alter(tmp_path, TABLE, ("set", "bucket", "5"))
    with pytest.raises(RefereeError, match="new bucket num 5, but the previous bucket num is 2"):
        java.write(tmp_path, TABLE, random_rows(chance))
    our_table(tmp_path).rescale()
    assert_same_rows(from_arrow(our_table(tmp_path).to_arrow()), java.read(tmp_path, TABLE))
    java.write(tmp_path, TABLE, random_rows(chance))
    java.compact(tmp_path, TABLE)
    our_table(tmp_path).write(random_rows(chance))
    table = our_table(tmp_path)
    assert {split.total_buckets for split in table.scan().plan()} == {5}
    assert_same_rows(from_arrow(table.to_arrow()), java.read(tmp_path, TABLE))
