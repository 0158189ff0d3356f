"""``wb.explore``: the tree of a catalog and the open table side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.arguments import checked
from workbench.base.secrets import without_credentials
from workbench.lens.error import ErrorValue
from workbench.lens.history.timeline import collect_timeline_with_history
from workbench.lens.levels import LevelsValue, collect_levels
from workbench.lens.smaller import smaller_levels, smaller_timelines
from workbench.lens.summary import SummaryValue, collect_summary
from workbench.lens.timeline import TimelineValue
from workbench.notebook.following import NewestSnapshot
from workbench.notebook.live import LiveView, error_text, shown_error, table_at
from workbench.notebook.saved import SavedForm
from workbench.notebook.table_views.levels import BUCKETS_PAGE, static_levels
from workbench.notebook.table_views.summary import summary_view
from workbench.notebook.table_views.timeline import SNAPSHOTS_PAGE, opened_by_timeline, timeline_view
from workbench.notebook.views import View, without_types
from workbench.sql.grid import Grid, count_text, grid_of

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog

# With more databases than this, the tables of a database are listed only when it is opened.
_MAX_LISTED_DATABASES = 20
_MAX_NAMES = 1000


@dataclass(frozen=True)
class DatabaseNode:
    """A database in the tree. ``tables`` is None until it is opened."""

    name: str
    tables: tuple[str, ...] | None


@dataclass(frozen=True)
class OpenTable:
    """The open table ``database.table``, with its values or the error that occurred while reading them."""

    table: str
    summary: SummaryValue | None = None
    levels: LevelsValue | None = None
    timeline: TimelineValue | None = None
    error: ErrorValue | None = None


@dataclass(frozen=True)
class ExploreValue:
    """A catalog and its open table. ``catalog`` is its warehouse, without credentials."""

    catalog: str
    databases: tuple[DatabaseNode, ...]
    open: OpenTable | None


class Explore(LiveView[ExploreValue]):
    """A catalog to browse. ``to_arrow`` returns one row per table of each database."""

    kind = "explore"

    def __init__(self, catalog: Any) -> None:
        super().__init__(None)
        self._catalog = catalog
        self._databases: tuple[DatabaseNode, ...] | None = None
        self._opened: str | None = None
        self._show(None)

    def _show(self, name: str | None) -> None:
        """Show a table without any selection, or no table if ``name`` is None."""
        self._name, self._table, self._below = name, None, None
        self._bucket: str | None = None
        self._buckets, self._snapshots, self._selected = BUCKETS_PAGE, SNAPSHOTS_PAGE, None

    def to_arrow(self) -> pa.Table:
        """Return one row per table, and a row with a null for each database without tables."""
        names = self._catalog.list_databases()
        return _name_rows([DatabaseNode(name, tuple(self._catalog.list_tables(name))) for name in names])

    def _collect(self, newest: NewestSnapshot | None) -> ExploreValue:
        if self._databases is None or self._opened is not None:
            self._databases = self._list(self._databases)
        opened = None if self._name is None else self._read(self._name, newest)
        return ExploreValue(without_credentials(self._catalog.warehouse), self._databases, opened)

    def _list(self, known: tuple[DatabaseNode, ...] | None) -> tuple[DatabaseNode, ...]:
        """List the databases, and the tables of those that were opened."""
        names = self._catalog.list_databases()
        wanted = {node.name for node in known or () if node.tables is not None} | {self._opened}
        self._opened = None
        if len(names) <= _MAX_LISTED_DATABASES:
            wanted |= set(names)
        return tuple(
            DatabaseNode(name, tuple(self._catalog.list_tables(name)) if name in wanted else None) for name in names
        )

    def _read(self, name: str, newest: NewestSnapshot | None) -> OpenTable:
        try:
            if self._table is None:
                self._table = self._catalog.get_table(name)
            if newest is not None and self._selected == str(newest.id):
                # If the user selects the newest snapshot, the view follows new snapshots.
                self._selected = None
            chosen = self._table.at(snapshot=int(self._selected)) if self._selected else table_at(self._table, newest)
            return OpenTable(
                name,
                collect_summary(chosen, estimate=True),
                collect_levels(chosen, self._bucket, limit=self._buckets),
                collect_timeline_with_history(self._table, self._snapshots),
            )
        except Exception as error:  # noqa: BLE001 - the tree remains usable
            return OpenTable(name, error=shown_error(error))

    def _open(self, event: Mapping[str, Any]) -> LiveView[Any] | None:
        return None if self._table is None else opened_by_timeline(self._table, event)

    def _on_event(self, event: Mapping[str, Any]) -> bool:
        match event:
            case {"kind": "open-database", "name": str(name)}:
                self._opened = name
            case {"kind": "open-table", "name": str(name)}:
                self._show(name)
            case {"kind": "select-bucket", "id": str(bucket)}:
                self._bucket = bucket
            case {"kind": "more-buckets"}:
                self._buckets += BUCKETS_PAGE
            case {"kind": "more-snapshots"}:
                self._snapshots += SNAPSHOTS_PAGE
            case {"kind": "select-snapshot", "id": str(snapshot)} if snapshot.isdecimal():
                self._selected = snapshot
            case _:
                return False
        return True

    def _saved_form(self) -> SavedForm[ExploreValue]:
        return SavedForm(smaller_explorers)

    def _fallback(self, value: ExploreValue) -> View:
        names = _name_grid(value)
        rows = _name_rows(value.databases)
        opened = value.open
        if opened is None:
            tables = sum(len(node.tables or ()) for node in value.databases)
            counts = f"{count_text(len(value.databases), 'database')}, {count_text(tables, 'listed table')}"
            return View((names,), rows, value, line=f"{value.catalog}: {counts}")
        if opened.error is not None:
            return View((names,), rows, value, line=error_text(opened.error))
        assert opened.summary is not None
        assert opened.levels is not None
        assert opened.timeline is not None
        views = (summary_view(opened.summary), static_levels(opened.levels), timeline_view(opened.timeline))
        grids = (names, *(grid for view in views for grid in view.grids))
        return View(grids, rows, value, tuple(drawing for view in views for drawing in view.drawings))


def smaller_explorers(value: ExploreValue) -> Iterator[ExploreValue]:
    """Yield forms of the value with less and less detail: first smaller pictures of the open table, then databases
    without their tables."""
    opened = value.open
    if opened is not None:
        for timeline in smaller_timelines(opened.timeline) if opened.timeline else ():
            opened = replace(opened, timeline=timeline)
            yield replace(value, open=opened)
        for levels in smaller_levels(opened.levels) if opened.levels else ():
            opened = replace(opened, levels=levels)
            yield replace(value, open=opened)
    databases = value.databases
    while longest := max((node for node in databases if node.tables), key=_table_count, default=None):
        databases = tuple(replace(node, tables=None) if node is longest else node for node in databases)
        yield replace(value, databases=databases, open=opened)


def _table_count(node: DatabaseNode) -> int:
    return len(node.tables or ())


def _name_rows(databases: tuple[DatabaseNode, ...] | list[DatabaseNode]) -> pa.Table:
    pairs = [(node.name, table) for node in databases for table in node.tables or (None,)]
    return pa.table(
        {
            "database": pa.array([database for database, _ in pairs], pa.string()),
            "table": pa.array([table for _, table in pairs], pa.string()),
        }
    )


def _name_grid(value: ExploreValue) -> Grid:
    rows = _name_rows(value.databases)
    closed = sum(node.tables is None for node in value.databases)
    notes = [f"The tables of {count_text(closed, 'database')} are not listed."] if closed else []
    caption = f"Databases and tables of {value.catalog}"
    return without_types(grid_of(rows, caption, _MAX_NAMES, rows.num_rows, notes, "name"))


@checked
def explore(catalog: Catalog) -> Explore:
    """Return the databases and tables of a catalog: a tree in a notebook, a list everywhere else.

    An open table shows its columns, timeline and levels, and follows new snapshots.
    """
    return Explore(catalog)
