"""CHAR(n) in sessions: DELETE and UPDATE, in the library and as jobs, change the rows that a query finds."""

from __future__ import annotations

from typing import Any

import pytest

import workbench as wb
from tests.support.spark_rows import rows

pytestmark = pytest.mark.spark
_VALUES = ["a", "a  ", "ab", "abc", "b "]
# The job runs conditions with functions that the library does not know.
_CONDITIONS = [
    "c = 'a'",
    "c <> 'a'",
    "c >= 'b'",
    "c IN ('a', 'b')",
    "c BETWEEN 'a' AND 'ab'",
    "c NOT BETWEEN 'a' AND 'a'",
    "c = d",
    "length(c) = 3",
    "r.a = 'a'",
    "if(c = 'a', 1, 2) = 1",
]
_KINDS: dict[str, tuple[list[str], list[str]]] = {"appended": ([], []), "keyed": (["id", "c"], ["c"])}


@pytest.mark.parametrize("door", ["library", "job"])
@pytest.mark.parametrize("kind", list(_KINDS))
def test_changes_find_the_rows_that_a_query_finds(spark: Any, catalog: Any, kind: str, door: str) -> None:
    session = spark.newSession()
    library = wb.spark.attach(session, catalog)
    session.sql("USE paimon.shop")
    library.sql("USE paimon.shop")
    flags = [f"r{at}" for at in range(len(_CONDITIONS))]
    keys, parts = _KINDS[kind]
    columns = {"id": "INT", "c": "CHAR(3)", "d": "CHAR(5)", "r": "ROW<a CHAR(3)>", **dict.fromkeys(flags, "BOOLEAN")}
    table = catalog.create_table("shop.t", columns, keys, parts, options={"bucket": "1"} if keys else {})
    table.write([{"id": at, "c": text, "d": text, "r": {"a": text}} for at, text in enumerate(_VALUES)])
    changing = library if door == "library" else session
    for flag, condition in zip(flags, _CONDITIONS, strict=True):
        rows(changing, f"UPDATE t SET {flag} = true WHERE {condition}")
    counts = ", ".join(f"count_if(({f} <=> true) <> (({c}) <=> true))" for f, c in zip(flags, _CONDITIONS, strict=True))
    (wrong,) = rows(session, f"SELECT {counts} FROM t")
    assert [each for each, count in zip(_CONDITIONS, wrong, strict=True) if count] == []
    rows(changing, "DELETE FROM t WHERE c <> 'a'")
    assert rows(session, "SELECT id, c FROM t ORDER BY id") == [(0, "a  "), (1, "a  ")]
    rows(changing, "DELETE FROM t WHERE c = 'a'")
    assert rows(session, "SELECT count(*) FROM t") == [(0,)]
    spark.createDataFrame([(1,)], "a int")


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
