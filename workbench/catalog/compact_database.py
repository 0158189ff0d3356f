"""Compacting all tables of databases, one after the other (`CompactDatabaseProcedure` in Java)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from workbench.base.errors import Cancelled, DatabaseNotFound, did_you_mean
from workbench.base.progress import Progress
from workbench.catalog.identifier import Identifier
from workbench.table.committing.commit import Commit
from workbench.table.name_patterns import chosen_by
from workbench.table.travel import to_length

if TYPE_CHECKING:
    from workbench.catalog.filesystem import FileSystemCatalog

_log = logging.getLogger("workbench")


@dataclass(frozen=True, repr=False)
class DatabaseCompaction:
    """What became of each table, by its full name: the commit of its compaction, or the error that it failed with."""

    commits: Mapping[str, Commit] = field(default_factory=dict)
    failures: Mapping[str, Exception] = field(default_factory=dict)

    def __repr__(self) -> str:
        changed = sum(bool(commit.snapshots) for commit in self.commits.values())
        text = f"<{len(self.commits)} tables looked at, {changed} of them compacted"
        if not self.failures:
            return f"{text}>"
        failed = "; ".join(f"{name}: {error}" for name, error in self.failures.items())
        return f"{text}, {len(self.failures)} failed: {failed}>"


def compact_database(
    catalog: FileSystemCatalog,
    including_databases: str,
    including_tables: str | None,
    excluding_tables: str | None,
    full: bool,
    partition_idle_time: timedelta | str | None,
    progress: Progress,
) -> DatabaseCompaction:
    """Compact the tables of databases; see `FileSystemCatalog.compact_database`."""
    idle_time = None if partition_idle_time is None else timedelta(milliseconds=to_length(partition_idle_time))
    names = _tables(catalog, chosen_by(including_databases), including_databases, including_tables, excluding_tables)
    commits: dict[str, Commit] = {}
    failures: dict[str, Exception] = {}
    with progress.step(f"Compacting tables of {catalog.warehouse}", len(names), "tables"):
        for identifier in names:
            name = str(identifier)
            try:
                table = catalog.get_table(identifier)
                commits[name] = table.compact(full, progress=progress, partition_idle_time=idle_time)
            except Cancelled:
                raise
            except Exception as error:  # noqa: BLE001 - what is wrong with one table must not keep the others from it
                _log.warning("%s could not be compacted: %s", name, error, exc_info=True)
                failures[name] = error
            progress.advance()
    return DatabaseCompaction(commits, failures)


def _tables(
    catalog: FileSystemCatalog,
    is_chosen: Callable[[str], bool],
    pattern: str,
    including: str | None,
    excluding: str | None,
) -> list[Identifier]:
    is_wanted = chosen_by(including, excluding)
    known = catalog.list_databases()
    databases = [name for name in known if is_chosen(name)]
    if not databases:
        raise DatabaseNotFound(f"No database of {catalog.warehouse} matches '{pattern}'.", did_you_mean(pattern, known))
    found = [Identifier(database, table) for database in databases for table in catalog.list_tables(database)]
    return [identifier for identifier in found if is_wanted(str(identifier))]
