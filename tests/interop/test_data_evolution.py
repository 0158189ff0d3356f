"""Row tracking, columns in separate files, large objects and vectors: written by engines, read as they read them."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import workbench as wb
from tests.interop.evolution import (
    EVOLVING,
    TRACKED,
    agree_on_columns,
    java_compact,
    java_descriptors,
    java_erase,
    java_update,
    peer_delete,
    peer_update,
)
from tests.interop.flink import FlinkSql
from tests.interop.lives import TABLE, our_table
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from tests.support.sampling import sampled
from workbench.format.blob.descriptor import BlobDescriptor

COLUMNS = {"id": "INT", "p": "INT", "s": "STRING", "v": "BIGINT"}
ROW_TRACKING = f"{TABLE}$row_tracking"
DELETIONS = {"deletion-vectors.enabled": "true"}
java_200 = pytest.mark.java


def some_rows(first: int, count: int, partition: int = 0) -> pa.Table:
    ids = range(first, first + count)
    return pa.table(
        {
            "id": pa.array(ids, pa.int32()),
            "p": pa.array([partition] * count, pa.int32()),
            "s": pa.array([None if each % 7 == 3 else f"s{each}" for each in ids]),
            "v": pa.array([each % 5 for each in ids], pa.int64()),
        }
    )


@java_200
@pytest.mark.parametrize("deletions", [{}, DELETIONS], ids=["plain", "deletions"])
@pytest.mark.parametrize("name", sampled(("parquet", "orc"), 2))
def test_row_tracking(name: str, deletions: dict[str, str], referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Row ids come from manifests, or from a column after a compaction, whose output has no first row id."""
    java = referee("java-2.0.0")
    java.create(tmp_path, TABLE, COLUMNS, [], ["p"], {**TRACKED, **deletions, "file.format": name})
    for number in range(4):
        java.write(tmp_path, TABLE, some_rows(number * 100, 40, number % 2))
    before = agree_on_columns(java, tmp_path, ROW_TRACKING)
    if deletions:
        java.erase(tmp_path, TABLE, 1, 3)
        before = agree_on_columns(java, tmp_path, ROW_TRACKING)
        assert len(before) == 4 * 27
    java_compact(java, tmp_path, TABLE, columns=False)
    files = [file for split in our_table(tmp_path).scan().plan() for file in split.files]
    assert {file.first_row_id for file in files} == {None}
    assert_same_rows(agree_on_columns(java, tmp_path, ROW_TRACKING), before)
    agree_on_columns(java, tmp_path, TABLE)
    agree_on_columns(java, tmp_path, ROW_TRACKING, ["_ROW_ID", "s"])
    some = our_table(tmp_path).to_arrow(["_ROW_ID", "id"], "_ROW_ID BETWEEN 35 AND 45")
    wanted = [(row[4], row[0]) for row in before.rows if 35 <= int(str(row[4])) <= 45]
    assert_same_rows(from_arrow(some), Rows(("_ROW_ID", "id"), tuple(wanted)))


@java_200
def test_lost_row_ids(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """A compaction by Java's core loses row ids, and reading them is an error, as in Java."""
    java = referee("java-2.0.0")
    java.create(tmp_path, TABLE, COLUMNS, [], [], TRACKED)
    for number in range(3):
        java.write(tmp_path, TABLE, some_rows(number * 10, 5))
    java.compact(tmp_path, TABLE)
    agree_on_columns(java, tmp_path, TABLE)
    with pytest.raises(wb.WorkbenchError, match="has no row ids"):
        our_table(tmp_path).to_arrow(["_ROW_ID"])


def evolve_at_random(java: Any, warehouse: Path, seed: str, partitions: int, deletions: bool) -> list[int]:
    """Write rows, update columns and change the schema at random, and return the ids of all snapshots."""
    chance = random.Random(seed)
    ranges: list[tuple[int, int]] = []
    columns = {"s": lambda n: [f"u{each}" for each in range(n)], "v": lambda n: pa.array(range(n), pa.int64())}
    for number in range(3):
        sizes = [chance.randrange(5, 30) for _ in range(partitions)]
        for partition, size in enumerate(sizes):
            ranges.append((sum(each for _, each in ranges), size))
            java.write(warehouse, TABLE, some_rows(number * 100 + partition * 50, size, partition))
    for number in range(6):
        if number == 2:
            java.alter(
                warehouse, TABLE, ("rename", "s", "text"), ("add", "x", "STRING"), ("type", "v", "DECIMAL(20, 1)")
            )
            columns = {
                "text": columns["s"],
                "x": lambda n: [f"x{each}" for each in range(n)],
                "v": lambda n: pa.array(range(n)).cast(pa.decimal128(20, 1)),
            }
        if deletions and number % 2:
            java_erase(java, warehouse, TABLE, number, 4)
        first, size = chance.choice(ranges)
        chosen = chance.sample(sorted(columns), chance.randint(1, 2))
        if partitions == 1:
            java_update(java, warehouse, TABLE, pa.table({name: columns[name](size) for name in chosen}), first)
    return [snapshot.id for snapshot in our_table(warehouse).snapshots()]


@java_200
@pytest.mark.parametrize("case", sampled(product(("parquet", "orc", "avro"), (1, 2), (False, True)), 5))
def test_column_files(case: tuple[str, int, bool], referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Files that hold some of the columns are read as Java reads them; a case is format, partitions, deletes."""
    name, partitions, deletions = case
    java = referee("java-2.0.0")
    options = {**EVOLVING, **(DELETIONS if deletions else {}), "file.format": name}
    java.create(tmp_path, TABLE, COLUMNS, [], ["p"] if partitions > 1 else [], options)
    snapshots = evolve_at_random(java, tmp_path, f"{name}-{partitions}-{deletions}", partitions, deletions)
    state = agree_on_columns(java, tmp_path, ROW_TRACKING)
    agree_on_columns(java, tmp_path, TABLE)
    for columns in (["x"], ["text", "id"], ["v", "x"], ["id"]):
        agree_on_columns(java, tmp_path, TABLE, columns)
    for snapshot in snapshots[::3]:
        agree_on_columns(java, tmp_path, TABLE, **{"scan.snapshot-id": str(snapshot)})
    filters_agree(our_table(tmp_path), state)
    if not deletions:
        java_compact(java, tmp_path, TABLE, columns=True)
        agree_on_columns(java, tmp_path, TABLE)
        assert_same_rows(without_sequence(agree_on_columns(java, tmp_path, ROW_TRACKING)), without_sequence(state))


def without_sequence(rows: Rows) -> Rows:
    """Return rows without sequence numbers, because compaction gives all rows of joined files the same one."""
    return Rows(rows.columns[:-1], tuple(row[:-1] for row in rows.rows))


def filters_agree(table: Any, state: Rows) -> None:
    """Check filters against rows that all engines agree on: id, p, text, v, x, row id, sequence number."""
    conditions: dict[str, Callable[[tuple[Any, ...]], bool]] = {
        "text = 'u3'": lambda row: row[2] == "u3",
        "v > 3 AND x IS NULL": lambda row: row[3] is not None and float(row[3]) > 3 and row[4] is None,
        "x = 'x2' OR id = 104": lambda row: row[4] == "x2" or row[0] == "104",
        "_ROW_ID >= 7 AND _ROW_ID < 30": lambda row: 7 <= int(row[5]) < 30,
        "_SEQUENCE_NUMBER > 3": lambda row: int(row[6]) > 3,
    }
    for where, test in conditions.items():
        kept = tuple((row[0], row[5]) for row in state.rows if test(row))
        assert_same_rows(from_arrow(table.to_arrow(["id", "_ROW_ID"], where)), Rows(("id", "_ROW_ID"), kept))


@java_200
def test_large_column_files(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Column files whose row groups end at different rows are joined."""
    java = referee("java-2.0.0")
    java.create(tmp_path, TABLE, {"id": "BIGINT", "s": "STRING"}, [], [], {**EVOLVING, "file.block-size": "16 kb"})
    ids = range(12_000)
    java.write(tmp_path, TABLE, pa.table({"id": pa.array(ids, pa.int64()), "s": [f"row {each}" for each in ids]}))
    java_update(java, tmp_path, TABLE, pa.table({"s": [f"new {each} {'long' * 20}" for each in ids]}), 0)
    table = our_table(tmp_path)
    footers = [pq.read_metadata(path) for path in Path(table.location).rglob("*.parquet")]
    ends = [{footer.row_group(each).num_rows for each in range(footer.num_row_groups)} for footer in footers]
    assert all(len(each) > 1 for each in ends)
    assert ends[0] != ends[1]
    result = table.to_batches().read_all()
    assert result["id"].to_pylist() == list(ids)
    assert result["s"].to_pylist() == [f"new {each} {'long' * 20}" for each in ids]
    assert table.to_arrow(["id"], f"s = 'new 7777 {'long' * 20}'")["id"].to_pylist() == [7777]


def objects(chance: random.Random, count: int) -> pa.Array:
    result = [None if each % 4 == 3 else chance.randbytes(chance.choice([0, 1, 100, 5000])) for each in range(count)]
    return pa.array(result, pa.binary())


@java_200
def test_blob_files(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Large objects of two columns are read from several files, after partial updates, and after a compaction."""
    java, chance = referee("java-2.0.0"), random.Random(5)
    columns = {"id": "INT", "one": "BLOB", "s": "STRING", "two": "BLOB"}
    java.create(tmp_path, TABLE, columns, [], [], {**EVOLVING, **DELETIONS, "blob.target-file-size": "8 kb"})
    for number in range(3):
        ids = pa.array(range(number * 10, number * 10 + 10), pa.int32())
        texts = [f"s{each}" for each in range(10)]
        data = {"id": ids, "one": objects(chance, 10), "s": texts, "two": objects(chance, 10)}
        java.write(tmp_path, TABLE, pa.table(data))
    agree_on_columns(java, tmp_path, TABLE)
    kept = pa.array(["placeholder" if each % 3 else bytes([each]).hex() for each in range(10)])
    java_update(java, tmp_path, TABLE, pa.table({"one": kept}), 10)
    java_update(java, tmp_path, TABLE, pa.table({"s": [f"u{each}" for each in range(10)]}), 20)
    for columns_read in (None, ["one"], ["two", "id"], ["id"]):
        agree_on_columns(java, tmp_path, TABLE, columns_read)
    agree_on_columns(java, tmp_path, ROW_TRACKING)
    java.alter(tmp_path, TABLE, ("set", "blob-as-descriptor", "true"))
    named = java_descriptors(java, tmp_path, TABLE, "one")
    assert our_table(tmp_path).to_arrow(["one"])["one"].to_pylist() == named
    java.alter(tmp_path, TABLE, ("set", "blob-as-descriptor", "false"))
    java_compact(java, tmp_path, TABLE, columns=True, blobs=True)
    agree_on_columns(java, tmp_path, TABLE)
    java_erase(java, tmp_path, TABLE, 2, 3)
    assert len(agree_on_columns(java, tmp_path, TABLE)) == 20
    assert len(agree_on_columns(java, tmp_path, TABLE, ["two"])) == 20


@java_200
def test_collections_of_objects(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    kinds = {"id": "INT", "list": {"type": "ARRAY", "element": "BLOB"}}
    for number, key in enumerate(("INT", "STRING", "BIGINT", "TINYINT", "SMALLINT")):
        kinds[f"m{number}"] = {"type": "MAP", "key": key, "value": "BLOB"}
    java.create(tmp_path, TABLE, kinds, [], [], EVOLVING)
    for number in range(2):
        data = {"id": pa.array([number, 2, 3], pa.int32())}
        data["list"] = pa.array([[b"a", None, b""], None, []], pa.list_(pa.binary()))
        for position in range(5):
            keys = pa.string() if position == 1 else pa.int64()
            pairs = [("ä" if position == 1 else -5, b"value"), ("z" if position == 1 else 100, None)]
            data[f"m{position}"] = pa.array([None, pairs, []], pa.map_(keys, pa.binary()))
        java.write(tmp_path, TABLE, pa.table(data))
    java_update(java, tmp_path, TABLE, pa.table({"list": pa.array([[b"new"], [], None], pa.list_(pa.binary()))}), 3)
    agree_on_columns(java, tmp_path, TABLE)
    agree_on_columns(java, tmp_path, TABLE, ["m1", "list"])


@java_200
@pytest.mark.parametrize("name", sampled(("parquet", "avro"), 2))
def test_descriptors_in_columns(name: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    options = {**EVOLVING, "blob-descriptor-field": "pic", "file.format": name}
    java.create(tmp_path, TABLE, {"id": "INT", "pic": "BLOB"}, [], [], options)
    target = tmp_path / "picture.bin"
    target.write_bytes(b"0123456789")
    positions = [BlobDescriptor(str(target), *each) for each in ((0, -1), (2, 3), (9, 1))]
    named = [None, *("@" + each.to_bytes().hex() for each in positions)]
    java_update(java, tmp_path, TABLE, pa.table({"id": pa.array(range(4), pa.int32()), "pic": named}))
    result = agree_on_columns(java, tmp_path, TABLE)
    assert [row[1] for row in result.rows] == [None, b"0123456789".hex(), b"234".hex(), b"9".hex()]


@java_200
def test_objects_of_primary_key_tables(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    columns = {"id": "INT", "pic": "BLOB", "s": "STRING"}
    java.create(tmp_path, TABLE, columns, ["id"], [], {"bucket": "1", "write-only": "true"})
    chance = random.Random(7)
    for number in range(3):
        ids = pa.array(range(number * 3, number * 3 + 8), pa.int32())
        texts = [f"{number}-{each}" for each in range(8)]
        java.write(tmp_path, TABLE, pa.table({"id": ids, "pic": objects(chance, 8), "s": texts}))
    agree_on_columns(java, tmp_path, TABLE)
    agree_on_columns(java, tmp_path, TABLE, ["pic"])
    java.compact(tmp_path, TABLE)
    agree_on_columns(java, tmp_path, TABLE)
    with pytest.raises(wb.Unsupported, match="column 'pic' of type BLOB"):
        our_table(tmp_path).write([{"id": 1, "pic": b"x", "s": "y"}])


@java_200
@pytest.mark.parametrize("name", sampled(("parquet", "avro"), 2))
def test_vector_files(name: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    kind = {"type": "VECTOR", "element": "INT", "length": 3}
    options = {**EVOLVING, "vector.file.format": name}
    java.create(tmp_path, TABLE, {"id": "INT", "v": kind, "s": "STRING"}, [], [], options)
    for number in range(2):
        vectors = pa.array([[each, number, 3] for each in range(5)], pa.list_(pa.int32()))
        ids = pa.array(range(number * 5, number * 5 + 5), pa.int32())
        java.write(tmp_path, TABLE, pa.table({"id": ids, "v": vectors, "s": ["a", "b", None, "d", "e"]}))
    agree_on_columns(java, tmp_path, TABLE)
    newer = pa.array([[9, each, 9] for each in range(5)], pa.list_(pa.int32()))
    java_update(java, tmp_path, TABLE, pa.table({"v": newer}), 5)
    for columns in (None, ["v"], ["s"], ["v", "id"]):
        agree_on_columns(java, tmp_path, TABLE, columns)
    assert our_table(tmp_path).to_arrow(["v"], "id = 7")["v"].to_pylist() == [[9, 2, 9]]


@pytest.mark.peers
@pytest.mark.parametrize("name", sampled(("parquet", "orc", "avro"), 3))
def test_column_files_of_pypaimon(name: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    peer = referee("pypaimon")
    peer.create(tmp_path, TABLE, COLUMNS, [], [], {**EVOLVING, **DELETIONS, "file.format": name})
    for number in range(3):
        peer.write(tmp_path, TABLE, some_rows(number * 100, 10))
    whole = pa.table({"_ROW_ID": pa.array(range(10, 20), pa.int64()), "s": [f"u{each}" for each in range(10)]})
    peer_update(peer, tmp_path, TABLE, whole)
    some = pa.array([3, 12, 25], pa.int64())
    peer_update(peer, tmp_path, TABLE, pa.table({"_ROW_ID": some, "v": pa.array([100, 200, 300], pa.int64())}))
    peer_delete(peer, tmp_path, TABLE, [2, 11, 12, 29])
    assert len(agree_on_columns(peer, tmp_path, TABLE)) == 26
    peer_update(peer, tmp_path, TABLE, pa.table({"_ROW_ID": some[:1], "v": pa.array([101], pa.int64())}))
    for columns in (None, ["v"], ["s", "id"], ["id", "_ROW_ID", "_SEQUENCE_NUMBER"]):
        agree_on_columns(peer, tmp_path, TABLE, columns)


@pytest.mark.peers
def test_blob_files_of_pypaimon(referee: Callable[[str], Any], tmp_path: Path) -> None:
    peer = referee("pypaimon")
    options = {**EVOLVING, "blob.target-file-size": "1 kb"}
    peer.create(tmp_path, TABLE, {"id": "INT", "pic": "BLOB", "s": "STRING"}, [], [], options)
    chance = random.Random(3)
    for number in range(2):
        ids = pa.array(range(number * 10, number * 10 + 10), pa.int32())
        texts = [f"s{each}" for each in range(10)]
        peer.write(
            tmp_path, TABLE, pa.table({"id": ids, "pic": objects(chance, 10).cast(pa.large_binary()), "s": texts})
        )
    agree_on_columns(peer, tmp_path, TABLE)
    changed = pa.array([b"new", None, b"newer"], pa.large_binary())
    peer_update(peer, tmp_path, TABLE, pa.table({"_ROW_ID": pa.array([3, 4, 15], pa.int64()), "pic": changed}))
    for columns in (None, ["pic"], ["id"]):
        agree_on_columns(peer, tmp_path, TABLE, columns)


@java_200
@pytest.mark.long
def test_flink(tmp_path: Path) -> None:
    """Tables are read as Flink reads them after it writes, merges into columns, and compacts."""
    sql = FlinkSql(tmp_path)
    try:
        sql.execute("CREATE DATABASE db")
        options = "'row-tracking.enabled'='true', 'data-evolution.enabled'='true'"
        sql.execute(f"CREATE TABLE db.t (id INT, s STRING, v INT) WITH ({options})")
        sql.execute("INSERT INTO db.t VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30)", limit=0)
        sql.execute("INSERT INTO db.t VALUES (4, 'd', 40), (5, 'e', 50)", limit=0)
        sql.execute("CREATE TABLE db.source (id INT, v INT) WITH ('bucket'='-1')")
        sql.execute("INSERT INTO db.source VALUES (2, 21), (5, 51)", limit=0)
        sql.execute(
            "CALL sys.data_evolution_merge_into(`target_table` => 'db.t', `target_alias` => 'T', "
            "`source_sqls` => '', `source_table` => 'db.source', `merge_condition` => 'T.id=source.id', "
            "`matched_update_set` => 'T.v=source.v', `sink_parallelism` => 1)"
        )
        for compacted in (False, True):
            if compacted:
                sql.execute("CALL sys.compact(`table` => 'db.t')")
            theirs = sql.query("SELECT * FROM db.`t$row_tracking`")
            ours = wb.connect(str(tmp_path)).open("db.t$row_tracking").to_arrow()
            assert_same_rows(from_arrow(ours), Rows(theirs.columns, theirs.rows))
            assert sorted(our_table(tmp_path).to_arrow()["v"].to_pylist()) == [10, 21, 30, 40, 51]
    finally:
        sql.close()


@java_200
@pytest.mark.long
def test_tables_of_java_1_4(referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Tables of the first version with row tracking and large objects are read as Java reads them."""
    java, chance = referee("java-1.4.2"), random.Random(9)
    java.create(tmp_path, TABLE, {"id": "INT", "pic": "BLOB"}, [], [], {**EVOLVING, "blob-field": "pic"})
    for number in range(3):
        ids = pa.array(range(number * 10, number * 10 + 10), pa.int32())
        java.write(tmp_path, TABLE, pa.table({"id": ids, "pic": objects(chance, 10)}))
    for table in (TABLE, ROW_TRACKING):
        agree_on_columns(java, tmp_path, table)
    agree_on_columns(java, tmp_path, TABLE, ["pic"])
