"""A Spark session to which catalogs of services are attached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from tests.catalogs.hive.metastores import HIVE_2, HIVE_3, running
from tests.catalogs.rest.conftest import options_of
from tests.catalogs.rest.servers import rest_server

KINDS = ["sqlite", "rest", HIVE_2.name, HIVE_3.name]
_HIVES = {each.name: each for each in (HIVE_2, HIVE_3)}


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    pytest.importorskip("pyspark")
    from tests.support.spark_places import small_session

    session = small_session("workbench-catalog-tests")
    yield session
    session.stop()


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of the catalog."""
    return str(request.param)


@pytest.fixture(scope="module")
def catalog(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[wb.Catalog]:
    """A catalog with the database ``shop``, its table ``orders`` and its view ``large``."""
    with ExitStack() as stack:
        found = wb.connect(_options(kind, tmp_path_factory.mktemp(kind), stack))
        found.create_database("shop", comment="all orders", properties={"team": "a"})
        columns = {"id": "BIGINT NOT NULL", "v": "STRING", "n": "INT"}
        table = found.create_table("shop.orders", columns, "id", options={"bucket": "1"}, comment="the orders")
        table.write([{"id": 1, "v": "a", "n": 10}, {"id": 2, "v": "b", "n": 20}])
        found.create_view("shop.large", "SELECT id, n FROM orders WHERE n > 10", {"id": "BIGINT", "n": "INT"})
        yield found


@pytest.fixture(scope="module")
def attached(spark: Any, catalog: wb.Catalog) -> Iterator[Any]:
    """A session that knows the catalog as ``lake``."""
    yield wb.spark.attach(spark.newSession(), catalog, "lake")
    # Creating a frame makes the shared session the current one again.
    spark.createDataFrame([(1,)], "a int")


def _options(kind: str, directory: Path, stack: ExitStack) -> dict[str, str]:
    if kind == "rest":
        data = directory / "data"
        data.mkdir()
        return options_of(stack.enter_context(rest_server(data, {"prefix": "paimon"})))
    if kind in _HIVES:
        metastore = stack.enter_context(running(_HIVES[kind]))
        return {"metastore": "hive", "uri": metastore.uri, "warehouse": f"file:{metastore.warehouse}"}
    return {"metastore": "jdbc", "uri": f"jdbc:sqlite:{directory}/catalog.db", "warehouse": str(directory)}
