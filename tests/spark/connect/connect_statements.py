"""Uses an attached session of Spark Connect, and prints what each step returns. Argument: ``warehouse``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

import workbench as wb
from tests.support.spark_places import CONNECT, small_session
from workbench.base.errors import WorkbenchError

Rows: TypeAlias = Callable[[str, Any], None]
"""Notes the rows of a DataFrame under a name."""


def run_queries(spark: Any, rows: Rows) -> None:
    """Create a table, and query it."""
    spark.sql("CREATE DATABASE paimon.shop")
    spark.sql("USE paimon.shop")
    spark.sql("CREATE TABLE t (id INT, v STRING, day STRING) PARTITIONED BY (day) TBLPROPERTIES ('bucket' = '-1')")
    spark.sql("INSERT INTO t VALUES (1, 'a', 'mon'), (2, 'b', 'tue')")
    spark.sql("INSERT INTO paimon.shop.t (day, id) SELECT 'wed', id + 2 FROM t WHERE id = 1")
    rows("query", spark.sql("SELECT t.id, x.v FROM t LEFT JOIN paimon.shop.t x ON t.id = x.id"))
    rows("parameters", spark.sql("SELECT v FROM t WHERE id = :id", {"id": 2}))
    rows("version", spark.sql("SELECT count(*) FROM t VERSION AS OF 1"))
    rows("changes", spark.sql("SELECT id FROM paimon_incremental_query('t', 1, 1 + 1)"))
    rows("options", spark.sql("SELECT t.id FROM t WITH ('scan.snapshot-id' = '1') WHERE t.id > 1"))
    rows("hidden", spark.sql("SELECT *, __paimon_bucket FROM t WHERE id = 1"))


def run_writes(spark: Any, rows: Rows) -> Any:
    """Write a DataFrame in each way, and return it."""
    from pyspark.sql.functions import col

    frame = spark.createDataFrame([(5, "e", "mon")], "id INT, v STRING, day STRING")
    frame.writeTo("paimon.shop.t").append()
    frame.write.insertInto("t")
    frame.select("day", "v", "id").write.format("paimon").mode("append").saveAsTable("t")
    rows("appended", spark.table("t").where("id = 5"))
    frame.writeTo("t").overwrite(col("day") == "mon")
    rows("overwritten", spark.read.table("t"))
    frame.writeTo("t").overwritePartitions()
    frame.writeTo("copy").using("paimon").partitionedBy(col("day")).create()
    frame.limit(0).writeTo("copy").using("paimon").createOrReplace()
    rows("copy", spark.sql("SELECT count(*) FROM copy"))
    return frame


def run_changes(spark: Any, rows: Rows, frame: Any) -> None:
    """Change rows by statements over temporary views, and call functions."""
    frame.createOrReplaceTempView("frame")
    spark.sql("CREATE TEMPORARY VIEW late AS SELECT * FROM t WHERE day = 'wed'")
    spark.sql("UPDATE t SET v = 'c' WHERE id IN (SELECT max(id) - 2 FROM frame)")
    rows("views", spark.sql("SELECT late.id, late.v, frame.v FROM late JOIN frame"))
    spark.sql("MERGE INTO t USING frame ON t.id = frame.id WHEN MATCHED THEN UPDATE SET v = frame.v || '!'")
    spark.sql("DELETE FROM t WHERE id = 2")
    rows("changed", spark.sql("SELECT id, v FROM t"))
    functions = "sys.bucket(4, id), paimon.sys.mod_bucket(3, id), sys.hive_bucket(4, id)"
    rows("functions", spark.sql(f"SELECT {functions}, sys.descriptor_to_string(sys.path_to_descriptor('a')) FROM t"))


def run_merges(spark: Any, rows: Rows) -> None:
    """Merge a DataFrame into a table."""
    from pyspark.sql.functions import col, expr, lit

    spark.sql("CREATE TABLE merged (id INT, v STRING, n BIGINT) TBLPROPERTIES ('primary-key' = 'id', 'bucket' = '2')")
    spark.sql("INSERT INTO merged VALUES ('1', 'a', 10), ('2', 'b', 20), ('3', 'c', 30), ('4', 'd', 40)")
    spark.sql("UPDATE merged SET n = '41' WHERE id = 4")
    source = spark.createDataFrame([(2, "B"), (3, "C"), (9, "N")], "id INT, v STRING")
    merging = source.mergeInto("paimon.shop.merged", col("paimon.shop.merged.id") == source.id)
    merging = merging.whenMatched(source.v == "B").update({"v": source.v, "n": lit("77")}).whenMatched().delete()
    merging = merging.whenNotMatched().insert({"id": col("id"), "v": expr("lower(v)")})
    merging.whenNotMatchedBySource(col("n") > 30).update({"merged.v": lit("alone")}).merge()
    rows("merged", spark.table("merged"))


def run_settings(spark: Any, rows: Rows) -> dict[str, Any]:
    """Read with settings of the session, and return what it refuses and what the catalog lists."""
    from pyspark.errors import AnalysisException

    found: dict[str, Any] = {}
    try:
        spark.sql("SELECT * FROM missing_table")
    except AnalysisException as error:
        found["refused"] = isinstance(error, WorkbenchError)
    rows("call", spark.sql("CALL sys.create_tag(table => 'shop.t', tag => 'one', snapshot => 1)"))
    spark.conf.set("spark.paimon.scan.tag-name", "one")
    rows("setting", spark.sql("SELECT id FROM t"))
    spark.conf.unset("spark.paimon.scan.tag-name")
    rows("empty", spark.sql("SHOW VIEWS"))
    found["catalog"] = [
        spark.catalog.currentCatalog(),
        spark.catalog.currentDatabase(),
        sorted(each.name for each in spark.catalog.listTables() if not each.isTemporary),
        spark.catalog.tableExists("t"),
        spark.catalog.tableExists("nothing"),
        [each.name for each in spark.catalog.listColumns("t")],
    ]
    return found


def stale_frames(spark: Any) -> list[str]:
    """Use frames of a table that is gone, and return the names of their errors."""
    spark.sql("CREATE TABLE gone (id INT)")
    spark.sql("INSERT INTO gone VALUES (1)")
    frames = [spark.sql("SELECT id FROM gone WHERE id > 0"), spark.table("gone"), spark.read.table("gone").select("id")]
    spark.sql("DROP TABLE gone")
    return [_error_of(frame) for frame in frames]


def _error_of(frame: Any) -> str:
    try:
        return str(frame.collect())
    except WorkbenchError as error:
        return type(error).__name__


def run_stream(spark: Any, rows: Rows, warehouse: str) -> None:
    """Copy a table by a stream."""
    stream = spark.readStream.table("t").writeStream.format("paimon")
    spark.sql("CREATE TABLE streamed (id INT, v STRING, day STRING)")
    query = stream.option("checkpointLocation", f"{warehouse}-checkpoint").trigger(availableNow=True)
    query.start("shop.streamed").awaitTermination()
    rows("streamed", spark.sql("SELECT count(*) FROM streamed"))
    spark.sql("CREATE TABLE named (id INT, v STRING, day STRING)")
    for number, name in enumerate(("named", "paimon.shop.named")):
        stream = spark.readStream.table("t").writeStream.trigger(availableNow=True)
        stream.option("checkpointLocation", f"{warehouse}-checkpoint-{number}").toTable(name).awaitTermination()
    rows("streamed by name", spark.sql("SELECT count(*) FROM named"))
    stream = spark.readStream.table("t").writeStream.trigger(availableNow=True)
    stream = stream.option("checkpointLocation", f"{warehouse}-checkpoint-b")
    batches = stream.foreachBatch(lambda batch, _: batch.write.format("paimon").mode("append").save("shop.named"))
    batches.start().awaitTermination()
    rows("streamed in batches", spark.sql("SELECT count(*) FROM named"))


def run_other_sessions(spark: Any, rows: Rows) -> None:
    """Query the catalog in another session, and switch this session to another catalog."""
    other = spark.newSession()
    rows("new session", other.sql("SELECT count(*) FROM paimon.shop.t"))
    # Otherwise the other session waits for the server when the process ends.
    other.client.close()
    spark.sql("USE spark_catalog")
    rows("server", spark.sql("SELECT current_catalog()"))


def main(warehouse: str) -> None:
    """Run the steps."""
    server = small_session("connect", CONNECT)
    spark = wb.spark.attach(server, wb.connect(warehouse))
    found: dict[str, Any] = {}

    def rows(name: str, frame: Any) -> None:
        found[name] = sorted([*row] for row in frame.collect())

    run_queries(spark, rows)
    frame = run_writes(spark, rows)
    run_changes(spark, rows, frame)
    run_merges(spark, rows)
    found |= run_settings(spark, rows)
    found["stale"] = stale_frames(spark)
    run_stream(spark, rows, warehouse)
    run_other_sessions(spark, rows)
    print(json.dumps(found, default=str))
    server.stop()


if __name__ == "__main__":
    main(sys.argv[1])
