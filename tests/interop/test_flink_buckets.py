"""Bucket modes and branches as Flink fills them: tables that Java's core alone cannot make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.flink import FlinkSql
from tests.interop.rows import assert_same_rows, from_arrow

pytestmark = [pytest.mark.long, pytest.mark.java]

KEYED = "(id BIGINT NOT NULL, pt STRING NOT NULL, v INT, PRIMARY KEY ({key}) NOT ENFORCED) PARTITIONED BY (pt)"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("flink")


@pytest.fixture(scope="module")
def flink(warehouse: Path) -> Iterator[FlinkSql]:
    session = FlinkSql(warehouse)
    session.execute("CREATE DATABASE db")
    session.execute("USE db")
    yield session
    session.close()


def create(flink: FlinkSql, name: str, key: str, options: dict[str, str]) -> None:
    listed = ", ".join(f"'{option}' = '{value}'" for option, value in options.items())
    flink.execute(f"CREATE TABLE `{name}` {KEYED.format(key=key)} WITH ({listed})")


def insert(flink: FlinkSql, name: str, values: str) -> None:
    flink.execute(f"INSERT INTO {name} VALUES {values}", limit=0)


def agree(flink: FlinkSql, warehouse: Path, name: str, where: str | None = None) -> int:
    """Check that Flink and our library read the same rows, and return their number."""
    expected = flink.query(f"SELECT * FROM `{name}`{f' WHERE {where}' if where else ''}")
    table = wb.connect(str(warehouse)).get_table(f"db.{name}")
    assert_same_rows(from_arrow(table.to_arrow(where=where)), expected)
    assert_same_rows(from_arrow(table.to_batches(where=where).read_all()), expected)
    return len(expected)


@pytest.mark.parametrize("key", ["pt, id", "id"])
def test_dynamic_buckets_of_a_partition_and_of_the_table(flink: FlinkSql, warehouse: Path, key: str) -> None:
    name = "spread" if "pt" in key else "crossing"
    create(flink, name, key, {"bucket": "-1", "dynamic-bucket.target-row-num": "2"})
    insert(flink, name, "(1,'a',1), (2,'a',2), (3,'b',3), (4,'a',4), (5,'a',5)")
    insert(flink, name, "(1,'b',11), (7,'a',7), (2,'a',22)")
    assert agree(flink, warehouse, name) == (7 if name == "spread" else 6)
    for number in (1, 2, 5, 7, 8):
        agree(flink, warehouse, name, f"id = {number}")
    buckets = wb.connect(str(warehouse)).open(f"db.{name}$buckets").to_arrow()
    assert len(set(buckets["bucket"].to_pylist())) > 1


def test_rows_wait_for_a_bucket_until_a_compaction(flink: FlinkSql, warehouse: Path) -> None:
    options = {"bucket": "-2", "postpone.default-bucket-num": "2", "postpone.batch-write-fixed-bucket": "false"}
    create(flink, "postponed", "pt, id", options)
    insert(flink, "postponed", "(1,'a',1), (2,'a',2), (3,'b',3)")
    assert agree(flink, warehouse, "postponed") == 0
    flink.execute("CALL sys.compact(`table` => 'db.postponed')")
    assert agree(flink, warehouse, "postponed") == 3
    insert(flink, "postponed", "(1,'a',10), (5,'a',50), (6,'c',60)")
    assert agree(flink, warehouse, "postponed") == 3
    assert agree(flink, warehouse, "postponed", "id = 1") == 1
    for system in ("files", "partitions", "buckets"):
        column = "record_count"
        theirs = flink.query(f"SELECT {column} FROM `postponed${system}`")
        ours = wb.connect(str(warehouse)).open(f"db.postponed${system}").to_arrow(columns=[column])
        assert_same_rows(from_arrow(ours), theirs)
    flink.execute("CALL sys.compact(`table` => 'db.postponed')")
    assert agree(flink, warehouse, "postponed") == 5
    # With this option, a batch writes straight to fixed buckets.
    flink.execute("ALTER TABLE postponed SET ('postpone.batch-write-fixed-bucket' = 'true')")
    insert(flink, "postponed", "(2,'a',20), (9,'d',90)")
    assert agree(flink, warehouse, "postponed") == 6


def rows(*given: tuple[int, str, int]) -> pa.Table:
    ids, partitions, values = zip(*given, strict=True)
    return pa.table({"id": pa.array(ids, pa.int64()), "pt": list(partitions), "v": pa.array(values, pa.int32())})


@pytest.mark.parametrize("key", ["pt, id", "id"])
def test_flink_finds_the_buckets_that_we_assigned(flink: FlinkSql, warehouse: Path, key: str) -> None:
    name = "taken" if "pt" in key else "followed"
    create(flink, name, key, {"bucket": "-1", "dynamic-bucket.target-row-num": "2"})
    table = wb.connect(str(warehouse)).get_table(f"db.{name}")
    table.write(rows((1, "a", 1), (2, "a", 2), (3, "b", 3), (4, "a", 4), (5, "a", 5)))
    insert(flink, name, "(1,'b',11), (7,'a',7), (2,'a',22), (5,'a',55)")
    assert agree(flink, warehouse, name) == (7 if name == "taken" else 6)
    table.write(rows((7, "c", 77), (1, "b", 111), (8, "a", 8)))
    assert agree(flink, warehouse, name) == (9 if name == "taken" else 7)
    # Flink cannot compact tables whose keys cross partitions.
    table.compact(full=True)
    assert agree(flink, warehouse, name) == (9 if name == "taken" else 7)


def test_flink_assigns_buckets_to_our_postponed_rows(flink: FlinkSql, warehouse: Path) -> None:
    create(flink, "waited", "pt, id", {"bucket": "-2", "postpone.default-bucket-num": "3"})
    table = wb.connect(str(warehouse)).get_table("db.waited")
    with table.writer("stream") as writer:
        for value in range(3):
            writer.write(rows((1, "a", value), (2, "a", value), (3 + value, "b", value)))
        table.commit(writer.prepare(), 1, "stream")
    assert agree(flink, warehouse, "waited") == 0
    flink.execute("CALL sys.compact(`table` => 'db.waited')")
    assert agree(flink, warehouse, "waited") == 5
    assert {split.total_buckets for split in table.scan().plan()} == {3}
    # Our batch is written straight to the buckets of its partition, and Flink's to the buckets that we created.
    table.write(rows((1, "a", 9), (9, "c", 9)))
    insert(flink, "waited", "(2,'a',20), (9,'c',90), (10,'d',100)")
    assert agree(flink, warehouse, "waited") == 7
    table.compact(full=True)
    assert agree(flink, warehouse, "waited") == 7
    assert table.to_arrow(where="id = 1").to_pylist() == [{"id": 1, "pt": "a", "v": 9}]


def test_partitions_with_different_numbers_of_buckets(flink: FlinkSql, warehouse: Path) -> None:
    create(flink, "rescaled", "pt, id", {"bucket": "2"})
    insert(flink, "rescaled", "(1,'a',1), (2,'a',2), (3,'b',3), (4,'b',4)")
    flink.execute("ALTER TABLE rescaled SET ('bucket' = '5')")
    flink.execute("INSERT OVERWRITE rescaled PARTITION (pt = 'b') SELECT id, v FROM rescaled WHERE pt = 'b'", limit=0)
    insert(flink, "rescaled", "(8,'b',8), (9,'c',9)")
    assert agree(flink, warehouse, "rescaled") == 6
    result = sum(agree(flink, warehouse, "rescaled", f"id = {number}") for number in range(1, 10))
    assert result == 6
    table = wb.connect(str(warehouse)).get_table("db.rescaled")
    totals = {split.total_buckets for split in table.scan().plan()}
    assert totals == {2, 5}
    with pytest.raises(wb.WorkbenchError, match="has 2 buckets, but the table is now configured for 5"):
        table.write([{"id": 1, "pt": "a", "v": 9}])
    assert agree(flink, warehouse, "rescaled") == 6
    table.rescale()
    table.write(rows((1, "a", 9)))
    insert(flink, "rescaled", "(2,'a',22)")
    assert agree(flink, warehouse, "rescaled") == 6
    assert {split.total_buckets for split in table.scan().plan()} == {5}


def test_partitions_of_another_branch(flink: FlinkSql, warehouse: Path) -> None:
    flink.execute("CREATE TABLE main (dt STRING NOT NULL, name STRING NOT NULL, n BIGINT) PARTITIONED BY (dt)")
    flink.execute("CALL sys.create_branch('db.main', 'test')")
    keyed = "'primary-key' = 'dt,name', 'bucket' = '2', 'changelog-producer' = 'lookup'"
    flink.execute(f"ALTER TABLE `main$branch_test` SET ({keyed})")
    insert(flink, "main", "('d1','x',1), ('d1','x',2)")
    insert(flink, "`main$branch_test`", "('d1','y',100), ('d2','y',100), ('d2','z',5)")
    insert(flink, "`main$branch_test`", "('d2','y',101)")
    assert agree(flink, warehouse, "main") == 2
    assert agree(flink, warehouse, "main$branch_test") == 3
    flink.execute("ALTER TABLE main SET ('scan.fallback-branch' = 'test')")
    assert agree(flink, warehouse, "main") == 4
    assert agree(flink, warehouse, "main", "name = 'y'") == 1
    assert agree(flink, warehouse, "main", "dt = 'd1' AND n > 50") == 0
    flink.execute("ALTER TABLE main RESET ('scan.fallback-branch')")
    flink.execute("ALTER TABLE main SET ('scan.primary-branch' = 'test')")
    insert(flink, "main", "('d3','w',3)")
    assert agree(flink, warehouse, "main") == 4
