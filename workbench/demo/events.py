"""What happens to the flights between the loads: tags, a consumer, an overwrite, a new column, a branch, a rollback."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import workbench as wb

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.table import Table

GAINED = "gained"
BRANCH = "corrections"
CONSUMER = "dashboard"


@dataclass(frozen=True)
class Event:
    """A change to the table other than a load."""

    label: str
    run: Callable[[Catalog, Table], object]


def tag_month(month: int) -> Event:
    """Tag the newest snapshot with the name of a month, and set the dashboard's consumer to this snapshot."""
    name = calendar.month_name[month].lower()

    def run(_: Catalog, flights: Table) -> None:
        flights.create_tag(name)
        flights.set_consumer(CONSUMER, flights.snapshot().id)

    return Event(f"tag {name}", run)


def overwrite_month(month: int) -> Event:
    """Overwrite the partition of a month with its rows, as a corrected delivery would."""

    def run(_: Catalog, flights: Table) -> None:
        flights.write(flights.to_arrow(where=f"month = {month}"), mode="overwrite", partition={"month": month})

    return Event(f"overwrite {calendar.month_name[month]}", run)


def add_gained() -> Event:
    """Add the column that later arrivals fill."""
    column = wb.AddColumn(GAINED, "INT", comment="Minutes gained in the air: dep_delay - arr_delay")
    return Event(f"add column {GAINED}", lambda catalog, flights: catalog.alter_table(flights.name, column))


def branch_with_corrections(month: int) -> Event:
    """Start a branch from the tag of a month, and correct delays in it."""

    def run(_: Catalog, flights: Table) -> None:
        flights.create_branch(BRANCH, tag=calendar.month_name[month].lower())
        correction = f"month = {month} AND day = 27 AND origin = 'LGA' AND arr_delay > 0"
        flights.branch(BRANCH).update({"arr_delay": "arr_delay - 5"}, where=correction)

    return Event(f"branch {BRANCH}", run)


def mistaken_update() -> Event:
    """Erase the delays of a carrier."""
    return Event(
        "mistaken update",
        lambda _, flights: flights.update({"dep_delay": 0, "arr_delay": 0}, where="month = 12 AND carrier = 'EV'"),
    )


def rollback_of_mistake() -> Event:
    """Restore the rows from before the mistake; both stay in the history."""

    def run(_: Catalog, flights: Table) -> None:
        mistake = max(each.id for each in flights.snapshots() if each.commit_kind == "APPEND")
        flights.rollback_to(snapshot=mistake - 1, as_latest=True)

    return Event("rollback", run)
