"""Spark statements on a warehouse in a store, with a Python data source, SQL and DataFrames.

A process has one Spark context, so the test runs this file as a separate process: with a folder, which receives all
texts that people, files and browsers could see, and a JSON object with the URL of the warehouse and its options.
"""

from __future__ import annotations

import json
import sys
import traceback
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import workbench as wb
from tests.support.spark_places import small_session
from workbench.sql.execute import execute

_PAGES = (
    "api/v1/applications/{id}/environment",
    "api/v1/applications/{id}/sql?details=true&planDescription=true&length=1000",
    "api/v1/applications/{id}/jobs",
    "api/v1/applications/{id}/stages",
    "environment/",
    "SQL/",
    "SQL/execution/?id=0",
)


def started(folder: Path, jars: Sequence[str]) -> Any:
    """Return a session whose events are logged as plain text, and whose pages are served."""
    events = folder / "events"
    events.mkdir()
    return small_session(
        "stores",
        more={
            # Jars in spark.jars would be copied.
            "spark.driver.extraClassPath": ":".join(jars),
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": events.as_uri(),
            "spark.ui.enabled": "true",
            "spark.ui.port": "0",
        },
    )


def explained(frame: Any) -> str:
    """Return all plans of a DataFrame."""
    execution = frame._jdf.queryExecution()
    plans = (execution.logical(), execution.analyzed(), execution.optimizedPlan(), execution.executedPlan())
    return "\n".join([str(execution), *(str(plan.toJSON()) for plan in plans)])


def texts(session: Any, catalog: Any) -> Iterator[str]:
    """Run statements; yield their plans and results."""
    spark = wb.spark.attach(session, catalog)
    spark.sql("CREATE DATABASE IF NOT EXISTS paimon.shop")
    spark.sql(
        "CREATE TABLE paimon.shop.t (id BIGINT NOT NULL, v STRING) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '2')"
    )
    spark.sql("INSERT INTO paimon.shop.t SELECT id, concat('v', id) FROM range(100)")
    spark.sql("UPDATE paimon.shop.t SET v = 'updated' WHERE id < 10")
    table = catalog.get_table("shop.t")
    wb.spark.write(spark.range(100, 105).selectExpr("id", "'again' AS v"), table)
    frames = [
        spark.table("paimon.shop.t"),
        wb.spark.read(table, where="id > 5"),
        spark.sql("SELECT * FROM paimon.shop.`t$files`"),
    ]
    name = wb.spark.register(session, catalog)
    session.range(105, 107).selectExpr("id", "'source' AS v").write.format(name).mode("append").save("shop.t")
    frames.append(session.read.format(name).load("shop.t"))
    for frame in frames:
        yield f"{explained(frame)}\n{frame.collect()!r}\n{frame!r}"
    yield from _without_merge(spark, catalog)
    for statement in ("DESCRIBE EXTENDED", "SHOW CREATE TABLE", "SHOW TBLPROPERTIES"):
        yield repr(spark.sql(f"{statement} paimon.shop.t").collect())
    yield repr(sorted(row["id"] for row in table.to_arrow().to_pylist()))
    yield repr([*session.sparkContext.getConf().getAll(), *session.sql("SET").collect()])
    yield "\n".join(map(repr, _values(catalog, table)))


def _without_merge(spark: Any, catalog: Any) -> Iterator[str]:
    """Yield the plans of a table whose files Spark may read itself, and the program that wrote them."""
    table = catalog.create_table("shop.log", {"id": "BIGINT", "v": "STRING"}, options={"bucket": "-1"})
    files = "jvm" if catalog.warehouse.startswith("hdfs:") else "auto"
    rows = spark.range(1000).selectExpr("id", "string(id) AS v")
    yield f"Written by {wb.spark.write(rows, table, files=files).writer}"
    expected = [{"id": number, "v": str(number)} for number in range(991, 1000)]
    for frame in (wb.spark.read(table, where="id > 990"), spark.sql("SELECT * FROM paimon.shop.log WHERE id > 990")):
        found = [row.asDict() for row in frame.collect()]
        yield f"{explained(frame)}\n{'The rows are right' if found == expected else found}"
    yield f"The cell: {execute('SELECT max(v) FROM shop.log', catalog, engine='spark').notes}"


def _values(catalog: Any, table: Any) -> Iterator[Any]:
    yield from (
        catalog,
        catalog.options,
        catalog.metastore.file_io,
        table,
        table.store,
        table.scan(),
        table.snapshots(),
    )
    files = catalog.metastore.file_io
    while not hasattr(files, "_files"):
        yield files
        files = files.inner
    yield from (table.scan().plan(), files._files, files._files.inner.__dict__.get("session"))
    yield wb.compaction(table)


def errors(url: str, options: dict[str, str]) -> Iterator[str]:
    """Yield errors, with the tracebacks of all causes."""
    for place in ("s3://no-such-bucket/wh", url):
        try:
            wb.connect(place, **options).get_table("shop.missing")
        except wb.WorkbenchError:
            yield traceback.format_exc()


def pages(session: Any) -> Iterator[str]:
    """Yield the pages of Spark's own interface."""
    address = session.sparkContext.uiWebUrl
    for page in _PAGES:
        with urllib.request.urlopen(f"{address}/{page.format(id=session.sparkContext.applicationId)}") as answer:
            yield answer.read().decode()


def main(folder: Path, url: str, options: dict[str, str], jars: Sequence[str] = ()) -> None:
    """Write all texts into the folder, one file for each kind."""
    session = started(folder, jars)
    catalog = wb.connect(url, **options)
    (folder / "texts.txt").write_text("\n".join(texts(session, catalog)))
    (folder / "errors.txt").write_text("\n".join(errors(url, options)))
    (folder / "pages.txt").write_text("\n".join(pages(session)))
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), **json.loads(sys.argv[2]))
