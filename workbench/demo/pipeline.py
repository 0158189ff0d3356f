"""Runs the pipeline: Spark reads the CSV files and writes each load of the plan as one commit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import workbench as wb
from workbench.base.progress import Progress
from workbench.demo.plan import LAST_MONTH, Load, Phase, plan_loads
from workbench.demo.source import NOT_KNOWN
from workbench.demo.tables import DATABASE, FLIGHTS, SMALL_TABLES, DemoTable

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from workbench.catalog.protocol import Catalog
    from workbench.table.table import Table

CHANGE = "change"
"""The column with the row kind in the stream: +I, +U or -D. It is not stored."""

_KNOWN_AT_DEPARTURE = ("dep_time", "dep_delay", "tailnum")
_KNOWN_AT_ARRIVAL = ("arr_time", "arr_delay", "air_time")


def build(catalog: Catalog, session: SparkSession, months: int = LAST_MONTH, progress: Progress | None = None) -> None:
    """Create the database with all tables. Each load is one commit, followed by a compaction if its buckets need one.

    Raises:
        AlreadyExists: If the database exists.
    """
    progress = progress or Progress()
    loads = plan_loads(months)
    catalog.create_database(DATABASE)
    total = len(loads) + len(SMALL_TABLES)
    with TemporaryDirectory(prefix="workbench-demo-") as scratch, progress.step("Loading", total, "commits"):
        _load_flights(catalog, session, loads, Path(scratch), progress)
        for each in SMALL_TABLES:
            with progress.step(each.full_name, unit="rows"):
                table = each.create(catalog)
                wb.spark.write(read_csv(session, each, table, Path(scratch)), table)
            progress.advance()


def _load_flights(
    catalog: Catalog, session: SparkSession, loads: Sequence[Load], scratch: Path, progress: Progress
) -> None:
    table = FLIGHTS.create(catalog)
    flights = read_csv(session, FLIGHTS, table, scratch).cache()
    try:
        for load in loads:
            with progress.step(load.label, unit="rows"):
                wb.spark.write(changes(flights, load), table, row_kind=CHANGE)
            progress.advance()
    finally:
        flights.unpersist()


def read_csv(session: SparkSession, demo_table: DemoTable, table: Table, scratch: Path) -> DataFrame:
    """Return the CSV file of a table with the table's columns and types; a value that does not fit is an error."""
    from workbench.spark.types import spark_schema

    path = demo_table.source.extract(scratch)
    reader = session.read.schema(spark_schema(table.schema.fields)).options(
        header=True, enforceSchema=False, nullValue=NOT_KNOWN, mode="FAILFAST"
    )
    return reader.csv(path.as_uri())


def changes(flights: DataFrame, load: Load) -> DataFrame:
    """Return the rows of one load with the column `CHANGE`. Rows are complete: values not known yet are null."""
    from pyspark.sql import functions

    in_time = functions.col("month").isin(*load.months) & functions.col("day").between(load.first_day, load.last_day)
    has_left = functions.col("dep_time").isNotNull()
    later = (*_KNOWN_AT_DEPARTURE, *_KNOWN_AT_ARRIVAL)

    def rows(condition: Column, kind: str, unknown: Sequence[str]) -> DataFrame:
        return flights.where(condition).drop(*unknown).withColumn(CHANGE, functions.lit(kind))

    if load.phase is Phase.SCHEDULED:
        return rows(in_time, "+I", later)
    if load.phase is Phase.DEPARTED:
        return rows(in_time & has_left, "+U", _KNOWN_AT_ARRIVAL)
    if load.phase is Phase.LANDED:
        return rows(in_time & has_left, "+U", ())
    return rows(in_time & ~has_left, "-D", later)
