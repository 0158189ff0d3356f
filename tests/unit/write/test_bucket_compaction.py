"""Compaction of primary-key tables: the choices by option, the written files, and the remaining ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench.base.errors import InvalidSchema, MergeError, Unsupported
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.spec import paths
from workbench.format.spec.snapshot import CommitKind
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table
from workbench.write.record_expiry import record_expiry

COLUMNS = {"k": "INT NOT NULL", "v": "INT", "s": "STRING"}
LOOKUP = {"changelog-producer": "lookup"}
VECTORS = {"deletion-vectors.enabled": "true"}
Rows = Sequence[tuple[int, int | None, str | None]]


def create(catalog: FileSystemCatalog, options: dict[str, str] | None = None, columns: Any = None) -> Table:
    return catalog.create_table(
        "db.t", columns or COLUMNS, primary_key=["k"], options={"bucket": "1", **(options or {})}
    )


def write(table: Table, rows: Rows, kinds: Sequence[str] | None = None) -> Any:
    return table.write(of(rows, kinds), row_kind="kind")


def of(rows: Rows, kinds: Sequence[str] | None = None) -> pa.Table:
    k, v, s = zip(*rows, strict=True)
    data = {"k": pa.array(k, pa.int32()), "v": pa.array(v, pa.int32()), "s": pa.array(s, pa.string())}
    return pa.table({**data, "kind": list(kinds or ["+I"] * len(rows))})


def held(table: Table) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in table.to_arrow().to_pylist())


def levels(table: Table) -> list[int]:
    return sorted(entry.file.level for entry in ManifestFiles(table.store).live_files(table.snapshot()))


def told(table: Table, last: int = 1) -> list[tuple[Any, ...]]:
    newest = table.snapshot().id
    return [tuple(row.values()) for row in table.changes(newest - last, newest, "changelog").to_pylist()]


def files_of(table: Table) -> set[str]:
    return {path.name for path in Path(table.location).rglob("*") if path.is_file()}


# --- when -------------------------------------------------------------------------------------------------------------


def test_a_lookup_moves_level_0_up_with_every_commit(catalog: FileSystemCatalog) -> None:
    table = create(catalog, LOOKUP)
    for number in range(3):
        commit = write(table, [(number, 1, "a")])
        assert [each.commit_kind for each in commit.snapshots] == [CommitKind.APPEND, CommitKind.COMPACT]
        (why,) = json.loads(commit.snapshots[1].properties["workbench.compaction"])
        assert why["reason"] == "force-up-level-0"
        assert why["level_0_runs"] == 1
    assert 0 not in levels(table)


def test_a_gentle_lookup_waits(catalog: FileSystemCatalog) -> None:
    gentle = {"lookup-compact": "gentle", "lookup-compact.max-interval": "3", "num-sorted-run.compaction-trigger": "3"}
    table = create(catalog, {**LOOKUP, **gentle, "compaction.size-ratio": "0"})
    write(table, [(number, number, "a" * 50) for number in range(500)])
    assert levels(table) == [0]
    write(table, [(1, 1, "a")])
    assert levels(table) == [0, 0]
    write(table, [(2, 1, "a")])
    assert 0 not in levels(table)
    assert len(told(table)) == 500


def test_write_only_leaves_level_0(catalog: FileSystemCatalog) -> None:
    table = create(catalog, {**LOOKUP, "write-only": "true"})
    write(table, [(1, 1, "a")])
    assert levels(table) == [0]
    assert table.compact().snapshots
    assert told(table) == [("+I", 1, 1, "a")]


def test_each_batch_is_compacted_fully_where_commits_are_counted(catalog: FileSystemCatalog) -> None:
    table = create(catalog, {"full-compaction.delta-commits": "3", "changelog-producer": "full-compaction"})
    write(table, [(1, 1, "a")])
    write(table, [(1, 2, "a")])
    assert levels(table) == [5]
    assert told(table) == [("-U", 1, 1, "a"), ("+U", 1, 2, "a")]


def test_a_stream_is_compacted_fully_at_its_turn(catalog: FileSystemCatalog) -> None:
    table = create(catalog, {"full-compaction.delta-commits": "3", "bucket": "2", "bucket-key": "k"})
    with table.writer("job") as writer:
        for identifier in range(1, 4):
            # Another bucket each time: those that were written before are compacted too.
            writer.write(of([(identifier, 1, "a"), (1, identifier, "b")]), row_kind="kind")
            table.commit(writer.prepare(), identifier, "job")
            assert (0 in levels(table)) == (identifier < 3)
    assert set(levels(table)) == {5}


# --- what -------------------------------------------------------------------------------------------------------------


def test_an_update_that_changes_nothing_is_left_out(catalog: FileSystemCatalog) -> None:
    ignoring = {"changelog-producer.row-deduplicate": "true", "changelog-producer.row-deduplicate-ignore-fields": "s"}
    table = create(catalog, {**LOOKUP, **ignoring})
    write(table, [(1, 1, "a"), (2, None, "a")])
    write(table, [(1, 1, "b"), (2, 5, "a"), (3, None, None)])
    assert told(table) == [("-U", 2, None, "a"), ("+U", 2, 5, "a"), ("+I", 3, None, None)]


def test_a_delete_without_a_row_is_not_in_the_changelog(catalog: FileSystemCatalog) -> None:
    table = create(catalog, LOOKUP)
    write(table, [(1, 1, "a"), (2, 1, "a")], ["-D", "+I"])
    write(table, [(2, 9, "z")], ["-D"])
    assert told(table) == [("-D", 2, 1, "a")]
    assert held(table) == []


def test_rows_above_are_marked_and_marks_are_removed_with_their_file(catalog: FileSystemCatalog) -> None:
    table = create(catalog, VECTORS)
    write(table, [(number, number, "a") for number in range(10)])
    assert index_entries(table.store, table.snapshot()) == ()
    write(table, [(3, 0, "b"), (5, 0, "b")])
    write(table, [(3, 0, "c"), (4, 0, "c")], ["-D", "+I"])
    (entry,) = index_entries(table.store, table.snapshot())
    assert sorted(vector.cardinality or 0 for vector in entry.vectors) == [1, 3]
    assert held(table) == [(k, 0 if k in (4, 5) else k, {4: "c", 5: "b"}.get(k, "a")) for k in range(10) if k != 3]
    table.compact(full=True)
    assert levels(table) == [5]
    assert index_entries(table.store, table.snapshot()) == ()
    assert len(held(table)) == 9


def test_marked_rows_of_the_last_level_are_dropped_on_demand(catalog: FileSystemCatalog) -> None:
    table = create(catalog, VECTORS)
    write(table, [(number, number, "a") for number in range(10)])
    write(table, [(3, 0, "b")], ["-D"])
    assert levels(table) == [5]
    assert [entry.row_count for entry in index_entries(table.store, table.snapshot())] == [1]
    commit = table.compact(full=True)
    assert commit.compactions[0]["files_rewritten"] == 1
    assert sum(entry.file.row_count for entry in ManifestFiles(table.store).live_files(table.snapshot())) == 9
    assert not table.compact(full=True).snapshots


def test_files_of_another_format_are_rewritten(catalog: FileSystemCatalog) -> None:
    table = create(catalog, {**LOOKUP, "file.format.per.level": "0:avro"})
    write(table, [(1, 1, "a")])
    names = [entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.snapshot())]
    assert [Path(name).suffix for name in names] == [".parquet"]


def test_slices_are_combined_into_full_row_groups(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.scan.section_reader._SLICE_ROWS", 64)
    monkeypatch.setattr("workbench.scan.section_reader._MIN_BATCH_ROWS", 16)
    monkeypatch.setattr("workbench.datafile.data_file_writer._ROW_GROUP_ROWS", 100)
    table = create(catalog, {"write-only": "true"})
    for run in range(3):
        write(table, [(key, run, "x") for key in range(run, 250, run + 1)])
    table.compact(full=True)
    (entry,) = ManifestFiles(table.store).live_files(table.snapshot())
    path = table.store.data_file_path(entry.partition, entry.bucket, entry.file)
    metadata = pq.read_metadata(path)
    assert [metadata.row_group(position).num_rows for position in range(metadata.num_row_groups)] == [100, 100, 50]
    newest = {key: run for run in range(3) for key in range(run, 250, run + 1)}
    assert held(table) == [(key, run, "x") for key, run in sorted(newest.items())]


def test_several_slices_have_the_same_changes(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.scan.section_reader._SLICE_ROWS", 64)
    monkeypatch.setattr("workbench.scan.section_reader._MIN_BATCH_ROWS", 16)
    table = create(catalog, {**VECTORS, **LOOKUP})
    write(table, [(k, k, "a") for k in range(1000)])
    write(table, [(k, -k, "b") for k in range(1, 1000, 3)], ["-D" if k % 2 else "+I" for k in range(1, 1000, 3)])
    kinds = [row[0] for row in told(table)]
    assert (kinds.count("-D"), kinds.count("-U"), kinds.count("+U"), len(kinds)) == (167, 166, 166, 499)
    expected = [
        (k, -k if k % 3 == 1 else k, "b" if k % 3 == 1 else "a") for k in range(1000) if k % 3 != 1 or not k % 2
    ]
    assert held(table) == expected


# --- expiry of rows ---------------------------------------------------------------------------------------------------

DAY = 86_400
EXPIRY = {"record-level.expire-time": "1 d", "record-level.time-field": "t"}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("INT", lambda seconds: seconds),
        ("BIGINT", lambda seconds: seconds),
        ("BIGINT", lambda seconds: seconds * 1000),
        ("TIMESTAMP(3)", lambda seconds: seconds * 1000),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", lambda seconds: seconds * 1_000_000),
    ],
)
def test_expired_rows_are_removed(catalog: FileSystemCatalog, kind: str, value: Any) -> None:
    table = create(catalog, EXPIRY, {"k": "INT NOT NULL", "t": kind})
    now = table.store.clock.now_millis() // 1000
    times = [now, now - DAY + 60, now - DAY - 60, None, 0]
    wanted = table.arrow_schema.field("t").type
    numbers = pa.array([None if each is None else value(each) for each in times], pa.int64())
    table.write(pa.table({"k": pa.array(range(5), pa.int32()), "t": numbers.cast(wanted)}))
    assert len(held(table)) == 5
    table.compact(full=True)
    assert [row[0] for row in held(table)] == [0, 1, 3]
    assert not table.compact(full=True).snapshots


def test_a_file_of_the_last_level_is_rewritten_when_its_rows_expire(
    catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = create(catalog, EXPIRY, {"k": "INT NOT NULL", "t": "INT"})
    clock = table.store.clock
    now = clock.now_millis()
    table.write(
        pa.table({"k": pa.array([1, 2], pa.int32()), "t": pa.array([now // 1000, now // 1000 + DAY], pa.int32())})
    )
    table.compact(full=True)
    assert len(held(table)) == 2
    monkeypatch.setattr(type(clock), "now_millis", lambda _: now + DAY * 1500)
    commit = table.compact(full=True)
    assert commit.compactions[0]["files_rewritten"] == 1
    assert [row[0] for row in held(table)] == [2]


def test_an_expired_row_is_not_visible_besides_the_new_one(
    catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = create(catalog, {**EXPIRY, **VECTORS}, {"k": "INT NOT NULL", "t": "INT"})
    clock = table.store.clock
    now = clock.now_millis()
    seconds = now // 1000
    for later, times in ((0, [seconds, seconds]), (2 * DAY, [None])):
        monkeypatch.setattr(type(clock), "now_millis", lambda _, millis=now + 1000 * later: millis)
        table.write(pa.table({"k": pa.array(range(len(times)), pa.int32()), "t": pa.array(times, pa.int32())}))
    assert held(table) == [(0, None), (1, seconds)]


def test_expiry_needs_a_time(catalog: FileSystemCatalog) -> None:
    table = create(catalog, EXPIRY, {"k": "INT NOT NULL", "t": "INT"})
    schema = Path(table.location, paths.SCHEMA_DIRECTORY, "schema-0")
    stored = schema.read_text()
    for written, instead, message in [
        ("record-level.time-field", "record-level.time-field-type", "'record-level.time-field' is not"),
        ('"INT"', '"STRING"', "'t' of type STRING cannot be used"),
    ]:
        schema.write_text(stored.replace(written, instead))
        with pytest.raises(InvalidSchema, match=message):
            record_expiry(catalog.get_table("db.t").store)


# --- what is left -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"merge-engine": "first-row", **VECTORS},
        {"changelog-producer": "full-compaction", **VECTORS},
        {**LOOKUP, "full-compaction.delta-commits": "2"},
    ],
)
def test_contradicting_options(catalog: FileSystemCatalog, options: dict[str, str]) -> None:
    with pytest.raises(InvalidSchema, match="cannot"):
        create(catalog, options)


@pytest.mark.parametrize("options", [{"merge-engine": "first-row"}, {"merge-engine": "partial-update", **LOOKUP}])
def test_a_lone_deletion_is_refused_where_rows_are_looked_up(
    catalog: FileSystemCatalog, options: dict[str, str]
) -> None:
    table = create(catalog, options)
    with pytest.raises(MergeError, match="deleted rows"):
        write(table, [(1, 1, "a")], ["-D"])


def test_vectors_are_not_given_up(catalog: FileSystemCatalog) -> None:
    table = create(catalog, VECTORS)
    write(table, [(1, 1, "a"), (2, 1, "a")])
    write(table, [(1, 2, "b")])
    schema = Path(table.location, paths.SCHEMA_DIRECTORY, "schema-0")
    stored = json.loads(schema.read_text())
    del stored["options"]["deletion-vectors.enabled"]
    schema.write_text(json.dumps(stored))
    without = catalog.get_table("db.t")
    with pytest.raises(Unsupported, match="has deletion vectors"):
        write(without, [(1, 3, "c")])
    with pytest.raises(Unsupported, match="has deletion vectors"):
        without.compact()


def test_a_failed_compaction_leaves_no_files(catalog: FileSystemCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    table = create(catalog, {**VECTORS, **LOOKUP})
    write(table, [(number, 1, "a") for number in range(9)])
    before = files_of(table)

    def fail(*_: object) -> None:
        raise OSError("The disk is full.")

    monkeypatch.setattr("workbench.write.deletion_vectors.BucketVectors._write_file", fail)
    with pytest.raises(OSError, match="disk is full"):
        write(table, [(3, 2, "b")], ["-D"])
    assert files_of(table) == before
