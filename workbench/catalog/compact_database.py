"""Compaction of all tables in selected databases, one after the other (`CompactDatabaseProcedure` in Java)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from workbench.base.errors import Cancelled, DatabaseNotFound, did_you_mean
from workbench.base.progress import Progress
from workbench.catalog.identifier import Identifier
from workbench.catalog.protocol import Catalog, DatabaseCompaction
from workbench.commit.commit import Commit
from workbench.metadata.refs.name_patterns import chosen_by
from workbench.metadata.times import to_length
from workbench.table.read_options import with_dynamic_options

if TYPE_CHECKING:
    from workbench.table.compaction.runner import CompactionRunner
    from workbench.table.table import Table

_log = logging.getLogger("workbench")


def compact_database(
    catalog: Catalog,
    including_databases: str,
    including_tables: str | None,
    excluding_tables: str | None,
    full: bool,
    partition_idle_time: timedelta | str | None,
    options: Mapping[str, str],
    progress: Progress,
    runners: Callable[[Table], CompactionRunner | None] | None = None,
) -> DatabaseCompaction:
    """Compact the tables of databases; see `Catalog.compact_database`."""
    catalog.file_io.check_writable()
    if partition_idle_time is not None:
        to_length(partition_idle_time)  # An invalid duration fails here once, not for each table.
    names = _tables(catalog, chosen_by(including_databases), including_databases, including_tables, excluding_tables)
    commits: dict[str, Commit] = {}
    failures: dict[str, Exception] = {}
    with progress.step(f"Compacting tables of {catalog.warehouse}", len(names), "tables"):
        for identifier in names:
            name = str(identifier)
            try:
                table = with_dynamic_options(catalog.get_table(identifier), options)
                runner = None if runners is None else runners(table)
                commits[name] = table.compact(
                    full, progress=progress, partition_idle_time=partition_idle_time, runner=runner
                )
            except Cancelled:
                raise
            except Exception as error:  # noqa: BLE001 - what is wrong with one table must not keep the others from it
                _log.warning("%s could not be compacted: %s", name, error, exc_info=True)
                failures[name] = error
            progress.advance()
    return DatabaseCompaction(commits, failures)


def _tables(
    catalog: Catalog,
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
    tables = [Identifier(database, table) for database in databases for table in catalog.list_tables(database)]
    return [identifier for identifier in tables if is_wanted(str(identifier))]
