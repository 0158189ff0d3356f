"""A driver that copies one table to another by a stream, until it is done or killed: ``warehouse checkpoint``."""

from __future__ import annotations

import sys

import workbench as wb
from workbench.spark.session import new_session


def main(warehouse: str, checkpoint: str) -> None:
    """Copy what is available, one split a batch."""
    settings = {
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
    }
    session = wb.spark.attach(new_session("killed-stream", "local[2]", settings), wb.connect(warehouse))
    session.sparkContext.setLogLevel("OFF")
    numbers = session.readStream.option("maxFilesPerTrigger", 1).table("paimon.shop.numbers")
    writer = numbers.writeStream.format("paimon").option("checkpointLocation", checkpoint)
    query = writer.trigger(availableNow=True).start("shop.copy")
    print("started", flush=True)
    query.awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
