"""Loads the demo with Spark, which reads the CSV files and writes the rows in tasks."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import workbench as wb
from workbench.base.progress import Progress
from workbench.demo.build import build as build_with
from workbench.demo.events import GAINED
from workbench.demo.plan import CHANGE, LAST_MONTH, Load
from workbench.demo.source import NOT_KNOWN
from workbench.demo.tables import FLIGHTS, CsvTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from workbench.catalog.catalog import Catalog
    from workbench.table.table import Table


def build(catalog: Catalog, session: SparkSession, months: int = LAST_MONTH, progress: Progress | None = None) -> None:
    """Build the demo with Spark; see `workbench.demo.build.build`."""
    with (
        TemporaryDirectory(prefix="workbench-demo-") as scratch,
        closing(SparkLoader(session, Path(scratch))) as loader,
    ):
        build_with(catalog, loader, months, progress)


class SparkLoader:
    """Writes rows of the CSV files into tables with Spark."""

    def __init__(self, session: SparkSession, scratch: Path) -> None:
        self._session = session
        self._scratch = scratch
        self._flights: DataFrame | None = None

    def load(self, load: Load, flights: Table) -> None:
        """Write one load as a commit. Rows are complete: values not known yet are null."""
        if self._flights is None:
            self._flights = self._read(FLIGHTS, flights).cache()
        rows = changes(self._flights, load)
        if GAINED in flights.arrow_schema.names and {"dep_delay", "arr_delay"} <= set(rows.columns):
            rows = rows.withColumn(GAINED, rows.dep_delay - rows.arr_delay)
        wb.spark.write(rows, flights, row_kind=CHANGE)

    def copy(self, demo_table: CsvTable, table: Table) -> None:
        """Write a whole file as a commit."""
        wb.spark.write(self._read(demo_table, table), table)

    def close(self) -> None:
        """Release the cached rows."""
        if self._flights is not None:
            self._flights.unpersist()

    def _read(self, demo_table: CsvTable, table: Table) -> DataFrame:
        """Return the rows of a CSV file with the table's types; a value that does not fit is an error."""
        from workbench.spark.types import spark_schema

        path = demo_table.source.extract(self._scratch)
        reader = self._session.read.schema(spark_schema(table.schema.fields)).options(
            header=True, enforceSchema=False, nullValue=NOT_KNOWN, mode="FAILFAST"
        )
        return reader.csv(path.as_uri())


def changes(flights: DataFrame, load: Load) -> DataFrame:
    """Return the rows of one load with the column `CHANGE`."""
    from pyspark.sql import functions

    rows = flights.where(functions.col("month").isin(*load.months))
    rows = rows.where(functions.col("day").between(load.first_day, load.last_day))
    if load.phase.has_left is not None:
        left = functions.col("dep_time").isNotNull()
        rows = rows.where(left if load.phase.has_left else ~left)
    return rows.drop(*load.phase.unknown).withColumn(CHANGE, functions.lit(load.phase.row_kind))
