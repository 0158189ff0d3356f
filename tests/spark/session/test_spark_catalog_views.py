"""Views of a catalog on Spark: ``%%paimon --engine spark``, ``wb.spark.sql`` and attached sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException

import workbench as wb
from workbench.base.errors import InvalidExpression, WorkbenchError
from workbench.catalog.catalog import Catalog
from workbench.catalog.descriptions import View
from workbench.catalog.filesystem import FileSystemMetastore
from workbench.catalog.identifier import Identifier
from workbench.catalog.storages import Storages
from workbench.sql.execute import execute
from workbench.storage.lock import NoLock

pytestmark = pytest.mark.spark


class _Views(FileSystemMetastore):
    """A directory with views, which it keeps in memory."""

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options["warehouse"], Storages(options), NoLock())
        self.views: dict[Identifier, View] = {}

    def list_views(self, database: str) -> list[str]:
        return [each.table for each in self.views if each.database == database]

    def get_view(self, identifier: Identifier) -> View | None:
        return self.views.get(identifier)

    def create_view(self, identifier: Identifier, view: View) -> None:
        self.views[identifier] = view

    def replace_view(self, identifier: Identifier, old: View, new: View) -> None:  # noqa: ARG002
        self.views[identifier] = new

    def drop_view(self, identifier: Identifier) -> None:
        del self.views[identifier]


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    options = {"warehouse": str(tmp_path)}
    opened = Catalog(_Views(options), options["warehouse"], options)
    opened.create_database("shop")
    opened.create_database("other")
    opened.create_table("shop.orders", {"id": "BIGINT", "qty": "INT"}).write(
        [{"id": 1, "qty": 5}, {"id": 2, "qty": 10}, {"id": 3, "qty": 20}]
    )
    execute("CREATE VIEW shop.large (key, n) AS SELECT * FROM orders WHERE qty > 5", opened, "shop")
    execute("CREATE VIEW other.sums AS SELECT sum(n) AS n FROM shop.large", opened)
    return opened


@pytest.fixture
def session(spark: Any, catalog: Catalog) -> Iterator[Any]:
    yield wb.spark.attach(spark.newSession(), catalog, "lake")
    # Creating a frame makes the shared session the current one again.
    spark.createDataFrame([(1,)], "a int")


def _rows(frame: Any) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in frame.collect())


@pytest.mark.usefixtures("spark")
def test_queries_of_the_library_on_spark(catalog: Catalog) -> None:
    catalog.alter_table("shop.orders", wb.AddColumn("late", "INT"))
    for query, expected in (
        ("SELECT * FROM shop.large ORDER BY key", [{"key": 2, "n": 10}, {"key": 3, "n": 20}]),
        ("SELECT shop.large.n FROM shop.large WHERE large.key = 3", [{"n": 20}]),
        ("SELECT * FROM other.sums", [{"n": 30}]),
        ("SELECT n, pmod(n, 7) AS m FROM other.sums AS s", [{"n": 30, "m": 2}]),
    ):
        assert execute(query, catalog, engine="spark").to_arrow().to_pylist() == expected
        assert [row.asDict() for row in wb.spark.sql(query, catalog).collect()] == expected


@pytest.mark.usefixtures("spark")
def test_an_error_of_spark_names_the_view(catalog: Catalog) -> None:
    catalog.create_view("shop.bad", "SELECT nope(id) AS id FROM orders", {"id": "BIGINT"})
    for run in (lambda: execute("SELECT * FROM shop.bad", catalog, engine="spark"), _sql(catalog)):
        with pytest.raises(InvalidExpression, match=r"View shop\.bad cannot be read: Spark says: .*nope"):
            run()


def _sql(catalog: Catalog) -> Any:
    return lambda: wb.spark.sql("SELECT * FROM shop.bad", catalog)


def test_an_attached_session_reads_views(session: Any) -> None:
    assert _rows(session.sql("SELECT * FROM lake.shop.large")) == [(2, 10), (3, 20)]
    assert _rows(session.table("lake.shop.large")) == [(2, 10), (3, 20)]
    session.sql("USE lake.shop")
    assert _rows(session.sql("SELECT s.n, l.key FROM other.sums s JOIN large l ON l.n < s.n")) == [(30, 2), (30, 3)]
    session.sql("CREATE TABLE copied AS SELECT key FROM large")
    session.sql("INSERT INTO copied SELECT key + 10 FROM large")
    assert _rows(session.table("copied")) == [(2,), (3,), (12,), (13,)]
    session.range(1).createOrReplaceTempView("large")
    assert _rows(session.sql("SELECT * FROM large")) == [(0,)]
    session.catalog.dropTempView("large")


def test_an_attached_session_creates_and_describes_views(session: Any, catalog: Catalog) -> None:
    session.sql("USE lake.shop")
    session.sql("CREATE VIEW small COMMENT 'few' AS SELECT id FROM orders WHERE qty < 10")
    assert catalog.get_view("shop.small").dialects == {"spark": "SELECT id FROM orders WHERE qty < 10"}
    assert _rows(session.sql("SHOW VIEWS IN lake.shop")) == [("shop", "large", False), ("shop", "small", False)]
    assert _rows(session.sql("DESCRIBE small")) == [("id", "bigint", None)]
    assert "few" in session.sql("SHOW CREATE TABLE small").collect()[0][0]
    session.sql("ALTER VIEW small AS SELECT qty FROM orders WHERE qty < 10")
    assert _rows(session.sql("SELECT * FROM small")) == [(5,)]
    session.sql("CREATE OR REPLACE VIEW lake.shop.small AS SELECT 1 AS one")
    assert _rows(session.sql("SELECT * FROM small")) == [(1,)]
    session.sql("DROP VIEW small")
    assert catalog.list_views("shop") == ["large"]
    assert _rows(session.sql("DESCRIBE orders")) == [("id", "bigint", None), ("qty", "int", None)]
    with pytest.raises(AnalysisException) as refused:
        session.sql("DROP VIEW small")
    assert isinstance(refused.value, WorkbenchError)
