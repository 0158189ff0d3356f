"""The parts of cases that need Python: DataFrames, streams, and files to load."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Place(NamedTuple):
    """Where a case runs: its session, and its folder for files."""

    spark: Any
    folder: Path


Step = Callable[[Place], Any]
STEPS: dict[str, Step] = {}


def step(function: Step) -> Step:
    """Make a function known by its name."""
    STEPS[function.__name__] = function
    return function


def _frame(at: Place, *rows: tuple[Any, ...], schema: str = "id INT, name STRING, day STRING") -> Any:
    return at.spark.createDataFrame(list(rows), schema)


@step
def save_new_table(at: Place) -> None:
    frame = _frame(at, (1, "pen", "mon"), (2, "ink", "tue"))
    frame.write.format("paimon").option("primary-key", "id,day").option("bucket", "1").partitionBy("day").saveAsTable(
        "saved"
    )


@step
def save_appends(at: Place) -> None:
    frame = _frame(at, ("wed", "cap", 3), schema="day STRING, name STRING, id INT")
    frame.write.format("paimon").mode("append").saveAsTable("saved")


@step
def save_refuses_surplus_columns(at: Place) -> None:
    frame = _frame(at, (4, "x", "thu", 1), schema="id INT, name STRING, day STRING, more INT")
    frame.write.format("paimon").mode("append").saveAsTable("saved")


@step
def save_existing_fails(at: Place) -> None:
    _frame(at, (4, "x", "thu")).write.format("paimon").saveAsTable("saved")


@step
def save_ignores_existing(at: Place) -> None:
    _frame(at, (4, "x", "thu")).write.format("paimon").mode("ignore").saveAsTable("saved")


@step
def save_overwrites(at: Place) -> None:
    _frame(at, (9, "new", "sun")).write.format("paimon").mode("overwrite").saveAsTable("saved")


@step
def insert_into_by_position(at: Place) -> None:
    frame = _frame(at, (5, "hat", "fri"), schema="a INT, b STRING, c STRING")
    frame.write.format("paimon").mode("append").insertInto("saved")


@step
def insert_into_overwrites(at: Place) -> None:
    _frame(at, (6, "bag", "mon")).write.insertInto("saved", overwrite=True)


@step
def write_to_append(at: Place) -> None:
    _frame(at, (7, "cup", "mon")).writeTo("paimon.lab.saved").append()


@step
def write_to_overwrite_partitions(at: Place) -> None:
    _frame(at, (8, "jar", "mon")).writeTo("saved").overwritePartitions()


@step
def write_to_overwrite_condition(at: Place) -> None:
    from pyspark.sql.functions import col

    _frame(at, (10, "fan", "mon")).writeTo("saved").overwrite(col("day") == "mon")


@step
def write_to_create(at: Place) -> None:
    from pyspark.sql.functions import col

    frame = _frame(at, (1, "pen", "mon"), (2, "ink", "tue"))
    frame.writeTo("created").using("paimon").partitionedBy(col("day")).tableProperty("bucket", "-1").create()


@step
def write_to_create_again(at: Place) -> None:
    _frame(at, (1, "pen", "mon")).writeTo("created").using("paimon").create()


@step
def write_to_replace(at: Place) -> None:
    _frame(at, (1, 2.5), schema="id INT, price DOUBLE").writeTo("created").using("paimon").createOrReplace()


@step
def write_to_replace_missing(at: Place) -> None:
    _frame(at, (1, 2.5), schema="id INT, price DOUBLE").writeTo("nothing").using("paimon").replace()


@step
def save_with_merge_schema(at: Place) -> None:
    frame = _frame(at, (3, "z", "mon", 1.5), schema="id INT, name STRING, day STRING, price DOUBLE")
    frame.write.format("paimon").mode("append").option("write.merge-schema", "true").saveAsTable("saved")


@step
def save_with_type_widening(at: Place) -> None:
    frame = _frame(at, (5_000_000_000, "w", "mon"), schema="id BIGINT, name STRING, day STRING")
    options = {"write.merge-schema": "true", "write.merge-schema.type-widening": "true"}
    frame.write.format("paimon").mode("append").options(**options).saveAsTable("saved")


@step
def read_by_name(at: Place) -> Any:
    return at.spark.read.format("paimon").table("saved")


@step
def read_by_name_with_snapshot(at: Place) -> Any:
    return at.spark.read.format("paimon").option("scan.snapshot-id", 1).table("saved")


@step
def read_by_name_with_tag(at: Place) -> Any:
    return at.spark.read.option("scan.tag-name", "first").table("saved")


@step
def read_between(at: Place) -> Any:
    return at.spark.read.format("paimon").option("incremental-between", "1,2").table("saved")


@step
def read_with_version(at: Place) -> Any:
    return at.spark.read.format("paimon").option("versionAsOf", "1").table("saved")


@step
def table_filtered(at: Place) -> Any:
    return at.spark.table("paimon.lab.saved").where("id > 1").select("name")


@step
def catalog_functions(at: Place) -> Any:
    facts = [
        ("tableExists", str(at.spark.catalog.tableExists("saved"))),
        ("missing", str(at.spark.catalog.tableExists("nothing"))),
        ("database", at.spark.catalog.currentDatabase()),
        ("tables", str([each.name for each in at.spark.catalog.listTables()])),
        (
            "columns",
            str([(each.name, each.dataType, each.isPartition) for each in at.spark.catalog.listColumns("saved")]),
        ),
        ("databaseExists", str(at.spark.catalog.databaseExists("lab"))),
    ]
    return at.spark.createDataFrame(facts, "what STRING, answer STRING")


@step
def merge_into_frame(at: Place) -> None:
    source = _frame(at, (1, "PEN", "mon"), (20, "new", "tue"), schema="id INT, name STRING, day STRING")
    from pyspark.sql.functions import expr

    source.alias("s").mergeInto(
        "saved", expr("saved.id = s.id")
    ).whenMatched().updateAll().whenNotMatched().insertAll().merge()
