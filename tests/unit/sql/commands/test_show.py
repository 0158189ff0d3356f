from __future__ import annotations

from typing import Any

import pytest

from workbench.base.errors import DatabaseNotFound, InvalidExpression, InvalidRequest, SchemaMismatch, Unsupported
from workbench.sql.commands.show import like
from workbench.sql.execute import execute

pytestmark = pytest.mark.usefixtures("orders", "notes")


def test_databases_and_tables(run: Any, rows: Any, catalog: Any) -> None:
    catalog.create_database("lab")
    assert rows("SHOW DATABASES") == [("lab",), ("shop",)]
    assert rows("SHOW SCHEMAS LIKE 's*'") == [("shop",)]
    assert run("SHOW TABLES").to_arrow().column_names == ["namespace", "tableName", "isTemporary"]
    assert rows("SHOW TABLES IN shop") == [("shop", "notes", False), ("shop", "orders", False)]
    assert rows("SHOW TABLES FROM shop LIKE 'O*|x'") == [("shop", "orders", False)]
    assert rows("SHOW VIEWS IN lab") == []
    ((namespace, name, temporary, information),) = rows("SHOW TABLE EXTENDED IN shop LIKE 'orders'")
    assert (namespace, name, temporary) == ("shop", "orders", False)
    assert "Table: orders" in information
    assert "primary-key=id,day" in information


def test_parts_of_a_table(rows: Any) -> None:
    assert rows("SHOW COLUMNS IN orders") == [("id",), ("v",), ("day",), ("n",)]
    assert rows("SHOW COLUMNS FROM orders IN shop") == rows("SHOW COLUMNS IN shop.orders")
    assert rows("SHOW PARTITIONS orders") == [("day=x",), ("day=y",)]
    assert rows("SHOW PARTITIONS orders PARTITION (day = 'y')") == [("day=y",)]
    bucket, path, key = rows("SHOW TBLPROPERTIES orders")
    assert (bucket, path[0], key) == (("bucket", "1"), "path", ("primary-key", "id,day"))
    assert rows("SHOW TBLPROPERTIES orders ('bucket')") == [("bucket", "1")]


def test_create_table_creates_the_same_table(run: Any, rows: Any, catalog: Any) -> None:
    nested = "`A b`: DECIMAL(4,2) COMMENT 'two words', m: MAP<INT, ARRAY<STRUCT<`select`: STRING NOT NULL>>>"
    run(f"ALTER TABLE orders ADD COLUMN s STRUCT<{nested}> COMMENT 'it''s'")
    run("COMMENT ON TABLE orders IS 'all'")
    ((text,),) = rows("SHOW CREATE TABLE orders")
    assert nested in text
    run(text.replace("shop.orders", "shop.copy"))
    copy, table = catalog.get_table("shop.copy").schema, catalog.get_table("shop.orders").schema
    assert [(each.name, str(each.type), each.description) for each in copy.fields] == [
        (each.name, str(each.type), each.description) for each in table.fields
    ]
    assert (copy.options, copy.comment) == (table.options, table.comment)
    assert (copy.primary_keys, copy.partition_keys) == (table.primary_keys, table.partition_keys)


def test_create_table_has_the_defaults(run: Any, rows: Any, catalog: Any) -> None:
    columns = "n INT DEFAULT -7, t STRING DEFAULT 'it\\'s 5', b BOOLEAN DEFAULT true, d DECIMAL(4, 2) DEFAULT 1.50"
    run(f"CREATE TABLE filled (id INT, {columns}, x DATE DEFAULT DATE'2026-01-02')")
    ((text,),) = rows("SHOW CREATE TABLE filled")
    assert "  n INT DEFAULT -7" in text
    run(text.replace("shop.filled", "shop.copy"))
    copy, table = catalog.get_table("shop.copy").schema, catalog.get_table("shop.filled").schema
    assert [each.default_value for each in copy.fields] == [each.default_value for each in table.fields]


def test_names_in_create_table_are_quoted_if_needed(run: Any, rows: Any, catalog: Any) -> None:
    names = ["id", "a b", "values", "date", "_x1", "1a", "ä", "a`b"]
    quoted = ", ".join(f"`{name.replace('`', '``')}` INT" for name in names)
    run(f"CREATE TABLE `of names` ({quoted}) PARTITIONED BY (`values`) TBLPROPERTIES ('owner' = 'ana')")
    ((text,),) = rows("SHOW CREATE TABLE `of names`")
    assert text.startswith("CREATE TABLE shop.`of names` (\n  id INT,\n  `a b` INT,\n  `values` INT,")
    assert "owner" not in text
    run("DROP TABLE `of names`")
    run(text)
    assert list(catalog.get_table("shop.of names").schema.field_names) == names


def test_describe(run: Any, rows: Any, catalog: Any) -> None:
    assert run("DESCRIBE orders").to_arrow().column_names == ["col_name", "data_type", "comment"]
    assert rows("DESC TABLE orders") == [
        ("id", "bigint", None),
        ("v", "string", None),
        ("day", "string", None),
        ("n", "int", None),
        ("# Partition Information", "", ""),
        ("# col_name", "data_type", "comment"),
        ("day", "string", None),
    ]
    extended = dict(row[:2] for row in rows("DESCRIBE EXTENDED orders"))
    assert extended["Location"] == catalog.get_table("shop.orders").location
    assert rows("DESCRIBE orders n") == [("col_name", "n"), ("data_type", "int"), ("comment", "NULL")]
    assert rows("DESC TABLE orders PARTITION (DAY = '2026-11-01')") == rows("DESCRIBE orders")
    assert rows("DESCRIBE DATABASE shop")[0] == ("Namespace Name", "shop")


def test_types_have_the_names_of_spark(run: Any, rows: Any) -> None:
    run(
        "CREATE TABLE types (a TIMESTAMP, b TIMESTAMP_NTZ, c DECIMAL(5, 1), d VARCHAR(3), e BINARY, "
        "f ARRAY<STRUCT<x: MAP<STRING, DATE>>>, g TINYINT, h CHAR(2))"
    )
    assert [row[1] for row in rows("DESCRIBE types")] == [
        *("timestamp", "timestamp_ntz", "decimal(5,1)", "varchar(3)", "binary"),
        *("array<struct<x:map<string,date>>>", "tinyint", "char(2)"),
    ]


def test_patterns_of_names() -> None:
    assert like(["a", "ab", "B"], None) == ["a", "ab", "B"]
    assert like(["a", "ab", "B"], "a*") == ["a", "ab"]
    assert like(["a", "ab", "B"], "b|A") == ["a", "B"]
    assert like(["a.c", "abc"], "a.c") == ["a.c"]


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("SHOW NOTHING", Unsupported, "SHOW DATABASES|Supported are"),
        ("SHOW TABLES IN nope", DatabaseNotFound, "nope"),
        ("SHOW PARTITIONS notes", Unsupported, "not partitioned"),
        ("SHOW COLUMNS orders", InvalidExpression, "IN or FROM"),
        ("DESCRIBE orders nope", SchemaMismatch, "nope"),
        ("DESCRIBE orders PARTITION (id = 1)", SchemaMismatch, "not a partition column"),
        ("DESCRIBE DATABASE shp", DatabaseNotFound, "shop"),
        ("DESCRIBE orders n extra", InvalidExpression, "end of the statement"),
    ],
)
def test_refusals(run: Any, text: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        run(text)


def test_a_statement_without_a_database_needs_the_current_one(catalog: Any) -> None:
    with pytest.raises(Exception, match="No current database"):
        execute("SHOW TABLES", catalog)


def test_one_partition(rows: Any, run: Any) -> None:
    run("CREATE TABLE parts (a INT, day STRING, hour INT) PARTITIONED BY (day, hour)")
    run("INSERT INTO parts VALUES (1, 'mon', 1), (2, 'mon', 2), (3, 'mon', 2)")
    ((_, name, _, text),) = rows("SHOW TABLE EXTENDED IN shop LIKE 'parts' PARTITION (day = 'mon', hour = 2)")
    assert name == "parts"
    assert text.startswith(
        "Partition Values: [day=mon, hour=2]\nPartition Parameters: {recordCount=2, fileSizeInBytes="
    )
    for wanted in ("day = 'mon'", "day = 'sun', hour = 2"):
        with pytest.raises(InvalidRequest, match="has no partition"):
            rows(f"SHOW TABLE EXTENDED IN shop LIKE 'parts' PARTITION ({wanted})")


def test_partitions_of_texts_and_times(rows: Any) -> None:
    rows("CREATE TABLE moments (id INT, s STRING, at TIMESTAMP_NTZ) PARTITIONED BY (s, at)")
    times = ("2026-06-01 10:30:01", "2026-06-01 10:30:01.5")
    for each in times:
        rows(f"INSERT INTO moments VALUES (1, '11', TIMESTAMP_NTZ'{each}')")
    assert rows("SHOW PARTITIONS moments PARTITION (s = 11)") == [
        (f"s=11/at={each.replace(':', '%3A')}",) for each in times
    ]
    rows(f"ALTER TABLE moments DROP PARTITION (s = 11, at = '{times[0]}')")
    assert len(rows("SHOW PARTITIONS moments")) == 1


def test_describe_lists_keys_and_comments(run: Any, rows: Any) -> None:
    run("CREATE TABLE keyed (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED) TBLPROPERTIES ('bucket' = '1')")
    assert rows("DESCRIBE keyed") == [("k", "int", None), ("v", "string", None)]
    run("CREATE TABLE noted (k INT NOT NULL COMMENT 'the key', v STRING, w INT COMMENT 'it\\'s')")
    assert rows("DESCRIBE noted") == [("k", "int", "the key"), ("v", "string", None), ("w", "int", "it's")]
