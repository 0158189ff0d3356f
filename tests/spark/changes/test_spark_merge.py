"""MERGE as a Spark job, and statements that may add columns to their table."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions

import workbench as wb
from tests.support.sampling import sampled
from tests.support.spark_rows import ordered

pytestmark = pytest.mark.spark


@pytest.fixture
def attached(plain_session: Any) -> Any:
    return plain_session


def test_merge_into_and_what_fails(attached: Any, catalog: Any) -> None:
    for name, key in (("log", []), ("keyed", ["id"])):
        options = {"bucket": "1"} if key else {}
        table = catalog.create_table(f"shop.{name}", {"id": "INT", "v": "STRING"}, key, options=options)
        table.write([{"id": 1, "v": "a"}, {"id": 2, "v": "b"}])
        source = attached.createDataFrame([(2, "c"), (3, "d")], "id int, v string").alias("s")
        merging = source.mergeInto(f"paimon.shop.{name}", functions.expr(f"{name}.id = s.id"))
        merging.whenMatched().updateAll().whenNotMatched().insertAll().merge()
        assert ordered(table) == [{"id": 1, "v": "a"}, {"id": 2, "v": "c"}, {"id": 3, "v": "d"}]
        before = len(table.snapshots())
        with pytest.raises(PySparkException, match="MERGE_CARDINALITY_VIOLATION"):
            attached.sql(
                f"MERGE INTO paimon.shop.{name} t USING (SELECT id FROM VALUES (1), (1) AS v(id)) s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET v = 'twice'"
            )
        attached.sql(f"UPDATE paimon.shop.{name} SET v = 'none' WHERE id > 10")
        attached.sql(f"UPDATE paimon.shop.{name} SET v = uuid()")
        assert len({row["v"] for row in ordered(table)}) == 3
        assert len(table.snapshots()) == before + 1
    with pytest.raises(PySparkException, match="Cannot update primary key column 'id'"):
        attached.sql("UPDATE paimon.shop.keyed SET id = id + 1")
    first = catalog.create_table(
        "shop.first", {"id": "INT"}, ["id"], options={"bucket": "1", "merge-engine": "first-row"}
    )
    first.write([{"id": 1}, {"id": 2}])
    attached.sql("DELETE FROM paimon.shop.first WHERE id = 1")
    assert ordered(first) == [{"id": 2}]
    with pytest.raises(PySparkException, match="merge-engine"):
        attached.sql("UPDATE paimon.shop.first SET id = 3")
    with pytest.raises(PySparkException, match=r"nothing|read-only|not supported"):
        attached.sql("DELETE FROM paimon.shop.`log$snapshots` WHERE snapshot_id = 1")


def test_merge_adds_the_columns_of_its_source(attached: Any, catalog: Any) -> None:
    session = wb.spark.attach(attached, catalog)
    table = catalog.create_table("shop.log", {"id": "INT", "v": "STRING"})
    table.write([{"id": 1, "v": "a"}])
    merging = """MERGE INTO paimon.shop.log t USING (SELECT explode(array(1, 2)) AS id, 'b' AS v, 5L AS more) s
        ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"""
    session.sql(merging)
    assert list(table.schema.field_names) == ["id", "v"]
    session.conf.set("spark.paimon.paimon.shop.*.write.merge-schema", "true")
    session.sql(merging)
    rows = [{"id": 1, "v": "b", "more": 5}, {"id": 2, "v": "b", "more": 5}]
    assert ordered(catalog.get_table("shop.log")) == rows


def test_merge_matches_names_in_any_case_when_it_adds_columns(attached: Any, catalog: Any) -> None:
    table = catalog.create_table(
        "shop.cases", {"id": "INT", "v": "INT", "s": "ROW<a INT>"}, ["id"], options={"bucket": "1"}
    )
    table.write([{"id": 1, "v": 1, "s": {"a": 1}}])
    session = wb.spark.attach(attached, catalog)
    session.conf.set("spark.paimon.write.merge-schema", "true")
    every = "ON t.id = o.ID WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    session.sql(f"MERGE INTO paimon.shop.cases t USING (SELECT 1 AS ID, named_struct('A', 2, 'b', 3) AS S) o {every}")
    assert [field.name for field in catalog.get_table("shop.cases").schema.fields] == ["id", "v", "s"]
    named = (
        "USING (SELECT 1 AS id, 5 AS fresh, 6 AS other) o ON t.id = o.id WHEN MATCHED THEN UPDATE SET fresh = o.fresh"
    )
    session.sql(f"MERGE INTO paimon.shop.cases t {named}")
    session.conf.set("spark.paimon.write.merge-schema.type-widening", "true")
    session.sql(f"MERGE INTO paimon.shop.cases t USING (SELECT 1 AS ID, 7L AS V) o {every}")
    # Spark must resolve names for this job, so the table does not accept rows with arbitrary columns.
    session.sql(
        "MERGE INTO paimon.shop.cases q USING (SELECT 1 AS id) o ON q.id = o.id WHEN MATCHED THEN UPDATE SET v = s.a"
    )
    assert ordered(catalog.get_table("shop.cases")) == [{"id": 1, "v": 2, "s": {"a": 2, "b": 3}, "fresh": 5}]
    assert str(catalog.get_table("shop.cases").schema.fields[1].type) == "BIGINT"


def test_inserts_by_position_add_no_columns(attached: Any, catalog: Any) -> None:
    catalog.create_table("shop.placed", {"id": "INT", "s": "ROW<a INT>"})
    session = wb.spark.attach(attached, catalog)
    session.conf.set("spark.paimon.write.merge-schema", "true")
    session.sql("INSERT INTO paimon.shop.placed VALUES (1, struct(5))")
    session.sql("INSERT INTO paimon.shop.placed SELECT 2 AS s, named_struct('id', 6) AS id")
    session.sql("SELECT 3 AS x, named_struct('y', 7) AS z").write.insertInto("paimon.shop.placed")
    session.sql("INSERT INTO paimon.shop.placed BY NAME SELECT 4 AS ID, named_struct('A', 8, 'b', 9) AS S")
    table = catalog.get_table("shop.placed")
    assert [row["s"]["a"] for row in ordered(table)] == [5, 6, 7, 8]
    assert str(table.schema.fields[1].type) == "ROW<a INT, b INT>"


@pytest.mark.parametrize("key", sampled([["id"], []], 2))
def test_the_sql_of_a_difference_makes_the_second_state(attached: Any, catalog: Any, key: list[str]) -> None:
    session = wb.spark.attach(attached, catalog)
    columns = {"id": "INT", "v": "STRING", "d": "DOUBLE", "at": "TIMESTAMP(6)"}
    options = {"bucket": "1", "merge-engine": "partial-update", "partial-update.remove-record-on-delete": "true"}
    table, copy = (
        catalog.create_table(f"shop.{name}", columns, key, options=options if key else {}) for name in ("a", "copy")
    )
    first = [{"id": number, "v": f"v{number}", "d": number / 2, "at": datetime(2026, 1, 2, 3)} for number in range(6)]
    table.write(first)
    copy.write(first)
    table.delete("id = 2")
    table.update({"v": r"'it''s \\ " "2`;'", "d": "CAST('-inf' AS DOUBLE)"}, where="id IN (3, 4)")
    table.write([{"id": 7, "v": "new", "d": None, "at": datetime(1969, 12, 31, 23, 59, 59, 1)}])
    text = wb.diff(table.at(snapshot=1), table).to_sql("paimon.shop.copy")
    assert ("MERGE INTO" in text) == bool(key)
    for statement in text.removesuffix(";").split(";\n"):
        session.sql(statement)
    assert ordered(copy) == ordered(table) != sorted(first, key=str)
