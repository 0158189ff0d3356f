"""Files that Spark's own writer makes: the tables are equal to those of this library's writer."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import workbench as wb
from tests.support.sampling import sampled
from workbench.base.errors import SchemaMismatch, Unsupported
from workbench.spark.reach import Reach
from workbench.spark.types import spark_schema
from workbench.spark.writing.jvm_choice import why_not_in_jvm
from workbench.spark.writing.placement import Placement

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

TYPES = {
    "id": "BIGINT NOT NULL",
    "b": "BOOLEAN",
    "t": "TINYINT",
    "s": "SMALLINT",
    "i": "INT",
    "f": "FLOAT",
    "d": "DOUBLE",
    "n": "DECIMAL(9, 2)",
    "m": "DECIMAL(18, 2)",
    "big": "DECIMAL(38, 10)",
    "day": "DATE",
    "us": "TIMESTAMP(6)",
    "at": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "c": "CHAR(5)",
    "text": "STRING",
    "raw": "BYTES",
    "r": "ROW<x INT, y ARRAY<STRING>>",
    "a": "ARRAY<INT>",
    "mm": "MAP<STRING, BIGINT>",
    "nothing": "STRING",
}
LONG = "x" * 5000


def row(number: int) -> tuple[Any, ...]:
    reals = (float("nan"), float("-inf"), -0.0, 1.5)
    return (
        number,
        number % 2 == 0,
        number - 3,
        -number,
        number * 70_000,
        float(number),
        reals[number % 4],
        Decimal(number) / 100,
        Decimal(-number) / 100,
        Decimal("-1234567890123456789012345678.0123456789") + number,
        date(1500 + number, 7, 20),
        datetime(1969, 7, 20, 20, 17, 40, 123456 + number),
        datetime(2026, 10, 25, 0, 30, number, tzinfo=UTC),
        "ab",
        LONG if number == 3 else f"größe 😀 and more than sixteen letters {number}",
        bytes([255] * number),
        (number, ["p", None]),
        [number, None],
        {"k": number, "l": None},
        None,
    )


ROWS = [*map(row, range(6)), (99, *([None] * 19))]
LAYOUTS = [
    ([], [], {}),
    ([], ["c", "day"], {}),
    ([], [], {"bucket": "2", "bucket-key": "text"}),
    (["id"], [], {"bucket": "3", "file.compression": "snappy"}),
    (["text", "id"], [], {"bucket": "1", "data-file.thin-mode": "true"}),
    (["i", "day", "id", "n"], ["i", "day"], {"bucket": "2", "write-only": "true"}),
]
FACTS = ["partition", "bucket", "level", "record_count", "schema_id", "min_key", "max_key", "file_format"]
STATS = ["null_value_counts", "min_value_stats", "max_value_stats"]


def facts(catalog: Any, name: str) -> list[Any]:
    rows = catalog.open(f"{name}$files").to_arrow([*FACTS, *STATS]).to_pylist()
    return sorted(rows, key=str)


@pytest.mark.parametrize("layout", sampled(LAYOUTS, 3))
def test_both_ways_write_equal_tables(
    spark: Any, catalog: Any, layout: tuple[list[str], list[str], dict[str, str]]
) -> None:
    keys, partitions, options = layout
    needed = {name: f"{kind} NOT NULL" if name in keys and name != "id" else kind for name, kind in TYPES.items()}
    rows = [each for each in ROWS if not keys or (each[0] != 99 or keys == ["id"])]
    found = {}
    for way in ("arrow", "jvm"):
        table = catalog.create_table(f"shop.{way}", needed, keys, partitions, options)
        frame = spark.createDataFrame(rows, spark_schema(table.schema.fields)).coalesce(1)
        for part in (frame, frame.where("id < 3")):
            assert wb.spark.write(part, table, files=way).rows == part.count()
        found[way] = table.to_arrow().sort_by("id")
        assert not list(Path(table.location).glob(".workbench*"))
        assert not list(Path(table.location).rglob("*.crc"))
    assert found["jvm"].num_rows == len(rows) + (0 if keys else 3)
    # NaN does not equal itself.
    assert sorted(map(str, found["jvm"].to_pylist())) == sorted(map(str, found["arrow"].to_pylist()))
    assert found["jvm"].schema == found["arrow"].schema
    assert facts(catalog, "shop.jvm") == facts(catalog, "shop.arrow")


def test_the_last_row_of_a_key_wins_and_files_are_sorted(spark: Any, catalog: Any) -> None:
    columns = {"p": "INT", "k": "STRING", "v": "BIGINT"}
    table = catalog.create_table("shop.k", columns, ["p", "k"], ["p"], {"bucket": "2"})
    for sign in range(7):
        frame = spark.range(0, 6000, 1, 5).selectExpr(
            "cast(id % 3 as int) AS p", "concat('k', id % 900) AS k", "id AS v"
        )
        commit = wb.spark.write(frame.selectExpr("p", "k", f"v + {sign} AS v"), table, files="jvm")
        assert commit.snapshots[0].commit_kind == "APPEND"
    rows = table.to_arrow()
    assert rows.num_rows == 900
    assert min(rows.column("v").to_pylist()) == 5100 + 6
    # The writer leaves compaction to a separate job, which the table's compaction picker requests.
    assert {each.commit_kind for each in table.snapshots()} == {"APPEND", "COMPACT"}
    for path in Path(table.location).rglob("data-*.parquet"):
        keys = pq.ParquetFile(path).read(["_KEY_k"]).column(0).to_pylist()
        assert keys == sorted(set(keys))
    table.compact(full=True)
    assert table.to_arrow().sort_by("v").equals(rows.sort_by("v"))


def test_overwrites_and_large_inputs_choose_by_themselves(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"p": "INT", "v": "BIGINT"}, partition_by=["p"])
    large = spark.range(0, 200_000, 1, 2).selectExpr("cast(id % 2 as int) AS p", "id AS v")
    wb.spark.write(large, table)
    assert _writers(table) == {"parquet-mr"}
    wb.spark.write(large.where("p = 1").limit(10), table, mode="overwrite", files="jvm")
    assert table.to_arrow(where="p = 1").num_rows == 10
    assert table.to_arrow().num_rows == 100_010
    few = catalog.create_table("shop.few", {"v": "BIGINT"})
    wb.spark.write(spark.range(10).selectExpr("id AS v"), few)
    assert _writers(few) == {"parquet-cpp-arrow"}
    assert wb.spark.write(spark.range(0).selectExpr("id AS v"), few, files="jvm").snapshots == ()


def _writers(table: Any) -> set[str]:
    files = Path(table.location).rglob("data-*.parquet")
    return {pq.read_metadata(path).created_by.split()[0] for path in files}


def test_failures_leave_nothing(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.k", {"id": "BIGINT", "v": "INT"}, ["id"], options={"bucket": "2"})
    nulls = spark.sql("SELECT cast(NULL AS BIGINT) AS id, 1 AS v UNION ALL SELECT 1, 2")
    with pytest.raises(SchemaMismatch, match="Column 'id' is BIGINT NOT NULL"):
        wb.spark.write(nulls, table, files="jvm")
    broken = spark.range(5).selectExpr("id", "cast(raise_error('broken') as int) AS v")
    with pytest.raises(Exception, match="broken"):
        wb.spark.write(broken, table, files="jvm")
    assert not [path for path in Path(table.location).rglob("*") if path.suffix in (".parquet", ".crc", ".tmp")]
    assert table.snapshots() == []


_TEXT = {"day": "DATE", "id": "BIGINT", "v": "STRING", "l": "ARRAY<STRING>", "s": "ROW<t STRING>"}
_OF_TEXT: list[tuple[list[str], dict[str, Any], str]] = [
    (["id"], {"bucket": "2"}, "the row with id = 7"),
    (["id", "day"], {"bucket": "2"}, "the row with id = 7, day = 2026-11-01"),
    ([], {}, "the row with day = 2026-11-01, id = 7, v = "),
]


@pytest.mark.parametrize(("keys", "options", "row"), _OF_TEXT)
@pytest.mark.parametrize("column", ["v", "l", "s"])
def test_text_that_is_not_utf8_is_refused_with_its_row(
    spark: Any, catalog: Any, keys: list[str], options: dict[str, Any], row: str, column: str
) -> None:
    table = catalog.create_table("shop.x", _TEXT, keys, options=options)
    wrong = dict.fromkeys("vls", "'a'") | {column: "cast(if(id = 7, X'61ff', X'61') AS STRING)"}
    values = [f"{wrong['v']} AS v", f"array('b', {wrong['l']}) AS l", f"named_struct('t', {wrong['s']}) AS s"]
    frame = spark.range(20).selectExpr("DATE '2026-11-01' AS day", "id", *values)
    with pytest.raises(Exception, match=f"'{column}' is text, but the value in {row}.* is not valid UTF-8"):
        wb.spark.write(frame, table, files="jvm")
    assert table.snapshots() == []


def test_an_executor_task_that_fails_once_writes_its_rows_once(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"id": "BIGINT"})

    def fails_at_first(batches: Any) -> Any:
        from pyspark import TaskContext

        yield from batches
        context = TaskContext.get()
        if context is not None and context.attemptNumber() == 0 and context.partitionId() == 1:
            raise ValueError("lost")

    frame = spark.range(0, 1000, 1, 3).mapInArrow(fails_at_first, "id long")
    assert wb.spark.write(frame, table, files="jvm").rows == 1000
    assert sorted(table.to_arrow().column("id").to_pylist()) == list(range(1000))


@pytest.mark.parametrize(
    ("columns", "keys", "options", "reason"),
    [
        ({"id": "BIGINT", "v": "TIMESTAMP(3)"}, [], {}, "precision"),
        ({"id": "BIGINT", "v": "INT"}, [], {"file.format": "orc"}, "the format of the files is 'orc'"),
        ({"id": "BIGINT", "v": "INT"}, ["id"], {"bucket": "1", "merge-engine": "aggregation"}, "depends on more"),
        ({"id": "BIGINT", "v": "INT"}, ["id"], {"bucket": "1", "sequence.field": "v"}, "depends on more"),
        ({"id": "BIGINT", "v": "INT"}, ["id"], {"bucket": "1", "changelog-producer": "input"}, "changelog"),
        ({"id": "DOUBLE", "v": "INT"}, ["id"], {"bucket": "1"}, "sorts key 'id'"),
        ({"id": "BIGINT", "v": "ARRAY<INT NOT NULL>"}, [], {}, "whose NOT NULL constraint must be checked row by row"),
        ({"id": "BIGINT", "v": "INT"}, [], {"file-index.bloom-filter.columns": "id"}, "file indexes"),
        ({"id": "BIGINT", "v": "INT"}, ["id"], {}, "tasks assign the buckets"),
    ],
)
def test_reasons_for_this_librarys_writer(
    spark: Any, catalog: Any, columns: dict[str, str], keys: list[str], options: dict[str, str], reason: str
) -> None:
    table = catalog.create_table("shop.t", columns, keys, options=options)
    with pytest.raises(Unsupported, match=reason):
        wb.spark.write(spark.createDataFrame([], spark_schema(table.schema.fields)), table, files="jvm")
    assert why_not_in_jvm(table.schema, Placement.ANY, Reach("elsewhere"), None) == "elsewhere"


def test_buckets_of_another_number_are_refused(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.k", {"id": "BIGINT"}, ["id"], options={"bucket": "2"})
    table.write(pa.table({"id": [1, 2, 3]}))
    catalog.alter_table("shop.k", wb.SetOption("bucket", "3"))
    with pytest.raises(wb.WorkbenchError, match="has 2 buckets"):
        wb.spark.write(spark.range(9), catalog.get_table("shop.k"), files="jvm")
    assert table.to_arrow().num_rows == 3
