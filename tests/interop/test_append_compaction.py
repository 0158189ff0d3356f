"""Append tables that we changed, read and continued by Java: deletion vectors, compaction, sorting, manifests."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.interop.format_cases import agree
from tests.interop.lives import TABLE
from tests.interop.rows import Rows, assert_same_rows
from tests.interop.tiers import JAVA
from tests.support.sampling import sampled
from workbench.format.index.deletion_vector import DeletionVector
from workbench.format.spec.data_file import CommitMessage, DataFileMeta
from workbench.metadata.bucket_states import known_buckets
from workbench.table.table import Table
from workbench.write.deletion_vectors import BucketVectors

pytestmark = pytest.mark.java

COLUMNS = {"id": "BIGINT", "part": "STRING", "s": "STRING"}
LAYOUTS = {"unaware": {"bucket": "-1"}, "bucketed": {"bucket": "2", "bucket-key": "id"}}
KINDS = {"bitmap32": "false", "bitmap64": "true"}
PLACES = {"in index": "false", "beside data": "true"}


def rows_of(number: int, count: int = 300) -> pa.Table:
    ids = list(range(number * count, (number + 1) * count))
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "part": pa.array([f"p{each % 2}" for each in ids]),
            "s": pa.array([None if each % 11 == 0 else f"text {each}" for each in ids]),
        }
    )


def make(warehouse: Path, layout: str, **options: str) -> Table:
    import workbench as wb

    catalog = wb.connect(str(warehouse))
    catalog.create_database("db")
    given = {"write-only": "true", **LAYOUTS[layout], **options}
    table: Table = catalog.create_table(TABLE, COLUMNS, partition_by=["part"], options=given)
    return table


def erase(table: Table, first: int, step: int) -> None:
    """Delete every ``step``-th row of every file in one commit, like the call of the Java referee."""
    from workbench.metadata.manifests import ManifestFiles

    snapshot = table.snapshot()
    messages = []
    for (partition, bucket), state in known_buckets(ManifestFiles(table.store).live_files(snapshot)).buckets.items():
        vectors = BucketVectors.of(table.store, snapshot, partition, bucket)
        for file in state.files:
            vectors.delete(file, DeletionVector.of(np.arange(first, file.row_count, step)))
        change = vectors.persist()
        total = table.schema.core.bucket
        messages.append(
            CommitMessage(partition, bucket, total, new_index_files=change.new, deleted_index_files=change.deleted)
        )
    table.commit(messages)


def files_of(table: Table) -> list[DataFileMeta]:
    return [file for split in table.scan().plan() for file in split.files]


@pytest.mark.parametrize("place", ["in index", pytest.param("beside data", marks=pytest.mark.long)])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", sampled(KINDS, 2))
def test_deletion_vectors(kind: str, layout: str, place: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """Java and our library add vectors to those of the other, and both read the same rows of each version."""
    java = referee("java-2.0.0")
    options = {"deletion-vectors.enabled": "true", "deletion-vectors.bitmap64": KINDS[kind]}
    table = make(tmp_path, layout, **options, **{"index-file-in-data-file-dir": PLACES[place]})
    for number in range(2):
        table.write(rows_of(number))
    states = {2: agree(java, tmp_path, {})}
    for step in (3, 5, 7):
        erase(table, step, step)
        states[table.snapshot().id] = agree(java, tmp_path, {})
        java.erase(tmp_path, TABLE, step + 1, step)
        states[table.snapshot().id] = agree(java, tmp_path, {})
    sizes = [len(each.rows) for each in states.values()]
    assert sizes == sorted(set(sizes), reverse=True)
    for snapshot, expected in states.items():
        assert_same_rows(agree(java, tmp_path, {}, snapshot), expected)
    java.compact(tmp_path, TABLE)
    assert_same_rows(agree(java, tmp_path, {}), list(states.values())[-1])


@pytest.mark.parametrize("vectors", ["true", pytest.param("false", marks=pytest.mark.long)], ids=["vectors", "plain"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("engine", JAVA)
def test_compaction(engine: str, layout: str, vectors: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    """We compact files of ours and of Java; Java reads, writes and compacts them, and we read the result."""
    java = referee(engine)
    table = make(tmp_path, layout, **{"deletion-vectors.enabled": vectors, "compaction.min.file-num": "3"})
    chance = random.Random(1)
    expected: Rows | None = None
    for number in range(12):
        if chance.random() < 0.5:
            table.write(rows_of(number))
        else:
            java.write(tmp_path, TABLE, rows_of(number))
        if vectors == "true" and number % 4 == 1:
            erase(table, number, 9)
        if number % 4 == 3:
            before = agree(java, tmp_path, {})
            compaction = table.compact(full=number > 8)
            assert compaction.snapshots
            assert {each["reason"] for each in compaction.compactions} <= {"file-count", "deletion-vectors", "full"}
            assert_same_rows(agree(java, tmp_path, {}), before)
        if number == 7:
            java.compact(tmp_path, TABLE)
        expected = agree(java, tmp_path, {})
    assert expected is not None
    assert len(files_of(table)) <= 8
    if vectors == "true":
        assert sum(file.row_count for file in files_of(table)) == len(expected.rows)
    java.write(tmp_path, TABLE, rows_of(20))
    java.compact(tmp_path, TABLE)
    java.expire(tmp_path, TABLE, 1)
    assert len(agree(java, tmp_path, {}).rows) == len(expected.rows) + 300


@pytest.mark.parametrize("strategy", sampled(["zorder", "order", "hilbert"], 3))
def test_sort_compaction(strategy: str, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    table = make(tmp_path, "unaware", **{"deletion-vectors.enabled": "true"})
    for number in range(3):
        table.write(rows_of(number))
    erase(table, 1, 4)
    before = agree(java, tmp_path, {})
    table.compact(order_by=["s", "id"], strategy=strategy)
    assert_same_rows(agree(java, tmp_path, {}), before)
    java.write(tmp_path, TABLE, rows_of(3))
    java.compact(tmp_path, TABLE)
    assert len(agree(java, tmp_path, {}).rows) == len(before.rows) + 300


def test_manifest_compaction(referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    table = make(tmp_path, "unaware")
    for number in range(5):
        table.write(rows_of(number))
    table.compact(full=True)
    before = agree(java, tmp_path, {})
    compaction = table.compact_manifest()
    assert compaction.manifests_after == 1
    assert_same_rows(agree(java, tmp_path, {}), before)
    java.write(tmp_path, TABLE, rows_of(6))
    java.expire(tmp_path, TABLE, 1)
    assert len(agree(java, tmp_path, {}).rows) == len(before.rows) + 300
