"""Ratios of Spark jobs on tables to the same work on plain Parquet files, measured alternately in one session.

``python -m tests.bench_spark --rows 5000000 --rounds 3 [case …]`` prints one line for each case.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import workbench as wb
from workbench.spark.session import new_session

_COLUMNS = {
    "id": "BIGINT",
    "customer": "INT",
    "amount": "DOUBLE",
    "price": "DECIMAL(12, 2)",
    "status": "STRING",
    "note": "STRING",
    "day": "DATE",
    "at": "TIMESTAMP(6)",
}
_COMMITS = 6
_BUCKETS = 8


@dataclass(frozen=True)
class Bench:
    """A session, a warehouse, a folder for plain files, and the rows as Parquet files."""

    spark: Any
    catalog: Any
    folder: Path
    rows: int

    @property
    def source(self) -> Any:
        """The rows, read from plain files."""
        return self.spark.read.parquet(str(self.folder / "source"))

    def create(self, name: str, key: Sequence[str] = (), **options: str) -> Any:
        """Create an empty table."""
        self.catalog.drop_table(f"bench.{name}", missing_ok=True)
        return self.catalog.create_table(f"bench.{name}", _COLUMNS, key, options=options)

    def empty(self, name: str) -> str:
        """Return the path of an empty folder."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return str(self.folder / name)

    def generate(self) -> None:
        """Write the rows."""
        frame = self.spark.range(0, self.rows, 1, 4).selectExpr(
            "id",
            "cast(pmod(hash(id), 100000) AS INT) AS customer",
            "pmod(xxhash64(id), 1000000) / 100D AS amount",
            "cast(pmod(id * 7919, 1000000) / 100 AS DECIMAL(12, 2)) AS price",
            "element_at(array('new', 'paid', 'sent', 'done'), cast(pmod(id, 4) AS INT) + 1) AS status",
            "concat('order number ', hex(xxhash64(id))) AS note",
            "date_add(date'2026-01-01', cast(pmod(id, 365) AS INT)) AS day",
            "timestamp_ntz'2026-01-01 00:00:00' + make_interval(0, 0, 0, 0, 0, 0, id % 1000000) AS at",
        )
        frame.write.mode("overwrite").parquet(str(self.folder / "source"))


_Work = Callable[[], Any]
_Case = Callable[[Bench], tuple[_Work, _Work]]


def append(bench: Bench) -> tuple[_Work, _Work]:
    """Append all rows, and write them as plain files."""

    def ours() -> None:
        wb.spark.write(bench.source, bench.create("log"))

    def plain() -> None:
        bench.source.write.option("compression", "zstd").parquet(bench.empty("plain"))

    return ours, plain


def upsert(bench: Bench) -> tuple[_Work, _Work]:
    """Upsert into fixed buckets by several commits, and shuffle, sort and write plain files."""
    from pyspark.sql import functions

    parts = [bench.source.where(f"pmod(hash(id), {_COMMITS}) = {number}") for number in range(_COMMITS)]

    def ours() -> None:
        table = bench.create("keyed", ["id"], bucket=str(_BUCKETS), **{"write-only": "true"})
        for part in parts:
            wb.spark.write(part, table, files="jvm")

    def plain() -> None:
        path = bench.empty("keyed")
        for part in parts:
            rows = part.withColumn("bucket", functions.expr(f"pmod(hash(id), {_BUCKETS})"))
            placed = rows.repartitionById(_BUCKETS, "bucket").sortWithinPartitions("bucket", "id")
            placed.write.mode("append").option("compression", "zstd").partitionBy("bucket").parquet(path)

    return ours, plain


def scan(bench: Bench) -> tuple[_Work, _Work]:
    """Read an append table, and the plain files."""
    table = bench.create("scanned")
    wb.spark.write(bench.source, table)

    def ours() -> None:
        wb.spark.read(table).write.format("noop").mode("overwrite").save()

    def plain() -> None:
        bench.source.write.format("noop").mode("overwrite").save()

    return ours, plain


_CASES: dict[str, tuple[_Case, float]] = {"append": (append, 1.15), "upsert": (upsert, 1.15), "scan": (scan, 1.1)}


def seconds(work: _Work) -> float:
    """Return the seconds of one run."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


@contextmanager
def opened(rows: int, cores: int) -> Iterator[Bench]:
    """Yield a bench in a temporary folder."""
    spark = new_session("bench", f"local[{cores}]", {"spark.driver.memory": "3g", "spark.sql.shuffle.partitions": "8"})
    with tempfile.TemporaryDirectory() as folder:
        catalog = wb.connect(f"{folder}/warehouse")
        catalog.create_database("bench")
        bench = Bench(spark, catalog, Path(folder), rows)
        bench.generate()
        yield bench
    spark.stop()


def main() -> None:
    """Measure the requested cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=list(_CASES), help=f"of {', '.join(_CASES)}")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3, help="the first one only warms up")
    given = parser.parse_args()
    with opened(given.rows, given.cores) as bench:
        for name in given.cases:
            case, limit = _CASES[name]
            ours, plain = case(bench)
            times = [(seconds(ours), seconds(plain)) for _ in range(given.rounds)][1:]
            mine, theirs = min(each[0] for each in times), min(each[1] for each in times)
            print(f"{name:8} {mine:6.2f} s, plain {theirs:6.2f} s, ratio {mine / theirs:.2f} (at most {limit})")


if __name__ == "__main__":
    main()
