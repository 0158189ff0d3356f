"""The interface of all catalogs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from workbench.base.counting import counted

if TYPE_CHECKING:
    from workbench.base.progress import Progress
    from workbench.catalog.identifier import Identifier
    from workbench.commit.commit import Commit
    from workbench.metadata.definition.columns import Columns
    from workbench.metadata.store import TableStore
    from workbench.storage.file_io import FileIO
    from workbench.table.compaction.runner import CompactionRunner
    from workbench.table.schema_changes.changes import SchemaChange
    from workbench.table.schema_changes.commit import Alteration
    from workbench.table.table import Table


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


@runtime_checkable
class Catalog(Protocol):
    """A catalog of databases and tables by name. ``wb.connect`` opens one; `FileSystemCatalog` documents the methods in
    full.

    Another type of catalog implements these methods and is registered with `register_catalog`. If its service stores
    the snapshots and schemas of tables, the catalog passes its own `TableVersions` to the `TableStore`s of these
    tables.
    """

    warehouse: str
    """The directory or URL that contains the tables."""

    options: Mapping[str, str]
    """Paimon's catalog options. Given these options and the warehouse, ``wb.connect`` opens the same catalog."""

    file_io: FileIO
    """The storage of the warehouse."""

    def list_databases(self) -> list[str]:
        """Return the names of all databases, sorted."""
        ...

    def create_database(self, name: str, exist_ok: bool = False) -> None:
        """Create a database. Raises AlreadyExists."""
        ...

    def drop_database(self, name: str, cascade: bool = False) -> None:
        """Remove a database, including its tables and data if ``cascade`` is set. Raises DatabaseNotFound,
        CatalogError."""
        ...

    def list_tables(self, database: str) -> list[str]:
        """Return the names of all tables of a database, sorted. Raises DatabaseNotFound."""
        ...

    def create_table(
        self,
        name: str,
        schema: Columns,
        primary_key: str | Iterable[str] = (),
        partition_by: str | Iterable[str] = (),
        options: Mapping[str, object] | None = None,
        comment: str | None = None,
        exist_ok: bool = False,
    ) -> Table:
        """Create a table. Raises DatabaseNotFound, AlreadyExists, InvalidSchema, UnknownOption, Unsupported."""
        ...

    def get_table(self, name: str | Identifier) -> Table:
        """Open a table, a branch or a system table. Raises DatabaseNotFound, TableNotFound."""
        ...

    def stores(self) -> list[TableStore]:
        """Return the stores of all tables of all databases, sorted by name."""
        ...

    def alter_table(self, name: str, *changes: SchemaChange) -> Alteration:
        """Change columns, options or the comment of a table as one new schema. Raises TableNotFound, SchemaMismatch."""
        ...

    def rename_table(self, name: str, new_name: str) -> None:
        """Rename a table. Raises TableNotFound, DatabaseNotFound, AlreadyExists."""
        ...

    def drop_table(self, name: str, missing_ok: bool = False) -> None:
        """Remove a table with its data. Raises TableNotFound unless ``missing_ok``."""
        ...

    def compact_database(
        self,
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
        """Compact the tables of databases one after the other. Raises DatabaseNotFound, InvalidRequest."""
        ...
