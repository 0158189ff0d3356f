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

import psutil

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


@dataclass
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


def merge(bench: Bench) -> tuple[_Work, _Work]:
    """Read rows in six runs, which have half of their keys in common, and the same rows as plain files."""
    table = bench.create("merged", ["id"], bucket=str(_BUCKETS), **{"write-only": "true"})
    path = bench.empty("merged")
    for number in range(_COMMITS):
        run = bench.source.where(f"id < {bench.rows * 2 // _COMMITS} AND pmod(hash(id, {number}), 2) = 0")
        wb.spark.write(run, table)
        run.write.mode("append").option("compression", "zstd").parquet(path)

    def ours() -> None:
        wb.spark.read(table).write.format("noop").mode("overwrite").save()

    def plain() -> None:
        bench.spark.read.parquet(path).write.format("noop").mode("overwrite").save()

    return ours, plain


def columns(bench: Bench) -> tuple[_Work, _Work]:
    """Add up two of the eight columns, by the format of a reader and from the plain files."""
    table = bench.create("narrow")
    wb.spark.write(bench.source, table)
    bench.spark = wb.spark.attach(bench.spark, bench.catalog)

    def ours() -> None:
        rows = bench.spark.read.format("paimon").load(str(table.location))
        rows.selectExpr("sum(customer)", "sum(amount)").collect()

    def plain() -> None:
        bench.source.selectExpr("sum(customer)", "sum(amount)").collect()

    return ours, plain


_CASES: dict[str, tuple[_Case, float]] = {
    "append": (append, 1.15),
    "upsert": (upsert, 1.15),
    "scan": (scan, 1.1),
    "merge": (merge, 1.5),
    "columns": (columns, 1.1),
}


@dataclass(frozen=True)
class Cost:
    """The seconds of one run, and the processor time of this process and those below it."""

    seconds: float
    processor: float


def cost(work: _Work) -> Cost:
    """Return what one run costs."""
    before, started = processor_seconds(), time.perf_counter()
    work()
    return Cost(time.perf_counter() - started, processor_seconds() - before)


def processor_seconds() -> float:
    """Return the processor time of this process, the driver's JVM and Python's workers so far."""
    return sum(times.user + times.system for each in _processes() for times in [each.cpu_times()])


def peak_memory() -> str:
    """Return the peak memory of the processes that run, by their names; only Linux keeps it."""
    peaks: dict[str, int] = {}
    for each in _processes():
        lines = Path(f"/proc/{each.pid}/status").read_text().splitlines()
        peak = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)
        peaks[each.name()] = max(peaks.get(each.name(), 0), peak >> 10)
    return ", ".join(f"{name} {megabytes:,} MB" for name, megabytes in peaks.items())


def _processes() -> list[psutil.Process]:
    own = psutil.Process()
    return [own, *own.children(recursive=True)]


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
            costs = [(cost(ours), cost(plain)) for _ in range(given.rounds)][1:]
            mine, theirs = (min(each[side].seconds for each in costs) for side in (0, 1))
            work, plain_work = (min(each[side].processor for each in costs) for side in (0, 1))
            print(
                f"{name:8} {mine:6.2f} s, plain {theirs:6.2f} s, ratio {mine / theirs:.2f} (at most {limit}); "
                f"processor time {work:.2f} s and {plain_work:.2f} s, ratio {work / plain_work:.2f}; "
                f"peak memory {peak_memory()}",
                flush=True,
            )


if __name__ == "__main__":
    main()
