"""The names of nested fields in rows that Spark writes: by position in INSERT, by name elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import SchemaMismatch

pytestmark = pytest.mark.spark

_COLUMNS = "id INT, s STRUCT<a: INT, b: STRUCT<c: STRING>>, l ARRAY<STRUCT<x: INT>>, m MAP<STRING, STRUCT<y: INT>>"
_ROW = {"id": 1, "s": {"a": 1, "b": {"c": "c1"}}, "l": [{"x": 1}], "m": [("k", {"y": 3})]}


def _stored(catalog: Any) -> Any:
    return catalog.get_table("shop.t").to_arrow().to_pylist()


def test_insert_of_a_query_matches_positions_at_every_depth(spark: Any, catalog: Any) -> None:
    wb.spark.sql(f"CREATE TABLE shop.t ({_COLUMNS})", catalog, session=spark)
    for values in (
        "1, struct(1, struct('c1')), array(struct(1)), map('k', struct(3))",
        "1, named_struct('b', 1, 'a', named_struct('q', 'c1')), array(named_struct('z', '1')),"
        " map('k', named_struct('v', 3L))",
    ):
        wb.spark.sql(f"INSERT OVERWRITE shop.t SELECT {values}", catalog, session=spark)
        assert _stored(catalog) == [_ROW]
    with pytest.raises(SchemaMismatch, match=r"'l\.element' have 2 fields"):
        wb.spark.sql("INSERT INTO shop.t SELECT 1, NULL, array(struct(1, 2)), NULL", catalog, session=spark)


def test_insert_by_name_matches_names_at_every_depth(spark: Any, catalog: Any) -> None:
    wb.spark.sql(f"CREATE TABLE shop.t ({_COLUMNS})", catalog, session=spark)
    wb.spark.sql(
        "INSERT INTO shop.t BY NAME SELECT map('k', named_struct('Y', 3)) AS m, array(named_struct('x', 1)) AS l,"
        " named_struct('b', named_struct('C', 'c1'), 'A', 1) AS s, 1 AS id",
        catalog,
        session=spark,
    )
    assert _stored(catalog) == [_ROW]
    for value, message in (
        ("named_struct('a', 5) AS s", "'s' have no field 'b'"),
        ("named_struct('a', 5, 'b', named_struct('zz', 'x')) AS s", "no field 's.b.zz'"),
        ("array(named_struct('zz', 5)) AS l", "no field 'l.element.zz'"),
        ("map('k', named_struct('zz', 5)) AS m", "no field 'm.value.zz'"),
    ):
        with pytest.raises(SchemaMismatch, match=message):
            wb.spark.sql(f"INSERT INTO shop.t BY NAME SELECT 1 AS id, {value}", catalog, session=spark)
    assert _stored(catalog) == [_ROW]


def test_rows_with_casts_match_the_names_of_values_in_maps(attached: Any, catalog: Any) -> None:
    attached.sql(f"CREATE TABLE t ({_COLUMNS})")
    rows = attached.sql(
        "SELECT 1 AS id, named_struct('b', named_struct('c', 'c1'), 'a', '1') AS s, array(named_struct('x', '1')) AS l,"
        " map('k', named_struct('y', '3')) AS m"
    )
    rows.writeTo("t").append()
    assert _stored(catalog) == [_ROW]
    wrong = attached.sql("SELECT 1 AS id, '1' AS s, map('k', named_struct('zz', 3)) AS m")
    wrong = wrong.selectExpr(
        "id", "named_struct('a', s, 'b', named_struct('c', 'c')) AS s", "array(named_struct('x', '1')) AS l", "m"
    )
    with pytest.raises(Exception, match=r"m.*(zz|y)"):
        wrong.writeTo("t").append()
    with pytest.raises(Exception, match=r"no field 'm\.value\.zz'"):
        wrong.write.mode("overwrite").saveAsTable("t")
    assert _stored(catalog) == [_ROW]
