"""Partitions of every type, named by statements of an attached session; and reads of the changes of a table."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.base.session import session_options

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    ("kind", "value"),
    [
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


def test_incremental_queries_read_the_binlog(attached: Any) -> None:
    attached.sql(
        "CREATE TABLE k (id INT, v INT) TBLPROPERTIES"
        " ('primary-key' = 'id', 'bucket' = '1', 'changelog-producer' = 'lookup')"
    )
    for value in range(3):
        attached.sql(f"INSERT INTO k VALUES (1, {value})")
    rows = attached.sql(
        "SELECT * FROM paimon_incremental_between_timestamp('shop.`k$binlog`', '2020-01-01', '2100-01-01')"
    )
    assert rows.columns == ["rowkind", "id", "v"]
    assert [tuple(row) for row in rows.collect()] == [
        ("+I", [1], [0]),
        ("+U", [1, 1], [0, 1]),
        ("+U", [1, 1], [1, 2]),
    ]
    assert attached.sql("SELECT * FROM paimon_incremental_query('shop.`k$binlog`', '1', '2')").count() >= 0


def test_procedures_are_found_in_any_case(attached: Any, catalog: Any) -> None:
    attached.sql("CALL SYS.CREATE_TAG(TABLE => 'shop.orders', TAG => 'x')")
    attached.sql("CALL paimon.Sys.Create_Tag(Table => 'shop.orders', Tag => 'y')")
    assert sorted(catalog.get_table("shop.orders").tags()) == ["x", "y"]
