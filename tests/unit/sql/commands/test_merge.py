from __future__ import annotations

from typing import Any

import pytest

from workbench.base.errors import InvalidExpression, MergeError, SchemaMismatch, Unsupported

ALL = "SELECT id, v, n FROM orders ORDER BY id"


@pytest.fixture(autouse=True)
def changes(run: Any, orders: str) -> None:
    assert orders == "orders"
    run("CREATE TABLE changes (id BIGINT, v STRING, day STRING, n INT)")
    run("INSERT INTO changes VALUES (2, 'B', 'x', 20), (9, 'Z', 'y', NULL)")


def test_update_and_insert_of_all_columns(run: Any, rows: Any) -> None:
    result = run(
        "MERGE INTO orders USING changes ON orders.id = changes.id AND orders.day = changes.day "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    assert result.message == "Merged into shop.orders: 1 row updated, 1 row inserted, 0 rows deleted: snapshot 2."
    assert rows(ALL) == [(1, "a", 1), (2, "B", 20), (3, "c", 3), (9, "Z", None)]


def test_clauses_with_conditions_and_aliases(run: Any, rows: Any) -> None:
    run(
        "MERGE INTO shop.orders AS o USING (SELECT id, day, n FROM changes WHERE n > 1) AS c "
        "ON o.id = c.id AND o.day = c.day "
        "WHEN MATCHED AND c.n > 100 THEN DELETE "
        "WHEN MATCHED AND c.n > 10 THEN UPDATE SET o.n = o.n + c.n, v = concat(o.v, '+') "
        "WHEN NOT MATCHED BY SOURCE AND o.id = 3 THEN DELETE "
        "WHEN NOT MATCHED BY SOURCE THEN UPDATE SET n = -1"
    )
    assert rows(ALL) == [(1, "a", -1), (2, "b+", 22)]


def test_a_source_of_values_and_named_columns(run: Any, rows: Any) -> None:
    run(
        "MERGE INTO orders t USING (VALUES (3, 'y'), (4, 'y')) AS s(id, day) ON t.id = s.id AND t.day = s.day "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (day, id) VALUES (s.day, s.id)"
    )
    assert rows(ALL) == [(1, "a", 1), (2, "b", 2), (4, None, None)]


def test_the_names_of_the_library_may_be_the_other_way_round(run: Any, rows: Any) -> None:
    run(
        "MERGE INTO orders AS s USING changes AS t ON s.id = t.id AND s.day = t.day "
        "WHEN MATCHED THEN UPDATE SET v = concat(s.v, t.v)"
    )
    assert rows(ALL) == [(1, "a", 1), (2, "bB", 2), (3, "c", 3)]


def test_names_have_the_catalog_and_the_database_before_them(run: Any, rows: Any) -> None:
    run(
        "MERGE INTO orders USING changes ON shop.orders.id = paimon.shop.changes.id "
        "WHEN MATCHED THEN UPDATE SET paimon.shop.orders.v = shop.changes.v, shop.orders.n = orders.n + changes.n "
        "WHEN NOT MATCHED THEN INSERT (shop.orders.id, orders.day) VALUES (shop.changes.id, 'y')"
    )
    assert rows(ALL) == [(1, "a", 1), (2, "B", 22), (3, "c", 3), (9, None, None)]


def test_tables_of_the_same_name_are_told_apart_by_their_databases(run: Any, rows: Any) -> None:
    run("CREATE DATABASE elsewhere")
    run("CREATE TABLE elsewhere.orders AS SELECT * FROM changes")
    run(
        "MERGE INTO shop.orders USING elsewhere.orders ON shop.orders.id = elsewhere.orders.id "
        "WHEN MATCHED THEN UPDATE SET v = elsewhere.orders.v"
    )
    assert rows(ALL) == [(1, "a", 1), (2, "B", 2), (3, "c", 3)]
    with pytest.raises(InvalidExpression, match="the same name"):
        run("MERGE INTO shop.orders USING orders ON n = 1 WHEN MATCHED THEN DELETE")


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("MERGE INTO orders USING orders ON true WHEN MATCHED THEN DELETE", InvalidExpression, "alias"),
        (
            "MERGE INTO orders t USING changes s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'p', v = 'q'",
            InvalidExpression,
            "twice",
        ),
        (
            "MERGE INTO orders t USING changes s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (1)",
            InvalidExpression,
            "2 columns and 1 value",
        ),
        (
            "MERGE INTO orders t USING changes s ON t.id = s.id WHEN NOT MATCHED THEN UPDATE SET v = 'x'",
            InvalidExpression,
            "WHEN NOT MATCHED allows only INSERT",
        ),
        (
            "MERGE INTO orders t USING changes s ON t.id = s.id WHEN MATCHED THEN INSERT *",
            InvalidExpression,
            "allows only UPDATE or DELETE",
        ),
        (
            "MERGE INTO orders USING changes ON orders.id = changes.id WHEN MATCHED THEN UPDATE SET shop.changes.v = 1",
            SchemaMismatch,
            "no column 'shop.changes.v'",
        ),
        (
            "MERGE INTO orders t USING changes s ON t.id = s.id WHEN MATCHED THEN UPDATE SET orders.v = 1",
            SchemaMismatch,
            "no column 'orders.v'",
        ),
        (
            "MERGE INTO orders t USING changes s ON t.__paimon_bucket = s.n WHEN MATCHED THEN DELETE",
            Unsupported,
            "MERGE does not know the metadata column '__paimon_bucket'",
        ),
        (
            "MERGE INTO orders t USING changes s ON t.id = s.id WHEN MATCHED AND __paimon_bucket = 0 THEN DELETE",
            Unsupported,
            "MERGE does not know the metadata column '__paimon_bucket'",
        ),
        ("MERGE INTO orders t USING changes s ON t.id = s.nope WHEN MATCHED THEN DELETE", InvalidExpression, "nope"),
        (
            "MERGE WITH SCHEMA EVOLUTION INTO orders t USING changes s ON t.id = s.id WHEN MATCHED THEN DELETE",
            Unsupported,
            "SCHEMA EVOLUTION",
        ),
        (
            "MERGE INTO orders t USING (SELECT 1 AS id UNION ALL SELECT 1) s ON t.id = s.id WHEN MATCHED "
            "THEN UPDATE SET v = 'x'",
            MergeError,
            "match",
        ),
    ],
)
def test_refusals(run: Any, rows: Any, text: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        run(text)
    assert rows(ALL) == [(1, "a", 1), (2, "b", 2), (3, "c", 3)]


def test_structs_are_not_taken_for_the_table_or_the_source(run: Any, rows: Any) -> None:
    run("CREATE TABLE nested (id BIGINT, s STRUCT<b: STRING>, n STRING)")
    run("INSERT INTO nested VALUES (2, named_struct('b', 'inner'), 'x')")
    merging = "USING changes ON nested.id = changes.id WHEN MATCHED THEN UPDATE SET n = "
    run(f"MERGE INTO nested {merging} nested.s.b")
    assert rows("SELECT n FROM nested") == [("inner",)]
    with pytest.raises(Unsupported, match=r"s\.b"):
        run(f"MERGE INTO nested {merging} concat(s.b, '!')")


def test_a_table_with_an_alias_has_no_other_name(run: Any) -> None:
    with pytest.raises(InvalidExpression, match="no column 'orders'"):
        run("MERGE INTO orders AS o USING changes AS c ON orders.id = c.id WHEN MATCHED THEN DELETE")
    with pytest.raises(Unsupported, match=r"t\.id"):
        run("MERGE INTO orders AS o USING changes AS c ON t.id = c.id WHEN MATCHED THEN DELETE")


def test_insert_names_columns(run: Any) -> None:
    with pytest.raises(InvalidExpression, match="INSERT of MERGE has no columns"):
        run("MERGE INTO orders USING changes ON orders.id = changes.id WHEN NOT MATCHED THEN INSERT VALUES (1, 'a')")
