"""After a cancel, no task keeps computing, so the next small query returns quickly."""

from __future__ import annotations

import threading
import time
from typing import Any

import pyarrow as pa
import pytest

from tests.support.sampling import sampled
from workbench.base.errors import Cancelled
from workbench.base.progress import Progress, Step
from workbench.sql.execute import execute

pytestmark = pytest.mark.spark

ROWS = 120_000
SLOW = {
    "a cross join": "SELECT count(*), sum(a.v * b.v) FROM shop.t a CROSS JOIN shop.t b WHERE a.v < b.v",
    "a join by comma": "SELECT count(*), sum(sqrt(a.v * b.v)) FROM shop.t a, shop.t b WHERE a.v + b.v > 3",
    "a join without equal keys": "SELECT sum(a.v - b.v) FROM shop.t a JOIN shop.t b ON a.v > b.v",
    "a generator": "SELECT sum(e) FROM shop.t LATERAL VIEW explode(sequence(1, 200000)) x AS e",
}


@pytest.fixture
def table(catalog: Any) -> Any:
    created = catalog.create_table("shop.t", {"id": "BIGINT", "v": "DOUBLE"})
    created.write(pa.table({"id": range(ROWS), "v": [float(number % 97) for number in range(ROWS)]}))
    return created


def seconds_of(action: Any) -> float:
    begin = time.monotonic()
    action()
    return time.monotonic() - begin


def busy(spark: Any) -> int:
    infos = spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()
    return sum(info.numRunningTasks() for info in infos)


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("query", sampled(SLOW, 4))
def test_a_canceled_query_frees_its_cores(spark: Any, catalog: Any, query: str) -> None:
    def small() -> None:
        execute("SELECT count(*) FROM shop.t", catalog, engine="spark")

    small()
    progress = Progress()
    threading.Timer(4, progress.cancel).start()
    begin = time.monotonic()
    with pytest.raises(Cancelled):
        execute(SLOW[query], catalog, engine="spark", progress=progress)
    assert time.monotonic() - begin < 4 + 10
    assert busy(spark) == 0
    assert seconds_of(small) < 5


@pytest.mark.usefixtures("spark", "table")
def test_planning_is_a_step(catalog: Any) -> None:
    steps: list[Step] = []
    execute("SELECT count(*) FROM shop.t", catalog, engine="spark", progress=Progress(steps.append))
    assert steps[0].label == "Planning the query"
