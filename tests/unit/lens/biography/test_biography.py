"""Biographies of rows in histories that are written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest

import workbench as wb
from tests.support.biography_counter import Found, count
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.lens.biography.collect import collect_biography
from workbench.lens.biography.value import BiographyField, BiographyValue
from workbench.lens.wire import to_json
from workbench.table.table import Table

COLUMNS = {"id": "INT NOT NULL", "a": "INT", "b": "STRING"}


def make(catalog: FileSystemCatalog, options: Mapping[str, str], columns: Mapping[str, str] = COLUMNS) -> Table:
    given = {"bucket": "1", "write-only": "true", **options}
    return catalog.create_table("d.row", dict(columns), primary_key=["id"], options=given)


def put(table: Table, *rows: tuple[object, ...], kinds: list[str] | None = None) -> None:
    names = table.schema.field_names
    columns = {
        name: pa.array(values, table.arrow_schema.field(name).type)
        for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }
    if kinds is not None:
        columns["kind"] = pa.array(kinds)
    table.write(pa.table(columns), row_kind=None if kinds is None else "kind")


def fields(value: BiographyValue) -> dict[str, BiographyField]:
    return {each.name: each for each in value.fields}


def checked(table: Table, key: Mapping[str, object] | None = None, **given: object) -> BiographyValue:
    value = collect_biography(table, key, **given)  # type: ignore[arg-type]
    assert value.agrees
    to_json(value)
    return value


def test_the_newest_version_wins(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    for number in range(3):
        put(table, (1, number, "x"))
    value = checked(table, {"id": 1})
    assert [each.commit for each in value.versions] == [1, 2, 3]
    assert [each.state for each in value.versions] == ["read"] * 3
    assert fields(value)["a"].winner == 3
    assert fields(value)["a"].value == "2"
    assert fields(value)["a"].why == "Version 3 is the newest of 3 versions by sequence number."
    assert value.order == (1, 2, 3)


def test_a_sequence_field_lets_an_older_write_win(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"sequence.field": "a"})
    put(table, (1, 9, "x"))
    put(table, (1, 3, "y"))
    value = checked(table, {"id": 1})
    assert value.order == (2, 1)
    assert fields(value)["b"].winner == 1
    assert "by a, then by sequence number" in fields(value)["b"].why


def test_partial_updates_are_explained_column_by_column(catalog: FileSystemCatalog) -> None:
    columns = {**COLUMNS, "t": "INT", "c": "STRING", "total": "INT"}
    options = {
        "merge-engine": "partial-update",
        "fields.t.sequence-group": "c,total",
        "fields.total.aggregate-function": "sum",
    }
    table = make(catalog, options, columns)
    put(table, (1, 7, None, 5, "new", 10))
    put(table, (1, None, "b", 4, "old", 1))
    put(table, (1, None, None, None, "skipped", 100))
    found = fields(checked(table, {"id": 1}))
    assert {name: each.winner for name, each in found.items()} == {
        "id": 3, "a": 1, "b": 2, "t": 1, "c": 1, "total": None,
    }  # fmt: skip
    assert found["total"].value == "11"
    assert [(each.version, each.effect) for each in found["total"].uses] == [(1, "added"), (2, "added as older")]
    assert found["total"].origins == (1, 2)
    assert "ordered by t" in found["c"].rule
    for name in ("t", "c", "total"):
        assert found[name].why.endswith("Version 3 does not update the group: t is NULL."), name
    assert "does not update" not in found["a"].why
    put(table, (1, None, None, None, "skipped", 7))
    assert "Versions 3 and 4 do not update the group: t is NULL." in fields(checked(table, {"id": 1}))["c"].why


def test_values_are_followed_through_compactions(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"merge-engine": "aggregation", "fields.a.aggregate-function": "sum"})
    for number in (1, 2, 3):
        put(table, (1, number, f"v{number}"))
    table.compact(full=True)
    put(table, (1, 10, None))
    value = checked(table, {"id": 1})
    found = fields(value)
    assert found["a"].value == "16"
    assert [each.version for each in found["a"].uses] == [4, 5]
    assert found["a"].origins == (1, 2, 3, 5)
    assert found["b"].winner == 4
    assert found["b"].origins == (3,)
    compacted = value.versions[3]
    assert (compacted.source, compacted.inputs, compacted.commit) == ("compaction", (1, 2, 3), 4)
    assert value.lanes[value.versions[0].stays[0].lane].level == 0
    assert value.lanes[compacted.stays[0].lane].level == 5
    merged = next(each for each in value.commits if each.id == 4)
    assert merged.kind == "COMPACT"
    assert "Merged versions 1, 2 and 3 as version 4 on level 5." in merged.text
    assert merged.reason


def test_a_deleted_row_names_its_delete(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    put(table, (1, 1, "x"))
    put(table, (1, 1, "x"), kinds=["-D"])
    value = checked(table, {"id": 1})
    assert value.state == "deleted"
    assert value.summary.endswith("The newest version that a read finds is version 2 (-D), by snapshot 2.")
    assert [each.value for each in value.fields] == [None] * 3
    assert checked(table.at(snapshot=1), {"id": 1}).state == "present"


def test_a_row_that_never_existed(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    assert collect_biography(table, {"id": 1}).summary == "The table was never written."
    put(table, (1, 1, "x"))
    value = checked(table, {"id": 2})
    assert (value.state, value.versions) == ("absent", ())


def test_a_deletion_vector_names_the_commit_that_marked_the_row(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"deletion-vectors.enabled": "true", "write-only": "false"})
    put(table, (1, 1, "x"), (2, 1, "x"))
    table.compact(full=True)
    put(table, (1, 2, "y"))
    value = checked(table, {"id": 1})
    marked = [each for each in value.versions if each.state == "marked"]
    assert len(marked) == 1
    newest = table.snapshot().id
    assert marked[0].marked is not None
    assert marked[0].marked <= newest
    assert any("deletion vector" in each.text for each in value.commits if each.id == marked[0].marked)


def test_the_changelog_of_the_row(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"changelog-producer": "input"})
    put(table, (1, 1, "x"))
    put(table, (1, 2, "y"), kinds=["+U"])
    value = checked(table, {"id": 1})
    assert [(each.snapshot, each.kind, each.values[1]) for each in value.changelog] == [(1, "+I", "1"), (2, "+U", "2")]


def test_expired_commits_are_stated(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    put(table, (1, 1, "x"))
    table.create_tag("first")
    for number in range(4):
        put(table, (1, number, "y"))
    table.expire_snapshots(2, retain_min=2)
    value = checked(table, {"id": 1})
    assert [each.commit for each in value.versions] == [1, None, None, 4, 5]
    assert value.first == 1
    assert value.history == (
        "Snapshots before 4 have expired: earlier versions are known only if files still contain them. "
        "Of those, tags keep first."
    )
    assert next(each for each in value.commits if each.id == 1).expired
    assert {each.file for each in value.versions} == {each.file for each in count(Path(table.location), {"id": 1})}


def test_a_branch_continues_the_history_of_main(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    put(table, (1, 1, "x"))
    put(table, (1, 2, "y"))
    table.create_tag("base")
    table.create_branch("dev", tag="base")
    branch = table.branch("dev")
    put(branch, (1, 3, "z"))
    put(table, (1, 9, "main"))
    value = checked(branch, {"id": 1})
    assert [(each.commit, each.values[1]) for each in value.versions] == [(1, "1"), (2, "2"), (3, "3")]
    assert fields(checked(table, {"id": 1}))["a"].value == "9"


def test_columns_are_matched_by_their_ids(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    put(table, (1, 1, "x"))
    catalog.alter_table(
        "d.row",
        wb.RenameColumn("b", "name"),
        wb.AddColumn("added", "INT"),
        wb.UpdateColumnType("a", "BIGINT"),
    )
    table = catalog.get_table("d.row")
    put(table, (1, 2, "y", 5))
    catalog.alter_table("d.row", wb.DropColumn("a"))
    value = checked(catalog.get_table("d.row"), {"id": 1})
    assert [each.name for each in value.fields] == ["id", "name", "added"]
    assert [each.values for each in value.versions] == [("1", "x", None), ("1", "y", "5")]
    assert [each.absent for each in value.versions] == [(2,), ()]
    assert [each.schema_id for each in value.versions] == [0, 1]


def test_a_row_of_a_table_that_tracks_its_rows(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.row", dict(COLUMNS), options={"row-tracking.enabled": "true"})
    put(table, (1, 1, "x"), (2, 2, "y"))
    table.update({"a": 7}, "id = 2")
    table.update({"a": 8}, "id = 1")
    value = checked(table, where="id = 2")
    assert value.key[0].name == "_ROW_ID"
    assert [each.values[1] for each in value.versions] == ["2", "7", "7"]
    assert fields(value)["a"].value == "7"
    assert fields(value)["a"].origins == (2,)
    with pytest.raises(wb.WorkbenchError, match="Several rows satisfy"):
        collect_biography(table, where="a > 6")
    with pytest.raises(wb.WorkbenchError, match="No row satisfies"):
        collect_biography(table, where="a > 60")


def test_rows_without_an_identity_are_refused(catalog: FileSystemCatalog) -> None:
    table = catalog.create_table("d.row", dict(COLUMNS))
    with pytest.raises(wb.Unsupported, match=r"its rows have no identity\..*row-tracking.enabled"):
        collect_biography(table, where="id = 1")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (None, "is identified by its primary key id"),
        ({}, "is identified by its primary key id"),
        ({"ids": 1}, "'ids' is not a column of the primary key id. Did you mean 'id'"),
        ({"id": None}, "cannot be NULL"),
        ({"id": "many"}, "key column id cannot be used: .many. is not a valid BIGINT"),
        ({"id": 1, "a": 2}, "'a' is not a column of the primary key"),
    ],
)
def test_a_wrong_key_is_refused(catalog: FileSystemCatalog, key: dict[str, object] | None, message: str) -> None:
    table = make(catalog, {})
    put(table, (1, 1, "x"))
    with pytest.raises(wb.WorkbenchError, match=message):
        collect_biography(table, key)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("STRING NOT NULL", ["<b>&'\"</b>", "it's", "日本", ""]),
        ("DECIMAL(20, 3) NOT NULL", ["12345678901234567.125"]),
        ("DATE NOT NULL", ["2026-11-01"]),
        ("TIMESTAMP(3) NOT NULL", ["2026-11-01 10:00:00.125"]),
        ("BIGINT NOT NULL", ["9223372036854775807", "-1"]),
        ("BOOLEAN NOT NULL", ["true"]),
        ("DOUBLE NOT NULL", ["1.5"]),
        ("BYTES NOT NULL", [b"\x00\xff"]),
    ],
)
def test_keys_of_all_types_are_found_by_values_and_texts(
    catalog: FileSystemCatalog, kind: str, values: list[object]
) -> None:
    table = catalog.create_table("d.row", {"k": kind, "v": "INT"}, primary_key=["k"], options={"bucket": "3"})
    typed = pa.array(values).cast(table.arrow_schema.field("k").type)
    table.write(pa.table({"k": typed, "v": pa.array(range(len(values)), pa.int32())}))
    for number, (given, stored) in enumerate(zip(values, typed.to_pylist(), strict=True)):
        for key in (given, stored):
            value = checked(table, {"k": key})
            assert fields(value)["v"].value == str(number), key
        assert checked(table, {"k": value.key[0].text}).state == "present"


def test_the_statement_and_its_cell_are_those_of_the_commit(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    statement = "INSERT INTO <b>"
    noted = {"workbench.statement": statement, "workbench.cell": "7"}
    table.write(pa.table({"id": pa.array([1], pa.int32())}), properties=noted)
    (commit,) = checked(table, {"id": 1}).commits
    assert (commit.statement, commit.cell) == (statement, "7")
    assert commit.writer.startswith("paimon-workbench")


def test_files_that_cannot_hold_the_row_are_not_opened(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"bucket": "4"})
    for start in range(0, 60, 10):
        put(table, *((number, number, "x") for number in range(start, start + 10)))
    value = checked(table, {"id": 33})
    assert value.files_opened <= 2
    assert value.files_considered >= 6
    assert {Found(each.file, each.position, each.kind, each.sequence or 0, each.commit) for each in value.versions} == (
        count(Path(table.location), {"id": 33})
    )


def test_a_damaged_file_of_the_past_is_named_and_one_of_today_is_an_error(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    put(table, (1, 1, "x"))
    put(table, (1, 2, "y"))
    table.compact(full=True)
    old = next(each for each in collect_biography(table, {"id": 1}).versions if each.state == "gone")
    live = next(each for each in collect_biography(table, {"id": 1}).versions if each.state == "read")
    path = next(Path(table.location).rglob(old.file))
    path.write_bytes(b"garbled")
    value = checked(catalog.get_table("d.row"), {"id": 1})
    fresh = wb.connect(catalog.warehouse).get_table("d.row")
    value = checked(fresh, {"id": 1})
    assert [each.file for each in value.unread] == [old.file]
    next(Path(table.location).rglob(live.file)).unlink()
    with pytest.raises(wb.CorruptFile, match=live.file):
        collect_biography(wb.connect(catalog.warehouse).get_table("d.row"), {"id": 1})


def test_a_short_time_reads_the_version_first_and_the_rest_later(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {})
    for number in range(6):
        put(table, (1, number, "x"))
    table.compact(full=True)
    first = checked(table, {"id": 1}, seconds=-1)
    assert not first.complete
    assert first.state == "present"
    assert [each.state for each in first.versions if each.state == "read"] == ["read"]
    assert checked(table, {"id": 1}, seconds=60).complete
