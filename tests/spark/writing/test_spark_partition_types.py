"""Partitions of every type, named by statements of an attached session; and reads of the changes of a table."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import functions

from workbench.base.session import session_options

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("BOOLEAN", "true"),
        ("BOOLEAN", "false"),
        ("FLOAT", "1.5"),
        ("DOUBLE", "0.1D"),
        ("TIMESTAMP", "TIMESTAMP '2024-01-01 10:00:00'"),
        ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ '2024-01-01 10:00:00.123'"),
        ("DATE", "DATE '2024-01-01'"),
        ("DECIMAL(5, 2)", "1.50"),
    ],
)
def test_statements_name_partitions_of_any_type(attached: Any, catalog: Any, kind: str, value: str) -> None:
    attached.conf.set("spark.sql.session.timeZone", session_options.timezone)
    attached.sql(f"CREATE TABLE t (id INT, p {kind}) PARTITIONED BY (p)")
    attached.sql(f"INSERT INTO t VALUES (1, {value}), (9, NULL)")
    table = catalog.get_table("shop.t")
    attached.sql(f"INSERT OVERWRITE t PARTITION (p = {value}) VALUES (2)")
    assert sorted(table.to_arrow()["id"].to_pylist()) == [2, 9]
    assert attached.sql(f"SHOW PARTITIONS t PARTITION (p = {value})").count() == 1
    attached.sql(f"TRUNCATE TABLE t PARTITION (p = {value})")
    assert table.to_arrow()["id"].to_pylist() == [9]
    attached.sql(f"INSERT INTO t PARTITION (p = {value}) VALUES (3)")
    attached.sql(f"ALTER TABLE t DROP PARTITION (p = {value})")
    assert table.to_arrow()["id"].to_pylist() == [9]


def test_boolean_conditions_choose_the_partitions_to_overwrite(attached: Any) -> None:
    attached.sql("CREATE TABLE b (id INT, a INT, p BOOLEAN) PARTITIONED BY (a, p)")
    stored = "(1, 1, true), (2, 1, false), (3, 1, NULL), (4, 2, true)"
    is_set = functions.col("p")
    for condition, left in (
        (is_set, [2, 3]),
        (~is_set, [1, 3, 4]),
        (is_set.eqNullSafe(False), [1, 3, 4]),
        (is_set.isin(True, False), [3]),
        (is_set | is_set.isNull(), [2]),
        ((functions.col("a") == 1) & (functions.col("a") == 2), [1, 2, 3, 4]),
    ):
        attached.sql(f"INSERT OVERWRITE b VALUES {stored}")
        attached.table("b").where("false").writeTo("paimon.shop.b").overwrite(condition)
        assert sorted(row.id for row in attached.table("b").collect()) == left, str(condition)
    attached.sql(f"INSERT OVERWRITE b VALUES {stored}")
    attached.sql("INSERT OVERWRITE b PARTITION (a = 1, p = true) VALUES (5)")
    assert sorted(row.id for row in attached.table("b").collect()) == [2, 3, 4, 5]


def test_incremental_queries_read_the_changes_of_system_tables(attached: Any) -> None:
    attached.sql(
        "CREATE TABLE k (id INT, v INT) TBLPROPERTIES"
        " ('primary-key' = 'id', 'bucket' = '1', 'changelog-producer' = 'lookup')"
    )
    for value in range(3):
        attached.sql(f"INSERT INTO k VALUES (1, {value})")
        attached.sql(f"CALL sys.create_tag('shop.k', 't{value}')")
    attached.sql("DELETE FROM k WHERE id = 1")
    every, some = "between_timestamp('{}', '2020-01-01', '2100-01-01')", "query('{}', '2', '4')"
    tags = "query('{}', 't0', 't1')"
    pairs = [("+I", [1], [0]), ("+U", [1, 1], [0, 1]), ("+U", [1, 1], [1, 2]), ("-D", [1], [2])]
    changes = [("+I", 1, 0), ("-U", 1, 0), ("+U", 1, 1), ("-U", 1, 1), ("+U", 1, 2), ("-D", 1, 2)]
    for name, source, expected in (
        ("k$binlog", every, pairs),
        ("k$binlog", some, pairs[1:2]),
        ("k$binlog", tags, [("+I", [1], [1])]),
        ("k$audit_log", every, changes),
        ("k$audit_log", some, changes[1:3]),
        ("k$audit_log", tags, [("+I", 1, 1)]),
    ):
        found = attached.sql(f"SELECT * FROM paimon_incremental_{source.format(f'shop.`{name}`')}")
        assert found.columns == ["rowkind", "id", "v"]
        assert [tuple(row) for row in found.collect()] == expected, (name, source)


def test_incremental_queries_end_at_an_automatic_tag(attached: Any) -> None:
    attached.sql(
        "CREATE TABLE g (id INT, v INT) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1',"
        " 'tag.automatic-creation' = 'process-time', 'tag.creation-period' = 'daily')"
    )
    attached.sql("INSERT INTO g VALUES (1, 1), (3, 1)")
    attached.sql("INSERT INTO g VALUES (1, 2), (2, 2)")
    attached.sql("DELETE FROM g WHERE id = 3")
    attached.sql("CALL sys.create_tag('shop.g', '2999-01-01')")
    for name, expected in (
        ("g", {(1, 2), (2, 2)}),
        ("g$audit_log", {("+I", 1, 2), ("+I", 2, 2), ("-D", 3, 1)}),
        ("g$binlog", {("+I", (1,), (2,)), ("+I", (2,), (2,)), ("-D", (3,), (1,))}),
    ):
        found = attached.sql(f"SELECT * FROM paimon_incremental_to_auto_tag('shop.`{name}`', '2999-01-01')").collect()
        assert {tuple(tuple(v) if isinstance(v, list) else v for v in row) for row in found} == expected, name


def test_procedures_are_found_in_any_case(attached: Any, catalog: Any) -> None:
    attached.sql("CALL SYS.CREATE_TAG(TABLE => 'shop.orders', TAG => 'x')")
    attached.sql("CALL paimon.Sys.Create_Tag(Table => 'shop.orders', Tag => 'y')")
    assert sorted(catalog.get_table("shop.orders").tags()) == ["x", "y"]
