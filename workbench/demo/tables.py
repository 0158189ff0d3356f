"""The tables of the demo, and the state of an existing warehouse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from workbench.demo import source
from workbench.demo.source import Source

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.table import Table

DATABASE = "nyc"
_MARK = "workbench demo"


@dataclass(frozen=True)
class DemoTable:
    """A table of the demo, and its columns as Paimon types."""

    name: str
    columns: Mapping[str, str]
    comment: str
    primary_key: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """The full name, such as ``nyc.flights``."""
        return f"{DATABASE}.{self.name}"

    def create(self, catalog: Catalog) -> Table:
        """Create the empty table."""
        return catalog.create_table(
            self.full_name,
            dict(self.columns),
            primary_key=self.primary_key,
            partition_by=self.partition_by,
            options=dict(self.options),
            comment=f"{self.comment} ({_MARK})",
        )


@dataclass(frozen=True)
class CsvTable(DemoTable):
    """A table that a CSV file fills."""

    source: Source = source.FLIGHTS


def _csv_table(name: str, source: Source, comment: str, **others: Any) -> CsvTable:
    return CsvTable(name, source.columns, comment, source=source, **others)


# Month, scheduled hour, carrier and number identify all 336,776 flights. With the day instead of the hour they would
# not: in 24 cases, a carrier uses a flight number twice on one day.
FLIGHTS = _csv_table(
    "flights",
    source.FLIGHTS,
    "Flights that left New York in 2013, as their changes arrived",
    primary_key=("month", "time_hour", "carrier", "flight"),
    partition_by=("month",),
    # The demo shows the history of this table, which therefore has to survive later writes.
    options={"bucket": "2", "snapshot.time-retained": "3650 d"},
)

# The departures board of one day, in the local time of New York.
BOARD = DemoTable(
    "board",
    {
        "scheduled": "TIMESTAMP(0)",
        "carrier": "STRING",
        "flight": "INT",
        "origin": "STRING",
        "dest": "STRING",
        "status": "STRING",
        "expected": "TIMESTAMP(0)",
    },
    "Departures board of New York's airports on December 31, 2013",
    primary_key=("scheduled", "carrier", "flight"),
    options={"bucket": "1", "snapshot.time-retained": "3650 d"},
)
SMALL_TABLES = (
    _csv_table("airlines", source.AIRLINES, "Carrier codes", primary_key=("carrier",), options={"bucket": "1"}),
    _csv_table("airports", source.AIRPORTS, "Airports", primary_key=("faa",), options={"bucket": "1"}),
    _csv_table("planes", source.PLANES, "Planes by tail number", primary_key=("tailnum",), options={"bucket": "1"}),
    _csv_table("weather", source.WEATHER, "Hourly weather at the three airports"),
)
# Written last: once it has rows, the demo is complete.
_LAST = SMALL_TABLES[-1]


class State(Enum):
    """The state of the demo in a warehouse. FOREIGN: a database of the same name that is not the demo's."""

    ABSENT = "absent"
    UNFINISHED = "unfinished"
    WHOLE = "whole"
    FOREIGN = "foreign"


def state_of(catalog: Catalog) -> State:
    """Return the state of a warehouse; reads metadata only.

    Raises:
        CatalogError: If its directory contains other files and no database.
    """
    if DATABASE not in catalog.list_databases():
        return State.ABSENT
    names = catalog.list_tables(DATABASE)
    tables = {name: catalog.get_table(f"{DATABASE}.{name}") for name in names}
    if not all(_MARK in (table.schema.comment or "") for table in tables.values()):
        return State.FOREIGN
    return State.WHOLE if _LAST.name in tables and tables[_LAST.name].snapshots() else State.UNFINISHED
