"""``--engine jar`` sends statements unchanged to a session that has a catalog of the official connector."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from workbench.base.errors import Cancelled, InvalidExpression, Unsupported
from workbench.base.progress import Progress
from workbench.sql.engines.jar_engine import connector_catalogs, run_on_connector
from workbench.sql.engines.protocol import Written

pytestmark = pytest.mark.spark


@pytest.fixture
def official(spark: Any) -> Iterator[Any]:
    """A session with the settings of the connector, but without its JAR, which only the catalog's tables would need."""
    spark.conf.set("spark.sql.catalog.official", "org.apache.paimon.spark.SparkCatalog")
    yield spark
    spark.conf.unset("spark.sql.catalog.official")


def test_statements_reach_the_session_as_they_are(official: Any) -> None:
    result = run_on_connector(Written("SELECT id, id % 2 = 0 AS even FROM range(5) /* kept */ ORDER BY id", limit=3))
    assert result.rows.to_pydict() == {"id": [0, 1, 2], "even": [True, False, True]}
    assert result.total is None
    assert result.to_arrow().num_rows == 5
    assert result.notes[0].startswith("Paimon's connector · ")
    assert result.notes[0].endswith("chosen by --engine jar")

    made = run_on_connector(Written("CREATE OR REPLACE TEMPORARY VIEW two AS SELECT 2 AS two"))
    assert str(made.message).startswith("Done by Paimon's connector in ")
    assert run_on_connector(Written("SELECT * FROM two WHERE two > 2")).to_arrow().to_pydict() == {"two": []}
    official.sql("DROP VIEW two")

    with pytest.raises(InvalidExpression, match=r"Paimon's connector says: .*`nothing`"):
        run_on_connector(Written("SELECT * FROM nothing"))
    with pytest.raises(InvalidExpression, match=r"says: .*org.apache.paimon.spark.SparkCatalog"):
        run_on_connector(Written("SELECT * FROM official.d.t"))
    canceled = Progress()
    canceled.cancel()
    with pytest.raises(Cancelled):
        run_on_connector(Written("SELECT 1", canceled))


@pytest.mark.usefixtures("spark")
def test_a_session_without_the_connector_is_refused() -> None:
    with pytest.raises(Unsupported, match=r"has no catalog of Paimon's connector.*spark\.jars"):
        run_on_connector(Written("SELECT 1"))


def test_catalogs_of_the_connector() -> None:
    settings = {
        "spark.sql.catalog.paimon": "org.apache.paimon.spark.SparkCatalog",
        "spark.sql.catalog.paimon.warehouse": "/w",
        "spark.sql.catalog.spark_catalog": "org.apache.paimon.spark.SparkGenericCatalog",
        "spark.sql.catalog.ours": "workbench.Catalog",
    }
    assert connector_catalogs(settings) == ["paimon", "spark_catalog"]
