"""Where row changes and maintenance run if the session does not know the catalog: the statements of notebooks."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import workbench as wb
from workbench.spark.session import existing_session
from workbench.sql.commands import on_spark
from workbench.sql.execute import execute
from workbench.sql.procedures import runners

pytestmark = pytest.mark.spark


@pytest.fixture
def table(catalog: Any) -> Any:
    created = catalog.create_table("shop.t", {"id": "INT", "v": "STRING"}, primary_key=["id"], options={"bucket": "1"})
    created.write([{"id": 1, "v": "a"}, {"id": 2, "v": "b"}])
    return created


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that became Spark jobs."""
    found: list[str] = []
    running = on_spark._run_text

    def noted(context: Any, session: Any, text: str) -> Any:
        found.append(text)
        return running(context, session, text)

    monkeypatch.setattr(on_spark, "_run_text", noted)
    return found


def rows_of(catalog: Any) -> list[tuple[int, str]]:
    found = catalog.get_table("shop.t").to_arrow().sort_by("id").to_pylist()
    return [(row["id"], row["v"]) for row in found]


@pytest.mark.usefixtures("table")
def test_a_merge_from_a_query_is_a_job_of_a_copy_of_the_session(spark: Any, catalog: Any, jobs: list[str]) -> None:
    spark.range(3).createOrReplaceTempView("numbers")
    spark.range(9).createOrReplaceTempView("t")
    before = (spark.catalog.currentCatalog(), existing_session()._jsparkSession.hashCode())
    merge = "MERGE INTO t USING {} AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'x' WHEN NOT MATCHED THEN {}"
    insert = "INSERT (id, v) VALUES (s.id, 'new')"
    done = execute(merge.format("(SELECT id * 2 AS id FROM numbers)", insert), catalog, "shop", cell="A1")
    assert len(jobs) == 1
    assert str(done).endswith("On Spark, auto: a Spark session is up.")
    assert done.engine == "spark"
    assert done.snapshots[0].properties["workbench.cell"] == "A1"
    assert rows_of(catalog) == [(0, "new"), (1, "a"), (2, "x"), (4, "new")]
    # A temporary view and a data frame; the view 't' does not hide the table.
    execute(merge.format("numbers", insert), catalog, "shop")
    frames = {"given": pd.DataFrame({"id": [7]})}
    execute(merge.format("(SELECT id FROM given WHERE id > 1)", insert), catalog, "shop", frames=frames)
    assert len(jobs) == 3
    assert rows_of(catalog) == [(0, "x"), (1, "x"), (2, "x"), (4, "new"), (7, "new")]
    assert (spark.catalog.currentCatalog(), existing_session()._jsparkSession.hashCode()) == before
    assert spark.table("t").count() == 9
    spark.catalog.dropTempView("t")
    # A small change from a table stays in the library, and so does one whose target is named with its catalog.
    execute("CREATE TABLE other AS SELECT 1 AS id", catalog, "shop")
    stayed = execute(merge.format("other", insert), catalog, "shop")
    execute(merge.format("(SELECT 5 AS id)", insert).replace("INTO t", "INTO paimon.shop.t AS t"), catalog, "shop")
    assert len(jobs) == 3
    assert (stayed.engine, rows_of(catalog)[-2]) == ("local", (5, "new"))


@pytest.mark.usefixtures("table")
def test_the_chosen_engine_runs_changes_of_rows(spark: Any, catalog: Any, jobs: list[str]) -> None:
    update = "UPDATE t SET v = upper(v) WHERE id = 1"
    execute(update, catalog, "shop")
    execute(update, catalog, "shop", engine="duckdb")
    assert jobs == []
    done = execute("UPDATE t SET v = lower(v) WHERE id = 1", catalog, "shop", engine="spark")
    assert str(done).endswith("On Spark, chosen by --engine spark.")
    assert len(jobs) == 1
    # Functions that only Spark knows.
    execute("UPDATE t SET v = soundex('Robert') WHERE id = 1", catalog, "shop")
    execute("DELETE FROM t WHERE soundex(v) = 'B000'", catalog, "shop")
    assert len(jobs) == 3
    assert rows_of(catalog) == [(1, "R163")]
    wb.spark.sql("UPDATE shop.t SET v = 'small' WHERE id = 1", catalog)
    assert len(jobs) == 3
    assert spark.catalog.currentCatalog() == "spark_catalog"


def test_maintenance_is_a_job_if_the_table_is_large_or_spark_was_chosen(
    spark: Any, catalog: Any, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = "CALL sys.compact('shop.t')"
    assert execute(call, catalog).notes == ()
    assert execute(call, catalog, engine="spark").notes == ("On Spark, chosen by --engine spark.",)
    monkeypatch.setattr(runners, "LARGE_BYTES", 1)
    table.write([{"id": 3, "v": "c"}])
    assert execute(call, catalog).notes == ("On Spark, auto: a Spark session is up.",)
    assert execute(call, catalog, engine="duckdb").notes == ()
    analyzed = execute("ANALYZE TABLE t COMPUTE STATISTICS", catalog, "shop")
    assert str(analyzed).endswith("On Spark, auto: a Spark session is up.")
    assert spark.catalog.currentCatalog() == "spark_catalog"
