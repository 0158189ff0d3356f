"""INSERT of values of other types than the columns, which are cast as CAST does."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException

import workbench as wb

pytestmark = pytest.mark.spark


def test_values_are_cast(spark: Any, catalog: Any) -> None:
    session = wb.spark.attach(spark.newSession(), catalog)
    columns = {"day": "DATE", "n": "INT", "items": "ARRAY<INT>"}
    table = catalog.create_table("shop.log", columns, partition_by=["day"])
    session.sql("INSERT INTO paimon.shop.log VALUES ('2026-01-02', '1', NULL)")
    session.sql("INSERT INTO paimon.shop.log (n) SELECT true")
    session.sql("INSERT INTO paimon.shop.log PARTITION (day = '2026-01-03') SELECT '3', array(4)")
    found = sorted(table.to_arrow().to_pylist(), key=lambda row: row["n"] * 10 + (row["day"] is None))
    assert found == [
        {"day": date(2026, 1, 2), "n": 1, "items": None},
        {"day": None, "n": 1, "items": None},
        {"day": date(2026, 1, 3), "n": 3, "items": [4]},
    ]
    with pytest.raises(PySparkException, match="CAST_INVALID_INPUT"):
        session.sql("INSERT INTO paimon.shop.log VALUES ('no day', 1, NULL)")
    with pytest.raises(AnalysisException, match=r"Cannot safely cast `n` .*DATE"):
        session.sql("INSERT INTO paimon.shop.log VALUES (NULL, DATE'2026-01-02', NULL)")
    assert len(table.snapshots()) == 3
    # Creating a frame makes the shared session the current one again.
    spark.createDataFrame([(1,)], "a int")
