from __future__ import annotations

from typing import Any

import pytest

from workbench.base.errors import (
    AlreadyExists,
    InvalidExpression,
    InvalidRequest,
    InvalidSchema,
    SchemaMismatch,
    UnknownOption,
    Unsupported,
)

pytestmark = pytest.mark.usefixtures("orders", "notes")


@pytest.fixture
def columns(catalog: Any) -> Any:
    """Return a function that returns the columns of the table with their types."""
    return lambda: [(field.name, str(field.type)) for field in catalog.get_table("shop.orders").schema.fields]


def test_properties(run: Any, catalog: Any) -> None:
    run("ALTER TABLE orders SET TBLPROPERTIES ('write-only' = 'true', snapshot.num-retained.max = 19, comment = 'hi')")
    table = catalog.get_table("shop.orders")
    assert (table.options["write-only"], table.options["snapshot.num-retained.max"]) == ("true", "19")
    assert table.schema.comment == "hi"
    run("ALTER TABLE orders UNSET TBLPROPERTIES IF EXISTS ('write-only', 'not.set')")
    assert "write-only" not in catalog.get_table("shop.orders").options
    run("ALTER TABLE orders UNSET TBLPROPERTIES ('comment', 'snapshot.num-retained.max')")
    assert "snapshot.num-retained.max" not in catalog.get_table("shop.orders").options
    assert catalog.get_table("shop.orders").schema.comment is None
    assert "unchanged" in run("ALTER TABLE orders UNSET TBLPROPERTIES ('not.set')").message


def test_a_key_is_not_removed(run: Any, catalog: Any) -> None:
    catalog.create_table("shop.keyed", {"id": "INT", "day": "STRING"}, ["id", "day"], ["day"], {"bucket": "1"})
    for key in ("primary-key", "partition"):
        with pytest.raises(InvalidSchema, match=f"'{key}' cannot be removed"):
            run(f"ALTER TABLE keyed UNSET TBLPROPERTIES ('{key}')")


def test_columns_are_added_at_their_positions(run: Any, columns: Any) -> None:
    run(
        "ALTER TABLE orders ADD COLUMNS (a INT COMMENT 'one, two', b DECIMAL(10, 2) AFTER id, c MAP<STRING, INT> FIRST)"
    )
    run("ALTER TABLE orders ADD COLUMN s STRUCT<x: INT, y: STRING>")
    run("ALTER TABLE orders ADD COLUMN s.z TIMESTAMP FIRST")
    assert columns() == [
        ("c", "MAP<STRING, INT>"),
        ("id", "BIGINT NOT NULL"),
        ("b", "DECIMAL(10, 2)"),
        ("v", "STRING"),
        ("day", "STRING NOT NULL"),
        ("n", "INT"),
        ("a", "INT"),
        ("s", "ROW<z TIMESTAMP(6) WITH LOCAL TIME ZONE, x INT, y STRING>"),
    ]


def test_columns_are_changed(run: Any, columns: Any, catalog: Any) -> None:
    run("ALTER TABLE orders ALTER COLUMN n TYPE BIGINT, v COMMENT 'text'")
    run("ALTER TABLE orders CHANGE COLUMN n n DOUBLE COMMENT 'number' FIRST")
    run("ALTER TABLE orders RENAME COLUMN v TO word")
    assert columns() == [("n", "DOUBLE"), ("id", "BIGINT NOT NULL"), ("word", "STRING"), ("day", "STRING NOT NULL")]
    comments = [field.description for field in catalog.get_table("shop.orders").schema.fields]
    assert comments == ["number", None, "text", None]
    run("ALTER TABLE orders ALTER COLUMN n SET DEFAULT 1.5")
    run("ALTER TABLE orders DROP COLUMN word")
    run("ALTER TABLE orders DROP COLUMNS IF EXISTS (word, nope)")
    assert [name for name, _ in columns()] == ["n", "id", "day"]


def test_a_new_type_leaves_not_null_as_it_is(run: Any, catalog: Any) -> None:
    run("ALTER TABLE notes ALTER COLUMN id TYPE BIGINT")
    assert str(catalog.get_table("shop.notes").schema.field("id").type) == "BIGINT NOT NULL"
    run("ALTER TABLE notes ALTER COLUMN id DROP NOT NULL")
    assert str(catalog.get_table("shop.notes").schema.field("id").type) == "BIGINT"


def test_rename_and_comment(run: Any, catalog: Any) -> None:
    run("COMMENT ON TABLE orders IS 'all orders'")
    assert catalog.get_table("shop.orders").schema.comment == "all orders"
    run("ALTER TABLE orders RENAME TO sales")
    run("ALTER TABLE shop.sales RENAME TO shop.facts")
    assert catalog.list_tables("shop") == ["facts", "notes"]


def test_partitions(run: Any, rows: Any) -> None:
    assert "unchanged" in run("ALTER TABLE orders ADD PARTITION (day = 'q')").message
    run("ALTER TABLE orders DROP IF EXISTS PARTITION (day = 'x'), PARTITION (day = 'q')")
    assert rows("SELECT id FROM orders") == [(3,)]
    run("CREATE TABLE two (id INT, a INT, b INT) PARTITIONED BY (a, b)")
    run("ALTER TABLE two ADD PARTITION (a = 1, b = 2)")
    with pytest.raises(InvalidRequest, match="values for a, b"):
        run("ALTER TABLE two ADD PARTITION (a = 1)")
    run("INSERT INTO two VALUES (1, 1, 2)")
    with pytest.raises(AlreadyExists, match="a partition with b = 2, a = 1"):
        run("ALTER TABLE two ADD PARTITION (a = 5, b = 2) PARTITION (b = 2, a = 1)")
    run("ALTER TABLE two ADD IF NOT EXISTS PARTITION (b = 2, a = 1)")


def test_tags(run: Any, rows: Any, catalog: Any) -> None:
    run("INSERT INTO orders VALUES (4, 'd', 'y', 4)")
    run("ALTER TABLE orders CREATE TAG `first` AS OF VERSION 1 RETAIN 7 DAYS")
    run("ALTER TABLE orders CREATE TAG 2026-11-01")
    run("ALTER TABLE orders CREATE TAG IF NOT EXISTS first")
    assert rows("SHOW TAGS orders") == [("2026-11-01",), ("first",)]
    table = catalog.get_table("shop.orders")
    assert (table.tags()["first"].snapshot.id, table.tags()["2026-11-01"].snapshot.id) == (1, 2)
    run("ALTER TABLE orders CREATE OR REPLACE TAG first AS OF VERSION '2026-11-01'")
    assert table.tags()["first"].snapshot.id == 2
    run("ALTER TABLE orders REPLACE TAG first AS OF VERSION 1")
    run("ALTER TABLE orders RENAME TAG first TO second")
    run("ALTER TABLE orders RENAME TAG IF EXISTS nope TO third")
    assert table.tags()["second"].snapshot.id == 1
    run("ALTER TABLE orders DELETE TAG second, 2026-11-01")
    run("ALTER TABLE orders DELETE TAG IF EXISTS second")
    run("ALTER TABLE orders REPLACE TAG third AS OF VERSION 1")
    with pytest.raises(AlreadyExists, match="already has a tag 'third'"):
        run("ALTER TABLE orders CREATE TAG third")
    run("ALTER TABLE orders DELETE TAG `second,third`")
    assert rows("SHOW TAGS orders") == []


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("ALTER TABLE orders FOO", InvalidExpression, "near 'FOO' \\(line 1, column 20\\)"),
        ("ALTER TABLE orders", InvalidExpression, "ends too early"),
        ("ALTER TABLE orders ADD COLUMN a INT NOT NULL", Unsupported, "NOT NULL"),
        ("ALTER TABLE orders ADD COLUMN a", InvalidExpression, "expected an expression"),
        ("ALTER TABLE orders DROP COLUMN nope", SchemaMismatch, "nope"),
        ("ALTER TABLE orders ALTER COLUMN n", InvalidExpression, "TYPE, COMMENT"),
        ("ALTER TABLE orders ALTER COLUMN id TYPE STRING", InvalidSchema, "primary key"),
        ("ALTER TABLE orders CHANGE COLUMN n m INT", Unsupported, "RENAME COLUMN"),
        ("ALTER TABLE orders SET TBLPROPERTIES ('bucke' = '3')", UnknownOption, "bucket"),
        ("ALTER TABLE orders ADD PARTITION nonsense", InvalidExpression, "nonsense"),
        ("ALTER TABLE orders ADD PARTITION (dya = 'q')", SchemaMismatch, "dya"),
        ("ALTER TABLE notes ADD PARTITION (day = 'q')", SchemaMismatch, "day"),
        ("ALTER TABLE orders SET LOCATION '/x'", Unsupported, "LOCATION"),
        ("ALTER TABLE orders CREATE TAG t RETAIN 3 WEEKS", InvalidExpression, "DAYS"),
        ("ALTER TABLE orders DROP PARTITION (day = 'nope')", InvalidRequest, "no partition with day = nope"),
        ("ALTER TABLE orders RENAME TO a b", InvalidExpression, "end of the statement"),
        ("ALTER DATABASE shop SET DBPROPERTIES ('a' = 'b')", Unsupported, "properties of databases"),
    ],
)
def test_refusals(run: Any, text: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        run(text)
