from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import InvalidExpression, SchemaMismatch, SnapshotNotFound, TableNotFound, Unsupported
from workbench.spark import query

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


@pytest.fixture
def shop(catalog: Any) -> Any:
    orders = catalog.create_table(
        "shop.orders",
        {"id": "BIGINT", "city": "STRING", "v": "INT", "note": "STRING"},
        primary_key=["id"],
        options={"bucket": "1", "write-only": "true"},
    )
    orders.write([{"id": number, "city": f"c{number % 2}", "v": number, "note": "n"} for number in range(10)])
    orders.write([{"id": 3, "city": "c9", "v": 300, "note": "new"}])
    cities = catalog.create_table("shop.cities", {"city": "STRING", "name": "STRING"})
    cities.write([{"city": "c0", "name": "Ulm"}, {"city": "c1", "name": "Bonn"}])
    return catalog


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any, Any]]:
    seen: list[tuple[str, Any, Any]] = []

    def rows_of(scan: Any, session: Any) -> Any:
        seen.append((scan.store.name, list(scan.reader.columns), scan.where))
        return query_rows_of(scan, session)

    query_rows_of = query.rows_of
    monkeypatch.setattr(query, "rows_of", rows_of)
    return seen


def run(text: str, catalog: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in wb.spark.sql(text, catalog).collect()]


def test_columns_and_conditions_reach_the_scan(shop: Any, reads: list[tuple[str, Any, Any]]) -> None:
    assert run("select sum(o.v) from shop.orders as o where o.id >= 8 and o.city <> 'zz'", shop) == [(17,)]
    ((name, columns, where),) = reads
    assert (name, columns, str(where)) == ("shop.orders", ["id", "city", "v"], "id >= 8 AND city <> 'zz'")


def test_joins_ctes_and_subqueries(shop: Any, reads: list[tuple[str, Any, Any]]) -> None:
    text = """
        WITH big AS (SELECT id, city FROM shop.orders WHERE v > 4) -- shop.orders
        SELECT c.name, count(*) AS n FROM big JOIN shop.cities c USING (city)
        WHERE big.id IN (SELECT id FROM shop.orders) GROUP BY c.name ORDER BY 1
    """
    assert run(text, shop) == [("Bonn", 3), ("Ulm", 2)]
    assert {name for name, _, _ in reads} == {"shop.orders", "shop.cities"}
    assert all(columns is not None and "note" not in columns for _, columns, _ in reads)


def test_names_in_full_and_stars(shop: Any) -> None:
    assert run("SELECT shop.orders.v FROM shop.orders WHERE shop.orders.id = 3", shop) == [(300,)]
    assert run("SELECT * FROM shop.cities ORDER BY city", shop) == [("c0", "Ulm"), ("c1", "Bonn")]
    assert run("SELECT count(*) FROM `shop`.`orders`", shop) == [(10,)]
    assert run("SELECT o.id FROM shop.orders o NATURAL JOIN shop.cities WHERE name = 'Ulm' AND id < 3", shop) == [
        (0,),
        (2,),
    ]


def test_time_travel(shop: Any) -> None:
    assert run("SELECT v FROM shop.orders VERSION AS OF 1 WHERE id = 3", shop) == [(3,)]
    first = shop.get_table("shop.orders").snapshot(1).time_millis
    moment = f"{first / 1000:.3f}"
    from datetime import UTC, datetime

    text = datetime.fromtimestamp(float(moment), UTC).isoformat(timespec="milliseconds")
    assert run(f"SELECT v FROM shop.orders TIMESTAMP AS OF '{text}' o WHERE o.id = 3", shop)[0][0] in (3, 300)
    both = "SELECT a.v, b.v FROM shop.orders a, shop.orders VERSION AS OF 1 AS b WHERE a.id = b.id AND a.v <> b.v"
    assert run(both, shop) == [(300, 3)]
    with pytest.raises(SnapshotNotFound, match="no tag 'release'"):
        run("SELECT v FROM shop.orders VERSION AS OF 'release'", shop)


def test_conditions_the_core_may_see_otherwise_are_left_to_spark(shop: Any, reads: list[tuple[str, Any, Any]]) -> None:
    assert run("SELECT id FROM shop.orders WHERE id > 1 AND city = 9 - 9 || '' AND lower(city) = 'x'", shop) == []
    assert str(reads.pop()[2]) == "id > 1"
    assert run("SELECT id FROM shop.orders WHERE pmod(id, 5) = 3 AND rlike(city, 'c9')", shop) == [(3,)]


def test_names_known_only_to_spark(spark: Any, shop: Any) -> None:
    spark.range(3).createOrReplaceTempView("mine")
    try:
        assert run("SELECT count(*) FROM mine JOIN shop.orders USING (id)", shop) == [(3,)]
    finally:
        spark.catalog.dropTempView("mine")
    with pytest.raises(TableNotFound, match="nowhere"):
        run("SELECT * FROM shop.nowhere", shop)


def test_temporary_views_are_dropped(spark: Any, shop: Any) -> None:
    before = {each.name for each in spark.catalog.listTables()}
    frame = wb.spark.sql("SELECT id FROM shop.orders", shop)
    # Views of other tests may be dropped at any time.
    assert {each.name for each in spark.catalog.listTables()} <= before
    assert frame.where("id < 5").count() == 5


def test_every_statement(shop: Any) -> None:
    assert run("SHOW TAGS shop.orders", shop) == []
    assert run("CALL sys.create_tag(table => 'shop.orders', tag => 'v1')", shop) == [(True,)]
    assert run("SHOW TAGS shop.orders", shop) == [("v1",)]
    deleted = wb.spark.sql("DELETE FROM shop.orders WHERE id < 3", shop)
    assert deleted.columns == []
    assert run("SELECT min(id) FROM shop.orders", shop) == [(3,)]


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("INSERT INTO shop.orders VALUES (1)", SchemaMismatch, "1"),
        ("SELEC 1", InvalidExpression, "Unknown statement 'SELEC'"),
        ("SELECT 1; SELECT 2", InvalidExpression, "found 2 statements"),
        ("GRANT SELECT ON t TO u", Unsupported, "GRANT"),
    ],
)
def test_statements_that_fail(shop: Any, text: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        run(text, shop)


def test_nested_columns(catalog: Any) -> None:
    from workbench.format.types import parse_type

    position = parse_type({"type": "ROW", "fields": [{"id": 1, "name": "x", "type": "INT"}]})
    table = catalog.create_table("shop.places", [("id", "INT"), ("place", position)])
    table.write(pa.Table.from_pylist([{"id": 1, "place": {"x": 5}}], table.arrow_schema))
    assert run("SELECT p.place.x, place.x + 1 FROM shop.places p WHERE p.place.x = 5", catalog) == [(5, 6)]


@pytest.mark.parametrize("terms", [400, 1_500])
def test_long_conditions(shop: Any, terms: int) -> None:
    chain = " OR ".join(f"v = {number}" for number in range(terms))
    assert len(run(f"SELECT id FROM shop.orders WHERE {chain}", shop)) == 10
