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
    """Register a function as a step under its name."""
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


@step
def files_to_load(at: Place) -> None:
    texts = {
        "plain/a.csv": "1,pen,1.5\n2,ink,2.5\n",
        "plain/b.csv": "3,cup,3.5\n",
        "plain/skip.txt": "4,hat,4.5\n",
        "plain/below/c.csv": "5,bag,5.5\n",
        "header/a.csv": "id,name,price\n1,pen,1.5\n",
        "marks/a.csv": '1|NULL|1.5\n2||\n3|"a|b"|\\N\n4|"say \\"x\\""|4\n',
        "bad/good.csv": "1,pen,1.5\n2,ink,2.5\n",
        "bad/mixed.csv": "3,cup,3.5\nx,hat,4.5\n5,bag\n6,fan,6.5,more\n",
        "bad/worst.csv": "y,jar,1\n",
        "two/a.csv": "1,pen\n2,ink\n",
        "lines/a.json": '{"name": "pen", "id": 1, "price": 1.5}\n{"id": 2, "more": true}\n',
        "lists/a.json": '[{"id": 1, "name": "pen"},\n {"id": 2, "name": ""}]\n',
        "badlines/a.json": '{"id": 1, "name": "pen"}\n{"id": "x", "name": "ink"}\n{broken\n',
        "empty/a.csv": "",
    }
    for name, text in texts.items():
        path = at.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (at.folder / "none").mkdir()
    frame = _frame(at, (1, "pen", "7"), (2, "ink", "x"), schema="ID BIGINT, name STRING, price STRING")
    frame.coalesce(1).write.parquet(str(at.folder / "columns"))
    _frame(at, (1, "pen"), schema="id INT, more STRING").coalesce(1).write.parquet(str(at.folder / "other"))


@step
def exported_csv(at: Place) -> Any:
    return at.spark.read.option("header", True).csv(str(at.folder / "csv"))


@step
def exported_json(at: Place) -> Any:
    return at.spark.read.json(str(at.folder / "json"))


@step
def exported_parquet(at: Place) -> Any:
    return at.spark.read.parquet(str(at.folder / "parquet"))


def _location(at: Place, table: str) -> str:
    rows = at.spark.sql(f"DESCRIBE EXTENDED {table}").collect()
    return next(row[1] for row in rows if row[0] == "Location")


@step
def insert_with_merge_schema(at: Place) -> None:
    frame = _frame(at, (4, "i", "tue", 2.5, True), schema="id INT, name STRING, day STRING, price DOUBLE, new BOOLEAN")
    frame.write.format("paimon").mode("append").option("write.merge-schema", "true").insertInto("saved")


@step
def write_to_with_merge_schema(at: Place) -> None:
    frame = _frame(at, (6, "v", 7), schema="id INT, name STRING, extra INT")
    frame.writeTo("saved").option("write.merge-schema", "true").append()


@step
def save_path_with_merge_schema(at: Place) -> None:
    frame = _frame(at, (8, "p", 9), schema="id INT, name STRING, more INT")
    options = {"write.merge-schema": "true"}
    frame.write.format("paimon").mode("append").options(**options).save(_location(at, "saved"))


@step
def save_with_explicit_cast(at: Place) -> None:
    frame = _frame(at, (9, 5), schema="id INT, name INT")
    options = {"write.merge-schema": "true", "write.merge-schema.type-widening": "true"}
    options["write.merge-schema.explicit-cast"] = "true"
    frame.write.format("paimon").mode("append").options(**options).saveAsTable("saved")


@step
def overwrite_with_merge_schema(at: Place) -> None:
    frame = _frame(at, (1, "only", 3), schema="id INT, name STRING, last INT")
    frame.write.format("paimon").mode("overwrite").option("write.merge-schema", "true").saveAsTable("saved")


@step
def save_new_path(at: Place) -> None:
    frame = _frame(at, (1, "pen", "mon"), (2, "ink", "tue"))
    path = _location(at, "saved").replace("/saved", "/by_path")
    frame.write.format("paimon").option("primary-key", "id,day").partitionBy("day").save(path)


@step
def save_append_path(at: Place) -> None:
    frame = _frame(at, (3, "cap", "wed"))
    frame.write.format("paimon").mode("append").save(_location(at, "saved"))


@step
def save_overwrite_path(at: Place) -> None:
    frame = _frame(at, (4, "hat", "thu"))
    frame.write.format("paimon").mode("overwrite").save(_location(at, "saved"))


@step
def load_path(at: Place) -> Any:
    return at.spark.read.format("paimon").load(_location(at, "saved"))


@step
def load_path_of_snapshot(at: Place) -> Any:
    return at.spark.read.format("paimon").option("scan.snapshot-id", "1").load(_location(at, "saved"))


@step
def load_path_between(at: Place) -> Any:
    return at.spark.read.format("paimon").option("incremental-between", "1,2").load(_location(at, "saved"))


@step
def load_system_table(at: Place) -> Any:
    return at.spark.read.format("paimon").load(_location(at, "saved") + "$snapshots").select("snapshot_id")


@step
def load_changelog(at: Place) -> Any:
    return at.spark.read.format("paimon").option("read.changelog", "true").load(_location(at, "saved"))


@step
def load_by_options(at: Place) -> Any:
    options = {"catalog": "paimon", "database": "lab", "table": "saved"}
    return at.spark.read.format("paimon").options(**options).load(_location(at, "saved"))


@step
def load_schema(at: Place) -> Any:
    return at.spark.read.format("paimon").schema("id INT, name STRING").load(_location(at, "saved"))


@step
def read_with_latest_full(at: Place) -> Any:
    return at.spark.read.option("scan.mode", "latest-full").table("saved")


@step
def read_with_split_size(at: Place) -> Any:
    options = {"source.split.target-size": "1 kb", "source.split.open-file-cost": "1 kb"}
    return at.spark.read.options(**options).table("saved")


@step
def read_without_full_scan(at: Place) -> Any:
    return at.spark.read.option("read.allow.fullScan", "false").table("saved")


@step
def read_partition_without_full_scan(at: Place) -> Any:
    return at.spark.read.option("read.allow.fullScan", "false").table("saved").where("day = 'mon'")


@step
def read_unknown_option(at: Place) -> Any:
    return at.spark.read.option("something.else", "1").table("saved")


@step
def save_with_v2_write(at: Place) -> None:
    frame = _frame(at, (11, "v2", "mon"))
    frame.write.format("paimon").mode("append").option("write.use-v2-write", "true").saveAsTable("saved")


@step
def temporary_view(at: Place) -> None:
    at.spark.table("saved").where("id > 1").createOrReplaceTempView("some_saved")


@step
def variant_values(at: Place) -> Any:
    frame = at.spark.table("v")
    return frame.selectExpr("k", "to_json(a) AS text", "variant_get(a, '$.x', 'int') AS x")


@step
def save_overwrites_with_more_columns(at: Place) -> None:
    frame = _frame(at, (9, "new", "sun", 1), schema="id INT, name STRING, day STRING, more INT")
    frame.write.format("paimon").mode("overwrite").saveAsTable("saved")


@step
def save_overwrites_with_fewer_columns(at: Place) -> None:
    _frame(at, (7, "sat"), schema="id INT, day STRING").write.format("paimon").mode("overwrite").saveAsTable("saved")


@step
def save_overwrites_with_options(at: Place) -> None:
    frame = _frame(at, (5, "few", "fri"))
    frame.write.format("paimon").mode("overwrite").option("bucket", "3").partitionBy("day").saveAsTable("saved")


@step
def write_to_create_or_replace(at: Place) -> None:
    _frame(at, (1, 2.5), schema="id INT, price DOUBLE").writeTo("saved").using("paimon").createOrReplace()
