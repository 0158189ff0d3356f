"""Tables that find buckets for their rows by themselves: histories over several writers against a dictionary."""

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
from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.index.hash_index import read_hash_index
from workbench.format.spec.paths import POSTPONE_BUCKET
from workbench.metadata.index_files import index_entries, index_file_path
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table
from workbench.write.dynamic_buckets import key_hashes

COLUMNS = {"id": "STRING NOT NULL", "p": "INT NOT NULL", "v": "INT"}
ROW = st.tuples(st.integers(0, 25), st.integers(0, 2), st.booleans())
STEP = st.tuples(st.sampled_from(["write", "writer", "overwrite", "compact", "full"]), st.lists(ROW, max_size=20))
HISTORY = st.lists(STEP, min_size=1, max_size=7)
EXAMPLES = 7
SMALL = {"dynamic-bucket.target-row-num": "4", "num-sorted-run.compaction-trigger": "3"}


def make(catalog: FileSystemCatalog, key: tuple[str, ...], options: dict[str, str]) -> Table:
    return catalog.create_table("db.t", COLUMNS, primary_key=key, partition_by=["p"], options=options)


def rows(numbers: list[tuple[int, int, bool]], first: int) -> pa.Table:
    return pa.table(
        {
            "id": pa.array([f"key {number}" for number, _, _ in numbers], pa.string()),
            "p": pa.array([partition for _, partition, _ in numbers], pa.int32()),
            "v": pa.array(range(first, first + len(numbers)), pa.int32()),
            "kind": pa.array(["+I" if lives else "-D" for _, _, lives in numbers], pa.string()),
        }
    )


def content(table: Table) -> dict[tuple[str, int], int]:
    actual_rows = table.to_arrow().to_pylist()
    values = {(row["id"], row["p"]): row["v"] for row in actual_rows}
    assert len(values) == len(actual_rows)
    return values


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
    make(catalog, ("id", "p"), options)
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
    make(catalog, ("id",), options)
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
    make(catalog, ("id", "p"), {**options, "postpone.batch-write-fixed-bucket": str(straight).lower()})
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
            # Rows that wait are replayed later, so that they come over what was written straight away.
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
    table = make(catalog, ("id", "p"), {})
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
    table = make(catalog, ("id", "p"), {})
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
    table = make(catalog, ("id",), {})
    table.write(rows([(0, 0, True), (1, 1, True)], 0), row_kind="kind")
    for partition in (None, {"p": 0}):
        with pytest.raises(wb.Unsupported, match="Overwriting single partitions"):
            table.write(rows([(1, 0, True)], 5), mode="overwrite", partition=partition, row_kind="kind")
    assert content(table) == {("key 0", 0): 0, ("key 1", 1): 1}


def test_a_key_written_to_two_partitions_is_reported(catalog: FileSystemCatalog) -> None:
    table = make(catalog, ("id",), {})
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
        make(catalog, ("id",), {"ignore-delete": "true"}).write(rows([(1, 0, True)], 5))


@pytest.mark.parametrize("engine", ["partial-update", "aggregation", "first-row"])
def test_keys_that_stay_in_their_first_partition(catalog: FileSystemCatalog, engine: str) -> None:
    summed = {"fields.v.aggregate-function": "sum"} if engine == "aggregation" else {}
    table = make(catalog, ("id",), {"merge-engine": engine, **summed, **SMALL})
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
    table = make(catalog, ("id", "p"), {"bucket": "-2", "postpone.target-row-num-per-bucket": "3"})
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


def test_waiting_rows_keep_waiting_while_their_partition_is_rescaled(catalog: FileSystemCatalog) -> None:
    table = make(catalog, ("id", "p"), {"bucket": "-2"})
    table.write(rows([(number, number % 2, True) for number in range(10)], 0), row_kind="kind")
    with table.writer() as writer:
        writer.write(rows([(0, 0, True), (77, 1, True)], 50), row_kind="kind")
        table.commit(writer.prepare())
    with pytest.raises(wb.WorkbenchError, match="rescale"):
        table.rescale()
    table.rescale({"p": 1}, bucket=4)
    assert {(split.total_buckets) for split in table.scan(where="p = 1").plan()} == {4}
    assert len(content(table)) == 10
    table.compact()
    assert len(content(table)) == 11
    assert content(table)["key 0", 0] == 50
    assert {(split.total_buckets) for split in table.scan(where="p = 0").plan()} == {1}


@pytest.mark.parametrize("keyed", [True, False])
def test_rescaled_partitions_can_be_written_again(catalog: FileSystemCatalog, keyed: bool) -> None:
    options = {"bucket": "2", "bucket-key": "id"}
    table = catalog.create_table("db.t", COLUMNS, ["id", "p"] if keyed else [], ["p"], options)
    data = rows([(number, number % 3, True) for number in range(60)], 0).drop_columns("kind")
    table.write(data)
    catalog.alter_table("db.t", wb.SetOption("bucket", "5"))
    changed = catalog.get_table("db.t")
    with pytest.raises(wb.CommitConflict, match=r"p=0 has 2 buckets, but the table is now configured for 5"):
        changed.write(data)
    # A table that was opened before looks at the newest options, too.
    assert table.rescale({"p": 0}).rows == 20
    changed.write(data.filter(pa.compute.equal(data["p"], 0)))
    with pytest.raises(wb.CommitConflict):
        changed.write(data)
    assert str(changed.rescale().snapshots[0].commit_kind) == "OVERWRITE"
    changed.write(data)
    assert changed.to_arrow().num_rows == (60 if keyed else 140)
    assert {split.total_buckets for split in changed.scan().plan()} == {5}
    for number in (0, 7, 59):
        assert changed.to_arrow(where=f"id = 'key {number}'").num_rows >= 1


def test_rows_prepared_before_a_rescale_stay_newer(catalog: FileSystemCatalog) -> None:
    """Both commits number their rows from 0, so the bucket has more rows than numbers in use."""
    table = make(catalog, ("id", "p"), {"bucket": "1"})
    batches = [rows([(number, 0, True) for number in range(first, first + 5)], first) for first in (0, 5)]
    for messages in [prepared(catalog, batch) for batch in batches]:
        table.commit(messages)
    deletion = prepared(catalog, rows([(9, 0, False)], 9))
    catalog.get_table("db.t").rescale()
    table.commit(deletion)
    assert ("key 9", 0) not in content(catalog.get_table("db.t"))
    catalog.get_table("db.t").compact(full=True)
    assert len(content(catalog.get_table("db.t"))) == 9


def test_rows_prepared_long_before_a_rescale_stay_newer(catalog: FileSystemCatalog) -> None:
    """Other rows got greater numbers in the meantime; the rewritten rows must not get those."""
    table = make(catalog, ("id", "p"), {"bucket": "1"})
    table.write(rows([(0, 0, True)], 0), row_kind="kind")
    deletion = prepared(catalog, rows([(0, 0, False)], 1))
    table.write(rows([(number, 0, True) for number in range(-5, 0)], 1), row_kind="kind")
    catalog.get_table("db.t").rescale()
    table.commit(deletion)
    assert ("key 0", 0) not in content(catalog.get_table("db.t"))
    assert len(content(catalog.get_table("db.t"))) == 5


def prepared(catalog: FileSystemCatalog, data: pa.Table) -> list[bytes]:
    with catalog.get_table("db.t").writer() as writer:
        writer.write(data, "kind")
        return writer.prepare()


def test_a_rescale_keeps_concurrent_writes(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    table = make(catalog, ("id", "p"), {"bucket": "2"})
    table.write(rows([(1, 0, True), (2, 1, True)], 0), row_kind="kind")
    from workbench.table.compaction import rescale

    first = rescale.publish.replace_files

    def late(*arguments: Any) -> Any:
        catalog.get_table("db.t").write(rows([(9, 0, True)], 9), row_kind="kind")
        return first(*arguments)

    monkeypatch.setattr(rescale.publish, "replace_files", late)
    with pytest.raises(wb.CommitConflict, match="changed the partitions"):
        table.rescale(bucket=3)
    assert len(content(table)) == 3
    stored = {path.name for path in Path(table.location).rglob("data-*")}
    assert stored == {entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.version)}


@pytest.mark.parametrize("options", [{"merge-engine": "first-row"}, {"deletion-vectors.enabled": "true"}], ids=str)
def test_no_row_is_hidden_after_a_rescale(catalog: FileSystemCatalog, options: dict[str, str]) -> None:
    table = make(catalog, ("id", "p"), {"bucket": "1", "write-buffer-size": "1 kb", **options})
    numbers = [(number, number % 2, True) for number in range(200)]
    table.write(rows(numbers, 0).drop_columns("kind"))
    expected = content(table)
    table.rescale(bucket=3)
    assert content(table) == expected
    assert len(expected) == 200
    assert {split.total_buckets for split in table.scan().plan()} == {3}


def test_invalid_rescales(catalog: FileSystemCatalog) -> None:
    table = make(catalog, ("id", "p"), {})
    with pytest.raises(wb.Unsupported, match="'bucket' = '-1'"):
        table.rescale(bucket=3)


@pytest.mark.parametrize("bucket", [1, 3])
@pytest.mark.parametrize(
    "options",
    [
        {"deletion-vectors.enabled": "true"},
        {"merge-engine": "first-row"},
        {"deletion-vectors.enabled": "true", "merge-engine": "partial-update"},
        {"changelog-producer": "lookup"},
        {"deletion-vectors.enabled": "true", "write-only": "true"},
        {"deletion-vectors.enabled": "true", "target-file-size": "2 kb", "write-buffer-size": "1 kb"},
        {},
    ],
    ids=str,
)
def test_every_version_of_a_rescale_has_all_rows(
    catalog: FileSystemCatalog, options: dict[str, str], bucket: int
) -> None:
    """Also where reads skip level 0, to which rows are written first."""
    columns = {"id": "INT NOT NULL", "v": "INT"}
    table = catalog.create_table("db.whole", columns, "id", options={"bucket": "2", **options})
    for first in (0, 300):
        table.write([{"id": first + number, "v": number} for number in range(400)])
    table.compact(full=True)
    expected = table.to_arrow().sort_by("id").to_pylist()
    assert len(expected) == 700
    before = table.version.id
    made = table.rescale(bucket=bucket)
    assert made.rows == len(expected)
    for snapshot in table.snapshots():
        if snapshot.id >= before:
            assert table.at(snapshot=snapshot.id).to_arrow().sort_by("id").to_pylist() == expected
    live = {entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.snapshot())}
    table.expire_snapshots(retain_max=1, retain_min=1, older_than="2999-01-01 00:00:00")
    assert {path.name for path in Path(table.location).rglob("data-*")} == live
