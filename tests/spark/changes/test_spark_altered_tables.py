"""UPDATE, DELETE and MERGE as Spark jobs right after the columns of a table have changed."""

from __future__ import annotations

from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from tests.support.sampling import sampled
from tests.support.spark_rows import rows

pytestmark = pytest.mark.spark
_KINDS = {
    "keyed": "PARTITIONED BY (p) TBLPROPERTIES ('primary-key' = 'id,p', 'bucket' = '2')",
    "plain": "PARTITIONED BY (p)",
    "sums": "TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'merge-engine' = 'aggregation')",
    "marked": "TBLPROPERTIES ('deletion-vectors.enabled' = 'true')",
}
# The library does not know this function, so Spark runs the statements that use it.
_NOT_R = "soundex(v) <> soundex('r')"


@pytest.mark.parametrize("kind", sampled(_KINDS, 2))
@pytest.mark.parametrize(
    "change", sampled(["ALTER COLUMN w FIRST", "ADD COLUMN n INT FIRST", "ADD COLUMN s STRUCT<a: INT> AFTER id"], 3)
)
def test_a_delete_finds_its_rows(plain_session: Any, kind: str, change: str) -> None:
    rows(plain_session, f"CREATE TABLE t (id INT NOT NULL, v STRING, p STRING NOT NULL, w INT) {_KINDS[kind]}")
    rows(plain_session, "INSERT INTO t VALUES (1, 'q', 'x', 5), (2, 'r', 'x', 6), (3, 'r', 'y', 7)")
    rows(plain_session, f"ALTER TABLE t {change}")
    rows(plain_session, f"DELETE FROM t WHERE NOT {_NOT_R} AND id < 3")
    assert sorted(rows(plain_session, "SELECT id, v, p, w FROM t")) == [(1, "q", "x", 5), (3, "r", "y", 7)]


@pytest.mark.parametrize("kind", sampled(["keyed", "plain", "marked"], 2))
def test_an_update_and_a_merge_fill_a_new_column(plain_session: Any, kind: str) -> None:
    rows(plain_session, f"CREATE TABLE t (id INT NOT NULL, v STRING, p STRING NOT NULL, w INT) {_KINDS[kind]}")
    rows(plain_session, "INSERT INTO t VALUES (1, 'q', 'x', 5), (2, 'r', 'x', 6)")
    rows(plain_session, "ALTER TABLE t ADD COLUMN n INT FIRST")
    rows(plain_session, f"UPDATE t SET n = id * 10 WHERE {_NOT_R}")
    rows(plain_session, "ALTER TABLE t RENAME COLUMN w TO z")
    merging = "USING (SELECT 2 AS id, 'x' AS p) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET n = z + 1"
    rows(plain_session, f"MERGE INTO t {merging}")
    assert sorted(rows(plain_session, "SELECT * FROM t")) == [(7, 2, "r", "x", 6), (10, 1, "q", "x", 5)]
    assert rows(plain_session, "SELECT n FROM t VERSION AS OF 2 WHERE id = 1") == [(10,)]


def test_columns_that_change_after_a_query_is_planned_are_an_error(plain_session: Any) -> None:
    rows(plain_session, f"CREATE TABLE t (id INT NOT NULL, w INT) {_KINDS['sums']}")
    rows(plain_session, "INSERT INTO t VALUES (1, 5)")
    rows(plain_session, "INSERT INTO t VALUES (1, 6)")
    execution = plain_session.table("t")._jdf.queryExecution()
    execution.optimizedPlan()
    rows(plain_session, "ALTER TABLE t ALTER COLUMN w TYPE BIGINT")
    with pytest.raises((PySparkException, Py4JJavaError), match="Run the statement again"):
        execution.executedPlan()
