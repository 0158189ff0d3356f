"""Row changes in sessions whose settings change the meaning of SQL: they do what Spark's own evaluation does."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.errors import AnalysisException

from tests.support.sampling import sampled
from tests.support.spark_rows import rows
from workbench.base.errors import Unsupported

pytestmark = pytest.mark.spark
_FIRST, _SECOND = (1, "a", 10), (2, "12", 2147483647)
# The settings, a statement, and the rows after it.
_CHANGES: list[tuple[dict[str, str], str, list[tuple[Any, ...]]]] = [
    (
        {"spark.sql.ansi.enabled": "false"},
        "UPDATE t SET x = x + 1 WHERE cast(v AS INT) = 12",
        [_FIRST, (2, "12", -2147483648)],
    ),
    ({"spark.sql.ansi.enabled": "false"}, "DELETE FROM t WHERE id / 0 IS NULL AND id = 1", [_SECOND]),
    (
        {"spark.sql.ansi.enabled": "false"},
        "MERGE INTO t USING (SELECT 2 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET x = cast('no' AS INT)",
        [_FIRST, (2, "12", None)],
    ),
    (
        {"spark.sql.timestampType": "TIMESTAMP_NTZ"},
        "UPDATE t SET v = typeof(TIMESTAMP '2026-01-01 00:00:00') WHERE id = 1",
        [(1, "timestamp_ntz", 10), _SECOND],
    ),
    ({"spark.sql.ansi.doubleQuotedIdentifiers": "true"}, 'DELETE FROM t WHERE "id" = 2', [_FIRST]),
    (
        {"spark.sql.parser.escapedStringLiterals": "true"},
        r"UPDATE t SET v = 'a\nb' WHERE id = 1",
        [(1, r"a\nb", 10), _SECOND],
    ),
    (
        {"my.id": "1", "my.table": "t"},
        "UPDATE ${my.table} SET v = 'v${my.id}' WHERE id = ${my.id}",
        [(1, "v1", 10), _SECOND],
    ),
    ({"my.table": "shop.t"}, "CALL sys.rollback(table => '${my.table}', version => '1')", [_FIRST, _SECOND]),
    (
        {"my.id": "1", "spark.sql.variable.substitute": "false"},
        "UPDATE t SET v = '${my.id}' WHERE id = 1",
        [(1, "${my.id}", 10), _SECOND],
    ),
    (
        {"spark.sql.session.timeZone": "+05:30:15"},
        "UPDATE t SET v = cast(TIMESTAMP '2026-01-01 00:00:00Z' AS STRING) WHERE id = 1",
        [(1, "2026-01-01 05:30:15", 10), _SECOND],
    ),
]
_REFUSED = [
    ({"spark.sql.caseSensitive": "true"}, "DELETE FROM t WHERE ID = 1"),
    ({"spark.sql.caseSensitive": "true"}, "UPDATE t SET V = 'b' WHERE id = 1"),
    ({"spark.sql.storeAssignmentPolicy": "STRICT"}, "UPDATE t SET x = 5L WHERE id = 1"),
    ({"spark.sql.storeAssignmentPolicy": "STRICT"}, "INSERT INTO t VALUES (5, 'e', 5L)"),
    ({"spark.sql.ansi.enabled": "false"}, "UPDATE t SET x = 'no' WHERE id = 1"),
]


@pytest.fixture
def session(attached: Any) -> Any:
    rows(attached, "CREATE TABLE t (id INT, v STRING, x INT)")
    rows(attached, "INSERT INTO t VALUES (1, 'a', 10), (2, '12', 2147483647)")
    return attached


@pytest.mark.parametrize("case", sampled(_CHANGES, 4))
def test_a_change_does_what_spark_evaluates(
    session: Any, case: tuple[dict[str, str], str, list[tuple[Any, ...]]]
) -> None:
    settings, change, left = case
    for key, value in settings.items():
        session.conf.set(key, value)
    rows(session, change)
    assert sorted(rows(session, "TABLE t")) == left


@pytest.mark.parametrize("case", sampled(_REFUSED, 3))
def test_a_change_that_spark_refuses_is_refused(session: Any, case: tuple[dict[str, str], str]) -> None:
    settings, change = case
    for key, value in settings.items():
        session.conf.set(key, value)
    with pytest.raises(AnalysisException):
        rows(session, change)
    assert sorted(rows(session, "TABLE t")) == [_FIRST, _SECOND]


def test_a_table_that_spark_cannot_change_is_not_changed_by_other_rules(session: Any) -> None:
    options = {"data-evolution.enabled": "true", "row-tracking.enabled": "true"}
    table = session.catalogs["paimon"].create_table("shop.evolving", {"id": "INT", "v": "STRING"}, options=options)
    table.write([{"id": 1, "v": "a"}])
    session.conf.set("spark.sql.ansi.enabled", "false")
    with pytest.raises(Unsupported, match=r"'spark.sql.ansi.enabled' = 'false'"):
        rows(session, "MERGE INTO evolving USING t ON t.id = evolving.id WHEN MATCHED THEN UPDATE SET v = 'b'")


def test_variables_and_parameters_are_those_of_spark(session: Any) -> None:
    rows(session, "DECLARE OR REPLACE VARIABLE wanted INT DEFAULT 2")
    session.sql("UPDATE t SET v = :text WHERE id = :id", {"text": "new", "id": 1})
    rows(session, "DELETE FROM t WHERE id = session.wanted")
    assert rows(session, "TABLE t") == [(1, "new", 10)]
    session.sql("DELETE FROM t WHERE id = ?", [1])
    assert rows(session, "TABLE t") == []
