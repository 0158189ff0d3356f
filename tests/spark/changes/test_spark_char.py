"""CHAR(n) in sessions: DELETE, UPDATE and MERGE, in the library and as jobs, change the rows that a query finds."""

from __future__ import annotations

from typing import Any

import pytest

import workbench as wb
from tests.support.spark_rows import rows
from workbench.sql.execute import execute

pytestmark = pytest.mark.spark
_VALUES = ["a", "a  ", "ab", "abc", "b ", None]
_CONDITIONS = [
    "c = 'a'",
    "c <> 'a'",
    "c >= 'b'",
    "c < 'a!'",
    "c IN ('a', 'b')",
    "c IN ('a', NULL)",
    "c NOT IN ('a', cast(NULL AS STRING))",
    "'a' IN (c, d)",
    "c IN (d, e)",
    "c IN (d, 'b')",
    "c BETWEEN 'a' AND 'ab'",
    "c NOT BETWEEN 'a' AND 'a'",
    "c = d",
    "c <=> d",
    "c = v",
    "length(c) = 3",
    "r.a = 'a'",
    "if(c = 'a', 1, 2) = 1",
    "CASE c WHEN 'a' THEN true ELSE false END",
    "c = concat('a', '')",
    "lower('A') = c",
    "c IN (concat('a', ''), 'x')",
    "cast(c AS STRING) = 'a'",
    "nullif(c, 'a') IS NULL",
    "nullif('a', c) IS NULL",
    "coalesce(c, d) = 'a'",
    "coalesce(e, c) = 'a '",
    "CASE WHEN id > 0 THEN c ELSE d END = 'a  '",
]
# The library does not know these, so that jobs evaluate them.
_ONLY_SPARK = ["least(c, d) = 'a  '", "c = repeat('a', 1)", "equal_null(c, 'a')"]
_SUBQUERIES = ["c IN (SELECT x FROM s)", "c NOT IN (SELECT x FROM s)", "c = (SELECT min(y) FROM s)"]
_ALONE = ["c = 'a'", "c <> 'a'", "c >= 'b'", "c = concat('a', '')", *_SUBQUERIES]
_MATCHES = ["t.c = s.x", "t.c <=> s.x", "t.c = s.y", "t.d = s.x", "t.v = s.x", "t.id = s.key AND s.x = 'a'"]
_KINDS: dict[str, tuple[list[str], list[str]]] = {
    "appended": ([], []),
    "partitioned": ([], ["c"]),
    "keyed": (["k", "id", "n"], []),
    "keyed in partitions": (["k", "id", "c"], ["c"]),
}
_COLUMNS = {
    "k": "INT",
    "id": "INT",
    "n": "INT",
    "c": "CHAR(3)",
    "d": "CHAR(5)",
    "e": "CHAR(2)",
    "v": "STRING",
    "r": "ROW<a CHAR(3)>",
    "f": "BOOLEAN",
}


def _any_of(conditions: list[str]) -> str:
    """Return a condition that applies each condition to the rows with its number, and is never NULL."""
    return " OR ".join(f"(k = {at} AND coalesce({each}, false))" for at, each in enumerate(conditions))


def _filled(catalog: Any, kind: str) -> Any:
    keys, parts = _KINDS[kind]
    values = [text for text in _VALUES if text is not None or "c" not in (*keys, *parts)]
    table = catalog.create_table("shop.t", _COLUMNS, keys, parts, options={"bucket": "1"} if keys else {})
    texts = [dict.fromkeys("cdv", text) | {"e": text and text[:2], "r": {"a": text}} for text in values]
    table.write([{"k": k, "id": at, "n": 0} | each for k in range(len(_CONDITIONS)) for at, each in enumerate(texts)])
    source = catalog.create_table("shop.s", {"key": "INT", "x": "CHAR(5)", "y": "STRING"})
    source.write([{"key": 0, "x": "a", "y": "a"}, {"key": 3, "x": "ab", "y": "abc"}, {"key": 9, "x": "q", "y": "q"}])
    return table


@pytest.mark.parametrize(
    ("kind", "door"),
    [
        ("appended", "cell"),
        *(
            pytest.param(kind, door, marks=pytest.mark.long)
            for door, kinds in (("library", ("appended", "keyed in partitions")), ("job", ("partitioned", "keyed")))
            for kind in kinds
        ),
    ],
)
def test_changes_find_the_rows_that_a_query_finds(plain_session: Any, catalog: Any, kind: str, door: str) -> None:
    session, library = plain_session, wb.spark.attach(plain_session, catalog)
    library.sql("USE paimon.shop")
    run = {
        "library": lambda text: rows(library, text),
        "job": lambda text: rows(session, text),
        "cell": lambda text: execute(text, catalog, "shop"),
    }[door]
    table = _filled(catalog, kind)
    first = table.snapshot().id

    def check(statement: str, expected: str) -> None:
        wanted = rows(session, f"SELECT k, id FROM t WHERE {expected} ORDER BY k, id")
        run(statement)
        assert rows(session, "SELECT k, id FROM t WHERE f ORDER BY k, id") == wanted, statement
        catalog.get_table("shop.t").rollback_to(first)

    for conditions in (_CONDITIONS, _ONLY_SPARK):
        chosen = _any_of(conditions)
        check(f"UPDATE t SET f = true WHERE {chosen}", chosen)
        merge = "MERGE INTO t USING s ON t.id = s.key"
        check(f"{merge} WHEN MATCHED AND ({chosen}) THEN UPDATE SET f = true", f"({chosen}) AND id IN (0, 3)")
        left = rows(session, f"SELECT k, id FROM t WHERE NOT ({chosen}) ORDER BY k, id")
        run(f"DELETE FROM t WHERE {chosen}")
        assert rows(session, "SELECT k, id FROM t ORDER BY k, id") == left
        catalog.get_table("shop.t").rollback_to(first)
    for condition in _ALONE:
        check(f"UPDATE t SET f = true WHERE {condition}", condition)
    for match in _MATCHES:
        found = f"EXISTS (SELECT 1 FROM s WHERE {match})"
        check(f"MERGE INTO t USING s ON {match} WHEN MATCHED THEN UPDATE SET f = true", found)


@pytest.mark.parametrize("engine", ["auto", "spark"])
def test_cells_find_the_rows_that_sessions_find(plain_session: Any, catalog: Any, engine: str) -> None:
    _filled(catalog, "appended")
    for conditions in (_CONDITIONS, _SUBQUERIES if engine == "spark" else _SUBQUERIES[:1]):
        chosen = _any_of(conditions)
        query = f"SELECT k, id, c, d FROM (SELECT * FROM t) q WHERE {chosen} ORDER BY k, id"
        found = execute(query, catalog, "shop", engine=engine, limit=1000).rows
        assert list(zip(*found.to_pydict().values(), strict=True)) == rows(plain_session, query)


@pytest.mark.parametrize("mode", ["static", "dynamic"])
@pytest.mark.parametrize("statement", ["PARTITION (c = 'a') SELECT 9", "SELECT 9, 'a'", "PARTITION (c) SELECT 9, 'a'"])
def test_overwriting_a_partition_replaces_it_with_and_without_blanks(
    plain_session: Any, catalog: Any, statement: str, mode: str
) -> None:
    table = catalog.create_table("shop.t", {"n": "INT", "c": "CHAR(3)"}, partition_by=["c"])
    table.write([{"c": "a", "n": 1}, {"c": "a  ", "n": 2}, {"c": "b", "n": 3}])
    plain_session.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
    rows(plain_session, f"INSERT OVERWRITE t {statement}")
    kept = [] if mode == "static" and "=" not in statement else [{"n": 3, "c": "b"}]
    assert table.to_arrow().sort_by("n").to_pylist() == [*kept, {"n": 9, "c": "a  "}]


@pytest.mark.parametrize("partitions", [[], ["c"]])
def test_changes_keep_the_stored_form_of_char(plain_session: Any, catalog: Any, partitions: list[str]) -> None:
    options = {} if partitions else {"bucket": "4", "bucket-key": "c"}
    table = catalog.create_table("shop.t", {"n": "INT", "c": "CHAR(3)"}, partition_by=partitions, options=options)
    table.write([{"c": "a", "n": 1}, {"c": "a  ", "n": 2}, {"c": "b", "n": 3}])
    rows(plain_session, "UPDATE t SET n = n + 10 WHERE c = 'a'")
    rows(plain_session, "UPDATE t SET c = 'x' WHERE c = 'b'")
    rows(plain_session, "MERGE INTO t USING (SELECT 11 AS n) s ON t.n = s.n WHEN MATCHED THEN UPDATE SET n = 21")
    found = table.to_arrow().sort_by("n").to_pylist()
    assert found == [{"n": 3, "c": "x  "}, {"n": 12, "c": "a  "}, {"n": 21, "c": "a"}]


@pytest.mark.parametrize("keys", [[], ["id"]])
def test_sessions_without_padding_change_the_rows_that_a_query_finds(
    plain_session: Any, catalog: Any, keys: list[str]
) -> None:
    plain_session.conf.set("spark.sql.readSideCharPadding", "false")
    options = {"bucket": "1"} if keys else {}
    table = catalog.create_table("shop.t", {"id": "INT", "c": "CHAR(3)"}, keys, options=options)
    table.write([{"id": at, "c": text} for at, text in enumerate(["a", "a  ", "abc", "b"])])
    wanted = rows(plain_session, "SELECT id FROM t WHERE NOT (length(c) = 1 OR c = 'b ') ORDER BY id")
    rows(plain_session, "DELETE FROM t WHERE length(c) = 1 OR c = 'b '")
    assert rows(plain_session, "SELECT id FROM t ORDER BY id") == wanted == [(1,), (2,)]
