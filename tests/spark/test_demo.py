"""The demo pipeline on the whole data set: the resulting warehouse, and the output of the command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pytest

import workbench as wb
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.demo.__main__ import main
from workbench.demo.plan import plan_loads
from workbench.demo.tables import FLIGHTS, SMALL_TABLES, CsvTable, State, state_of
from workbench.lens.levels import collect_buckets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.table.table import Table

# Ordinary tests build the demo without Spark, see tests/unit/demo.
pytestmark = [pytest.mark.spark, pytest.mark.long]


@pytest.fixture(scope="module")
def warehouse(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from workbench.demo.pipeline import build

    directory = tmp_path_factory.mktemp("demo")
    build(wb.connect(directory), spark)
    return directory


@pytest.fixture(scope="module")
def catalog(warehouse: Path) -> FileSystemCatalog:
    return wb.connect(warehouse)


@pytest.fixture(scope="module")
def flights(catalog: FileSystemCatalog) -> Table:
    return catalog.get_table(FLIGHTS.full_name)


def csv_rows(table: CsvTable, schema: pa.Schema, scratch: Path) -> pa.Table:
    """The CSV file as Arrow reads it."""
    return pa.csv.read_csv(
        table.source.extract(scratch),
        convert_options=pa.csv.ConvertOptions(
            column_types=dict(zip(schema.names, schema.types, strict=True)),
            null_values=["NA"],
            strings_can_be_null=True,
        ),
    )


def in_order(rows: pa.Table, keys: tuple[str, ...]) -> pa.Table:
    return rows.sort_by([(name, "ascending") for name in keys]).combine_chunks()


def test_flights_are_those_of_the_file_that_left(flights: Table, tmp_path: Path) -> None:
    whole = csv_rows(FLIGHTS, flights.arrow_schema, tmp_path)
    assert whole.num_rows == 336_776
    left = whole.filter(pc.is_valid(whole["dep_time"]))
    expected = in_order(left, FLIGHTS.primary_key)
    rows = in_order(flights.to_arrow(), FLIGHTS.primary_key)
    assert rows.num_rows == 328_521
    for name in expected.column_names:
        assert rows[name].equals(expected[name]), name


@pytest.mark.parametrize("each", SMALL_TABLES, ids=lambda each: each.name)
def test_small_tables_are_their_files(each: CsvTable, catalog: FileSystemCatalog, tmp_path: Path) -> None:
    table = catalog.get_table(each.full_name)
    keys = each.primary_key or ("origin", "time_hour")
    expected = in_order(csv_rows(each, table.arrow_schema, tmp_path), keys)
    rows = in_order(table.to_arrow(), keys)
    for name in expected.column_names:
        assert rows[name].equals(expected[name]), name


def test_spark_reads_the_same(spark: SparkSession, flights: Table) -> None:
    frame = wb.spark.read(flights, ["month", "dep_delay"], session=spark)
    per_month = {row["month"]: row["count"] for row in frame.groupBy("month").count().collect()}
    counted = pc.value_counts(flights.to_arrow(["month"])["month"]).to_pylist()
    assert per_month == {each["values"]: each["counts"] for each in counted}


def test_each_load_is_one_commit(flights: Table) -> None:
    appended = [snapshot for snapshot in flights.snapshots() if snapshot.commit_kind == "APPEND"]
    # The only other commit is the mistaken update.
    assert len(appended) == len(plan_loads(12)) + 1


def test_compactions_ran_for_different_reasons(flights: Table) -> None:
    from workbench.demo.report import compaction_reasons

    compacted = [snapshot for snapshot in flights.snapshots() if snapshot.commit_kind == "COMPACT"]
    reasons = {reason for snapshot in compacted for reason in compaction_reasons(snapshot)}
    assert {"size-ratio", "size-amplification"} <= reasons
    assert all(compaction_reasons(snapshot) for snapshot in compacted)


def test_a_tree_has_three_levels(flights: Table) -> None:
    levels = {bucket.label: {run.level for run in bucket.runs} for bucket in collect_buckets(flights).buckets}
    assert levels["month=12, bucket 0"] == levels["month=12, bucket 1"] == {0, 4, 5}


def test_cancelled_flights_are_deletes(flights: Table) -> None:
    written = [snapshot.id for snapshot in flights.snapshots() if snapshot.commit_kind == "APPEND"]
    kinds = pc.value_counts(flights.changes(written[-2], written[-1])["rowkind"]).to_pylist()
    assert kinds == [{"values": "-D", "counts": 1_025}]


def test_schedules_are_independent_of_the_flight(flights: Table) -> None:
    scheduled = flights.at(snapshot=1).to_arrow()
    assert scheduled.num_rows == 336_776
    for name in ("dep_time", "dep_delay", "arr_time", "arr_delay", "air_time", "tailnum"):
        assert scheduled[name].null_count == scheduled.num_rows, name


def test_a_second_run_reports_the_existing_tables(
    warehouse: Path, catalog: FileSystemCatalog, flights: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    before = flights.snapshot().id
    assert state_of(catalog) is State.WHOLE
    assert main([str(warehouse)]) == 0
    reported = capsys.readouterr().out
    assert f"The demo already exists in {warehouse}" in reported
    for text in ("328,521", "size-amplification", "month=12", "-D 1,025", "nyc.flights"):
        assert text in reported, text
    assert flights.snapshot().id == before
