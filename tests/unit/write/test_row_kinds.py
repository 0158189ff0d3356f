"""Kinds of written rows: defined by a column, ignored, refused; and their changelog."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from workbench.base.errors import InvalidSchema, MergeError, SchemaMismatch
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

KINDS = ("+I", "-U", "+U", "-D")


def make(catalog: FileSystemCatalog, options: dict[str, str], **columns: str) -> Table:
    return catalog.create_table("db.t", {"id": "INT", "v": "INT", **columns}, "id", options={"bucket": "1", **options})


def rows(*result: tuple[int, int | None, str]) -> pa.Table:
    ids, values, kinds = zip(*result, strict=True)
    return pa.table({"id": pa.array(ids, pa.int32()), "v": pa.array(values, pa.int32()), "kind": kinds})


def content(table: Table) -> dict[Any, Any]:
    actual_rows = table.to_arrow().to_pydict()
    return dict(zip(actual_rows["id"], actual_rows["v"], strict=True))


def test_a_column_of_the_table_defines_the_kinds(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"rowkind.field": "kind"}, kind="STRING")
    commit = table.write(rows((1, 1, "+I"), (2, 2, "+I"), (1, 3, "+U"), (2, 2, "-D"), (3, 1, "-U")))
    assert commit.rows == 5
    assert table.to_arrow().to_pylist() == [{"id": 1, "v": 3, "kind": "+U"}]
    with pytest.raises(SchemaMismatch, match="'x' in column 'kind' is not a row kind"):
        table.write(rows((1, 1, "x")))
    with pytest.raises(SchemaMismatch, match="None in column 'kind'"):
        table.write(pa.table({"id": pa.array([1], pa.int32())}))
    with pytest.raises(SchemaMismatch, match=r"defined by column 'kind'.*rowkind\.field"):
        table.write(rows((1, 1, "+I")).append_column("other", pa.array(["+I"])), row_kind="other")


def test_kinds_are_given_as_text(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"rowkind.field": "v"})
    with pytest.raises(InvalidSchema, match="'v' of type INT, but row kinds must be text"):
        table.write(pa.table({"id": pa.array([1], pa.int32()), "v": pa.array([0], pa.int32())}))


@pytest.mark.parametrize(
    ("option", "expected"),
    [("ignore-delete", {1: 1, 2: 2, 3: 3}), ("ignore-update-before", {1: 1, 2: 2}), ("bucket", {1: 1})],
)
def test_some_kinds_are_ignored(catalog: FileSystemCatalog, option: str, expected: dict[int, int]) -> None:
    table = make(catalog, {option: "1" if option == "bucket" else "true"})
    table.write(rows((1, 1, "+I"), (2, 2, "+I"), (3, 3, "+I")), row_kind="kind")
    table.write(rows((2, 9, "-U"), (3, 9, "-D")), row_kind="kind")
    assert content(table) == expected


def test_nothing_is_committed_where_all_is_ignored(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"ignore-delete": "true"})
    assert table.write(rows((1, 1, "-D")), row_kind="kind").snapshots == ()


@pytest.mark.parametrize(
    ("options", "taken"),
    [
        ({"merge-engine": "first-row"}, ""),
        ({"merge-engine": "first-row", "ignore-delete": "true"}, "-U -D"),
        ({"merge-engine": "partial-update"}, ""),
        ({"merge-engine": "partial-update", "partial-update.remove-record-on-delete": "true"}, "-U -D"),
        ({"merge-engine": "partial-update", "fields.v.sequence-group": "w"}, "-U -D"),
        ({"merge-engine": "aggregation", "fields.v.aggregate-function": "sum"}, "-U -D"),
        ({"merge-engine": "aggregation", "fields.v.aggregate-function": "max"}, ""),
        (
            {
                "merge-engine": "aggregation",
                "fields.v.aggregate-function": "max",
                "aggregation.remove-record-on-delete": "true",
            },
            "-D",
        ),
    ],
    ids=str,
)
def test_a_delete_that_no_row_could_follow_is_refused(
    catalog: FileSystemCatalog, options: dict[str, str], taken: str
) -> None:
    """A delete is refused if no later row could be merged with it; Java stores it, and the key can no longer be
    merged."""
    table = make(catalog, options, w="INT")
    table.write(rows((1, 1, "+I"), (2, 1, "+U")), row_kind="kind")
    for kind in ("-U", "-D"):
        if kind in taken:
            table.write(rows((3, 1, kind)), row_kind="kind")
        else:
            with pytest.raises(MergeError):
                table.write(rows((3, 1, kind)), row_kind="kind")


def test_the_changelog_of_the_input(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"changelog-producer": "input"})
    table.write(rows((2, 1, "+I"), (1, 1, "+I"), (2, 1, "-U"), (2, 2, "+U"), (3, 1, "-D")), row_kind="kind")
    (snapshot,) = table.snapshots()
    assert snapshot.changelog_record_count == 5
    expected = [("+I", 1, 1), ("+I", 2, 1), ("-U", 2, 1), ("+U", 2, 2), ("-D", 3, 1)]
    assert [tuple(row.values()) for row in table.changes(mode="changelog").to_pylist()] == expected
    assert content(table) == {1: 1, 2: 2}
    table.write(rows((7, 7, "+I")).drop_columns("kind"), mode="overwrite")
    assert table.snapshot().changelog_manifest_list is None
    assert content(table) == {7: 7}


def test_changelog_files_are_removed_with_an_aborted_write(catalog: FileSystemCatalog) -> None:
    table = make(
        catalog, {"changelog-producer": "input", "write-buffer-size": "1 b", "write-buffer-spillable": "false"}
    )
    directory = f"{table.location}/bucket-0"
    with table.writer() as writer:
        for number in range(3):
            writer.write(rows((number, 1, "+I")), "kind")
        names = [status.path.rpartition("/")[2] for status in table.store.file_io.list_files(directory)]
        assert sorted(name.partition("-")[0] for name in names) == ["changelog"] * 2 + ["data"] * 2
    assert not list(table.store.file_io.list_files(directory))
