"""Compaction of all tables in selected databases, one after the other (`CompactDatabaseProcedure` in Java)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from workbench.base.arguments import checked
from workbench.base.counting import counted
from workbench.base.errors import Cancelled, DatabaseNotFound, did_you_mean
from workbench.base.progress import Progress
from workbench.catalog.catalog import Catalog
from workbench.catalog.identifier import Identifier
from workbench.metadata.refs.name_patterns import chosen_by
from workbench.metadata.times import to_length
from workbench.table.commits.commit import Commit
from workbench.table.read_options import with_dynamic_options

if TYPE_CHECKING:
    from workbench.table.compaction.runner import CompactionRunner
    from workbench.table.table import Table

_log = logging.getLogger("workbench")


@dataclass(frozen=True, repr=False)
class DatabaseCompaction:
    """The outcome for each table, by its full name: the commit of its compaction, or the error."""

    commits: Mapping[str, Commit] = field(default_factory=dict)
    failures: Mapping[str, Exception] = field(default_factory=dict)

    def __repr__(self) -> str:
        changed = sum(bool(commit.snapshots) for commit in self.commits.values())
        text = f"<{counted(len(self.commits), 'tables')} checked, {changed} of them compacted"
        if not self.failures:
            return f"{text}>"
        failed = "; ".join(f"{name}: {error}" for name, error in self.failures.items())
        return f"{text}, {len(self.failures)} failed: {failed}>"


@checked
def compact_database(
    catalog: Catalog,
    including_databases: str = ".*",
    including_tables: str | None = None,
    excluding_tables: str | None = None,
    *,
    full: bool = False,
    partition_idle_time: timedelta | str | None = None,
    options: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    runners: Callable[[Table], CompactionRunner | None] | None = None,
) -> DatabaseCompaction:
    """Compact the tables of databases one after the other, each as `Table.compact` does. If a table fails, the result
    contains its error, and the remaining tables are still compacted.

    Args:
        catalog: The catalog.
        including_databases: A regular expression that matches the whole names of databases.
        including_tables: A regular expression that matches the full names of tables (``shop\\..*``); None for all.
        excluding_tables: A regular expression for those that are left out.
        full: Whether to compact completely; see `Table.compact`.
        partition_idle_time: How long a partition must have been idle; see `Table.compact`.
        options: Table options that apply only to these compactions.
        progress: Reports progress, and can cancel.
        runners: Chooses for each table where its buckets are compacted; see `Table.compact`.

    Raises:
        DatabaseNotFound: No database matches.
        InvalidRequest: A pattern is not a regular expression.

    Example:
        >>> wb.compact_database(catalog, "shop", excluding_tables=r"shop\\.archive_.*")
    """
    progress = progress or Progress()
    catalog.check_writable()
    if partition_idle_time is not None:
        to_length(partition_idle_time)  # An invalid duration fails here once, not for each table.
    names = _tables(catalog, chosen_by(including_databases), including_databases, including_tables, excluding_tables)
    commits: dict[str, Commit] = {}
    failures: dict[str, Exception] = {}
    with progress.step(f"Compacting tables of {catalog.warehouse}", len(names), "tables"):
        for identifier in names:
            name = str(identifier)
            try:
                table = with_dynamic_options(catalog.get_table(identifier), options or {})
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
