"""``wb.health`` of a catalog: its tables, the worst first, listed while they are read."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from workbench.base.errors import Cancelled
from workbench.base.progress import Progress
from workbench.base.texts import size_text
from workbench.lens.health.catalog import (
    CatalogHealthValue,
    TableHealthValue,
    describe_catalog_health,
    table_healths,
    tables_of,
)
from workbench.notebook.following import NewestSnapshot
from workbench.notebook.live import LiveView
from workbench.notebook.saved import SavedForm
from workbench.notebook.views import View
from workbench.notebook.widget import has_front_end
from workbench.sql.grid import Grid, GridColumn, Shown

_MAX_ROWS = 1000
# A widget is drawn immediately, and then redrawn at this interval while tables are being read.
_INTERVAL_SECONDS = 0.4
_FIRST_SECONDS = 1.0


class CatalogHealth(LiveView[CatalogHealthValue]):
    """The tables of a catalog, the worst first. ``to_arrow`` returns one row per table.

    The tables are read in the background; ``value``, ``to_arrow`` and ``to_pandas`` wait until all of them are read,
    and ``cancel`` stops reading.
    """

    kind = "catalog-health"

    def __init__(self, catalog: Any, *, storage: bool = False) -> None:
        super().__init__(None)
        self._catalog = catalog
        self._storage = storage
        self._progress = Progress()
        self._names = tables_of(catalog)
        self._found: list[TableHealthValue] = []
        self._failure: Exception | None = None
        self._reader = threading.Thread(target=self._read, name="workbench-health", daemon=True)
        self._reader.start()

    @property
    def value(self) -> CatalogHealthValue:
        """The health of all tables; waits until they are read, or until `cancel`."""
        self._reader.join()
        if self._failure is not None:
            raise self._failure
        return self._current()

    def cancel(self) -> None:
        """Stop reading; the tables that were read stay listed."""
        self._progress.cancel()
        self._reader.join()

    def close(self) -> None:
        """Stop reading, and remove the widget from the page."""
        self._progress.cancel()
        super().close()

    def _read(self) -> None:
        sent = 0.0
        try:
            for each in table_healths(self._catalog, self._names, storage=self._storage, progress=self._progress):
                self._found.append(each)
                if time.monotonic() - sent > _INTERVAL_SECONDS:
                    sent = time.monotonic()
                    self._show_progress()
        except Cancelled:
            pass
        except Exception as error:  # noqa: BLE001 - the view shows it, `value` raises it
            self._failure = error
        self._ended = True
        self._show_progress()

    _ended = False

    def _show_progress(self) -> None:
        with self._lock:
            self._value, self._error = self._current(), self._failure
            self._send()

    def _current(self) -> CatalogHealthValue:
        return describe_catalog_health(
            self._catalog,
            list(self._found),
            len(self._names),
            is_complete=self._ended,
            cancelled=self._ended and self._progress.cancelled,
        )

    def _collect(self, newest: NewestSnapshot | None) -> CatalogHealthValue:  # noqa: ARG002
        if self._failure is not None:
            raise self._failure
        return self._current()

    def _shown(self) -> Shown:
        # A picture may show only the tables that were read so far; text is not updated later, so it has to be complete.
        # The reader needs the lock to show its progress, so the lock is not held while waiting.
        if not has_front_end():
            self._reader.join()
        else:
            # Most catalogs are read completely within this time, and the notebook then contains all their tables.
            self._reader.join(_FIRST_SECONDS)
        with self._lock:
            self._value, self._error = self._current(), self._failure
        return super()._shown()

    def _fallback(self, value: CatalogHealthValue) -> View:
        return catalog_health_view(value)

    def _on_event(self, event: Mapping[str, Any]) -> bool:
        if event.get("kind") == "cancel":
            self._progress.cancel()
        return False

    def _saved_form(self) -> SavedForm[CatalogHealthValue]:
        return SavedForm(smaller_catalogs, still=_stopped)


def _stopped(value: CatalogHealthValue) -> CatalogHealthValue:
    """Return the value as if reading had been stopped, because no kernel will continue it for readers of the file."""
    return value if value.is_complete else replace(value, is_complete=True, cancelled=True)


def smaller_catalogs(value: CatalogHealthValue) -> Iterator[CatalogHealthValue]:
    """Yield forms of the value with fewer and fewer tables, of which the worst are kept."""
    while len(value.tables) > 1:
        value = replace(value, tables=value.tables[: len(value.tables) // 2])
        yield value


def catalog_health_view(value: CatalogHealthValue) -> View:
    """Return a view that lists the tables with their worst findings."""
    tables = value.tables
    rows = pa.table(
        {
            "table": pa.array([each.table for each in tables], pa.string()),
            "condition": pa.array([each.condition for each in tables], pa.string()),
            "findings": pa.array([each.findings for each in tables], pa.int64()),
            "worst_finding": pa.array([each.finding for each in tables], pa.string()),
            "sql": pa.array([each.sql for each in tables], pa.string()),
            "files": pa.array([each.files for each in tables], pa.int64()),
            "bytes": pa.array([each.size for each in tables], pa.int64()),
            "snapshot": pa.array([each.snapshot for each in tables], pa.int64()),
        }
    )
    columns = (
        *(GridColumn(name) for name in ("condition", "table", "worst finding", "fix")),
        GridColumn("files", number=True),
        GridColumn("size", number=True),
    )
    shown = tuple(
        (each.condition, each.table, each.finding or "nothing to do", each.sql, f"{each.files:,}", size_text(each.size))
        for each in tables[:_MAX_ROWS]
    )
    state = (
        "" if value.is_complete and not value.cancelled else " Reading was stopped." if value.cancelled else " Reading…"
    )
    grid = Grid(f"Health of {value.catalog}", columns, shown, wraps=True)
    return View((grid,), rows, value, line=f"{value.catalog}: {value.text}{state}")
