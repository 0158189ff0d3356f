"""CHAR(n) in queries on DuckDB: shown and compared padded, as by Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.sql.execute import execute


@pytest.fixture
def catalog(tmp_path: Path) -> Any:
    opened = wb.connect(str(tmp_path))
    opened.create_database("db")
    table = opened.create_table("db.t", {"id": "INT", "c": "CHAR(3)", "d": "CHAR(5)", "v": "STRING"})
    table.write([{"id": 1, "c": "a", "d": "a", "v": "a"}, {"id": 2, "c": "b  ", "d": "b", "v": "b  "}])
    return opened


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("c = 'a'", [1]),
        ("c = 'a     '", [1]),
        ("'b' = c", [2]),
        ("c <> 'a'", [2]),
        ("c > 'a'", [2]),
        ("c IN ('a', 'x')", [1]),
        ("NOT c IN ('a', 'x')", [2]),
        ("c = d", [1, 2]),
        ("c = v", [2]),
        ("length(c) = 3", [1, 2]),
        ("c LIKE 'a'", []),
        ("c BETWEEN 'a' AND 'b'", [1]),
        ("c BETWEEN 'a  ' AND 'b  '", [1, 2]),
    ],
)
def test_conditions_on_char(catalog: Any, where: str, ids: list[int]) -> None:
    result = execute(f"SELECT id FROM db.t WHERE {where} ORDER BY id", catalog, "db")
    assert result.engine == "duckdb"
    assert result.rows.column("id").to_pylist() == ids


def test_char_is_shown_padded(catalog: Any) -> None:
    rows = execute("SELECT c, max(d) AS m FROM db.t GROUP BY c ORDER BY c", catalog, "db").rows.to_pylist()
    assert rows == [{"c": "a  ", "m": "a    "}, {"c": "b  ", "m": "b    "}]


def test_insert_stores_char_padded(catalog: Any) -> None:
    execute("INSERT INTO db.t (id, c) VALUES (3, 'x'), (4, NULL)", catalog, "db")
    execute("INSERT INTO db.t (id, c) SELECT 5, 'y'", catalog, "db")
    stored = catalog.get_table("db.t").to_arrow(where="id > 2").sort_by("id").column("c").to_pylist()
    assert stored == ["x  ", None, "y  "]


@pytest.mark.parametrize("rows", ["VALUES ({})", "SELECT {}"])
def test_insert_pads_char_inside_of_other_types(catalog: Any, rows: str) -> None:
    columns = {"r": "ROW<a CHAR(3), b ROW<c CHAR(2)>>", "l": "ARRAY<CHAR(3)>", "m": "MAP<CHAR(2), ARRAY<CHAR(3)>>"}
    catalog.create_table("db.n", columns)
    values = "named_struct('a', 'x', 'b', named_struct('c', 'y')), array('p', NULL, 'q'), map('k', array('v'))"
    execute(f"INSERT INTO db.n {rows.format(values)}", catalog, "db")
    execute(f"INSERT INTO db.n {rows.format('NULL, NULL, NULL')}", catalog, "db")
    one, two = catalog.get_table("db.n").to_arrow().to_pylist()
    assert one["r"] == {"a": "x  ", "b": {"c": "y "}}
    assert one["l"] == ["p  ", None, "q  "]
    assert one["m"] == [("k ", ["v  "])]
    assert set(two.values()) == {None}


def test_update_pads_char_inside_of_other_types(catalog: Any) -> None:
    table = catalog.create_table("db.n", {"id": "INT", "r": "ROW<a CHAR(3)>"})
    table.write([{"id": 1, "r": {"a": "x"}}, {"id": 2, "r": None}])
    execute("UPDATE db.n SET r = named_struct('a', 'y') WHERE id = 1", catalog, "db")
    assert [each["r"] for each in catalog.get_table("db.n").to_arrow().to_pylist()] == [{"a": "y  "}, None]


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("c = concat('a', '')", [1]),
        ("lower('A') = c", [1]),
        ("c IN (concat('a', ''), 'x')", [1]),
        ("'a' IN (c, d)", []),
        ("c IN (d, 'b')", []),
        ("c IN (d, d)", [1, 2]),
        ("c IN ('a', NULL)", []),
        ("cast(c AS STRING) = 'a'", []),
        ("nullif(c, 'a') IS NULL", []),
        ("nullif('a', c) IS NULL", []),
        ("CASE c WHEN concat('a', '') THEN true ELSE false END", [1]),
        ("c IN (SELECT 'a')", []),
        ("id IN (SELECT id FROM (SELECT id, c FROM db.t) q WHERE q.c = 'a')", [1]),
        ("id IN (SELECT max(id) FROM db.t GROUP BY c HAVING c = 'a')", [1]),
    ],
)
def test_conditions_are_padded_as_in_spark(catalog: Any, where: str, ids: list[int]) -> None:
    found = execute(f"SELECT id FROM db.t WHERE {where} ORDER BY id", catalog, "db").rows.column("id").to_pylist()
    assert found == ids
    execute(f"DELETE FROM db.t WHERE {where}", catalog, "db")
    assert sorted({1, 2} - set(catalog.get_table("db.t").to_arrow().column("id").to_pylist())) == ids


def test_merge_compares_char_columns_of_its_source_padded(catalog: Any) -> None:
    catalog.create_table("db.s", {"x": "CHAR(5)", "n": "INT"}).write([{"x": "a", "n": 1}, {"x": "q", "n": 9}])
    execute(
        "MERGE INTO db.t USING db.s ON t.c = s.x WHEN MATCHED THEN UPDATE SET d = s.x, v = 'm' "
        "WHEN NOT MATCHED THEN INSERT (id, c) VALUES (s.n, s.x)",
        catalog,
        "db",
    )
    found = catalog.get_table("db.t").to_arrow().sort_by("id").to_pylist()
    assert [tuple(each.values()) for each in found] == [
        (1, "a", "a    ", "m"),
        (2, "b  ", "b", "b  "),
        (9, "q  ", None, None),
    ]


def test_partitions_are_named_with_and_without_blanks(catalog: Any) -> None:
    catalog.create_table("db.p", {"c": "CHAR(3)", "n": "INT"}, partition_by=["c"])
    table = catalog.get_table("db.p")
    table.write([{"c": "a", "n": 1}, {"c": "a  ", "n": 2}, {"c": "b", "n": 3}])
    execute("ALTER TABLE db.p DROP PARTITION (c = 'a')", catalog, "db")
    assert catalog.get_table("db.p").to_arrow().column("n").to_pylist() == [3]
    table.write([{"c": "b  ", "n": 6}])
    execute("TRUNCATE TABLE db.p PARTITION (c = 'b')", catalog, "db")
    assert catalog.get_table("db.p").to_arrow().num_rows == 0


@pytest.mark.parametrize(
    "overwrite",
    [
        "INSERT OVERWRITE db.p PARTITION (c = 'a') VALUES (9)",
        "INSERT OVERWRITE db.p PARTITION (c = 'a') SELECT 9",
        "INSERT OVERWRITE db.p PARTITION (c = 'a     ') SELECT 9",
    ],
)
def test_overwriting_a_partition_replaces_it_with_and_without_blanks(catalog: Any, overwrite: str) -> None:
    catalog.create_table("db.p", {"c": "CHAR(3)", "n": "INT"}, partition_by=["c"])
    catalog.get_table("db.p").write([{"c": "a", "n": 1}, {"c": "a  ", "n": 2}, {"c": "b", "n": 3}])
    execute(overwrite, catalog, "db")
    assert catalog.get_table("db.p").to_arrow().sort_by("n").to_pylist() == [{"c": "b", "n": 3}, {"c": "a  ", "n": 9}]


def test_python_overwrites_partitions_with_and_without_blanks(catalog: Any) -> None:
    table = catalog.create_table("db.p", {"c": "CHAR(3)", "n": "INT"}, partition_by=["c"])
    rows = [{"c": "a", "n": 1}, {"c": "a  ", "n": 2}, {"c": None, "n": 3}]
    table.write(rows)
    table.write([{"c": "a", "n": 4}], mode="overwrite")
    assert table.to_arrow().sort_by("n").column("n").to_pylist() == [3, 4]
    table.write(rows)
    table.write([{"c": "a", "n": 5}], mode="overwrite", partition={"c": "a  "})
    assert table.to_arrow().sort_by("n").to_pylist() == [{"c": None, "n": 3}, {"c": None, "n": 3}, {"c": "a", "n": 5}]
    table.write(rows)
    table.drop_partitions([{"c": "a"}])
    assert set(table.to_arrow().column("c").to_pylist()) == {None}
