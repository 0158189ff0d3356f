"""UPDATE and DELETE with expressions that only Spark evaluates."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.errors import PySparkException

import workbench as wb
from tests.support.sampling import sampled

pytestmark = pytest.mark.spark


@pytest.fixture
def attached(spark: Any, catalog: Any) -> Any:
    session = wb.spark.attach(spark.newSession(), catalog)
    session.sql("USE paimon.shop")
    for name, options in (("plain", {}), ("marked", {"deletion-vectors.enabled": "true"}), ("keyed", {"bucket": "1"})):
        key = {"primary_key": ["id"]} if name == "keyed" else {}
        table = catalog.create_table(f"shop.{name}", {"id": "INT", "v": "STRING", "n": "INT"}, options=options, **key)
        table.write([{"id": number, "v": f"item {number % 3}", "n": number} for number in range(6)])
    session.sql("CREATE TABLE gone (id INT)")
    session.sql("INSERT INTO gone VALUES (101), (104)")
    yield session
    # Creating a frame makes the shared session the current one again.
    spark.createDataFrame([(1,)], "a int")


@pytest.mark.parametrize("name", sampled(["keyed", "plain", "marked"], 3))
def test_rows_change_by_spark(attached: Any, catalog: Any, name: str) -> None:
    def found() -> list[tuple[Any, ...]]:
        return [tuple(row) for row in attached.sql(f"SELECT * FROM {name} ORDER BY id").collect()]

    attached.sql(f"DELETE FROM {name} AS t WHERE EXISTS (SELECT 1 FROM gone WHERE gone.id = t.id + 100)")
    assert [row[0] for row in found()] == [0, 2, 3, 5]
    attached.sql(
        f"UPDATE {name} SET v = regexp_extract(v, '([0-9])$', 1), n = n * 10 WHERE soundex(v) = soundex('item')"
    )
    assert found() == [(0, "0", 0), (2, "2", 20), (3, "0", 30), (5, "2", 50)]
    attached.sql(f"UPDATE {name} SET n = (SELECT max(id) FROM gone WHERE gone.id > {name}.id) WHERE id = 5")
    assert found()[-1] == (5, "2", 104)
    attached.sql(f"UPDATE {name} SET v = initcap(concat_ws('-', 'a', v))")
    assert [row[1] for row in found()] == ["A-0", "A-2", "A-0", "A-2"]
    attached.sql(f"DELETE FROM {name} WHERE soundex(v) = 'none'")
    assert len(found()) == 4
    operations = [each.operation for each in catalog.get_table(f"shop.{name}").snapshots()]
    assert len(operations) >= 5


def test_what_spark_does_not_know_either_is_refused(attached: Any, catalog: Any) -> None:
    before = len(catalog.get_table("shop.plain").snapshots())
    with pytest.raises(PySparkException, match="no_such_function"):
        attached.sql("UPDATE plain SET v = no_such_function(v)")
    with pytest.raises((wb.WorkbenchError, PySparkException), match="primary key"):
        attached.sql("UPDATE keyed SET id = length(soundex(v))")
    assert len(catalog.get_table("shop.plain").snapshots()) == before
