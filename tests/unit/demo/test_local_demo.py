"""The demo without Spark: what it contains, and how its board continues."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

import workbench as wb
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.demo import BoardStream, advance_board, stream_board
from workbench.demo.board import CLOSING, NOON, board_entries, time_of, write_until
from workbench.demo.build import build
from workbench.demo.local import ArrowLoader
from workbench.demo.plan import plan_loads
from workbench.demo.report import compaction_reasons, report
from workbench.demo.tables import BOARD, FLIGHTS, SMALL_TABLES, State, state_of
from workbench.lens.levels import collect_buckets

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> FileSystemCatalog:
    catalog = wb.connect(tmp_path_factory.mktemp("demo"))
    build(catalog, ArrowLoader())
    return catalog


@pytest.fixture(scope="module")
def flights(catalog: FileSystemCatalog) -> Any:
    return catalog.get_table(FLIGHTS.full_name)


@pytest.fixture
def board(catalog: FileSystemCatalog) -> Iterator[Any]:
    """The board at noon."""
    board = catalog.get_table(BOARD.full_name)
    yield board
    board.rollback_to(tag="at_12_00")


def by_key(rows: Any, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    return rows.sort_by([(key, "ascending") for key in keys]).to_pylist()


def test_flights_are_those_of_the_file_that_left(flights: Any) -> None:
    left = FLIGHTS.source.read().filter(pc.field("dep_time").is_valid())
    rows = flights.to_arrow()
    assert rows.num_rows == 328_521
    assert by_key(rows.select(left.column_names), FLIGHTS.primary_key) == by_key(left, FLIGHTS.primary_key)


def test_small_tables_are_their_files(catalog: FileSystemCatalog) -> None:
    for each in SMALL_TABLES:
        keys = each.primary_key or ("origin", "time_hour")
        rows = catalog.get_table(each.full_name).to_arrow()
        assert by_key(rows, keys) == by_key(each.source.read(), keys)


def test_the_flights_have_everything_a_lake_has(flights: Any, catalog: FileSystemCatalog) -> None:
    snapshots = flights.snapshots()
    written = [each for each in snapshots if each.commit_kind == "APPEND"]
    # The mistaken update is the only one that is not a load.
    assert len(written) == len(plan_loads(12)) + 1
    reasons = {reason for each in snapshots for reason in compaction_reasons(each)}
    assert reasons == {"size-ratio", "size-amplification"}
    assert [each.commit_kind for each in snapshots].count("OVERWRITE") == 2
    rollbacks = [name for name in flights.tags() if name.startswith("rollback-to-as-latest-")]
    assert len(rollbacks) == 1
    assert set(flights.tags()) - set(rollbacks) == {"september", "october", "november", "december"}
    assert flights.branches() == ["corrections"]
    assert flights.consumers() == {"dashboard": snapshots[-1].id}
    assert len(flights.schemas()) == 2
    assert state_of(catalog) is State.WHOLE
    assert "328,521" in report(catalog)


def test_a_bucket_has_three_levels(flights: Any) -> None:
    levels = {bucket.label: {run.level for run in bucket.runs} for bucket in collect_buckets(flights).buckets}
    assert levels["month=12, bucket 0"] == levels["month=12, bucket 1"] == {0, 4, 5}


def test_the_new_column_is_filled_since_december(flights: Any) -> None:
    gained = flights.to_arrow(columns=["month", "dep_delay", "arr_delay", "gained"])
    assert gained.filter(pc.field("month") < 12)["gained"].null_count == gained.filter(pc.field("month") < 12).num_rows
    december = gained.filter((pc.field("month") == 12) & pc.field("arr_delay").is_valid())
    assert december["gained"].equals(pc.subtract(december["dep_delay"], december["arr_delay"]))


def test_the_branch_holds_corrections(flights: Any) -> None:
    corrected = "month = 11 AND day = 27 AND origin = 'LGA'"
    column = ["arr_delay"]
    main = pc.sum(flights.to_arrow(column, corrected)["arr_delay"]).as_py()
    assert pc.sum(flights.branch("corrections").to_arrow(column, corrected)["arr_delay"]).as_py() < main


def expected_board(time: datetime) -> list[dict[str, Any]]:
    listed: dict[Any, Any] = {}
    for entry in board_entries():
        if entry.time <= time:
            key = tuple(entry.row[name] for name in BOARD.primary_key)
            listed[key] = entry.row
            if entry.row_kind == "-D":
                del listed[key]
    return list(listed.values())


@pytest.mark.parametrize("hour", [5, 9, 12])
def test_the_board_shows_the_flights_of_an_hour(board: Any, hour: int) -> None:
    rows = board.at(tag=f"at_{hour:02}_00").to_arrow().to_pylist()
    expected = expected_board(NOON.replace(hour=hour))
    assert len(rows) > 50
    assert sorted(rows, key=str) == sorted(expected, key=str)


def test_the_board_continues_and_begins_again_after_midnight(board: Any, catalog: FileSystemCatalog) -> None:
    assert time_of(board) == NOON
    commits = advance_board(catalog, steps=2)
    assert [commit.snapshots[0].commit_kind for commit in commits] == ["APPEND", "APPEND"]
    time = NOON + timedelta(minutes=10)
    assert time_of(board) == time
    assert sorted(board.to_arrow().to_pylist(), key=str) == sorted(expected_board(time), key=str)
    write_until(board, CLOSING - timedelta(minutes=5), CLOSING)
    advance_board(catalog)
    assert time_of(board) == NOON + timedelta(minutes=5)


def test_a_stream_commits_until_it_is_stopped(board: Any, catalog: FileSystemCatalog) -> None:
    before = board.snapshot().id
    stream = stream_board(catalog, seconds=0.01)
    assert repr(stream) == "BoardStream(running; stop it with .stop())"
    while board.snapshot().id < before + 3:
        pass
    stream.stop()
    assert not stream.running
    after = board.snapshot().id
    assert after >= before + 3
    assert time_of(board) > NOON


def test_the_failure_of_a_stream_is_raised_by_the_thread_that_stops_it(tmp_path: Path) -> None:
    (tmp_path / "nyc.db").mkdir()
    stream = BoardStream(wb.connect(tmp_path), seconds=0)
    with pytest.raises(wb.TableNotFound, match="board"):
        stream.wait()
