"""Spark statements on catalogs of services, and every text that people, files and browsers could see of them.

A process has one Spark context, so the tests run this file as a separate process: with a folder, which receives the
texts, and the options of the catalogs by their names in JSON.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

import workbench as wb
from tests.stores.spark_job import explained, pages, started
from workbench.sql.execute import execute


def texts(session: Any, catalog: wb.Catalog, name: str, folder: Path) -> Iterator[str]:
    """Run statements in a catalog; yield their plans, results and errors."""
    spark = wb.spark.attach(session.newSession(), catalog, name)
    spark.sql(f"CREATE DATABASE {name}.shop COMMENT 'orders'")
    columns = "(id BIGINT NOT NULL, v STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '2')"
    spark.sql(f"CREATE TABLE {name}.shop.t {columns}")
    spark.sql(f"INSERT INTO {name}.shop.t SELECT id, concat('v', id) FROM range(100)")
    spark.sql(f"MERGE INTO {name}.shop.t t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
    table = catalog.get_table("shop.t")
    wb.spark.write(spark.range(100, 105).selectExpr("id", "'again' AS v"), table)
    spark.sql(f"CREATE VIEW {name}.shop.some AS SELECT id FROM {name}.shop.t WHERE id > 50")
    frames = [
        spark.table(f"{name}.shop.t"),
        spark.sql(f"SELECT count(*) FROM {name}.shop.some"),
        spark.sql(f"SELECT * FROM {name}.shop.`t$files`"),
        spark.sql(f"SELECT * FROM {name}.sys.tables"),
        wb.spark.read(table, where="id > 5"),
        session.read.format(wb.spark.register(session, catalog)).load("shop.t"),
    ]
    for frame in frames:
        yield f"{explained(frame)}\n{frame.collect()!r}\n{frame!r}"
    stream = spark.readStream.table(f"{name}.shop.t").writeStream.format("json").trigger(availableNow=True)
    place = folder / "streams" / name
    stream.option("checkpointLocation", f"{place}/state").start(f"{place}/rows").awaitTermination()
    for statement in (
        f"DESCRIBE DATABASE EXTENDED {name}.shop",
        f"DESCRIBE EXTENDED {name}.shop.t",
        f"SHOW CREATE TABLE {name}.shop.t",
        f"CALL {name}.sys.compact(table => 'shop.t')",
        "SET",
    ):
        yield repr(spark.sql(statement).collect())
    yield repr(execute("SELECT max(v) FROM shop.t", catalog, engine="spark").notes)
    yield f"{catalog!r} {table!r} {table.store!r} {table.scan()!r} {catalog.metastore!r} {catalog.options!r}"
    for failing in (f"SELECT * FROM {name}.shop.missing", f"SELECT * FROM {name}.shop.t VERSION AS OF 'missing'"):
        try:
            spark.sql(failing).collect()
        except (PySparkException, wb.WorkbenchError):
            yield traceback.format_exc()
    spark.sql(f"DROP DATABASE {name}.shop CASCADE")


def main(folder: Path, catalogs: Mapping[str, Mapping[str, str]]) -> None:
    """Write all texts into the folder."""
    session = started(folder, ())
    for name, options in catalogs.items():
        seen = texts(session, wb.connect(options), name, folder)
        (folder / f"{name}.txt").write_text("\n".join(seen))
    (folder / "pages.txt").write_text("\n".join(pages(session)))
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
