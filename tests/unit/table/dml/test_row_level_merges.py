"""MERGE: its clauses, keys, matches and columns."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.support.row_level import (
    COLUMNS,
    VECTORS,
    append_table,
    ids,
    rows,
)
from workbench.base.errors import (
    InvalidExpression,
    MergeError,
    SchemaMismatch,
    Unsupported,
)
from workbench.catalog.filesystem import FileSystemCatalog


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


def test_star_takes_columns_by_name(catalog: FileSystemCatalog) -> None:
    table = append_table(catalog, files=1)
    source = pa.table({"S": ["new", "other"], "extra": [1, 2], "ID": [3, 50], "V": pa.array([None, 5], pa.int8())})
    done = table.merge(source, "t.id = s.id", [wb.WhenMatched(update="*"), wb.WhenNotMatched()])
    assert (done.updated, done.inserted) == (1, 1)
    found = table.to_arrow(where="id IN (3, 50)").to_pylist()
    assert found == [{"id": 3, "v": None, "s": "new"}, {"id": 50, "v": 5, "s": "other"}]
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
    """Keys match by `=`: NULL equals nothing, NaN equals itself, and zeros are equal; `<=>` matches NULL too."""
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
    """A clause is evaluated only for rows that no earlier clause has taken."""
    table = append_table(catalog, files=1)
    clauses = [wb.WhenMatched(delete=True, condition="s.v = 0"), wb.WhenMatched(update={"v": "100 div s.v"})]
    source = pa.table({"id": [1, 2], "v": pa.array([0, 5], pa.int32())})
    done = table.merge(source, ["id"], clauses)
    assert (done.deleted, done.updated) == (1, 1)
    assert table.to_arrow(["v"], "id = 2").column(0).to_pylist() == [20]


@pytest.mark.parametrize("options", [{}, VECTORS], ids=["rewritten", "vectors"])
def test_rows_keep_their_ids(catalog: FileSystemCatalog, options: dict[str, str]) -> None:
    """A changed row keeps its id and gets the number of the version that changed it; updating its partition column
    would lose the id and is refused."""
    columns = {**COLUMNS, "p": "STRING"}
    tracked = {**options, "row-tracking.enabled": "true"}
    table = catalog.create_table("db.t", columns, partition_by=["p"], options=tracked)
    table.write([{**each, "p": "a"} for each in rows(*range(6))])
    table.delete("id = 1")
    table.update({"v": "-1"}, where="id IN (2, 4)")
    table.merge([{"id": 5}, {"id": 9}], ["id"], [wb.WhenMatched(update={"v": "-2"}), wb.WhenNotMatched({"id": "id"})])
    found = catalog.open("db.t$row_tracking").to_arrow(["id", "_ROW_ID", "_SEQUENCE_NUMBER", "v"])
    assert sorted(tuple(each.values()) for each in found.to_pylist()) == [
        (0, 0, 1, 0),
        (2, 2, 3, -1),
        (3, 3, 1, 30),
        (4, 4, 3, -1),
        (5, 5, 4, -2),
        (9, 6, 4, None),
    ]
    with pytest.raises(Unsupported, match=r"'row-tracking\.enabled' = 'true'.*cannot be updated"):
        table.update({"p": "'b'"})


def test_metrics_tell_what_was_done(catalog: FileSystemCatalog) -> None:
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
    found = table.to_arrow().sort_by("id").to_pylist()
    assert [each["id"] for each in found] == [0, 1, 2, 4, 5, 99]
    assert [each["z"] for each in found] == [1, None, 3, 5, None, None]
    assert [each["a"] for each in found] == [[0, 2], [7], [2, 2], [4, 2], [5, 2], [8]]
    assert found[2]["dec"] == Decimal("3.000")
    assert found[2]["r"] == {"x": 2, "y": ["q", None]}
    assert found[2]["m"] == [("k", 2)]


def test_a_condition_without_columns_matches_all_or_no_rows(catalog: Any) -> None:
    table = catalog.create_table("db.constant", {"id": "INT", "v": "INT"})
    table.write([{"id": 1, "v": 1}])
    assert table.merge([{"id": 2, "v": 2}], "true", [wb.WhenNotMatched("*")]).inserted == 0
    assert table.merge([{"id": 2, "v": 2}], "true", [wb.WhenMatched({"v": "s.v"})]).updated == 1
    assert table.merge([{"id": 2, "v": 2}], "false", [wb.WhenNotMatched("*")]).inserted == 1
