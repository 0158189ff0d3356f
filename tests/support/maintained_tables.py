"""Tables with a manual clock, and the files in their directories."""

from __future__ import annotations

from pathlib import Path

from workbench.base.clock import ManualClock
from workbench.base.progress import Progress
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.storage.local import LocalFileIO
from workbench.table.maintenance.used_files import all_histories, used_by_history
from workbench.table.table import Table

HOUR = 3_600_000
DAY = 24 * HOUR
START = 1_767_225_600_000
"""2026-01-01 in UTC."""


def clocked(warehouse: Path) -> tuple[FileSystemCatalog, ManualClock]:
    clock = ManualClock(START)
    catalog = FileSystemCatalog(str(warehouse), LocalFileIO(), clock=clock)
    catalog.create_database("db")
    return catalog, clock


def files(table: Table) -> set[str]:
    """Every file below the table, but hints."""
    root = Path(table.location)
    actual_files = (path for path in root.rglob("*") if path.is_file() and path.name not in ("EARLIEST", "LATEST"))
    return {str(path.relative_to(root)) for path in actual_files}


def unused(table: Table) -> set[str]:
    """Files of data and metadata that no version names."""
    used = set().union(*(used_by_history(each, Progress()) for each in all_histories(table.store)))
    return {
        path
        for path in files(table)
        if path.split("/")[0] not in ("snapshot", "schema", "tag", "branch", "consumer", "changelog")
        and path.rsplit("/", 1)[-1] not in used
    }
