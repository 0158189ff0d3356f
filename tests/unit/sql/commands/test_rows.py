from __future__ import annotations

from typing import Any

import pytest

from workbench.base.errors import InvalidExpression, SchemaMismatch, Unsupported
from workbench.sql.commands.rows import Delete, Update
from workbench.sql.parse import parse

pytestmark = pytest.mark.usefixtures("orders", "notes")
ALL = "SELECT id, v, n FROM orders ORDER BY id"


def test_update_sets_expressions_in_the_rows_that_match(run: Any, rows: Any) -> None:
    result = run("UPDATE orders SET v = concat(v, '!'), n = n + 1 WHERE id < 3")
    assert result.message == "Updated 2 rows in shop.orders: snapshot 2."
    assert [snapshot.id for snapshot in result.snapshots] == [2]
    assert rows(ALL) == [(1, "a!", 2), (2, "b!", 3), (3, "c", 3)]


def test_the_alias_may_stand_before_columns(run: Any, rows: Any) -> None:
    run("UPDATE shop.orders AS o SET o.v = upper(o.v) WHERE o.id = 1")
    run("DELETE FROM shop.orders o WHERE o.id = 2")
    assert rows(ALL) == [(1, "A", 1), (3, "c", 3)]


def test_subqueries_are_evaluated_first(run: Any, rows: Any) -> None:
    run("UPDATE orders SET n = (SELECT max(n) FROM orders) + 1 WHERE id IN (SELECT min(id) FROM orders)")
    assert rows(ALL) == [(1, "a", 4), (2, "b", 2), (3, "c", 3)]
    run("DELETE FROM orders WHERE EXISTS (SELECT 1 FROM orders WHERE id = 9)")
    run("DELETE FROM orders WHERE v NOT IN (SELECT v FROM orders WHERE id = 3)")
    assert rows(ALL) == [(3, "c", 3)]


def test_a_null_in_a_list_deletes_nothing(run: Any, rows: Any) -> None:
    run("DELETE FROM notes WHERE id NOT IN (SELECT n FROM notes)")
    assert len(rows("SELECT * FROM notes")) == 3
    run("DELETE FROM notes WHERE id IN (SELECT n FROM notes WHERE n > 100)")
    assert len(rows("SELECT * FROM notes")) == 3


def test_append_tables(run: Any, rows: Any) -> None:
    run("UPDATE notes SET n = 0 WHERE n IS NULL")
    run("DELETE FROM notes WHERE id = 2")
    assert rows("SELECT * FROM notes ORDER BY id") == [(1, 0), (3, 6)]
    assert run("DELETE FROM notes").message == "Deleted 2 rows from shop.notes: snapshot 4."


def test_default_is_the_default_of_the_column(run: Any, rows: Any) -> None:
    run("ALTER TABLE orders ALTER COLUMN n SET DEFAULT 7")
    run("UPDATE orders SET n = DEFAULT, v = default WHERE id = 1")
    assert rows("SELECT v, n FROM orders WHERE id = 1") == [(None, 7)]


def test_fields_of_columns(run: Any, rows: Any) -> None:
    run("CREATE TABLE nested (id INT, s STRUCT<a: INT, b: STRUCT<c: BIGINT, d: STRING>>, l ARRAY<BIGINT>)")
    run("INSERT INTO nested VALUES (1, named_struct('a', 1, 'b', named_struct('c', 2L, 'd', 'x')), array(1L))")
    run("UPDATE nested AS n SET n.s.b.c = n.id + 40, s.a = NULL, l = array(id, 7, NULL)")
    assert rows("SELECT * FROM nested") == [(1, {"a": None, "b": {"c": 41, "d": "x"}}, [1, 7, None])]
    run("UPDATE nested SET s = named_struct('a', 9, 'b', NULL)")
    assert rows("SELECT s FROM nested") == [({"a": 9, "b": None},)]
    run("UPDATE nested SET s = named_struct('B', NULL, 'a', 8)")
    assert rows("SELECT s FROM nested") == [({"a": 8, "b": None},)]
    run("MERGE INTO nested USING (SELECT 1 AS id) s ON nested.id = s.id WHEN MATCHED THEN UPDATE SET s.a = 5")
    assert rows("SELECT s.a FROM nested") == [(5,)]
    for assigned in (
        "s.a = 'word'",
        "s.nope = 1",
        "s = struct(1)",
        "s = struct(9, NULL)",
        "s = named_struct('a', 1, 'c', NULL)",
    ):
        with pytest.raises(SchemaMismatch):
            run(f"UPDATE nested SET {assigned}")
    with pytest.raises(InvalidExpression, match="assigned twice"):
        run("UPDATE nested SET s.a = 1, s = NULL")


def test_lengths_of_texts(run: Any, rows: Any) -> None:
    run("CREATE TABLE codes (id INT, v VARCHAR(3), c CHAR(4)) TBLPROPERTIES ('primary-key' = 'id')")
    run("INSERT INTO codes VALUES (1, 'abc', 'abcd')")
    run("UPDATE codes SET v = 'xy   ', c = 'z'")
    assert rows("SELECT v, c FROM codes") == [("xy ", "z   ")]
    for assigned in ("v = 'long'", "c = 'longer'", "c = concat(c, v)"):
        with pytest.raises(SchemaMismatch, match=r"the value in row 1 has \d characters"):
            run(f"UPDATE codes SET {assigned}")
    merge = "MERGE INTO codes USING (SELECT 2 AS k) s ON id = s.k"
    with pytest.raises(SchemaMismatch, match=r"VARCHAR\(3\), but the value in row 1 has 4 characters"):
        run(f"{merge} WHEN NOT MATCHED THEN INSERT (id, v) VALUES (2, 'long')")


def test_truncate(run: Any, rows: Any) -> None:
    run("TRUNCATE TABLE orders PARTITION (day = 'x')")
    assert rows(ALL) == [(3, "c", 3)]
    run("TRUNCATE TABLE orders")
    assert rows(ALL) == []
    assert len(rows("SELECT * FROM orders VERSION AS OF 1")) == 3


def test_the_snapshot_records_the_statement(run: Any, catalog: Any) -> None:
    run("DELETE FROM orders WHERE id = 1")
    assert "DELETE FROM orders WHERE id = 1" in str(catalog.get_table("shop.orders").snapshot().properties)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("UPDATE orders SET nope = 1", SchemaMismatch, "nope"),
        ("UPDATE orders SET n = 1, n = 2", InvalidExpression, "'n' is assigned twice"),
        ("UPDATE orders SET id = 1", SchemaMismatch, "primary key column 'id'"),
        ("UPDATE orders SET v = x.y", InvalidExpression, "no column 'x'"),
        ("UPDATE notes SET n.a = 1", SchemaMismatch, "'n' is INT and has no fields"),
        ("DELETE FROM orders o WHERE EXISTS (SELECT 1 FROM notes s WHERE s.id = o.id)", Unsupported, "MERGE INTO"),
        ("UPDATE orders SET n = (SELECT id FROM orders)", InvalidExpression, "returns 3 rows"),
        ("DELETE FROM orders WHERE id IN (SELECT id, n FROM orders)", InvalidExpression, "returns 2 columns"),
        ("TRUNCATE TABLE orders PARTITION (n = 1)", SchemaMismatch, "n"),
        ("TRUNCATE orders", InvalidExpression, "expected TABLE"),
        ("DELETE orders", InvalidExpression, "DELETE FROM"),
    ],
)
def test_refusals_name_the_cause_and_change_nothing(
    run: Any, rows: Any, text: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        run(text)
    assert rows(ALL) == [(1, "a", 1), (2, "b", 2), (3, "c", 3)]


def test_statements_are_values() -> None:
    update = parse("UPDATE a.t SET x = 1 WHERE y = 2")
    assert isinstance(update, Update)
    assert update.table.parts == ("a", "t")
    assert update.text == "UPDATE a.t SET x = 1 WHERE y = 2"
    delete = parse("DELETE FROM t")
    assert isinstance(delete, Delete)
    assert delete.table.parts == ("t",)


def test_columns_with_the_path_of_the_table(run: Any, rows: Any) -> None:
    run("UPDATE shop.orders SET shop.orders.v = 'new' WHERE shop.orders.id = 1 AND orders.n = 1")
    assert rows("SELECT v FROM orders WHERE id = 1") == [("new",)]
    run("UPDATE orders SET Shop.orders.v = 'newer' WHERE shop.orders.id = 1")
    assert rows("SELECT v FROM orders WHERE id = 1") == [("newer",)]
    run("DELETE FROM orders WHERE shop.orders.id = 2")
    assert rows("SELECT id FROM orders ORDER BY id") == [(1,), (3,)]
    with pytest.raises(InvalidExpression):
        run("UPDATE orders, changes SET v = 'x'")


@pytest.mark.parametrize(
    "text",
    [
        "UPDATE orders SET shop.others.v = 'x'",
        "UPDATE orders SET others.v = 'x'",
        "UPDATE orders SET elsewhere.orders.v = 'x'",
        "UPDATE orders AS o SET shop.orders.v = 'x'",
    ],
)
def test_columns_of_other_tables_are_not_assigned(run: Any, rows: Any, text: str) -> None:
    with pytest.raises(SchemaMismatch, match=r"There is no column '[a-z.]+\.v'"):
        run(text)
    assert rows(ALL) == [(1, "a", 1), (2, "b", 2), (3, "c", 3)]


def test_delete_of_all_rows_truncates(run: Any, rows: Any) -> None:
    for text in ("DELETE FROM orders WHERE true", "DELETE FROM orders"):
        run(text)
        kinds = rows("SELECT operation, total_record_count FROM `orders$snapshots` ORDER BY snapshot_id DESC LIMIT 1")
        assert kinds == [("TRUNCATE", 0)]


def test_keys_are_not_assigned(run: Any) -> None:
    run("CREATE TABLE keyed (id INT, v INT) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1')")
    run("INSERT INTO keyed VALUES (1, 1)")
    for text in ("UPDATE keyed SET ID = id", "UPDATE keyed SET id = 2 WHERE id = 1"):
        with pytest.raises(SchemaMismatch, match="primary key"):
            run(text)


def test_partitions_in_another_case(run: Any, rows: Any) -> None:
    run("CREATE TABLE days (id INT, day STRING) PARTITIONED BY (day)")
    run("INSERT INTO days VALUES (1, 'mon'), (2, 'tue'), (3, 'wed')")
    run("TRUNCATE TABLE days PARTITION (DAY = 'mon')")
    run("ALTER TABLE days DROP PARTITION (Day = 'tue')")
    assert rows("SHOW PARTITIONS days PARTITION (DAY = 'wed')") == [("day=wed",)]
    assert rows("SHOW PARTITIONS days") == [("day=wed",)]
