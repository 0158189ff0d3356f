"""Ratios of Spark jobs on tables to the same work on plain Parquet files, measured alternately in one session.

``python -m tests.bench_spark --rows 5000000 --rounds 3 [case …]`` prints one line for each case. With ``--record`` the
cases run in a separate process for each size and number of cores, and the page of results is written.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
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
_PAGE = Path(__file__).resolve().parent.parent / "docs" / "generated" / "spark-benchmarks.md"
_SERIES = ((1_000_000, 2), (5_000_000, 2), (20_000_000, 2), (5_000_000, 1))


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

    # Split by a hash other than that of the buckets, which would leave some buckets empty in each commit.
    parts = [bench.source.where(f"pmod(xxhash64(id), {_COMMITS}) = {number}") for number in range(_COMMITS)]

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
    table, path = _in_runs(bench, "merged")

    def ours() -> None:
        wb.spark.read(table).write.format("noop").mode("overwrite").save()

    def plain() -> None:
        bench.spark.read.parquet(path).write.format("noop").mode("overwrite").save()

    return ours, plain


def compact(bench: Bench) -> tuple[_Work, _Work]:
    """Compact a table of six runs fully, and read the same rows from plain files."""
    table, path = _in_runs(bench, "compacted")
    table.create_tag("runs")

    def ours() -> None:
        wb.spark.compact(table, full=True)
        table.rollback_to(tag="runs")

    def plain() -> None:
        bench.spark.read.parquet(path).write.format("noop").mode("overwrite").save()

    return ours, plain


def _in_runs(bench: Bench, name: str) -> tuple[Any, str]:
    """Return a table of six runs, which have half of their keys in common, and the path of its rows as plain files."""
    table = bench.create(name, ["id"], bucket=str(_BUCKETS), **{"write-only": "true"})
    path = bench.empty(name)
    for number in range(_COMMITS):
        run = bench.source.where(f"id < {bench.rows * 2 // _COMMITS} AND pmod(hash(id, {number}), 2) = 0")
        wb.spark.write(run, table)
        run.write.mode("append").option("compression", "zstd").parquet(path)
    return table, path


def count(bench: Bench) -> tuple[_Work, _Work]:
    """Count all rows of the table, and of the plain files."""
    table = bench.create("counted")
    wb.spark.write(bench.source, table)
    spark = wb.spark.attach(bench.spark, bench.catalog)

    def ours() -> None:
        assert spark.sql("SELECT count(*) AS n FROM paimon.bench.counted").collect() == [(bench.rows,)]

    def plain() -> None:
        assert bench.source.count() == bench.rows

    return ours, plain


def columns(bench: Bench) -> tuple[_Work, _Work]:
    """Sum two of the eight columns, read by ``format("paimon")`` and from the plain files."""
    table = bench.create("narrow")
    wb.spark.write(bench.source, table)
    spark = wb.spark.attach(bench.spark, bench.catalog)

    def ours() -> None:
        rows = spark.read.format("paimon").load(str(table.location))
        rows.selectExpr("sum(customer)", "sum(amount)").collect()

    def plain() -> None:
        bench.source.selectExpr("sum(customer)", "sum(amount)").collect()

    return ours, plain


_CASES: dict[str, tuple[_Case, float]] = {
    "append": (append, 1.15),
    "upsert": (upsert, 1.15),
    "scan": (scan, 1.1),
    "merge": (merge, 1.5),
    "compact": (compact, 3.5),
    "columns": (columns, 1.1),
    "count": (count, 1.1),
}


@dataclass(frozen=True)
class Cost:
    """The seconds that one run took, and the processor time of this process and its child processes."""

    seconds: float
    processor: float


def cost(work: _Work) -> Cost:
    """Return what one run costs."""
    before, started = processor_seconds(), time.perf_counter()
    work()
    return Cost(time.perf_counter() - started, processor_seconds() - before)


def processor_seconds() -> float:
    """Return the processor time of this process, the driver's JVM and Python's workers so far."""
    used = (each.cpu_times() for each in _processes())
    return float(sum(times.user + times.system for times in used))


def peak_memory() -> dict[str, int]:
    """Return the peak memory in MiB of the driver's Python process, of its JVM, in which local tasks run, and of the
    largest Python worker. Only Linux keeps it."""
    peaks = {"driver": 0, "JVM": 0, "worker": 0}
    for each in _processes():
        lines = Path(f"/proc/{each.pid}/status").read_text().splitlines()
        peak = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0) >> 10
        role = "driver" if each.pid == os.getpid() else "JVM" if each.name() == "java" else "worker"
        peaks[role] = max(peaks[role], peak)
    return peaks


def _processes() -> list[psutil.Process]:
    own = psutil.Process()
    return [own, *own.children(recursive=True)]


@dataclass(frozen=True)
class Measured:
    """One measured case: the lowest seconds and processor seconds of both sides, and the peak memory until its end."""

    name: str
    rows: int
    cores: int
    limit: float
    ours: Cost
    plain: Cost
    memory: dict[str, int]

    @property
    def ratio(self) -> float:
        """Our seconds divided by those of plain files."""
        return self.ours.seconds / self.plain.seconds

    @property
    def processor_ratio(self) -> float:
        """Our processor seconds divided by those of plain files."""
        return self.ours.processor / self.plain.processor

    def __str__(self) -> str:
        memory = ", ".join(f"{name} {megabytes:,} MB" for name, megabytes in self.memory.items())
        return (
            f"{self.name:8} {self.ours.seconds:6.2f} s, plain {self.plain.seconds:6.2f} s, ratio {self.ratio:.2f} "
            f"(at most {self.limit}); processor time {self.ours.processor:.2f} s and {self.plain.processor:.2f} s, "
            f"ratio {self.processor_ratio:.2f}; peak memory {memory}"
        )

    def line(self) -> str:
        """Return the row of the page."""
        kept = "kept" if self.ratio <= self.limit else "missed"
        memory = " | ".join(f"{megabytes:,}" for megabytes in self.memory.values())
        return (
            f"| {self.name} | {self.rows // 1_000_000} M | {self.cores} | {self.ours.seconds:.2f} s | "
            f"{self.plain.seconds:.2f} s | {self.ratio:.2f} | ≤ {self.limit} | {kept} | "
            f"{self.processor_ratio:.2f} | {memory} |"
        )


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


def measure(names: Sequence[str], rows: int, cores: int, rounds: int) -> Iterator[Measured]:
    """Measure cases; the first round only warms up."""
    with opened(rows, cores) as bench:
        for name in names:
            case, limit = _CASES[name]
            ours, plain = case(bench)
            costs = [(cost(ours), cost(plain)) for _ in range(rounds)][1:]
            mine, theirs = (
                Cost(min(each[side].seconds for each in costs), min(each[side].processor for each in costs))
                for side in (0, 1)
            )
            yield Measured(name, rows, cores, limit, mine, theirs, peak_memory())


def record(names: Sequence[str], rounds: int) -> None:
    """Measure the cases for each size and number of cores, and write the page."""
    lines: list[str] = []
    for rows, cores in _SERIES:
        given = ["--rows", str(rows), "--cores", str(cores), "--rounds", str(rounds), "--json"]
        command = [sys.executable, "-m", "tests.bench_spark", *names, *given]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout or ():
                found = json.loads(line)
                measured = Measured(**{**found, "ours": Cost(**found["ours"]), "plain": Cost(**found["plain"])})
                print(measured, flush=True)
                lines.append(measured.line())
        if process.returncode:
            raise SystemExit(process.returncode)
    _PAGE.write_text(page(lines), encoding="utf-8")


def page(lines: Sequence[str]) -> str:
    """Return the page of results."""
    machine = f"{os.cpu_count()} cores / {psutil.virtual_memory().total / 2**30:.0f} GiB"
    return f"""# Benchmarks of Spark

Written by `make bench-spark ARGS=--record` on {datetime.now(UTC):%Y-%m-%d}. Machine: {machine}. \
Python {platform.python_version()}, pyspark {version("pyspark")}, pyarrow {version("pyarrow")}.

Each line compares a job on a table of eight columns with the same work of Spark on plain Parquet files, in one
session: rounds of both take turns after one that warms up, and the fastest counts. The ratio is ours through theirs:
less is better. Memory is the peak of each process in MiB until the end of the case; local tasks run in the JVM. Each
size and number of cores has a separate session; its cases run in this order.

- `append`: write all rows to a table without a key; `df.write.parquet`.
- `upsert`: write all rows in {_COMMITS} commits to {_BUCKETS} buckets by key; shuffle, sort and write of plain files.
- `scan`: read a table without a key; `spark.read.parquet`.
- `merge`: read a table of {_COMMITS} runs, which have half of their keys in common; the same rows in plain files.
- `compact`: compact such runs fully; scan of the same rows in plain files.
- `columns`: add up two of the columns, by `spark.read.format("paimon")`.
- `count`: `SELECT count(*)`, which reads no data file; `count` of the plain files.

| case | rows | cores | ours | plain | ratio | bound |  | CPU ratio | MiB: driver | JVM | largest worker |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |
{chr(10).join(lines)}
"""


def main() -> None:
    """Measure the requested cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=list(_CASES), help=f"of {', '.join(_CASES)}")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3, help="the first one only warms up")
    parser.add_argument("--json", action="store_true", help="print each result as JSON")
    parser.add_argument("--record", action="store_true", help=f"measure all sizes, and write {_PAGE.name}")
    given = parser.parse_args()
    if given.record:
        record(given.cases, given.rounds)
        return
    for measured in measure(given.cases, given.rows, given.cores, given.rounds):
        print(json.dumps(asdict(measured)) if given.json else measured, flush=True)


if __name__ == "__main__":
    main()
