"""The departures board: what it shows at each time of its day, written in small commits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from workbench.demo.plan import CHANGE
from workbench.demo.tables import BOARD, FLIGHTS

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.commits.commit import Commit
    from workbench.table.table import Table

DAY = datetime(2013, 12, 31)
OPENING, NOON, CLOSING = DAY.replace(hour=4), DAY.replace(hour=12), DAY + timedelta(days=1)
OPENING_STEP, LIVE_STEP = timedelta(minutes=20), timedelta(minutes=5)
TIME_PROPERTY = "demo.board-time"
"""The snapshot property with the time that the board shows."""

_LISTED_BEFORE = timedelta(hours=4)
_LISTED_AFTER = timedelta(minutes=30)
_DELAYED = timedelta(minutes=15)


@dataclass(frozen=True)
class Entry:
    """What the board shows about a flight from ``time`` onward; the row kind -D removes the flight from the board."""

    time: datetime
    row_kind: str
    row: dict[str, Any]


@cache
def board_entries() -> tuple[Entry, ...]:
    """Return all changes of the board in the order of their times."""
    flights = FLIGHTS.source.read().filter((pc.field("month") == DAY.month) & (pc.field("day") == DAY.day))
    entries = (entry for flight in flights.to_pylist() for entry in _entries(flight))
    return tuple(sorted(entries, key=lambda entry: entry.time))


def _entries(flight: dict[str, Any]) -> Iterator[Entry]:
    hour, minute = divmod(flight["sched_dep_time"], 100)
    scheduled = DAY.replace(hour=hour, minute=minute)
    delay = None if flight["dep_delay"] is None else timedelta(minutes=flight["dep_delay"])
    expected = None if delay is None else scheduled + delay

    def entry(time: datetime, row_kind: str, status: str, expected: datetime | None) -> Entry:
        row = {name: flight[name] for name in ("carrier", "flight", "origin", "dest")}
        return Entry(time, row_kind, {"scheduled": scheduled, **row, "status": status, "expected": expected})

    yield entry(max(scheduled - _LISTED_BEFORE, OPENING), "+I", "scheduled", scheduled)
    if delay is None:
        yield entry(scheduled, "+U", "cancelled", None)
    else:
        if delay >= _DELAYED:
            yield entry(scheduled, "+U", "delayed", expected)
        yield entry(scheduled + delay, "+U", "departed", expected)
    yield entry((expected or scheduled) + _LISTED_AFTER, "-D", "departed", expected)


def open_board(board: Table) -> None:
    """Fill the empty board up to noon, and tag each full hour."""
    time = OPENING
    write_until(board, OPENING - OPENING_STEP, time)
    while time < NOON:
        write_until(board, time, time + OPENING_STEP)
        time += OPENING_STEP
        if time.minute == 0:
            board.create_tag(tag_at(time))


def tag_at(time: datetime) -> str:
    """Return the name of the tag of a full hour."""
    return f"at_{time:%H_%M}"


def write_until(board: Table, after: datetime, until: datetime) -> Commit:
    """Commit the changes of the board after one time and up to another."""
    chosen = [entry for entry in board_entries() if after < entry.time <= until]
    rows = [{**entry.row, CHANGE: entry.row_kind} for entry in chosen]
    schema = board.arrow_schema.append(pa.field(CHANGE, pa.string()))
    properties = {TIME_PROPERTY: until.isoformat()}
    return board.write(pa.Table.from_pylist(rows, schema), row_kind=CHANGE, properties=properties)


def time_of(board: Table) -> datetime:
    """Return the time that the board shows."""
    times = (snapshot.properties.get(TIME_PROPERTY) for snapshot in reversed(board.snapshots()))
    return next((datetime.fromisoformat(time) for time in times if time), OPENING)


def advance_board(catalog: Catalog, steps: int = 1) -> list[Commit]:
    """Advance the board by five minutes per commit. After midnight, it starts again at noon.

    Args:
        catalog: The catalog of the demo.
        steps: The number of commits.
    """
    board = catalog.get_table(BOARD.full_name)
    return [_advance(board) for _ in range(steps)]


def _advance(board: Table) -> Commit:
    time = time_of(board)
    if time >= CLOSING:
        board.rollback_to(tag=tag_at(NOON))
        time = NOON
    return write_until(board, time, time + LIVE_STEP)
