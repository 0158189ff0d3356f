"""Spark with the official Paimon connector behind the request loop: one session over one warehouse.

Arguments: the jar of the connector, the warehouse.
"""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from serve import serve, write_rows

JAR, WAREHOUSE = sys.argv[1:3]
SPARK = (
    SparkSession.builder.master("local[1]")
    .config("spark.jars", JAR)
    .config("spark.sql.extensions", "org.apache.paimon.spark.extensions.PaimonSparkSessionExtensions")
    .config("spark.sql.catalog.paimon", "org.apache.paimon.spark.SparkCatalog")
    .config("spark.sql.catalog.paimon.warehouse", WAREHOUSE)
    .config("spark.sql.defaultCatalog", "paimon")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.sql.timestampType", "TIMESTAMP_NTZ")
    .config("spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED")
    .config("spark.sql.sources.partitionOverwriteMode", "dynamic")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.memory", "1g")
    .config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC -XX:+UseSerialGC -XX:TieredStopAtLevel=1")
    .getOrCreate()
)


def sql(request: dict[str, Any]) -> dict[str, Any]:
    SPARK.sql(request["sql"]).collect()
    return {}


def insert(request: dict[str, Any]) -> dict[str, Any]:
    """Insert the rows of a Parquet file, each column by its expression."""
    SPARK.read.parquet(request["rows"]).createOrReplaceTempView("stage")
    how = "OVERWRITE" if request["overwrite"] else "INTO"
    SPARK.sql(f"INSERT {how} {request['table']} SELECT {', '.join(request['expressions'])} FROM stage")
    return {}


def read(request: dict[str, Any]) -> dict[str, Any]:
    result = SPARK.read.options(**request["options"]).table(request["table"])
    batches = result._collect_as_arrow()
    # An empty read carries no types.
    table = pa.Table.from_batches(batches) if batches else pa.table({name: pa.nulls(0) for name in result.columns})
    write_rows(table, request["out"])
    return {}


if __name__ == "__main__":
    serve({"sql": sql, "insert": insert, "read": read})
