"""Sends change events to a topic and applies them to a table, in two runs of a stream.

Arguments: ``warehouse address cache version``, where the last one is that of Spark's package for Kafka.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import workbench as wb
from tests.support.spark_places import small_session

_PACKAGE = "org.apache.spark:spark-sql-kafka-0-10_2.13"
_TOPIC = "orders"
_FIRST = [
    {"op": "c", "after": {"id": 1, "v": "a"}},
    {"op": "c", "after": {"id": 2, "v": "b"}},
    {"op": "u", "before": {"id": 1, "v": "a"}, "after": {"id": 1, "v": "c"}},
]
_SECOND = [
    {"payload": {"op": "d", "before": {"id": 2, "v": "b"}}},
    None,
    {"op": "c", "after": {"id": 5_000_000_000, "v": "d", "price": 1.5}},
    {"op": "u", "before": {"id": 1, "v": "c"}, "after": {"id": 1, "v": "e", "price": 2.5}},
]


def send(session: Any, address: str, events: list[Any]) -> None:
    """Write events to the topic, in their order; None is a tombstone."""
    rows = [(None if event is None else json.dumps(event),) for event in events]
    frame = session.createDataFrame(rows, "value string").coalesce(1)
    frame.write.format("kafka").option("kafka.bootstrap.servers", address).option("topic", _TOPIC).save()


def main(warehouse: str, address: str, cache: str, version: str) -> None:
    """Print the rows of the table, and the numbers of the batches that were committed."""
    package = {"spark.jars.packages": f"{_PACKAGE}:{version}", "spark.jars.ivy": cache}
    session = small_session("kafka", "local[2]", more=package)
    catalog = wb.connect(warehouse)
    catalog.create_database("shop")
    columns = {"id": "BIGINT", "v": "STRING"}
    orders = catalog.create_table("shop.orders", columns, primary_key=["id"], options={"bucket": "2"})
    events = (
        session.readStream.format("kafka")
        .option("kafka.bootstrap.servers", address)
        .option("subscribe", _TOPIC)
        .option("startingOffsets", "earliest")
        .load()
    )
    checkpoint = str(Path(warehouse).parent / "checkpoint")
    for sent in (_FIRST, _SECOND):
        send(session, address, sent)
        query = wb.spark.cdc(events, orders, "debezium-json", checkpoint=checkpoint, trigger={"availableNow": True})
        query.awaitTermination()
    table = catalog.get_table("shop.orders")
    committed = [each.commit_identifier for each in table.snapshots() if each.commit_kind == "APPEND"]
    rows = sorted(table.to_arrow().to_pylist(), key=lambda row: row["id"])
    print(json.dumps({"rows": rows, "batches": committed}))
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
