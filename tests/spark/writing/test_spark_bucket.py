from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.errors import PySparkException

import workbench as wb
from tests.support.sampling import sampled
from workbench.base.errors import Unsupported
from workbench.format.rows.bucket import fixed_buckets
from workbench.format.types import DataField, parse_type, to_arrow
from workbench.spark.bucket import binary_row_sql, bucket_expression, quoted
from workbench.spark.types import spark_schema
from workbench.spark.writing.writer import write_task

pytestmark = pytest.mark.spark

EPOCH = datetime(1970, 1, 1)

# format §28: type, SQL of the value, BinaryRow, hash
VECTORS = [
    ("INT", "1", "00000000000000000100000000000000", 1465514398),
    ("INT", "-1", "0000000000000000ffffffff00000000", 1133687267),
    ("INT", "cast(null as int)", "00010000000000000000000000000000", -1748325344),
    ("BIGINT", "1L", "00000000000000000100000000000000", 1465514398),
    ("STRING", "'a'", "00000000000000006100000000000081", 943281246),
    ("STRING", "'paimon'", "00000000000000007061696d6f6e0086", 1504888072),
    ("STRING", "'abcdefg'", "00000000000000006162636465666787", -1431907323),
    ("STRING", "'abcdefgh'", "000000000000000008000000100000006162636465666768", -843760178),
    ("STRING", "'hello world'", "00000000000000000b0000001000000068656c6c6f20776f726c640000000000", 161593394),
    ("DATE", "date'2024-01-01'", "00000000000000000b4d000000000000", -1439008885),
    ("DECIMAL(10, 2)", "cast(123.45 as decimal(10,2))", "00000000000000003930000000000000", 767607022),
    (
        "DECIMAL(38, 2)",
        "cast(123.45 as decimal(38,2))",
        "0000000000000000020000001000000030390000000000000000000000000000",
        -118192725,
    ),
    (
        "DECIMAL(38, 2)",
        "cast(null as decimal(38,2))",
        "0001000000000000000000001000000000000000000000000000000000000000",
        -1380280760,
    ),
    (
        "TIMESTAMP(3)",
        "timestamp_ntz'2023-11-14 22:13:20.123'",
        "00000000000000007b68e5cf8b010000",
        -1285420957,
    ),
    (
        "TIMESTAMP(6)",
        "timestamp_ntz'2023-11-14 22:13:20.123456'",
        "000000000000000040f50600100000007b68e5cf8b010000",
        1196670069,
    ),
    (
        "TIMESTAMP(6)",
        "cast(null as timestamp_ntz)",
        "000100000000000000000000100000000000000000000000",
        -340882661,
    ),
    ("BOOLEAN", "true", "00000000000000000100000000000000", 1465514398),
    ("DOUBLE", "1.5D", "0000000000000000000000000000f83f", 1860889473),
]


def fields_of(*types: str) -> list[DataField]:
    return [DataField(index, f"c `{index}`", parse_type(text)) for index, text in enumerate(types)]


@pytest.mark.parametrize("ansi", sampled(["true", "false"], 2))
def test_vectors(spark: Any, ansi: str) -> None:
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        for kind, value, row, expected in VECTORS:
            sql = binary_row_sql([DataField(0, "k", parse_type(kind))])
            got = spark.sql(f"SELECT {value} AS k").selectExpr(f"lower(hex({sql}))", f"hash({sql})").first()
            assert tuple(got) == (row, expected), (kind, value)
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")


def test_two_keys_and_a_late_null_bit(spark: Any) -> None:
    sql = binary_row_sql([DataField(0, "a", parse_type("INT")), DataField(1, "b", parse_type("STRING"))])
    row = spark.sql("SELECT 7 AS a, 'x' AS b").selectExpr(f"hex({sql})", f"hash({sql})").first()
    assert tuple(row) == ("000000000000000007000000000000007800000000000081".upper(), -1252423430)


def random_rows(count: int) -> tuple[list[DataField], list[list[Any]]]:
    """Columns of every kind of key, with edge values and nulls."""
    rng = random.Random(7)
    big = 10**38 - 1

    def integers(bits: int) -> list[int]:
        edge = [0, 1, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), 255, 256 if bits > 8 else 100]
        edge = [value for value in edge if -(2 ** (bits - 1)) <= value < 2 ** (bits - 1)]
        return [
            rng.choice(edge) if rng.random() < 0.4 else rng.getrandbits(bits) - 2 ** (bits - 1) for _ in range(count)
        ]

    def decimals(precision: int, scale: int) -> list[Decimal]:
        edge = [
            0,
            1,
            -1,
            2**63 % 10**precision,
            -(2**63) % 10**precision,
            10**precision - 1,
            1 - 10**precision,
            127,
            128,
        ]
        edge += [-128, -129, 2**64 % 10**precision, -(2**64 % 10**precision), 2**71 % 10**precision]
        some = [rng.choice(edge) if rng.random() < 0.5 else rng.randrange(-big, big) for _ in range(count)]
        limit = 10**precision
        return [Decimal((value < 0, tuple(map(int, str(abs(value) % limit))), -scale)) for value in some]

    def texts() -> list[str]:
        return [
            "".join(rng.choice("abäß€𝄞\0 z") for _ in range(rng.choice([0, 1, 3, 6, 7, 8, 9, 16, 33])))
            for _ in range(count)
        ]

    def moments(low: int, high: int) -> list[datetime]:
        return [EPOCH + timedelta(microseconds=rng.randrange(low, high)) for _ in range(count)]

    span = 4 * 10**15
    reals = [0.0, -0.0, float("nan"), float("inf"), -1.5, 1e300, 5e-324]
    utc = [moment.replace(tzinfo=UTC) for moment in moments(-span, span)]
    data: dict[str, list[Any]] = {
        "BOOLEAN": [rng.random() < 0.5 for _ in range(count)],
        "TINYINT": integers(8),
        "SMALLINT": integers(16),
        "INT": integers(32),
        "BIGINT": integers(64),
        "FLOAT": [float(np.float32(rng.choice([*reals[:5], rng.random()]))) for _ in range(count)],
        "DOUBLE": [rng.choice([*reals, rng.random()]) for _ in range(count)],
        "DATE": [date(1970, 1, 1) + timedelta(days=rng.randrange(-100_000, 100_000)) for _ in range(count)],
        "DECIMAL(18, 18)": decimals(18, 18),
        "DECIMAL(9, 0)": decimals(9, 0),
        "DECIMAL(19, 4)": decimals(19, 4),
        "DECIMAL(38, 38)": decimals(38, 38),
        "DECIMAL(38, 0)": decimals(38, 0),
        "CHAR(40)": texts(),
        "STRING": texts(),
        "BYTES": [rng.randbytes(rng.randrange(0, 20)) for _ in range(count)],
        "BINARY(20)": [rng.randbytes(rng.randrange(0, 20)) for _ in range(count)],
        "TIMESTAMP(0)": moments(-span, span),
        "TIMESTAMP(3)": moments(-span, span),
        "TIMESTAMP(6)": moments(-span, span),
        "TIMESTAMP(9)": moments(-span, span),
        "TIMESTAMP(3) WITH LOCAL TIME ZONE": utc,
        "TIMESTAMP(6) WITH LOCAL TIME ZONE": utc[::-1],
    }
    columns = [[None if rng.random() < 0.15 else value for value in values] for values in data.values()]
    return fields_of(*data), columns


@pytest.mark.long
def test_random_rows_equal_the_core(spark: Any) -> None:
    fields, columns = random_rows(3000)
    spark_types = [
        pa.array(values) if f.type.root == "BYTES" else pa.array(values, spark_arrow(f))
        for f, values in zip(fields, columns, strict=True)
    ]
    table = pa.table(spark_types, names=[field.name for field in fields])
    frame = spark.createDataFrame(table, spark_schema(fields))
    keys = [[field] for field in fields] + [fields[:4], fields[10:16][::-1], fields[13:], fields]
    got = frame.select(*(bucket_expression(key, 1000).alias(str(i)) for i, key in enumerate(keys))).toArrow()
    for index, key in enumerate(keys):
        arrays = [as_core(table.column(field.name), to_arrow(field.type)) for field in key]
        expected = fixed_buckets(arrays, [field.type for field in key], 1000)
        assert np.array_equal(got.column(index).to_numpy(), expected), [str(field.type) for field in key]


def test_functions_of_the_catalog_equal_the_core(spark: Any, tmp_path: Path) -> None:
    attached = wb.spark.attach(spark.newSession(), wb.connect(tmp_path))
    fields, columns = random_rows(1000)
    # The functions see the timestamps of Spark, which have microseconds.
    of_spark = [at for at, field in enumerate(fields) if "TIMESTAMP" not in str(field.type) or "(6)" in str(field.type)]
    fields, columns = [fields[at] for at in of_spark], [columns[at] for at in of_spark]
    table = pa.table(
        [pa.array(values, spark_arrow(field)) for field, values in zip(fields, columns, strict=True)],
        names=[field.name for field in fields],
    )
    attached.createDataFrame(table, spark_schema(fields)).createOrReplaceTempView("keys_of_all_types")
    timed = [field for field in fields if "TIMESTAMP" in str(field.type)]
    untimed = [field for field in fields if field not in timed]
    whole = [field for field in fields if field.type.root in ("INT", "BIGINT")]
    calls = [("bucket", "default", [field]) for field in fields] + [("bucket", "default", fields)]
    calls += [("hive_bucket", "hive", [field]) for field in untimed] + [("hive_bucket", "hive", untimed)]
    calls += [("mod_bucket", "mod", [field]) for field in whole]
    assert len(timed) == len(whole) == 2
    items = [
        f"paimon.sys.{name}(1000, {', '.join(quoted(key.name) for key in keys)}) AS `{at}`"
        for at, (name, _, keys) in enumerate(calls)
    ]
    got = attached.sql(f"SELECT {', '.join(items)} FROM keys_of_all_types").toArrow()
    for at, (_, function, keys) in enumerate(calls):
        arrays = [as_core(table.column(key.name), to_arrow(key.type)) for key in keys]
        expected = fixed_buckets(arrays, [key.type for key in keys], 1000, function)
        assert np.array_equal(got.column(at).to_numpy(), expected), (function, [str(key.type) for key in keys])
    for call in ("bucket(4)", "bucket('4', 1)", "bucket(0, 1)", "mod_bucket(4, 1, 2)", "hive_bucket(4, array(1))"):
        with pytest.raises(PySparkException, match=r"sys\."):
            attached.sql(f"SELECT paimon.sys.{call}").collect()


def as_core(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Return a column in the type of the core; milliseconds are rounded down as in Java, also before 1970."""
    if pa.types.is_timestamp(kind) and kind.unit == "ms":
        column = pc.floor_temporal(column, unit="millisecond")
    return column.cast(kind)


def spark_arrow(field: DataField) -> pa.DataType:
    """Return the Arrow type of a field as Spark holds it: all timestamps have microseconds."""
    kind = to_arrow(field.type)
    return pa.timestamp("us", kind.tz) if pa.types.is_timestamp(kind) else kind


def test_more_than_a_word_of_null_bits(spark: Any) -> None:
    fields = fields_of(*["INT"] * 70)
    table = pa.table([pa.array([None, index, None], pa.int32()) for index in range(70)], [f.name for f in fields])
    got = spark.createDataFrame(table).select(bucket_expression(fields, 97)).toArrow().column(0)
    expected = fixed_buckets(table.columns, [field.type for field in fields], 97)
    assert np.array_equal(got.to_numpy(), expected)


def test_a_key_that_cannot_be_hashed_is_refused() -> None:
    with pytest.raises(Unsupported, match="TIME"):
        bucket_expression(fields_of("TIME(3)"), 4)
    with pytest.raises(Unsupported, match="ARRAY"):
        bucket_expression([DataField(0, "a", parse_type({"type": "ARRAY", "element": "INT"}))], 4)


@pytest.mark.parametrize("bucket", ["-1", "-2"])
def test_buckets_that_one_writer_assigns_are_refused(tmp_path: Path, bucket: str) -> None:
    catalog = wb.connect(tmp_path)
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"id": "BIGINT NOT NULL"}, ["id"], options={"bucket": bucket})
    with pytest.raises(Unsupported, match=f"data source cannot write .* 'bucket' = '{bucket}'"):
        write_task(table, overwrite=False)
