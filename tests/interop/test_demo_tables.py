"""The demo warehouse in other engines: all read every table as we do, and we read their changes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import workbench as wb
from tests.interop.provision import java
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from workbench.demo.tables import FLIGHTS, SMALL_TABLES
from workbench.lens.levels import collect_buckets

pytestmark = [pytest.mark.spark, pytest.mark.java, pytest.mark.long]
MONTHS = "2"
NEW_FLIGHT = 10_000  # above every flight number
TOP_LEVEL = 5
ENGINES = ["java-2.0.0", *(pytest.param(name, marks=pytest.mark.peers) for name in ("pypaimon", "rust"))]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse that the demo's command builds. Tests that change it take a copy."""
    pytest.importorskip("pyspark")
    java()  # skips if there is no Java
    warehouse = tmp_path_factory.mktemp("demo") / "warehouse"
    command = [sys.executable, "-m", "workbench.demo", str(warehouse), "--months", MONTHS]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    assert done.returncode == 0, done.stdout
    return warehouse


@pytest.fixture
def changing(demo: Path, tmp_path: Path) -> Path:
    """A copy of the warehouse for one test."""
    return shutil.copytree(demo, tmp_path / "warehouse")


def ours(warehouse: Path, name: str = FLIGHTS.full_name) -> Any:
    return wb.connect(warehouse).get_table(name)


@pytest.mark.parametrize("name", [each.full_name for each in (FLIGHTS, *SMALL_TABLES)])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_table_is_read_identically(engine: str, name: str, demo: Path, referee: Callable[[str], Any]) -> None:
    """Every engine reads the same values of all rows."""
    expected = ours(demo, name).to_arrow()
    assert expected.num_rows > 0
    assert_same_rows(referee(engine).read(demo, name), from_arrow(expected))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_older_version_is_read_identically(engine: str, demo: Path, referee: Callable[[str], Any]) -> None:
    """Between two compactions, with deletes in the newest run."""
    flights = ours(demo)
    compactions = [snapshot.id for snapshot in flights.snapshots() if snapshot.commit_kind == "COMPACT"]
    version = compactions[-1] - 1
    result = referee(engine).read(demo, FLIGHTS.full_name, options={"scan.snapshot-id": str(version)})
    assert_same_rows(result, from_arrow(flights.at(snapshot=version).to_arrow()))


def with_changes(before: pa.Table, changed: Iterable[tuple[pa.Table, str]]) -> Rows:
    """Return the flights after changes by rows of these kinds."""

    def by_key(table: pa.Table) -> dict[Any, Any]:
        positions = [table.column_names.index(name) for name in FLIGHTS.primary_key]
        return {tuple(row[position] for position in positions): row for row in from_arrow(table).rows}

    state = by_key(before)
    for table, kind in changed:
        if kind == "-D":
            for key in by_key(table):
                del state[key]
        else:
            state |= by_key(table)
    return Rows(tuple(before.column_names), tuple(state.values()))


def replaced(table: pa.Table, name: str, values: pa.ChunkedArray) -> pa.Table:
    position = table.column_names.index(name)
    return table.set_column(position, table.schema.field(position), values.cast(table.schema.field(position).type))


def later_and_new(flights: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Flights with other delays, and the same flights again under new numbers."""
    later = replaced(flights, "arr_delay", pc.add(pc.coalesce(flights["arr_delay"], 0), 1))
    return later, replaced(flights, "flight", pc.add(flights["flight"], NEW_FLIGHT))


def levels(table: Any) -> set[int]:
    return {run.level for bucket in collect_buckets(table).buckets for run in bucket.runs}


def test_java_writes_and_compacts(changing: Path, referee: Callable[[str], Any]) -> None:
    engine, name = referee("java-2.0.0"), FLIGHTS.full_name
    before = ours(changing).to_arrow()
    later, new = later_and_new(before.slice(0, 600))
    removed = before.slice(30_000, 400)
    engine.write(changing, name, pa.concat_tables([later, new]))
    engine.write(changing, name, removed, ["-D"] * removed.num_rows)
    expected = with_changes(before, [(later, "+U"), (new, "+I"), (removed, "-D")])
    assert_same_rows(from_arrow(ours(changing).to_arrow()), expected)
    engine.compact(changing, name)
    assert levels(ours(changing)) == {TOP_LEVEL}
    assert_same_rows(from_arrow(ours(changing).to_arrow()), expected)


def test_flink_writes_and_compacts(changing: Path) -> None:
    from tests.interop.flink import FlinkSql

    before = ours(changing).to_arrow()
    chosen = before.filter(pc.and_(pc.equal(before["carrier"], "UA"), pc.equal(before["day"], 7)))
    later, new = later_and_new(chosen)
    names = ", ".join(f"`{name}`" for name in before.column_names)
    source = f"FROM {FLIGHTS.full_name} WHERE `carrier` = 'UA' AND `day` = 7 AND `flight` < {NEW_FLIGHT}"
    sql = FlinkSql(changing)
    try:
        for column, value in (
            ("`flight`", f"`flight` + {NEW_FLIGHT}"),
            ("`arr_delay`", "COALESCE(`arr_delay`, 0) + 1"),
        ):
            values = names.replace(column, value)
            sql.execute(f"INSERT INTO {FLIGHTS.full_name} SELECT {values} {source}", limit=0)
        expected = with_changes(before, [(new, "+I"), (later, "+U")])
        assert_same_rows(from_arrow(ours(changing).to_arrow()), expected)
        sql.execute(f"CALL sys.compact(`table` => '{FLIGHTS.full_name}', compact_strategy => 'full')")
        assert levels(ours(changing)) == {TOP_LEVEL}
        assert_same_rows(from_arrow(ours(changing).to_arrow()), expected)
        assert sql.execute(f"SELECT COUNT(*), SUM(arr_delay) FROM {FLIGHTS.full_name}") == [
            ("+I", str(len(expected)), str(pc.sum(ours(changing).to_arrow(["arr_delay"])["arr_delay"]).as_py()))
        ]
    finally:
        sql.close()
