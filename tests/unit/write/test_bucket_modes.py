"""Tables that assign rows to buckets themselves: histories of several writers, compared with a dictionary."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench as wb
from tests.support.partitioned_keys import content, partitioned_table, rows
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.index.hash_index import read_hash_index
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.metadata.index_files import index_entries, index_file_path
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table
from workbench.write.dynamic_buckets import key_hashes

ROW = st.tuples(st.integers(0, 25), st.integers(0, 2), st.booleans())
STEP = st.tuples(st.sampled_from(["write", "writer", "overwrite", "compact", "full"]), st.lists(ROW, max_size=20))
HISTORY = st.lists(STEP, min_size=1, max_size=7)
EXAMPLES = 7
SMALL = {"dynamic-bucket.target-row-num": "4", "num-sorted-run.compaction-trigger": "3"}


def write(table: Table, action: str, data: pa.Table) -> None:
    if action == "write":
        table.write(data, row_kind="kind")
    elif action == "overwrite":
        table.write(data, mode="overwrite", row_kind="kind")
    elif action == "writer":
        with table.writer() as writer:
            half = data.num_rows // 2
            writer.write(data.slice(0, half), row_kind="kind")
            first = writer.prepare()
            writer.write(data.slice(half), row_kind="kind")
            table.commit([*first, *writer.prepare()])
    else:
        table.compact(full=action == "full")


def check_index(table: Table) -> None:
    """Each hash is in one bucket of its partition, and the index of a bucket has the hashes of all its keys."""
    assigned: dict[tuple[bytes, int], int] = {}
    for entry in index_entries(table.store, table.version):
        path = Path(index_file_path(table.store, entry))
        hashes = read_hash_index(path.read_bytes(), entry.file_name, entry.row_count).tolist()
        for value in hashes:
            assert assigned.setdefault((entry.partition, value), entry.bucket) == entry.bucket
        assert len(set(hashes)) == len(hashes)
    scan = table.scan()
    for split in scan.plan():
        assert split.total_buckets == -1
        for value in np.unique(key_hashes(table.store, scan.reader.read_all([split]))).tolist():
            assert assigned[split.partition, value] == split.bucket


@settings(max_examples=EXAMPLES, deadline=None)
@given(history=HISTORY, assigners=st.sampled_from(["1", "3"]), most=st.sampled_from(["-1", "2"]))
def test_dynamic_buckets_remember_their_keys(
    tmp_path_factory: pytest.TempPathFactory, history: list[Any], assigners: str, most: str
) -> None:
    catalog = connect(tmp_path_factory.mktemp("wh"))
    catalog.create_database("db")
    options = {**SMALL, "dynamic-bucket.initial-buckets": assigners, "dynamic-bucket.max-buckets": most}
    partitioned_table(catalog, ("id", "p"), options)
    expected: dict[tuple[str, int], int] = {}
    for number, (action, numbers) in enumerate(history):
        data = rows(numbers, 100 * number)
        write(catalog.get_table("db.t"), action, data)
        if action == "overwrite":
            removed = set(data["p"].to_pylist())
            expected = {key: value for key, value in expected.items() if key[1] not in removed}
        if action in ("write", "writer", "overwrite"):
            for row in data.to_pylist():
                key = (row["id"], row["p"])
                expected.pop(key, None)
                if row["kind"] == "+I":
                    expected[key] = row["v"]
        table = catalog.get_table("db.t")
        assert content(table) == expected
        check_index(table)
    buckets = {split.bucket for split in catalog.get_table("db.t").scan().plan()}
    assert most == "-1" or buckets <= {0, 1}


@settings(max_examples=EXAMPLES, deadline=None)
@given(history=HISTORY, assigners=st.sampled_from(["1", "3"]))
def test_keys_move_between_partitions(
    tmp_path_factory: pytest.TempPathFactory, history: list[Any], assigners: str
) -> None:
    catalog = connect(tmp_path_factory.mktemp("wh"))
    catalog.create_database("db")
    options = {**SMALL, "dynamic-bucket.initial-buckets": assigners, "dynamic-partition-overwrite": "false"}
    partitioned_table(catalog, ("id",), options)
    expected: dict[str, tuple[int, int]] = {}
    for number, (action, numbers) in enumerate(history):
        data = rows(numbers, 100 * number)
        write(catalog.get_table("db.t"), action, data)
        if action == "overwrite":
            expected = {}
        if action in ("write", "writer", "overwrite"):
            for row in data.to_pylist():
                expected.pop(row["id"], None)
                if row["kind"] == "+I":
                    expected[row["id"]] = (row["p"], row["v"])
        table = catalog.get_table("db.t")
        assert content(table) == {(key, position[0]): position[1] for key, position in expected.items()}
        assert not index_entries(table.store, table.version)


@settings(max_examples=EXAMPLES, deadline=None)
@given(history=HISTORY, straight=st.booleans(), buckets=st.sampled_from(["1", "3"]))
def test_postponed_rows_are_visible_after_a_compaction(
    tmp_path_factory: pytest.TempPathFactory, history: list[Any], straight: bool, buckets: str
) -> None:
    catalog = connect(tmp_path_factory.mktemp("wh"))
    catalog.create_database("db")
    options = {"bucket": "-2", "postpone.default-bucket-num": buckets, "num-sorted-run.compaction-trigger": "3"}
    partitioned_table(catalog, ("id", "p"), {**options, "postpone.batch-write-fixed-bucket": str(straight).lower()})
    expected: dict[tuple[str, int], int] = {}
    for number, (action, numbers) in enumerate(history):
        data = rows(numbers, 100 * number)
        write(catalog.get_table("db.t"), action, data)
        if action == "overwrite":
            removed = set(data["p"].to_pylist())
            expected = {key: value for key, value in expected.items() if key[1] not in removed}
        if action in ("write", "writer", "overwrite"):
            for row in data.to_pylist():
                expected.pop((row["id"], row["p"]), None)
                if row["kind"] == "+I":
                    expected[row["id"], row["p"]] = row["v"]
        if straight and action == "write":
            # Waiting rows are merged later and would then override rows that were written directly.
            catalog.get_table("db.t").compact()
        if action in ("writer", "overwrite"):
            catalog.get_table("db.t").compact()
    table = catalog.get_table("db.t")
    table.compact()
    assert content(table) == expected
    live = ManifestFiles(table.store).live_files(table.version) if table.version else ()
    assert all(entry.bucket >= 0 and entry.total_buckets == int(buckets) for entry in live)
    stored = {path.name for path in Path(table.location).rglob("data-*")}
    assert {entry.file.file_name for entry in live} <= stored


def test_two_writers_that_assign_the_same_buckets(catalog: FileSystemCatalog) -> None:
    table = partitioned_table(catalog, ("id", "p"), {})
    table.write(rows([(0, 0, True)], 0), row_kind="kind")
    with table.writer() as one, table.writer() as other, table.writer() as third:
        one.write(rows([(1, 0, True)], 1), row_kind="kind")
        other.write(rows([(2, 0, True)], 2), row_kind="kind")
        third.write(rows([(0, 0, True), (3, 1, True)], 3), row_kind="kind")
        table.commit(one.prepare())
        with pytest.raises(wb.CommitConflict, match="assigned keys to bucket 0"):
            table.commit(other.prepare())
        table.commit(third.prepare())
    assert content(table) == {("key 0", 0): 3, ("key 1", 0): 1, ("key 3", 1): 4}
    check_index(table)
    with table.writer() as one, table.writer() as other:
        one.write(rows([(7, 2, True)], 7), row_kind="kind")
        other.write(rows([(8, 2, True)], 8), row_kind="kind")
        with pytest.raises(wb.CommitConflict, match="assigned keys to bucket 0"):
            table.commit([*one.prepare(), *other.prepare()])


def test_a_bucket_without_its_index(catalog: FileSystemCatalog) -> None:
    table = partitioned_table(catalog, ("id", "p"), {})
    table.write(rows([(0, 0, True), (1, 0, True)], 0), row_kind="kind")
    (entry,) = index_entries(table.store, table.version)
    path = Path(index_file_path(table.store, entry))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(wb.CorruptFile, match=r"7 bytes.*2 hashes"):
        table.write(rows([(0, 0, True)], 0), row_kind="kind")
    path.unlink()
    with pytest.raises(wb.CorruptFile, match=entry.file_name):
        table.write(rows([(0, 0, True)], 0), row_kind="kind")
    assert len(content(table)) == 2


def test_partitions_are_not_overwritten_if_keys_may_be_in_others(catalog: FileSystemCatalog) -> None:
    table = partitioned_table(catalog, ("id",), {})
    table.write(rows([(0, 0, True), (1, 1, True)], 0), row_kind="kind")
    for partition in (None, {"p": 0}):
        with pytest.raises(wb.Unsupported, match="Overwriting single partitions"):
            table.write(rows([(1, 0, True)], 5), mode="overwrite", partition=partition, row_kind="kind")
    assert content(table) == {("key 0", 0): 0, ("key 1", 1): 1}


def test_a_key_written_to_two_partitions_is_reported(catalog: FileSystemCatalog) -> None:
    table = partitioned_table(catalog, ("id",), {})
    with table.writer() as one, table.writer() as other:
        one.write(rows([(1, 0, True)], 1), row_kind="kind")
        other.write(rows([(1, 1, True), (2, 1, True)], 2), row_kind="kind")
        table.commit(one.prepare())
        table.commit(other.prepare())
    table.write(rows([(2, 0, True), (3, 0, True)], 3), row_kind="kind")
    with pytest.raises(wb.CorruptFile, match="a key is in two partitions"):
        table.write(rows([(1, 2, True)], 4), row_kind="kind")
    table.delete("p = 1")
    table.write(rows([(1, 2, True)], 4), row_kind="kind")
    assert content(table) == {("key 1", 2): 4, ("key 2", 0): 3, ("key 3", 0): 4}


def test_deletes_are_not_ignored_where_keys_move(catalog: FileSystemCatalog) -> None:
    with pytest.raises(wb.Unsupported, match="'ignore-delete' = 'true'"):
        partitioned_table(catalog, ("id",), {"ignore-delete": "true"}).write(rows([(1, 0, True)], 5))


@pytest.mark.parametrize("engine", ["partial-update", "aggregation", "first-row"])
def test_keys_that_stay_in_their_first_partition(catalog: FileSystemCatalog, engine: str) -> None:
    summed = {"fields.v.aggregate-function": "sum"} if engine == "aggregation" else {}
    table = partitioned_table(catalog, ("id",), {"merge-engine": engine, **summed, **SMALL})
    for first in (0, 100):
        data = rows([(1, 0, True), (2, 1, True), (1, 2, True), (3, first // 100, True)], first)
        table.write(data.drop_columns("kind"))
        table.compact(full=True)
    expected = {
        "partial-update": {("key 1", 0): 102, ("key 2", 1): 101, ("key 3", 0): 103},
        "aggregation": {("key 1", 0): 204, ("key 2", 1): 102, ("key 3", 0): 106},
        "first-row": {("key 1", 0): 0, ("key 2", 1): 1, ("key 3", 0): 3},
    }
    assert content(catalog.get_table("db.t")) == expected[engine]


def test_names_and_numbers_of_waiting_files(catalog: FileSystemCatalog) -> None:
    table = partitioned_table(catalog, ("id", "p"), {"bucket": "-2", "postpone.target-row-num-per-bucket": "3"})
    users = []
    for user in ("job", "a-s-job", "a/b"):
        with table.writer(user) as writer:
            writer.write(rows([(number, 0, True) for number in range(4)], 0), row_kind="kind")
            table.commit(writer.prepare(), commit_user=user)
        newest = max(ManifestFiles(table.store).live_files(table.version), key=lambda entry: entry.file.creation_time)
        file = newest.file
        prefix, user_part = file.file_name.split("-u-")
        users.append(user_part.split("-s-")[0])
        assert prefix == "data-"
        assert int(user_part.split("-s-")[1].split("-w-")[0]) < 1 << 31
        assert file.file_name.endswith("-0.avro")
        assert (file.min_sequence_number, file.max_sequence_number, file.level) == (-1, -1, 0)
        assert (newest.bucket, newest.total_buckets) == (POSTPONE_BUCKET, POSTPONE_BUCKET)
    assert users[0] == "job"
    assert all(len(user) == 36 for user in users[1:])
    table.compact()
    assert Counter(split.total_buckets for split in table.scan().plan()).keys() == {4}
