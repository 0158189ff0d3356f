from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def spark() -> Iterator[object]:
    pytest.importorskip("pyspark")
    from tests.support.spark_places import small_session

    session = small_session("workbench-tests")
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def _no_unused_references(request: pytest.FixtureRequest) -> Iterator[None]:
    """Release the objects of the JVM after long tests.

    References of Py4J are in cycles. A process with millions of other objects seldom collects those, and the JVM keeps
    what they refer to until then: plans of thousands of queries, for example.
    """
    yield
    if request.node.get_closest_marker("long") is not None:
        gc.collect()


@pytest.fixture
def catalog(tmp_path: Path) -> Any:
    import workbench as wb

    opened = wb.connect(str(tmp_path / "warehouse"))
    opened.create_database("shop")
    return opened


@pytest.fixture
def attached(spark: Any, catalog: Any) -> Iterator[Any]:
    """A session with the catalog, and the table `orders` in its current database."""
    import workbench as wb
    from tests.support.spark_rows import COLUMNS

    session = wb.spark.attach(spark.newSession(), catalog)
    table = catalog.create_table("shop.orders", COLUMNS, primary_key=["id"], options={"bucket": "2"})
    table.write([{"id": 1, "item": "pen", "qty": 3}, {"id": 2, "item": "ink", "qty": 4}])
    session.sql("USE paimon.shop")
    yield session
    # Creating a frame makes the shared session the current one again.
    spark.createDataFrame([(1,)], "a int")


@pytest.fixture
def plain_session(spark: Any, catalog: Any) -> Iterator[Any]:
    """A session that knows the catalog, uses its database `shop`, and runs all statements itself."""
    import workbench as wb

    session = spark.newSession()
    wb.spark.attach(session, catalog)
    session.sql("USE paimon.shop")
    yield session
    # Creating a frame makes the shared session the current one again.
    spark.createDataFrame([(1,)], "a int")
