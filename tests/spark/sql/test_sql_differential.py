"""Queries on DuckDB return what Spark returns: values, types and errors, over edge values and a clock change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.spark.sql.sql_queries import NAMED, generated
from tests.spark.sql.sql_tables import (
    create_tables,
    difference,
    on_duckdb,
    on_spark,
    raises_in_another_order,
    register_views,
)
from workbench.catalog.connect import connect

pytestmark = pytest.mark.spark
LEAST_SHARE = 0.85


@pytest.fixture(scope="module")
def engines(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The catalog and the Spark session, each with the tables, and the folder of the files that Spark reads."""
    folder: Path = tmp_path_factory.mktemp("differential")
    catalog: Any = connect(str(folder / "warehouse"))
    catalog.create_database("shop")
    create_tables(catalog)
    zone = spark.conf.get("spark.sql.session.timeZone")
    register_views(spark, folder)
    yield catalog, spark, folder
    for name in ("t", "u"):
        spark.catalog.dropTempView(name)
    spark.conf.set("spark.sql.session.timeZone", zone)


def compare(engines: Any, queries: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the differences, and the queries that DuckDB did not run."""
    catalog, spark, folder = engines
    different, refused = [], []
    for query in queries:
        ours = on_duckdb(catalog, query)
        if ours.kind == "spark":
            refused.append(f"{query}: {ours.detail}")
            continue
        theirs = on_spark(spark, query)
        found = difference(ours, theirs)
        are_errors = ours.kind == theirs.kind == "error"
        if found and not (are_errors and raises_in_another_order(spark, folder, query, ours.detail)):
            different.append(f"{query}: {found}")
    return different, refused


def test_a_sample_of_named_queries(engines: Any) -> None:
    assert compare(engines, NAMED[::8]) == ([], [])


@pytest.mark.long
def test_every_named_query_runs_on_duckdb_and_returns_what_spark_returns(engines: Any) -> None:
    assert compare(engines, NAMED) == ([], [])


@pytest.mark.long
def test_one_of_several_errors_may_be_any_of_them(engines: Any) -> None:
    query = "SELECT (CASE WHEN flag THEN si ELSE ti END) % (CAST(d AS INT)) AS v0 FROM t"
    assert compare(engines, [query]) == ([], [])
    assert not raises_in_another_order(*engines[1:], query, "DIVIDE_BY_ZERO")


@pytest.mark.long
def test_a_sample_of_generated_queries(engines: Any) -> None:
    queries = generated(60, seed=20)
    different, refused = compare(engines, queries)
    assert not different, "\n".join(different)
    assert len(refused) <= (1 - LEAST_SHARE) * len(queries), refused


@pytest.mark.long
def test_two_thousand_generated_queries(engines: Any) -> None:
    queries = generated(2000, seed=13)
    different, refused = compare(engines, queries)
    assert not different, "\n".join(different)
    assert len(refused) <= (1 - LEAST_SHARE) * len(queries), refused
