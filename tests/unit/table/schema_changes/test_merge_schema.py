"""Option `write.merge-schema`: a table adopts the columns and types of the rows written to it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import InvalidSchema, SchemaMismatch
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.format.types import RowType, parse_type
from workbench.table.schema_changes.merging import SchemaMerging
from workbench.table.table import Table

MERGES = {"bucket": "1", "write.merge-schema": "true"}
WIDENS = {**MERGES, "write.merge-schema.type-widening": "true"}


def make(catalog: FileSystemCatalog, columns: dict[str, str], options: dict[str, str]) -> Table:
    return catalog.create_table("db.t", columns, "id", options=options)


def types(table: Table) -> dict[str, str]:
    return {field.name: str(field.type) for field in table.schema.fields}


def test_new_columns_are_added_at_the_end(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"id": "INT", "v": "STRING"}, MERGES)
    other = catalog.get_table("db.t")
    table.write([{"id": 1, "v": "a"}])
    table.write([{"id": 2, "extra": 1.5, "v": "b"}, {"id": 3, "more": ["x"]}])
    assert types(table) == {"id": "INT NOT NULL", "v": "STRING", "extra": "DOUBLE", "more": "ARRAY<STRING>"}
    assert table.to_arrow().sort_by("id").to_pylist() == [
        {"id": 1, "v": "a", "extra": None, "more": None},
        {"id": 2, "v": "b", "extra": 1.5, "more": None},
        {"id": 3, "v": None, "extra": None, "more": ["x"]},
    ]
    # This table object does not know the new columns until it writes.
    other.write(pa.table({"id": pa.array([4], pa.int32()), "extra": [2.5]}).to_reader())
    assert types(other) == types(table)
    assert [schema.id for schema in table.schemas()] == [0, 1]
    assert catalog.get_table("db.t").to_arrow().num_rows == 4


def test_missing_columns_are_kept_and_row_kinds_are_not_a_column(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"id": "INT", "v": "STRING"}, MERGES)
    table.write([{"id": 1, "kind": "+I"}, {"id": 2, "kind": "-D"}], row_kind="kind")
    assert types(table) == {"id": "INT NOT NULL", "v": "STRING"}
    assert table.to_arrow().to_pylist() == [{"id": 1, "v": None}]


def test_fields_inside_of_columns_are_added(catalog: FileSystemCatalog) -> None:
    columns = {"id": "INT", "r": "ROW<a INT>", "l": "ARRAY<ROW<a INT>>", "m": "MAP<STRING, ROW<a INT>>"}
    table = make(catalog, columns, MERGES)
    table.write([{"id": 1, "r": {"a": 1}, "l": [{"a": 1}], "m": [("k", {"a": 1})]}])
    row = pa.struct([("a", pa.int32()), ("b", pa.string())])
    given = {"id": pa.array([2], pa.int32()), "r": pa.array([{"a": 2, "b": "x"}], row)}
    given |= {"l": pa.array([[{"a": 2, "b": "x"}]], pa.list_(row))}
    given |= {"m": pa.array([[("k", {"a": 2, "b": "x"})]], pa.map_(pa.string(), row))}
    table.write(pa.table(given))
    assert types(table)["l"] == "ARRAY<ROW<a INT, b STRING>>"
    rows = table.to_arrow().sort_by("id").to_pylist()
    assert [each["r"] for each in rows] == [{"a": 1, "b": None}, {"a": 2, "b": "x"}]
    assert [each["m"] for each in rows] == [[("k", {"a": 1, "b": None})], [("k", {"a": 2, "b": "x"})]]


def test_types_are_kept_unless_they_may_be_widened(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"id": "INT", "v": "INT"}, MERGES)
    table.write(pa.table({"id": pa.array([1], pa.int64()), "v": pa.array([1], pa.int64())}))
    assert types(table)["v"] == "INT"
    catalog.alter_table("db.t", wb.SetOption("write.merge-schema.type-widening", "true"))
    table = catalog.get_table("db.t")
    table.write(pa.table({"id": pa.array([2], pa.int32()), "v": pa.array([1 << 40], pa.int64())}))
    assert types(table)["v"] == "BIGINT"
    table.write(pa.table({"id": pa.array([3], pa.int32()), "v": pa.array([3], pa.int8())}))
    assert types(table)["v"] == "BIGINT"
    assert sorted(table.to_arrow()["v"].to_pylist()) == [1, 3, 1 << 40]


@pytest.mark.parametrize(
    ("old", "given", "expected"),
    [
        ("INT", "BIGINT", "BIGINT"),
        ("BIGINT", "INT", None),
        ("INT NOT NULL", "DOUBLE", "DOUBLE NOT NULL"),
        ("FLOAT", "DOUBLE", "DOUBLE"),
        ("VARCHAR(5)", "STRING", "STRING"),
        ("CHAR(5)", "STRING", "STRING"),
        ("BINARY(3)", "BYTES", "BYTES"),
        ("TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(6)"),
        ("TIMESTAMP(6)", "TIMESTAMP(3)", None),
        ("DECIMAL(10, 2)", "DECIMAL(12, 2)", "DECIMAL(12, 2)"),
        ("DECIMAL(10, 2)", "DECIMAL(5, 1)", None),
        ("INT", "INT NOT NULL", None),
        ("INT", "ARRAY<INT>", None),
    ],
)
def test_merged_types(old: str, given: str, expected: str | None) -> None:
    result = list(SchemaMerging(widens=True).changes(row(old), row(given)))
    assert result == ([] if expected is None else [wb.UpdateColumnType(("v",), parse_type(expected))])
    if not old.endswith("NOT NULL"):
        assert list(SchemaMerging().changes(row(old), row(given))) == []


@pytest.mark.parametrize(
    ("old", "given", "casts"),
    [("STRING", "INT", True), ("DOUBLE", "STRING", True), ("DECIMAL(10, 2)", "DECIMAL(12, 4)", False)],
)
def test_types_that_lose_values_are_refused(old: str, given: str, casts: bool) -> None:
    with pytest.raises(SchemaMismatch, match=r"'v' is .* and the values are"):
        list(SchemaMerging(widens=True).changes(row(old), row(given)))
    lossy = SchemaMerging(widens=True, casts=True)
    if casts:
        assert list(lossy.changes(row(old), row(given))) == [wb.UpdateColumnType(("v",), parse_type(given))]
    else:
        with pytest.raises(SchemaMismatch):
            list(lossy.changes(row(old), row(given)))


def row(kind: str) -> RowType:
    result = parse_type(f"ROW<v {kind}>")
    assert isinstance(result, RowType)
    return result


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ({"id": [1], "new": pa.nulls(1)}, SchemaMismatch, "new column 'new' has only nulls"),
        ({"id": pa.array([1 << 40], pa.int64())}, InvalidSchema, "'id' is in the primary key"),
        ({"id": [1], "d": pa.array([Decimal("1.25")], pa.decimal128(30, 20))}, SchemaMismatch, "'d' is DECIMAL"),
    ],
)
def test_a_failed_merge_changes_nothing(
    catalog: FileSystemCatalog, rows: dict[str, Any], error: type[Exception], message: str
) -> None:
    table = make(catalog, {"id": "INT", "d": "DECIMAL(10, 2)"}, WIDENS)
    if rows["id"] == [1]:
        rows = {**rows, "id": pa.array([1], pa.int32())}
    with pytest.raises(error, match=message):
        table.write(pa.table(rows))
    assert [schema.id for schema in table.schemas()] == [0]
    assert table.snapshots() == []


def test_without_the_option_unknown_columns_are_refused(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"id": "INT"}, {"bucket": "1"})
    with pytest.raises(SchemaMismatch, match="no column 'new'"):
        table.write([{"id": 1, "new": 2}])


ROW = pa.struct([("A", pa.int32()), ("N", pa.string())])
SPELLED: dict[str, Any] = {
    "dicts": [{"ID": 1, "R": {"A": 1, "N": "x"}, "L": [{"A": 1, "N": "x"}], "M": {"k": {"A": 1, "N": "x"}}}],
    "arrow": pa.table(
        {
            "ID": [1],
            "R": pa.array([{"A": 1, "N": "x"}], ROW),
            "L": pa.array([[{"A": 1, "N": "x"}]], pa.list_(ROW)),
            "M": pa.array([[("k", {"A": 1, "N": "x"})]], pa.map_(pa.string(), ROW)),
        }
    ),
}
SPELLED["reader"] = SPELLED["arrow"]
SPELLED["pandas"] = pd.DataFrame({name: [value] for name, value in SPELLED["dicts"][0].items()})


@pytest.mark.parametrize("kind", SPELLED)
def test_names_match_regardless_of_case(catalog: FileSystemCatalog, kind: str) -> None:
    columns = {"id": "INT", "r": "ROW<a INT>", "l": "ARRAY<ROW<a INT>>", "m": "MAP<STRING, ROW<a INT>>"}
    table = make(catalog, columns, MERGES)
    rows = SPELLED[kind].to_reader() if kind == "reader" else SPELLED[kind]
    table.write(rows)
    assert list(types(table)) == ["id", "r", "l", "m"]
    full = {"a": 1, "N": "x"}
    assert table.to_arrow().to_pylist() == [{"id": 1, "r": full, "l": [full], "m": [("k", full)]}]
    table.write([{"Id": 2, "EXTRA": 1, "r": {"n": "y"}}])
    assert list(types(table))[4:] == ["EXTRA"]
    table.write([{"id": 3, "extra": 2}])
    assert sorted(table.to_arrow(["EXTRA"])["EXTRA"].to_pylist(), key=str) == [1, 2, None]


@pytest.mark.parametrize(
    ("columns", "row", "message"),
    [
        ({"id": "INT"}, {"id": 1, "ID": 2}, "'id' and 'ID' are the same name"),
        ({"id": "INT"}, {"id": 1, "x": 1, "X": 2}, "'x' and 'X' are the same name"),
        ({"id": "INT", "aB": "INT", "Ab": "INT"}, {"id": 1, "ab": 2}, "'ab' is ambiguous: the table has 'aB' and 'Ab'"),
        ({"id": "INT", "r": "ROW<aB INT, Ab INT>"}, {"id": 1, "r": {"ab": 2}}, r"'r\.ab' is ambiguous"),
    ],
)
def test_ambiguous_names_are_refused(
    catalog: FileSystemCatalog, columns: dict[str, str], row: dict[str, Any], message: str
) -> None:
    table = make(catalog, columns, MERGES)
    for rows in ([row], pa.Table.from_pylist([row]), pd.DataFrame([row])):
        with pytest.raises(SchemaMismatch, match=message):
            table.write(rows)
    assert table.snapshots() == []


def test_exact_names_win_over_others(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"id": "INT", "a": "INT", "A": "INT"}, MERGES)
    table.write([{"id": 1, "a": 2, "A": 3}])
    assert table.to_arrow().to_pylist() == [{"id": 1, "a": 2, "A": 3}]


def test_a_schema_is_merged_by_the_letter_on_request(catalog: FileSystemCatalog) -> None:
    table = make(catalog, {"id": "INT"}, MERGES)
    table.merge_schema(pa.schema([("ID", pa.int32())]))
    assert list(types(table)) == ["id"]
    table.merge_schema(pa.schema([("ID", pa.int32())]), case_sensitive=True)
    assert list(types(table)) == ["id", "ID"]
