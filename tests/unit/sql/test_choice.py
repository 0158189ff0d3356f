"""The rule by which the query of a write runs on Spark, and the words that name the choice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workbench.base.errors import Unsupported
from workbench.sql.context import Context
from workbench.sql.engines import choice
from workbench.sql.engines.choice import for_pipeline
from workbench.sql.execute import execute
from workbench.sql.parse import parse


@pytest.fixture
def context(catalog: Any) -> Context:
    execute("CREATE TABLE orders (id INT)", catalog, "shop")
    execute("INSERT INTO orders VALUES (1), (2), (3)", catalog, "shop")
    return Context(catalog, "shop")


def query(text: str = "SELECT * FROM orders") -> Any:
    return parse(text)


def test_small_inputs_stay_where_queries_run(context: Context) -> None:
    assert for_pipeline(context, query()) is context
    assert for_pipeline(context, query("WITH c AS (SELECT 1 AS a) SELECT * FROM c, nowhere")) is context


def test_a_session_that_is_up_runs_writes(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "session_is_up", lambda: True)
    chosen = for_pipeline(context, query())
    assert (chosen.engine, chosen.choice) == ("spark", "auto: a Spark session is up")
    by_user = replace(context, engine="duckdb")
    assert for_pipeline(by_user, query()) is by_user


def test_large_inputs_run_on_spark_if_it_is_installed(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "LARGE_ROWS", 2)
    chosen = for_pipeline(context, query())
    assert (chosen.engine, chosen.choice) == ("spark", "auto: the input has 3 rows, more than 2")
    monkeypatch.setattr(choice, "find_spec", lambda _name: None)
    assert for_pipeline(context, query()) is context


def test_the_footer_names_the_choice(context: Context) -> None:
    catalog = context.catalog
    assert execute("SELECT * FROM orders", catalog, "shop").notes[0].endswith(" · auto")
    native = execute("SELECT * FROM orders", catalog, "shop", "duckdb")
    assert native.notes[0].endswith(" · chosen by --engine duckdb")
    assert context.after_refusal(Unsupported("`x` runs on Spark: no.")).choice == "auto: `x` runs on Spark: no"
