"""The statements of the corpus that are Python: ``>>> spark.read.format('paimon').table('t')``."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any


class Expressions:
    """The names that a Python expression of a case may use, and the queries of streams that it started.

    Args:
        spark: The session.
        folder: An empty folder of the case.
    """

    def __init__(self, spark: Any, folder: Path) -> None:
        self.spark, self.folder = spark, folder

    def value_of(self, text: str) -> Any:
        """Return the value of an expression, as a DataFrame or None."""
        from pyspark.sql import functions

        names = {name: getattr(self, name) for name in ("frame", "location", "events", "streamed", "sunk", "texts")}
        value = eval(text, {"spark": self.spark, "folder": self.folder, "F": functions, **names})
        return value if hasattr(value, "collect") else None

    def frame(self, schema: str, *rows: tuple[Any, ...]) -> Any:
        """Return a DataFrame with a schema and rows."""
        return self.spark.createDataFrame(list(rows), schema).coalesce(1)

    def texts(self, *values: Any) -> Any:
        """Return a DataFrame with values converted to strings."""
        return self.spark.createDataFrame([(str(value),) for value in values], "value STRING").coalesce(1)

    def location(self, table: str) -> str:
        """Return the directory of a table, as DESCRIBE EXTENDED shows it."""
        rows = self.spark.sql(f"DESCRIBE EXTENDED {table}").collect()
        return next(str(row[1]) for row in rows if row[0] == "Location")

    def events(self, name: str, schema: str, *rows: tuple[Any, ...]) -> Any:
        """Return a stream over the files of a folder of the case, with one more file of the given rows."""
        directory = self.folder / name
        directory.mkdir(exist_ok=True)
        if rows:
            names = [each.strip().split()[0] for each in schema.split(",")]
            lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
            (directory / f"{len(list(directory.iterdir())):03}.json").write_text("\n".join(lines), "utf-8")
        return self.spark.readStream.schema(schema).json(str(directory))

    def streamed(self, stream: Any, checkpoint: str = "", mode: str = "append") -> Any:
        """Run a stream until it has read everything, and return its rows with the number of their batch."""
        rows: list[tuple[Any, ...]] = []

        def collect(batch: Any, number: int) -> None:
            rows.extend((number, *row) for row in batch.collect())

        writer = stream.writeStream.foreachBatch(collect).outputMode(mode).trigger(availableNow=True)
        self._finish(writer, checkpoint)
        from pyspark.sql.types import LongType, StructField, StructType

        schema = StructType([StructField("batch", LongType()), *stream.schema.fields])
        return self.spark.createDataFrame(rows, schema)

    def sunk(self, stream: Any, target: str, checkpoint: str = "", mode: str = "append", **options: str) -> None:
        """Write a stream to a table, whose target is a directory or ``table NAME``, until everything is written."""
        writer = stream.writeStream.format("paimon").outputMode(mode).options(**options).trigger(availableNow=True)
        self._finish(writer, checkpoint, target)

    def _finish(self, writer: Any, checkpoint: str, target: str | None = None) -> None:
        place = self.folder / "checkpoints" / (checkpoint or uuid.uuid4().hex)
        writer = writer.option("checkpointLocation", str(place))
        if target is None:
            query = writer.start()
        elif target.startswith("table "):
            query = writer.toTable(target.removeprefix("table "))
        else:
            query = writer.start(target)
        if not query.awaitTermination(120):
            query.stop()
            raise TimeoutError("The stream did not end.")
