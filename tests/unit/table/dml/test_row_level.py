"""DELETE, UPDATE, MERGE, TRUNCATE and DROP PARTITION one by one: cost, refusals, records and remaining files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import (
    Cancelled,
    CommitConflict,
    InvalidExpression,
    MergeError,
    SchemaMismatch,
    Unsupported,
    WorkbenchError,
)
from workbench.base.progress import Progress, Step
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.index_files import index_entries
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "v": "INT", "s": "STRING"}
VECTORS = {"deletion-vectors.enabled": "true"}
IN_BUCKETS = {"bucket": "1", "bucket-key": "id"}


def rows(*ids: int) -> list[dict[str, Any]]:
    return [{"id": each, "v": each * 10, "s": f"s{each}"} for each in ids]


def append_table(catalog: FileSystemCatalog, options: dict[str, str] | None = None, files: int = 3) -> Table:
    """Files with the ids 0 to 9, 10 to 19, …"""
    table = catalog.create_table("db.t", COLUMNS, options=options or {})
    for number in range(files):
        table.write(rows(*range(number * 10, number * 10 + 10)))
    return table


def key_table(catalog: FileSystemCatalog, options: dict[str, str] | None = None, partition: str | None = None) -> Table:
    keys = ["id"] if partition is None else ["id", partition]
    columns = COLUMNS if partition is None else {**COLUMNS, partition: "STRING NOT NULL"}
    partitions = [] if partition is None else [partition]
    return catalog.create_table("db.k", columns, keys, partitions, {"bucket": "1", **(options or {})})


def ids(table: Table) -> list[int]:
    return sorted(table.to_arrow(["id"]).column(0).to_pylist())


def data_files(table: Table) -> set[str]:
    return {path.name for path in Path(table.location).rglob("data-*")}


def live_files(table: Table) -> set[str]:
    return {entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.snapshot())}


# --- what is written --------------------------------------------------------------------------------------------------


def test_only_files_with_such_rows_are_written_again(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    before = live_files(table)
    done = table.delete("id IN (11, 12)")
    assert (done.deleted, done.rewritten, done.files, done.marked) == (2, 1, 1, 0)
    assert len(before & live_files(table)) == 2
    assert ids(table) == [each for each in range(30) if each not in (11, 12)]
    assert str(done.snapshots[0].commit_kind) == "OVERWRITE"
    assert done.snapshots[0].delta_record_count == -2


@pytest.mark.parametrize("where", ["id >= 10 AND id < 20", "s LIKE 's1_'"])
def test_whole_files_are_deleted_by_metadata(catalog: FileSystemCatalog, where: str) -> None:
    """Files are removed by statistics if these suffice, otherwise when every row matches."""
    table = append_table(catalog)
    before = data_files(table)
    done = table.delete(where)
    assert (done.deleted, done.rewritten, done.files) == (10, 1, 0)
    assert data_files(table) == before
    assert ids(table) == [*range(10), *range(20, 30)]


def test_statistics_spare_reading(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    for path in Path(table.location).rglob("data-*"):
        path.write_bytes(b"nobody may look at this")
    done = table.delete("id < 20")
    assert (done.deleted, done.rewritten) == (20, 2)
    assert live_files(table) < data_files(table)


def test_vectors_mark_rows_and_are_removed_with_their_file(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, VECTORS)
    before = live_files(table)
    done = table.delete("id % 5 = 0")
    assert (done.deleted, done.marked, done.rewritten, done.files) == (6, 3, 0, 0)
    assert live_files(table) == before
    assert str(done.snapshots[0].commit_kind) == "OVERWRITE"
    assert table.delete("id % 5 = 0").snapshots == ()
    done = table.delete("id BETWEEN 10 AND 19")
    assert (done.deleted, done.rewritten, done.marked) == (8, 1, 0)
    marked = [each.data_file for entry in index_entries(table.store, table.version) for each in entry.vectors]
    assert set(marked) == live_files(table)
    done = table.update({"v": "-v"}, where="id < 3")
    assert (done.updated, done.marked, done.files) == (2, 1, 1)
    assert table.to_arrow(["v"], "id < 3").column(0).to_pylist() == [-10, -20]


def test_order_in_a_bucket_is_kept(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, IN_BUCKETS)
    table.update({"s": "'new'"}, where="id = 14")
    table.delete("id = 13")
    assert table.to_arrow(["id"]).column(0).to_pylist() == [each for each in range(30) if each != 13]


def test_rows_move_to_the_bucket_of_their_new_key(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, {"bucket": "4", "bucket-key": "id"})
    table.update({"id": "id + 100"}, where="id < 5")
    assert ids(table) == [*range(5, 30), *range(100, 105)]
    for each in range(100, 105):
        assert table.to_arrow(["v"], f"id = {each}").column(0).to_pylist() == [(each - 100) * 10]


def test_large_files_in_several_row_groups(catalog: FileSystemCatalog) -> None:
    """Positions are those of the file, even if row groups are skipped."""
    for options in ({}, VECTORS):
        table = catalog.create_table(f"db.large{len(options)}", {"id": "BIGINT", "v": "INT"}, options=options)
        count = 300_000
        table.write(pa.table({"id": np.arange(count), "v": np.arange(count, dtype=np.int32) % 7}))
        done = table.delete("id >= 200000 AND v = 3")
        expected = [each for each in range(200_000, count) if each % 7 == 3]
        assert done.deleted == len(expected)
        done = table.update({"v": "100"}, where="id BETWEEN 150000 AND 250000 AND v = 4")
        table.delete("v = 100 AND id % 2 = 0")
        every = np.arange(count)
        removed = (every >= 200_000) & (every % 7 == 3)
        new = (every >= 150_000) & (every <= 250_000) & (every % 7 == 4)
        assert ids(table) == every[~removed & ~(new & (every % 2 == 0))].tolist()


def test_a_large_merge(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("db.t", {"id": "BIGINT NOT NULL", "v": "INT"}, ["id"], options={"bucket": "2"})
    count = 200_000
    table.write(pa.table({"id": np.arange(count), "v": np.zeros(count, np.int32)}))
    new = np.arange(count // 2, count + count // 2, 3)
    source = pa.table({"id": new, "v": new.astype(np.int32)})
    done = table.merge(source, ["id"], [wb.WhenMatched(update="*"), wb.WhenNotMatched()])
    matched = int((new < count).sum())
    assert (done.updated, done.inserted, done.deleted) == (matched, len(new) - matched, 0)
    actual_rows = table.to_arrow().sort_by("id")
    known = np.arange(count)
    value = np.where((known >= count // 2) & ((known - count // 2) % 3 == 0), known, 0)
    assert actual_rows.column("id").to_pylist() == [*known.tolist(), *new[new >= count].tolist()]
    assert actual_rows.column("v").to_pylist() == [*value.tolist(), *new[new >= count].tolist()]


def test_a_merge_prunes_files_by_the_keys_of_its_source(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    paths = {entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.snapshot(1))}
    for path in Path(table.location).rglob("data-*"):
        if path.name in paths:
            path.write_bytes(b"nobody may look at this")
    done = table.merge(rows(12, 25), ["id"], [wb.WhenMatched(delete=True)])
    assert (done.deleted, done.rewritten) == (2, 2)


def test_key_tables_write_kinds(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, {"changelog-producer": "input"})
    table.write(rows(1, 2, 3))
    assert table.delete("id = 1").deleted == 1
    assert table.update({"v": "v + 1"}, where="id = 2").updated == 1
    table.merge(rows(3, 4), ["id"], [wb.WhenMatched(delete=True), wb.WhenNotMatched()])
    changes = table.changes(1, None, mode="changelog").select(["rowkind", "id", "v"]).to_pylist()
    assert [tuple(each.values()) for each in changes] == [("-D", 1, 10), ("+U", 2, 21), ("-D", 3, 30), ("+I", 4, 40)]
    assert ids(table) == [2, 4]


def test_statements_are_noted(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    assert table.delete("id = 3").snapshots[0].properties["workbench.statement"] == "DELETE WHERE id = 3"
    done = table.update({"v": "v + 1"}, where=wb.col("id") == 4)
    assert done.snapshots[0].properties["workbench.statement"] == "UPDATE SET v = v + 1 WHERE id = 4"
    done = table.merge(rows(5), ["id"], [wb.WhenMatched(delete=True)], properties={"by": "me"})
    assert done.snapshots[0].properties["workbench.statement"].startswith("MERGE ON")
    assert done.snapshots[0].properties["by"] == "me"
    assert repr(done).startswith("<RowChanges of db.t: snapshot 6 (OVERWRITE), 1 rows deleted, 0 updated, 0 inserted")


# --- whole partitions -------------------------------------------------------------------------------------------------


@pytest.fixture
def parted(catalog: FileSystemCatalog) -> Table:
    columns = {"id": "BIGINT", "day": "DATE", "p": "STRING"}
    table = catalog.create_table("db.parted", columns, partition_by=["day", "p"])
    for day in range(3):
        table.write([{"id": day * 10 + k, "day": date(2026, 11, day + 1), "p": "ab"[k % 2]} for k in range(4)])
    return table


@pytest.mark.parametrize(
    ("act", "left"),
    [
        (lambda t: t.truncate(), []),
        (lambda t: t.truncate({"p": "a"}), [1, 3, 11, 13, 21, 23]),
        (lambda t: t.drop_partitions({"day": date(2026, 11, 2)}), [0, 1, 2, 3, 20, 21, 22, 23]),
        (lambda t: t.drop_partitions([{"day": date(2026, 11, 1), "p": "a"}, {"p": "b"}]), [10, 12, 20, 22]),
        (lambda t: t.delete("p = 'b'"), [0, 2, 10, 12, 20, 22]),
        (lambda t: t.delete("day > DATE '2026-11-01' AND p <> 'a'"), [0, 1, 2, 3, 10, 12, 20, 22]),
        (lambda t: t.delete("TRUE"), []),
    ],
)
def test_partitions_are_dropped_by_metadata(
    parted: Table, act: Callable[[Table], wb.RowChanges], left: list[int]
) -> None:
    before = data_files(parted)
    for path in Path(parted.location).rglob("data-*"):
        path.rename(path.with_suffix(".away"))
    done = act(parted)
    for path in Path(parted.location).rglob("*.away"):
        path.rename(path.with_suffix(".parquet"))
    assert ids(parted) == left
    assert done.deleted == 12 - len(left)
    assert done.files == 0
    assert data_files(parted) == before
    assert str(done.snapshots[0].commit_kind) == "OVERWRITE"


def test_null_partitions(parted: Table) -> None:
    parted.write([{"id": 99, "day": None, "p": "a"}])
    parted.delete("day = DATE '2026-11-01' OR day <> DATE '2026-11-01'")
    assert ids(parted) == [99]
    assert parted.delete("day IS NOT NULL").snapshots == ()
    assert parted.drop_partitions({"day": None}).deleted == 1


def test_missing_partitions(parted: Table) -> None:
    """DELETE makes no commit for them; dropping is a commit whatever is there, as Java's is."""
    assert parted.delete("p = 'z'").snapshots == ()
    assert len(parted.drop_partitions({"p": "z"}).snapshots) == 1
    with pytest.raises(SchemaMismatch, match="'q' is not a partition column"):
        parted.drop_partitions({"q": 1})
    for nothing in ([], {}, [{}]):
        with pytest.raises(SchemaMismatch, match="No partition is given"):
            parted.drop_partitions(nothing)
    with pytest.raises(SchemaMismatch, match="'p=a' is not a partition"):
        parted.drop_partitions("p=a")  # type: ignore[arg-type]


def test_partitions_of_key_tables(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, partition="p")
    table.write([{**each, "p": "ab"[each["id"] % 2]} for each in rows(*range(8))])
    done = table.delete("p = 'a'")
    assert done.deleted is None
    assert "all rows of some partitions deleted" in str(done)
    assert ids(table) == [1, 3, 5, 7]


def test_changelogs_of_deletes_are_forced_by_an_option(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, {"changelog-producer": "input", "delete.force-produce-changelog": "true"}, "p")
    table.write([{**each, "p": "ab"[each["id"] % 2]} for each in rows(*range(4))])
    done = table.delete("p = 'a'")
    assert (done.deleted, str(done.snapshots[0].commit_kind)) == (2, "APPEND")
    kinds = table.changes(1, None, mode="changelog").column("rowkind").to_pylist()
    assert kinds == ["-D", "-D"]


def test_overwritten_files_are_on_the_last_level(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog)
    table.write(rows(1, 2))
    table.write(rows(2, 3), mode="overwrite")
    (entry,) = ManifestFiles(table.store).live_files(table.snapshot())
    assert entry.file.level == table.schema.core.num_levels - 1
    table.write(rows(3, 4))
    assert ids(table) == [2, 3, 4]


# --- what others do meanwhile -----------------------------------------------------------------------------------------


class Meanwhile(Progress):
    """Does something when the files have been read and written, before the commit."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act: Callable[[], object] | None = act
        super().__init__(self.told)

    def told(self, step: Step) -> None:
        if step.finished and step.label.startswith("Changing") and self.act is not None:
            act, self.act = self.act, None
            act()


@pytest.mark.parametrize("options", [{}, VECTORS, {**IN_BUCKETS, **VECTORS}, IN_BUCKETS], ids=str)
@pytest.mark.parametrize(
    "other",
    [
        lambda t: t.delete("id = 12"),
        lambda t: t.delete("id BETWEEN 10 AND 19"),
        lambda t: t.compact(full=True),
        lambda t: t.truncate(),
    ],
    ids=["other row", "whole file", "compaction", "truncate"],
)
@pytest.mark.parametrize("marked", [False, pytest.param(True, marks=pytest.mark.long)], ids=["fresh", "marked before"])
def test_a_change_of_the_same_files_is_a_conflict(
    catalog: FileSystemCatalog, options: dict[str, str], other: Callable[[Table], object], marked: bool
) -> None:
    table = append_table(catalog, options)
    if marked:
        table.delete("id IN (11, 17)")
    for statement in (
        lambda progress: table.delete("id IN (11, 13)", progress=progress),
        lambda progress: table.update({"v": "0"}, where="id = 15", progress=progress),
    ):
        fresh: list[Any] = []

        def act(found: list[Any] = fresh) -> None:
            other(table)
            found.extend((ids(table), data_files(table)))

        before = table.snapshot().id
        with pytest.raises(CommitConflict):
            statement(Meanwhile(act))
        assert ids(table) == fresh[0]
        assert table.snapshot().id == before + 1
        assert live_files(table) <= data_files(table)
        table.rollback_to(snapshot=before)


@pytest.mark.parametrize("options", [{}, VECTORS], ids=str)
def test_changes_of_other_files_are_none(catalog: FileSystemCatalog, options: dict[str, str]) -> None:
    table = append_table(catalog, options)
    table.delete("id = 11", progress=Meanwhile(lambda: table.write(rows(77))))
    table.delete("id = 12", progress=Meanwhile(lambda: table.delete("id = 25")))
    assert ids(table) == sorted([*(each for each in range(30) if each not in (11, 12, 25)), 77])


@pytest.mark.parametrize("marked", [False, True], ids=["fresh", "marked before"])
def test_deletes_on_other_files_of_a_bucket_are_a_conflict(catalog: FileSystemCatalog, marked: bool) -> None:
    """The vectors of a bucket are in one index file, so the second delete would replace those of the first."""
    table = append_table(catalog, {**IN_BUCKETS, **VECTORS})
    gone = {12, 1} if marked else {12}
    if marked:
        table.delete("id = 1")
    with pytest.raises(CommitConflict, match=r"Another commit deleted rows of bucket 0|removed by another commit"):
        table.delete("id = 25", progress=Meanwhile(lambda: table.delete("id = 12")))
    assert ids(table) == [each for each in range(30) if each not in gone]
    table.delete("id = 25")
    assert ids(table) == [each for each in range(30) if each not in {*gone, 25}]


def test_files_of_a_failed_statement_are_removed(catalog: FileSystemCatalog) -> None:
    for options in ({}, VECTORS):
        table = catalog.create_table(f"db.f{len(options)}", COLUMNS, options=options)
        table.write(rows(*range(10)))
        before = {path for path in Path(table.location).rglob("*") if path.is_file()}
        with pytest.raises(InvalidExpression, match="Division by zero"):
            table.update({"v": "v / (id - 5)"}, where="id > 1")
        with pytest.raises(SchemaMismatch, match="'id' is BIGINT NOT NULL"):
            table.update({"id": "nullif(id, 4)"}, where="id < 7")
        progress = Meanwhile(lambda: None)
        progress.act = progress.cancel
        with pytest.raises(Cancelled):
            table.merge(rows(3, 99), ["id"], [wb.WhenMatched(update="*"), wb.WhenNotMatched()], progress=progress)
        assert {path for path in Path(table.location).rglob("*") if path.is_file()} == before
        assert table.snapshot().id == 1


def test_versions_and_system_tables_are_read_only(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog)
    for fixed in (table.at(snapshot=1), catalog.get_table("db.t$files")):
        for act in (
            lambda t: t.delete("TRUE"),
            lambda t: t.update({"v": "1"}),
            lambda t: t.merge(rows(1), ["id"], [wb.WhenMatched(delete=True)]),
            lambda t: t.truncate(),
            lambda t: t.drop_partitions({"p": 1}),
        ):
            with pytest.raises(WorkbenchError, match=r"read-only"):
                act(fixed)


def test_conditions_that_no_row_satisfies(catalog: FileSystemCatalog) -> None:
    for table in (append_table(catalog), key_table(catalog)):
        table.write(rows(1, 2))
        for where in ("FALSE", "NULL", "id = NULL", "id > 1000", "v = 11"):
            assert table.delete(where).snapshots == ()
            assert table.update({"v": "1"}, where=where).snapshots == ()
        assert table.merge(rows(5000), ["id"], [wb.WhenMatched(delete=True)]).snapshots == ()


def test_progress_is_reported_in_one_unit(catalog: FileSystemCatalog) -> None:
    steps: list[Step] = []
    append_table(catalog).update({"v": "1"}, where="id % 2 = 0", progress=Progress(steps.append))
    last = next(step for step in reversed(steps) if step.label.startswith("Changing"))
    assert (last.done, last.total, last.unit) == (3, 3, "files")
    table = key_table(catalog)
    table.write(rows(*range(10)))
    table.delete("id < 4", progress=Progress(steps.append))
    last = next(step for step in reversed(steps) if step.label.startswith("Changing"))
    assert (last.done, last.unit) == (4, "rows")


def test_tables_never_written(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, files=0)
    assert table.delete("id = 3").snapshots == ()
    assert table.update({"v": "1"}).snapshots == ()
    done = table.merge(rows(3), ["id"], [wb.WhenMatched(delete=True), wb.WhenNotMatched()])
    assert (done.inserted, str(done.snapshots[0].commit_kind)) == (1, "APPEND")


# --- what is refused --------------------------------------------------------------------------------------------------


def test_statements_are_refused_by_merge_engine(catalog: FileSystemCatalog) -> None:
    def engine(name: str, **more: str) -> Table:
        options = {"bucket": "1", "merge-engine": name, **{key.replace("_", "-"): value for key, value in more.items()}}
        number = len(catalog.list_tables("db"))
        return catalog.create_table(f"db.e{number}", COLUMNS, ["id"], options=options)

    merge = [wb.WhenMatched(delete=True)]
    for name in ("aggregation", "first-row"):
        table = engine(name)
        with pytest.raises(Unsupported, match=f"'merge-engine' = '{name}'"):
            table.delete("id = 1")
        with pytest.raises(Unsupported, match=f"UPDATE is not supported with option 'merge-engine' = '{name}'"):
            table.update({"v": "1"})
        with pytest.raises(Unsupported, match=f"MERGE is not supported with option 'merge-engine' = '{name}'"):
            table.merge(rows(1), ["id"], merge)
    with pytest.raises(Unsupported, match=r"partial-update\.remove-record-on-delete"):
        engine("partial-update").delete("id = 1")
    with pytest.raises(Unsupported, match="'ignore-delete' = 'true'"):
        engine("deduplicate", ignore_delete="true").delete("id = 1")


def test_keys_and_partitions_cannot_change(catalog: FileSystemCatalog) -> None:
    table = key_table(catalog, partition="p")
    with pytest.raises(SchemaMismatch, match="primary key column 'id'"):
        table.update({"ID": "id + 1"})
    with pytest.raises(SchemaMismatch, match="primary key column 'p'"):
        table.update({"p": "'x'"})
    with pytest.raises(SchemaMismatch, match="primary key column 'id'"):
        table.merge(rows(1), "t.v = s.v", [wb.WhenMatched(update={"id": "s.id"})])
    with pytest.raises(SchemaMismatch, match="primary key column 'id'"):
        table.merge(rows(1), ["id"], [wb.WhenNotMatchedBySource(update={"id": "id + 1"})])


@pytest.mark.parametrize(
    ("assignments", "error", "message"),
    [
        ({"w": "1"}, SchemaMismatch, "There is no column 'w'"),
        ({"v": "1", "V": "2"}, SchemaMismatch, "'v' is assigned twice"),
        ({"v": "s"}, SchemaMismatch, "Column 'v' is INT and s is STRING"),
        ({"v": "'7'"}, SchemaMismatch, "Column 'v' is INT and '7' is STRING"),
        ({"v": "TRUE"}, SchemaMismatch, "Column 'v' is INT and TRUE is BOOLEAN"),
        ({"v": "3000000000"}, SchemaMismatch, "does not fit column 'v'"),
        ({"v": "id * 3000000000"}, InvalidExpression, "v|INT"),
        ({"v": "unknown + 1"}, InvalidExpression, "no column 'unknown'"),
        ({"v": "sum(v)"}, InvalidExpression, "aggregate"),
        ({}, InvalidExpression, "cannot assign"),
        ([("v", 1)], InvalidExpression, "cannot assign"),
        ({"id": "NULL"}, SchemaMismatch, "'id' is BIGINT NOT NULL"),
    ],
)
def test_invalid_values(catalog: FileSystemCatalog, assignments: Any, error: type[Exception], message: str) -> None:
    table = append_table(catalog, files=1)
    with pytest.raises(error, match=message):
        table.update(assignments)
    assert table.snapshot().id == 1


def test_values_that_are_stored(catalog: FileSystemCatalog) -> None:
    """Texts are SQL; other values are literals; numbers and times are converted as Spark stores them."""
    columns = {"id": "INT", "d": "DECIMAL(10, 2)", "day": "DATE", "at": "TIMESTAMP(3)", "s": "STRING", "b": "BYTES"}
    table = catalog.create_table("db.t", columns)
    table.write([{"id": 1}])
    table.update({"d": "id / 3", "day": date(2026, 1, 2), "at": "DATE '2026-01-03'", "s": "id", "b": b"x", "ID": 7.9})
    (row,) = table.to_arrow().to_pylist()
    assert (row["id"], row["d"], row["day"], row["s"], row["b"]) == (7, Decimal("0.33"), date(2026, 1, 2), "1", b"x")
    assert row["at"].isoformat() == "2026-01-03T00:00:00"
    table.update({"s": wb.col("s").cast("INT") + 41})
    assert table.to_arrow(["s"]).column(0).to_pylist() == ["42"]


# --- merges -----------------------------------------------------------------------------------------------------------


def test_clauses_are_checked() -> None:
    for wrong in (
        lambda: wb.WhenMatched(),
        lambda: wb.WhenMatched(update={"v": "1"}, delete=True),
        lambda: wb.WhenMatched(update="v = 1"),
        lambda: wb.WhenMatched(update={}),
        lambda: wb.WhenNotMatched(insert={}),
        lambda: wb.WhenNotMatchedBySource(),
        lambda: wb.WhenNotMatchedBySource(update="*"),
    ):
        with pytest.raises(InvalidExpression, match=r"cannot assign|either update or delete"):
            wrong()


@pytest.mark.parametrize(
    ("on", "clauses", "message"),
    [
        (["id"], [], "requires clauses"),
        ([], [wb.WhenMatched(delete=True)], "cannot match rows on"),
        (["nr"], [wb.WhenMatched(delete=True)], "no column"),
        ("t.id = s.nr", [wb.WhenMatched(delete=True)], "no column"),
        ("id = 3", [wb.WhenMatched(delete=True)], "'id' is ambiguous"),
        ("t.id + s.id", [wb.WhenMatched(delete=True)], "not a condition"),
        (["id"], [wb.WhenNotMatched({"id": "t.id"})], "this clause has no row of the table"),
        (["id"], [wb.WhenNotMatchedBySource(delete=True, condition="s.v = 1")], "no row of the source"),
        (["id"], ["delete"], "is not a merge clause"),
        (["id"], wb.WhenMatched(delete=True), "must be a list"),
        (5, [wb.WhenMatched(delete=True)], "cannot match rows on 5"),
    ],
)
def test_merges_that_make_no_sense(catalog: FileSystemCatalog, on: Any, clauses: Any, message: str) -> None:
    with pytest.raises(InvalidExpression, match=message):
        append_table(catalog, files=1).merge(rows(1), on, clauses)


def test_star_assigns_columns_by_name(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, files=1)
    source = pa.table({"S": ["new", "other"], "extra": [1, 2], "ID": [3, 50], "V": pa.array([None, 5], pa.int8())})
    done = table.merge(source, "t.id = s.id", [wb.WhenMatched(update="*"), wb.WhenNotMatched()])
    assert (done.updated, done.inserted) == (1, 1)
    actual_rows = table.to_arrow(where="id IN (3, 50)").to_pylist()
    assert actual_rows == [{"id": 3, "v": None, "s": "new"}, {"id": 50, "v": 5, "s": "other"}]
    with pytest.raises(SchemaMismatch, match="The source has no column 'v'"):
        table.merge(source.select(["ID", "S"]), ["id"], [wb.WhenMatched(update="*")])


@pytest.mark.parametrize(
    ("kind", "mine", "theirs", "pairs"),
    [
        (pa.float64(), [0.0, float("nan"), None, 1.5], [-0.0, float("nan"), None, 2.5], 2),
        (pa.decimal128(10, 2), [Decimal("1.50"), None], [Decimal("1.50"), None], 1),
        (pa.string(), ["a", "", None], ["", "a ", None], 1),
        (pa.date32(), [date(2026, 1, 1), None], [date(2026, 1, 1), None], 1),
        (pa.timestamp("us", "UTC"), [5, None], [5, None], 1),
        (pa.binary(), [b"a", None], [b"a", None], 1),
        (pa.bool_(), [True, None], [True, None], 1),
    ],
)
def test_keys_of_all_types(
    catalog: FileSystemCatalog, kind: pa.DataType, mine: list[Any], theirs: list[Any], pairs: int
) -> None:
    """Equal as `=` says: NULL equals nothing, NaN itself, and zeros each other; `<=>` finds NULL too."""
    table = catalog.create_table("db.t", pa.schema([("k", kind), ("hit", pa.int32())]))
    table.write(pa.table({"k": pa.array(mine, kind), "hit": pa.nulls(len(mine), pa.int32())}))
    source = pa.table({"k": pa.array(theirs, kind)})
    done = table.merge(source, ["k"], [wb.WhenMatched(update={"hit": "1"}), wb.WhenNotMatched({"hit": "2"})])
    assert (done.updated, done.inserted) == (pairs, len(theirs) - pairs)
    done = table.merge(source, "t.k <=> s.k AND t.hit IS NULL", [wb.WhenMatched(delete=True)])
    assert done.deleted == 1


def test_types_of_the_two_sides_may_differ(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, files=1)
    source = pa.table({"k": pa.array(["3", "4"]), "n": pa.array([Decimal("5.0"), Decimal("6.5")], pa.decimal128(4, 1))})
    assert table.merge(source, "t.id = s.n", [wb.WhenMatched(delete=True)]).deleted == 1
    assert table.merge(source, "t.s = concat('s', s.k)", [wb.WhenMatched(delete=True)]).deleted == 2
    assert ids(table) == [0, 1, 2, 6, 7, 8, 9]


def test_several_matches(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, files=1)
    twice = [*rows(3), *rows(3)]
    with pytest.raises(MergeError, match="Several rows of the source match one row"):
        table.merge(twice, ["id"], [wb.WhenMatched(update={"v": "s.v"})])
    with pytest.raises(MergeError, match="Several rows of the source match one row"):
        table.merge(twice, ["id"], [wb.WhenMatched(delete=True, condition="s.v > 0")])
    assert table.merge(twice, ["id"], [wb.WhenMatched(delete=True)]).deleted == 1
    done = table.merge([*rows(50), *rows(50)], ["id"], [wb.WhenNotMatched()])
    assert done.inserted == 2


def test_a_table_is_a_source(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, files=1)
    other = catalog.create_table("db.other", {"id": "BIGINT", "note": "STRING"})
    other.write([{"id": 4, "note": "from a table"}])
    done = table.merge(other, ["id"], [wb.WhenMatched(update={"s": "note"})])
    assert done.updated == 1
    assert table.to_arrow(["s"], "id = 4").column(0).to_pylist() == ["from a table"]


def test_conditions_guard_what_follows(catalog: FileSystemCatalog) -> None:
    """A clause is computed only for rows that no earlier one took."""
    table = append_table(catalog, files=1)
    clauses = [wb.WhenMatched(delete=True, condition="s.v = 0"), wb.WhenMatched(update={"v": "100 div s.v"})]
    source = pa.table({"id": [1, 2], "v": pa.array([0, 5], pa.int32())})
    done = table.merge(source, ["id"], clauses)
    assert (done.deleted, done.updated) == (1, 1)
    assert table.to_arrow(["v"], "id = 2").column(0).to_pylist() == [20]


@pytest.mark.parametrize("options", [{}, VECTORS], ids=["rewritten", "vectors"])
def test_rows_keep_their_ids(catalog: FileSystemCatalog, options: dict[str, str]) -> None:
    """A changed row has the number of the version that changed it; changing its partition would lose its id."""
    columns = {**COLUMNS, "p": "STRING"}
    tracked = {**options, "row-tracking.enabled": "true"}
    table = catalog.create_table("db.t", columns, partition_by=["p"], options=tracked)
    table.write([{**each, "p": "a"} for each in rows(*range(6))])
    table.delete("id = 1")
    table.update({"v": "-1"}, where="id IN (2, 4)")
    table.merge([{"id": 5}, {"id": 9}], ["id"], [wb.WhenMatched(update={"v": "-2"}), wb.WhenNotMatched({"id": "id"})])
    actual_rows = catalog.get_table("db.t$row_tracking").to_arrow(["id", "_ROW_ID", "_SEQUENCE_NUMBER", "v"])
    assert sorted(tuple(each.values()) for each in actual_rows.to_pylist()) == [
        (0, 0, 1, 0),
        (2, 2, 3, -1),
        (3, 3, 1, 30),
        (4, 4, 3, -1),
        (5, 5, 4, -2),
        (9, 6, 4, None),
    ]
    with pytest.raises(Unsupported, match=r"'row-tracking\.enabled' = 'true'.*cannot be updated"):
        table.update({"p": "'b'"})


def test_metrics_of_statements(catalog: FileSystemCatalog) -> None:
    metrics = append_table(catalog).delete("id = 3").metrics
    assert metrics is not None
    assert (metrics.files_written, metrics.files_deleted, metrics.rows_written) == (1, 1, 9)
    assert metrics.seconds["total"] > 0


@pytest.mark.parametrize("options", [{}, VECTORS], ids=["rewritten", "vectors"])
@pytest.mark.parametrize(
    "name", ["parquet", pytest.param("orc", marks=pytest.mark.long), pytest.param("avro", marks=pytest.mark.long)]
)
def test_nested_and_altered_columns(catalog: FileSystemCatalog, name: str, options: dict[str, str]) -> None:
    columns = {
        "id": "BIGINT NOT NULL",
        "a": "ARRAY<INT NOT NULL>",
        "m": "MAP<STRING, INT NOT NULL>",
        "r": "ROW<x INT, y ARRAY<STRING>>",
        "d": "DECIMAL(20, 3)",
        "f": "FLOAT NOT NULL",
        "n": "INT",
    }
    table = catalog.create_table("db.t", columns, options={**options, "file.format": name})
    table.write(
        [
            {"id": each, "a": [each, 2], "m": [("k", each)], "r": {"x": each, "y": ["q", None]}, "d": Decimal("1.5")}
            | {"f": 1.5, "n": each}
            for each in range(6)
        ]
    )
    changes = (wb.AddColumn("z", "BIGINT"), wb.UpdateColumnType("n", "BIGINT"), wb.RenameColumn("d", "dec"))
    catalog.alter_table("db.t", *changes)
    table = catalog.get_table("db.t")
    table.update({"z": "n + 1", "dec": "dec * 2"}, where="id % 2 = 0")
    assert table.delete("r.x = 3 OR a IS NULL").deleted == 1
    source = pa.table({"id": [1, 99], "new": pa.array([[7], [8]], pa.list_(pa.int32()))})
    clauses = [wb.WhenMatched(update={"a": "new"}), wb.WhenNotMatched({"id": "id", "f": "2", "a": "new"})]
    table.merge(source, ["id"], clauses)
    actual_rows = table.to_arrow().sort_by("id").to_pylist()
    assert [each["id"] for each in actual_rows] == [0, 1, 2, 4, 5, 99]
    assert [each["z"] for each in actual_rows] == [1, None, 3, 5, None, None]
    assert [each["a"] for each in actual_rows] == [[0, 2], [7], [2, 2], [4, 2], [5, 2], [8]]
    assert actual_rows[2]["dec"] == Decimal("3.000")
    assert actual_rows[2]["r"] == {"x": 2, "y": ["q", None]}
    assert actual_rows[2]["m"] == [("k", 2)]


# --- changes that a merge would undo ----------------------------------------------------------------------------------


def partial_table(catalog: FileSystemCatalog, **options: str) -> Table:
    table = key_table(catalog, {"merge-engine": "partial-update", **options})
    table.write([{"id": 1, "v": 10, "s": None}, {"id": 2, "v": None, "s": "b"}])
    return table


def test_partial_updates_refuse_null(catalog: FileSystemCatalog) -> None:
    table = partial_table(catalog, **{"partial-update.remove-record-on-delete": "true"})
    table.update({"v": "v + 1", "s": "concat(s, '!')"})
    assert table.to_arrow().to_pylist() == [{"id": 1, "v": 11, "s": None}, {"id": 2, "v": None, "s": "b!"}]
    with pytest.raises(Unsupported, match="column 'v' would not change"):
        table.update({"v": "NULL"}, where="id = 1")
    table.update({"v": "NULL"}, where="id = 2")
    table.delete("id = 1")
    assert ids(table) == [2]


def test_partial_updates_without_a_sequence(catalog: FileSystemCatalog) -> None:
    options = {"fields.v.sequence-group": "s", "partial-update.remove-record-on-sequence-group": "v"}
    table = partial_table(catalog, **options)
    table.update({"s": "'a'"}, where="id = 1")
    table.update({"s": "NULL"}, where="id = 1")
    assert table.to_arrow(["s"], "id = 1").column(0).to_pylist() == [None]
    with pytest.raises(Unsupported, match="column 's' would not change in rows that have no sequence in v"):
        table.update({"s": "'a'"})
    with pytest.raises(Unsupported, match="no sequence in v cannot be deleted"):
        table.delete("id = 2")
    assert table.delete("id = 1").deleted == 1
    assert ids(table) == [2]


def test_aggregated_columns_are_not_written_back(catalog: FileSystemCatalog) -> None:
    options = {"fields.v.sequence-group": "s", "fields.s.aggregate-function": "listagg"}
    with pytest.raises(Unsupported, match="'s' is aggregated by 'listagg'"):
        partial_table(catalog, **options).update({"v": "v + 1"})


@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_sequence_values_cannot_decrease(catalog: FileSystemCatalog, order: str) -> None:
    table = key_table(catalog, {"sequence.field": "v", "sequence.field.sort-order": order})
    table.write(rows(1, 2))
    newer, older = ("v + 5", "v - 5") if order == "ascending" else ("v - 5", "v + 5")
    table.update({"v": newer, "s": "'new'"})
    assert table.to_arrow(["s"]).column(0).to_pylist() == ["new", "new"]
    for value in (older, "NULL"):
        with pytest.raises(Unsupported, match="cannot decrease these columns"):
            table.update({"v": value})
    table.update({"s": "'same sequence'"}, where="id = 2")
    assert table.to_arrow(["s"]).column(0).to_pylist() == ["new", "same sequence"]
    assert table.delete("id = 1").deleted == 1
    assert ids(table) == [2]


def test_aggregations_that_remove_rows(catalog: FileSystemCatalog) -> None:
    options = {"merge-engine": "aggregation", "aggregation.remove-record-on-delete": "true"}
    table = key_table(catalog, {**options, "fields.v.aggregate-function": "sum"})
    table.write(rows(1, 2))
    table.write(rows(1))
    assert table.delete("v = 20 AND id = 1").deleted == 1
    assert ids(table) == [2]
