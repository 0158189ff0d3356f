"""Postponed rows in an attached session: settings, changes of rows, and option 'postpone.merge-on-read'."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.errors import PySparkException

import workbench as wb

pytestmark = pytest.mark.spark
_WAIT = "spark.paimon.postpone.batch-write-fixed-bucket"
_MERGE = "spark.paimon.postpone.merge-on-read"


@pytest.fixture
def session(spark: Any, catalog: Any) -> Any:
    attached = wb.spark.attach(spark, catalog)
    attached.sql("USE paimon.shop")
    yield attached
    for name in (_WAIT, _MERGE):
        attached.conf.unset(name)


def _rows(session: Any, text: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(text).collect()]


def _buckets(catalog: Any, name: str) -> list[int]:
    return sorted(catalog.open(f"{name}$buckets").to_arrow()["bucket"].to_pylist())


@pytest.mark.parametrize("engine", ["library", "spark"])
def test_changes_of_rows_wait_like_writes(session: Any, catalog: Any, engine: str) -> None:
    session.sql(
        "CREATE TABLE t (id INT, v STRING) USING paimon TBLPROPERTIES "
        "('primary-key' = 'id', 'bucket' = '-2', 'postpone.default-bucket-num' = '2')"
    )
    session.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    # The library does not know this function, so Spark runs the statement.
    condition = "id = {} AND bround(id) = id" if engine == "spark" else "id = {}"
    session.conf.set(_WAIT, "false")
    session.sql("INSERT INTO t VALUES (1, 'x'), (1, 'y'), (4, 'd')")
    session.sql(f"DELETE FROM t WHERE {condition.format(2)}")
    session.sql(f"UPDATE t SET v = 'z' WHERE {condition.format(3)}")
    assert _rows(session, "SELECT * FROM t ORDER BY id") == [(1, "a"), (2, "b"), (3, "c")]
    assert -2 in _buckets(catalog, "shop.t")
    session.conf.set(_MERGE, "true")
    merged = [(1, "y"), (3, "z"), (4, "d")]
    assert _rows(session, "SELECT * FROM t ORDER BY id") == merged
    assert _rows(session, "SELECT id FROM t WHERE v = 'a' OR v = 'd'") == [(4,)]
    assert _rows(session, "SELECT count(*), max(id) FROM t") == [(3, 4)]
    assert _rows(session, "SELECT * FROM t VERSION AS OF 1 ORDER BY id") == [(1, "a"), (2, "b"), (3, "c")]
    with pytest.raises(PySparkException, match="no metadata columns"):
        _rows(session, "SELECT id, __paimon_bucket FROM t")
    session.conf.unset(_WAIT)
    with pytest.raises(PySparkException, match="hide the changed rows"):
        session.sql(f"DELETE FROM t WHERE {condition.format(4)}")
    session.sql("CALL sys.compact(table => 'shop.t')")
    session.conf.unset(_MERGE)
    assert _rows(session, "SELECT * FROM t ORDER BY id") == merged
    assert all(bucket >= 0 for bucket in _buckets(catalog, "shop.t"))


@pytest.mark.parametrize(
    ("options", "buckets"),
    [
        ("'postpone.target-row-num-per-bucket' = '200'", [[0], [0, 1, 2], [-2, 0, 1]]),
        # A row has 32 bytes.
        ("'postpone.target-size-per-bucket' = '8 kb'", [[0], [0, 1], [-2, 0]]),
        ("'postpone.target-size-per-bucket' = '5 kb'", [[0], [0, 1, 2], [-2, 0, 1]]),
        ("'postpone.target-row-num-per-bucket' = '1', 'postpone.batch-write-fixed-bucket.max-parallelism' = '2'", None),
    ],
)
def test_the_rows_of_a_partition_determine_its_buckets(
    session: Any, catalog: Any, options: str, buckets: list[list[int]] | None
) -> None:
    session.sql(
        "CREATE TABLE t (id INT, v STRING, p INT) USING paimon PARTITIONED BY (p) "
        f"TBLPROPERTIES ('primary-key' = 'id, p', 'bucket' = '-2', {options})"
    )
    insert = "INSERT INTO t SELECT CAST(id AS INT), CAST(id AS STRING), {} FROM range({}, {})"
    session.sql(insert.format("IF(id < 100, 0, 1)", 0, 550))

    def of(partition: int) -> list[int]:
        found = catalog.open("shop.t$buckets").to_arrow().to_pylist()
        return sorted(row["bucket"] for row in found if row["partition"] == f"{{{partition}}}")

    if buckets is None:
        assert [of(0), of(1)] == [[0, 1], [0, 1]]
        return
    assert [of(0), of(1)] == buckets[:2]
    # Rows that wait count, too.
    session.conf.set(_WAIT, "false")
    session.sql(insert.format("2", 2000, 2150))
    session.conf.unset(_WAIT)
    session.sql(insert.format("2", 3000, 3100))
    assert of(2) == buckets[2]
    # An overwrite does not count them.
    session.sql("INSERT OVERWRITE t PARTITION (p = 2) SELECT CAST(id AS INT), 'x' FROM range(0, 10)")
    assert of(2) == [0]
