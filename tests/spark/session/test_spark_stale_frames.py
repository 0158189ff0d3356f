"""Frames whose table is dropped, renamed or created again before they are used: the error names the table, and no rows
of another table are returned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import PySparkException

import workbench as wb

pytestmark = pytest.mark.spark

COLUMNS = {"id": "BIGINT", "item": "STRING", "qty": "INT"}
AGAIN = "created again"


def _create_again(catalog: Any, rows: int = 1) -> None:
    catalog.drop_table("shop.orders")
    table = catalog.create_table("shop.orders", COLUMNS, primary_key=["id"], options={"bucket": "2"})
    if rows:
        table.write([{"id": 9, "item": "map", "qty": 1}])


ENDS: dict[str, Callable[[Any], None]] = {
    "dropped": lambda catalog: catalog.drop_table("shop.orders"),
    "renamed": lambda catalog: catalog.rename_table("shop.orders", "shop.older"),
    AGAIN: _create_again,
    f"{AGAIN}, empty": lambda catalog: _create_again(catalog, rows=0),
}
FRAMES: dict[str, Callable[[Any], Any]] = {
    "table": lambda session: session.table("paimon.shop.orders"),
    "query": lambda session: session.sql("SELECT id FROM paimon.shop.orders WHERE qty > 1"),
    "join": lambda session: session.sql("SELECT a.id FROM orders a JOIN orders b USING (id)"),
    "count": lambda session: session.sql("SELECT count(*) FROM paimon.shop.orders"),
    "version": lambda session: session.sql("SELECT * FROM paimon.shop.orders VERSION AS OF 1"),
    "read": lambda session: session.read.table("paimon.shop.orders"),
    "load": lambda session: session.read.format("paimon").load("shop.orders"),
    "changes": lambda session: session.sql("SELECT * FROM paimon_incremental_query('shop.orders', 0, 1)"),
    "places": lambda session: session.sql("SELECT id, __paimon_bucket FROM paimon.shop.orders"),
    "system table": lambda session: session.table("paimon.shop.`orders$snapshots`"),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("frame", FRAMES)
def test_frames_of_attached_sessions(attached: Any, catalog: Any, frame: str, end: str) -> None:
    made = FRAMES[frame](attached)
    ENDS[end](catalog)
    with pytest.raises(PySparkException) as raised:
        made.collect()
    assert ("was created again" if AGAIN in end else "orders") in str(raised.value)
    assert "FAILED_READ_FILE" not in str(raised.value)


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_see_the_same_table_after_changes(attached: Any, catalog: Any, frame: str) -> None:
    made = FRAMES[frame](attached)
    expected = made.count()
    made = FRAMES[frame](attached)
    catalog.alter_table("shop.orders", wb.SetOption("snapshot.num-retained.min", "3"))
    assert made.count() == expected


@pytest.mark.parametrize("end", ["dropped", AGAIN])
def test_frames_that_were_used_before(attached: Any, catalog: Any, end: str) -> None:
    """Spark plans a frame once; its tasks then miss the files of the table."""
    made = attached.table("paimon.shop.orders").select("__paimon_bucket", "id")
    made.collect()
    ENDS[end](catalog)
    with pytest.raises(PySparkException) as raised:
        made.collect()
    assert ("was created again" if end == AGAIN else "shop.orders was dropped") in str(raised.value)
