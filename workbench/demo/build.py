"""Builds the demo with a loader, which may or may not use Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from workbench.base.progress import Progress
from workbench.demo.board import open_board
from workbench.demo.events import Event
from workbench.demo.plan import LAST_MONTH, Load, plan_history
from workbench.demo.tables import BOARD, DATABASE, FLIGHTS, SMALL_TABLES, CsvTable

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.table import Table


class Loader(Protocol):
    """Writes rows of the CSV files into tables."""

    def load(self, load: Load, flights: Table) -> None:
        """Write one load as a commit. Rows are complete: values not known yet are null."""
        ...

    def copy(self, demo_table: CsvTable, table: Table) -> None:
        """Write a whole file as a commit."""
        ...


def build(catalog: Catalog, loader: Loader, months: int = LAST_MONTH, progress: Progress | None = None) -> None:
    """Create the database with all tables. Each load is one commit, followed by a compaction if its buckets need one.

    Raises:
        AlreadyExists: If the database exists.
    """
    progress = progress or Progress()
    history = plan_history(months)
    catalog.create_database(DATABASE)
    with progress.step("Loading", len(history) + 1 + len(SMALL_TABLES), "commits"):
        FLIGHTS.create(catalog)
        for each in history:
            with progress.step(each.label, unit="rows"):
                # An event may have changed the schema.
                flights = catalog.get_table(FLIGHTS.full_name)
                if isinstance(each, Event):
                    each.run(catalog, flights)
                else:
                    loader.load(each, flights)
            progress.advance()
        with progress.step(BOARD.full_name, unit="rows"):
            open_board(BOARD.create(catalog))
        progress.advance()
        for small in SMALL_TABLES:
            with progress.step(small.full_name, unit="rows"):
                loader.copy(small, small.create(catalog))
            progress.advance()
