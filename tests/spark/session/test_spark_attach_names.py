"""Columns whose names are not plain words in attached sessions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.sampling import sampled
from tests.support.spark_rows import rows

pytestmark = pytest.mark.spark
_KINDS = {
    "log": "",
    "keyed": "TBLPROPERTIES ('primary-key' = 'k y,p t', 'bucket' = '2')",
    "dynamic": "TBLPROPERTIES ('primary-key' = 'k y,p t')",
    "hashed": "TBLPROPERTIES ('bucket' = '2', 'bucket-key' = 'k y')",
    "marked": "TBLPROPERTIES ('deletion-vectors.enabled' = 'true')",
}
_COLUMNS = "`k y` INT, `a.b` STRING, `p t` STRING, `ü-1` DECIMAL(5, 2), st STRUCT<`x y`: INT, `z.w`: STRING>"


@pytest.mark.parametrize("kind", sampled(_KINDS, 5))
def test_statements_over_names_that_need_quotes(plain_session: Any, catalog: Any, kind: str) -> None:
    rows(plain_session, f"CREATE TABLE t ({_COLUMNS}) PARTITIONED BY (`p t`) {_KINDS[kind]}")
    assert catalog.get_table("shop.t").partition_keys == ["p t"]
    assert [row[0] for row in rows(plain_session, "DESCRIBE t")[:5]] == ["k y", "a.b", "p t", "ü-1", "st"]
    rows(plain_session, "INSERT INTO t VALUES (1, 'a', 'p1', 1.5, struct(1, 'q')), (3, 'c', 'p 3', 3.5, NULL)")
    rows(plain_session, "INSERT INTO t BY NAME SELECT 2 AS `k y`, 'p2' AS `p t`, 'b' AS `a.b`")
    found = rows(plain_session, "SELECT `a.b`, st.`z.w` FROM t WHERE `p t` = 'p1' AND `a.b` LIKE 'a%' AND st.`x y` = 1")
    assert found == [("a", "q")]
    assert rows(plain_session, "SELECT `p t`, count(*), max(`k y`) FROM t GROUP BY `p t` ORDER BY 1") == [
        ("p 3", 1, 3),
        ("p1", 1, 1),
        ("p2", 1, 2),
    ]
    rows(plain_session, "UPDATE t SET `a.b` = soundex(`a.b`), `ü-1` = 9 WHERE `k y` = 1")
    rows(plain_session, "DELETE FROM t WHERE `p t` = 'p 3' AND soundex(`a.b`) = 'C000'")
    merged = "SELECT 2 AS `k y`, 'p2' AS `p t`, 'm' AS `a.b`, 7.5 AS `ü-1`, named_struct('x y', 3, 'z.w', 'm') AS st"
    rows(
        plain_session,
        f"MERGE INTO t USING ({merged}) s ON t.`k y` = s.`k y` AND t.`p t` = s.`p t` WHEN MATCHED THEN UPDATE SET *",
    )
    shown = rows(plain_session, "SELECT `k y`, `a.b`, `ü-1`, st.`x y` FROM t ORDER BY `k y`")
    assert [(*row[:2], float(row[2]), row[3]) for row in shown] == [(1, "A000", 9.0, 1), (2, "m", 7.5, 3)]
    rows(plain_session, "ALTER TABLE t RENAME COLUMN `a.b` TO `a . b`")
    rows(plain_session, "INSERT OVERWRITE t PARTITION (`p t` = 'p1') SELECT 1, 'o', 1.0, NULL")
    assert rows(plain_session, "SELECT `p t`, count(*) FROM t GROUP BY `p t` ORDER BY 1") == [("p1", 1), ("p2", 1)]
    rows(plain_session, "CREATE TABLE copied PARTITIONED BY (`p t`) AS SELECT * FROM t")
    assert rows(plain_session, "SELECT `a . b` FROM copied WHERE `p t` = 'p1'") == [("o",)]
