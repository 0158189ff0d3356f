"""UPDATE, DELETE and MERGE as Spark jobs right after the columns of a table have changed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.sampling import sampled
from tests.support.spark_rows import rows

pytestmark = pytest.mark.spark
_KINDS = {
    "keyed": "PARTITIONED BY (p) TBLPROPERTIES ('primary-key' = 'id,p', 'bucket' = '2')",
    "plain": "PARTITIONED BY (p)",
    "sums": "TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '1', 'merge-engine' = 'aggregation')",
    "marked": "TBLPROPERTIES ('deletion-vectors.enabled' = 'true')",
}
# Spark runs statements with this function, which the library does not know.
_NOT_R = "soundex(v) <> soundex('r')"


@pytest.fixture
def attached(plain_session: Any) -> Any:
    rows(plain_session, "USE paimon.shop")
    return plain_session


@pytest.mark.parametrize("kind", sampled(_KINDS, 2))
@pytest.mark.parametrize(
    "change", sampled(["ALTER COLUMN w FIRST", "ADD COLUMN n INT FIRST", "ADD COLUMN s STRUCT<a: INT> AFTER id"], 3)
)
def test_a_delete_finds_its_rows(attached: Any, kind: str, change: str) -> None:
    rows(attached, f"CREATE TABLE t (id INT NOT NULL, v STRING, p STRING NOT NULL, w INT) {_KINDS[kind]}")
    rows(attached, "INSERT INTO t VALUES (1, 'q', 'x', 5), (2, 'r', 'x', 6), (3, 'r', 'y', 7)")
    rows(attached, f"ALTER TABLE t {change}")
    rows(attached, f"DELETE FROM t WHERE NOT {_NOT_R} AND id < 3")
    assert sorted(rows(attached, "SELECT id, v, p, w FROM t")) == [(1, "q", "x", 5), (3, "r", "y", 7)]


@pytest.mark.parametrize("kind", sampled(["keyed", "plain", "marked"], 2))
def test_an_update_and_a_merge_fill_a_new_column(attached: Any, kind: str) -> None:
    rows(attached, f"CREATE TABLE t (id INT NOT NULL, v STRING, p STRING NOT NULL, w INT) {_KINDS[kind]}")
    rows(attached, "INSERT INTO t VALUES (1, 'q', 'x', 5), (2, 'r', 'x', 6)")
    rows(attached, "ALTER TABLE t ADD COLUMN n INT FIRST")
    rows(attached, f"UPDATE t SET n = id * 10 WHERE {_NOT_R}")
    rows(attached, "ALTER TABLE t RENAME COLUMN w TO z")
    merging = "USING (SELECT 2 AS id, 'x' AS p) s ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET n = z + 1"
    rows(attached, f"MERGE INTO t {merging}")
    assert sorted(rows(attached, "SELECT * FROM t")) == [(7, 2, "r", "x", 6), (10, 1, "q", "x", 5)]
    assert rows(attached, "SELECT n FROM t VERSION AS OF 2 WHERE id = 1") == [(10,)]
