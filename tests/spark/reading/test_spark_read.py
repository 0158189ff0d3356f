from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import CorruptFile, Unsupported
from workbench.spark.frames import frame_of_rows
from workbench.spark.jvm.incremental import changed_rows

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def plan_text(frame: Any) -> str:
    return str(frame._jdf.queryExecution().executedPlan().toString())


def rows(frame: Any) -> list[dict[str, Any]]:
    return sorted((row.asDict(recursive=True) for row in frame.collect()), key=str)


def filled(catalog: Any, name: str, data: list[dict[str, Any]], columns: dict[str, Any], **arguments: Any) -> Any:
    table = catalog.create_table(name, columns, **arguments)
    table.write(pa.Table.from_pylist(data, table.arrow_schema))
    return table


def test_an_append_table_is_read_by_the_jvm(catalog: Any) -> None:
    data = [{"id": number, "v": f"v{number}"} for number in range(100)]
    table = filled(catalog, "shop.log", data, {"id": "BIGINT", "v": "STRING"})
    frame = wb.spark.read(table)
    assert "MapInArrow" not in plan_text(frame)
    assert frame.schema.simpleString() == "struct<id:bigint,v:string>"
    assert rows(frame) == sorted(data, key=str)
    assert rows(wb.spark.read(table, ["v"], "id >= 98")) == [{"v": "v98"}, {"v": "v99"}]


def test_runs_that_overlap_are_merged_by_tasks(catalog: Any) -> None:
    columns = {"id": "BIGINT", "v": "STRING"}
    options = {"bucket": "2", "write-only": "true"}
    old = [{"id": number, "v": "old"} for number in range(1000)]
    table = filled(catalog, "shop.k", old, columns, primary_key=["id"], options=options)
    table.write(pa.Table.from_pylist([{"id": number, "v": "new"} for number in range(0, 1000, 2)], table.arrow_schema))
    frame = wb.spark.read(table)
    assert plan_text(frame).count("MapInArrow") == 1
    assert frame.count() == 1000
    assert rows(frame.groupBy("v").count()) == [{"v": "new", "count": 500}, {"v": "old", "count": 500}]
    assert rows(wb.spark.read(table, ["v"], "id = 4 OR id = 5")) == [{"v": "new"}, {"v": "old"}]


def test_the_version_is_pinned(catalog: Any) -> None:
    table = filled(catalog, "shop.k", [{"id": 1}], {"id": "INT"}, primary_key=["id"], options={"bucket": "1"})
    frame = wb.spark.read(table)
    table.write([{"id": 2}])
    assert frame.count() == 1
    assert frame.where("id > 0").count() == 1
    assert wb.spark.read(table).count() == 2
    assert wb.spark.read(table.at(snapshot=1)).count() == 1


def test_types_are_the_same_from_files_and_from_merges(catalog: Any) -> None:
    columns: dict[str, Any] = {
        "id": "INT",
        "t": "TINYINT",
        "n": "DECIMAL(20, 3)",
        "ms": "TIMESTAMP(3)",
        "us": "TIMESTAMP(6)",
        "at": "TIMESTAMP(3) WITH LOCAL TIME ZONE",
        "raw": "BYTES",
        "tags": wb_type({"type": "ARRAY", "element": "STRING"}),
        "sizes": wb_type({"type": "MAP", "key": "STRING", "value": "INT"}),
    }
    one = {
        "id": 1,
        "t": 5,
        "n": "1.250",
        "ms": datetime(1965, 1, 1, 0, 0, 0, 1000),
        "us": datetime(2026, 3, 29, 2, 30, 0, 7),
        "at": datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        "raw": b"x",
        "tags": ["a", None],
        "sizes": [("k", 1)],
    }
    data = [{**one, "n": Decimal("1.250")}, {"id": 2}]
    schema = list(columns.items())
    files = catalog.create_table("shop.files", schema)
    merged = catalog.create_table(
        "shop.merged", schema, primary_key=["id"], options={"bucket": "1", "write-only": "true"}
    )
    for table in (files, merged):
        table.write(pa.Table.from_pylist(data, table.arrow_schema))
    merged.write(pa.Table.from_pylist(data, merged.arrow_schema))
    from_files, from_merge = wb.spark.read(files), wb.spark.read(merged)
    assert "MapInArrow" not in plan_text(from_files)
    assert "MapInArrow" in plan_text(from_merge)
    assert from_files.schema.simpleString() == from_merge.schema.simpleString()
    assert rows(from_files) == rows(from_merge)
    assert rows(from_files)[0]["us"] == one["us"]


def wb_type(json_value: Any) -> Any:
    from workbench.format.types import parse_type

    return parse_type(json_value)


def test_nanoseconds_are_cut_to_microseconds(catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"ns": "TIMESTAMP(9)"})
    table.write(pa.table({"ns": pa.array([-1, 1_234_567_891], pa.timestamp("ns"))}))
    frame = wb.spark.read(table)
    assert "MapInArrow" in plan_text(frame)
    assert sorted(str(row.ns) for row in frame.selectExpr("cast(ns as string) ns").collect()) == [
        "1969-12-31 23:59:59.999999",
        "1970-01-01 00:00:01.234567",
    ]


def test_a_type_that_spark_does_not_have(catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"id": "INT", "at": "TIME(3)"})
    table.write([{"id": 1, "at": None}])
    with pytest.raises(Unsupported, match="Column 'at'"):
        wb.spark.read(table)
    assert rows(wb.spark.read(table, ["id"])) == [{"id": 1}]


def test_partition_names_with_wildcards(catalog: Any) -> None:
    data = [{"p": "a*[b]{c}?", "v": 1}, {"p": "a", "v": 2}, {"p": "x y%20", "v": 3}, {"p": None, "v": 4}]
    table = filled(catalog, "shop.log", data, {"p": "STRING", "v": "INT"}, partition_by=["p"])
    frame = wb.spark.read(table)
    assert "MapInArrow" not in plan_text(frame)
    assert rows(frame) == sorted(data, key=str)
    assert rows(wb.spark.read(table, where="p = 'a'")) == [{"p": "a", "v": 2}]


def test_an_empty_table(catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"id": "INT", "v": "STRING"})
    frame = wb.spark.read(table, ["v"])
    assert frame.columns == ["v"]
    assert frame.count() == 0


def test_a_missing_file_is_named(spark: Any, catalog: Any) -> None:
    from pathlib import Path

    from workbench.spark.progress import run_job

    options = {"bucket": "1", "write-only": "true"}
    table = filled(catalog, "shop.k", [{"id": 1}], {"id": "INT"}, primary_key=["id"], options=options)
    table.write([{"id": 1}])
    frame = wb.spark.read(table)
    lost = next(Path(table.location).rglob("data-*.parquet"))
    lost.unlink()
    with pytest.raises(CorruptFile, match=lost.name):
        run_job(spark, "Reading", frame.collect)


def test_conditions_as_text_and_as_expressions_on_both_paths(catalog: Any) -> None:
    texts = ["it's", "a\\b", 'q"q', "line\nend", "%_", ""]
    data = [{"id": number, "x.y": text} for number, text in enumerate(texts)]
    columns = {"id": "INT", "x.y": "STRING"}
    files = filled(catalog, "shop.files", data, columns)
    merged = filled(catalog, "shop.k", data, columns, primary_key=["id"], options={"bucket": "1", "write-only": "true"})
    merged.write(pa.Table.from_pylist(data, merged.arrow_schema))
    for table in (files, merged):
        for number, text in enumerate(texts):
            assert rows(wb.spark.read(table, ["id"], wb.col("x.y") == text)) == [{"id": number}]
        assert rows(wb.spark.read(table, ["id"], "`x.y` LIKE 'it%' OR id BETWEEN 4 AND 4")) == [{"id": 0}, {"id": 4}]


CONDITIONS = [
    "t = 3",
    "t IN (1, 3, NULL)",
    "NOT (t >= 3) AND s IS NOT NULL",
    "d > 0.5 OR d <=> NULL",
    "n = 1.5 OR n < -1",
    "s LIKE 'a%' OR s = ''",
    "day BETWEEN '1969-12-31' AND '1970-01-02'",
    "ms < '1970-01-01 00:00:00.001'",
    "us = '2026-03-29 02:30:00.000001'",
    "at >= '2026-10-25 00:30:00Z'",
    "raw = X'00ff'",
    "d = double('NaN')",
    "lower(s) = 'a'",
    "t + 1 = 4",
]


def test_each_condition_selects_the_same_rows_on_every_path(catalog: Any) -> None:
    columns = {
        "t": "TINYINT",
        "s": "STRING",
        "d": "DOUBLE",
        "n": "DECIMAL(9, 2)",
        "day": "DATE",
        "ms": "TIMESTAMP(3)",
        "us": "TIMESTAMP(6)",
        "at": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
        "raw": "BYTES",
    }
    files = catalog.create_table("shop.files", columns)
    values = {
        "t": [1, 3, None, 5],
        "s": ["A", "", None, "ab"],
        "d": [0.0, 1.0, None, float("nan")],
        "n": [Decimal("1.50"), Decimal("-2.00"), None, Decimal("0.00")],
        "day": [0, -1, None, 20000],
        "ms": [-1, 1, None, 0],
        "us": [1774751400000001, 1774755000000001, None, -1],
        "at": [1792888200000000, 0, None, 1792888200000001],
        "raw": [b"", b"\x00\xff", None, b"\x00"],
    }
    files.write(pa.table([pa.array(values[f.name], f.type) for f in files.arrow_schema], files.arrow_schema))
    merged = catalog.create_table(
        "shop.k", {"id": "INT", **columns}, primary_key=["id"], options={"bucket": "1", "write-only": "true"}
    )
    for _ in range(2):
        merged.write(files.to_arrow().append_column("id", pa.array(range(4), pa.int32())))
    for condition in CONDITIONS:
        expected = files.to_arrow(["raw"], condition).num_rows
        assert wb.spark.read(files, ["raw"], condition).count() == expected, condition
        assert wb.spark.read(merged, ["raw"], condition).count() == expected, condition
        assert ("MapInArrow" in plan_text(wb.spark.read(files, ["raw"], condition))) == (
            "+" in condition or "(s)" in condition
        )


def test_nan_is_the_greatest_number_in_files_too(catalog: Any) -> None:
    table = catalog.create_table("shop.log", {"d": "DOUBLE", "f": "FLOAT"})
    table.write(pa.table({"d": [1.0, float("nan")], "f": pa.array([float("nan"), 2.0], pa.float32())}))
    frame = wb.spark.read(table)
    assert frame.where("d > 5").count() == 1
    assert frame.where("f = float('NaN')").count() == 1
    assert frame.where("d <= 1").count() == 1
    assert dict(frame.dtypes) == {"d": "double", "f": "float"}


def test_rows_after_empty_chunks_are_kept(spark: Any) -> None:
    rows = pa.table({"a": pa.chunked_array([pa.array(chunk, pa.int32()) for chunk in ([1], [], [2, 3], [])])})
    assert sorted(row.a for row in frame_of_rows(spark, rows).collect()) == [1, 2, 3]


def test_the_audit_log_of_a_difference(spark: Any, catalog: Any) -> None:
    table = catalog.create_table("shop.keyed", {"k": "INT", "v": "STRING"}, ["k"], options={"bucket": "1"})
    table.write([{"k": 1, "v": "a"}, {"k": 2, "v": "b"}])
    table.write([{"k": 1, "v": "A"}, {"k": 3, "v": "c"}])
    table.delete("k = 2")
    options = {"incremental-between": "1,3", "incremental-between-scan-mode": "diff", "path": "shop.keyed$audit_log"}
    rows = changed_rows(catalog, options, spark).collect()
    assert sorted(tuple(row) for row in rows) == [("+I", 1, "A"), ("+I", 3, "c"), ("-D", 2, "b")]


_CHANGES: dict[str, tuple[list[Any], int]] = {
    "added": ([wb.AddColumn("n", "INT")], 0),
    "added first": ([wb.AddColumn("n", "STRING", first=True)], 0),
    "renamed": ([wb.RenameColumn("v", "w")], 0),
    "names exchanged": ([wb.RenameColumn("v", "x"), wb.RenameColumn("d", "v"), wb.RenameColumn("x", "d")], 0),
    "dropped": ([wb.DropColumn("v")], 0),
    "dropped and added": ([wb.DropColumn("v"), wb.AddColumn("v", "STRING")], 0),
    "other case": ([wb.DropColumn("v"), wb.AddColumn("V", "STRING")], 0),
    "comment": ([wb.UpdateColumnComment("v", "text")], 0),
    "wider type": ([wb.UpdateColumnType("id", "BIGINT")], 1),
    "nested field": ([wb.AddColumn("s.b", "INT")], 1),
}


@pytest.mark.parametrize("change", _CHANGES)
def test_files_of_older_schemas_are_read_by_the_jvm(spark: Any, catalog: Any, change: str) -> None:
    columns = {"id": "INT", "v": "STRING", "d": "STRING", "f": "DOUBLE", "s": "ROW<a INT>"}
    table = catalog.create_table("shop.log", columns)
    table.write([{"id": number, "v": f"v{number}", "d": "d", "f": float("nan"), "s": {"a": 1}} for number in range(5)])
    changes, tasks = _CHANGES[change]
    catalog.alter_table("shop.log", *changes)
    table = catalog.get_table("shop.log")
    table.write([dict.fromkeys(table.schema.field_names)])
    expected = table.to_arrow().to_pylist()
    frame = wb.spark.read(table)
    assert plan_text(frame).count("MapInArrow") == tasks
    # NaN equals nothing.
    assert list(map(str, rows(frame))) == sorted(map(str, expected))
    for name in table.schema.field_names:
        found = rows(wb.spark.read(table, [name], f"{name} IS NOT NULL"))
        assert list(map(str, found)) == sorted(str({name: row[name]}) for row in expected if row[name] is not None)
    session = wb.spark.attach(spark, catalog)
    assert list(map(str, rows(session.table("paimon.shop.log")))) == sorted(map(str, expected))
    for name in table.schema.field_names:
        found = session.sql(f"SELECT `{name}` FROM paimon.shop.log WHERE `{name}` IS NULL OR id < 3")
        assert len(found.collect()) == sum(row[name] is None or row["id"] in (0, 1, 2) for row in expected)
