"""The interface between a catalog and the service that knows its databases and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from workbench.base.errors import Unsupported
from workbench.catalog.identifier import Identifier
from workbench.catalog.storages import Storages
from workbench.metadata.protocol import OwnerCheck
from workbench.metadata.runtime import CACHE_BYTES
from workbench.storage.cache import ByteCache
from workbench.storage.lock import CatalogLock, NoLock

if TYPE_CHECKING:
    from workbench.catalog.descriptions import Database, Function, TableDescription, View
    from workbench.format.spec.schema import TableSchema
    from workbench.metadata.protocol import PartitionStatistics
    from workbench.storage.file_io import FileIO


@dataclass(frozen=True)
class TableDirectory:
    """Where the files of a table are."""

    location: str
    """The directory."""

    file_io: FileIO
    """Its storage, with the credentials for it."""

    is_paimon: bool = True
    """Whether it is a Paimon table, whose files belong to its commits."""


class Metastore:
    """What knows the databases and tables of a catalog by name: a directory, a database or a service.

    A metastore is extended for each kind. It changes only what its methods name; `Catalog` checks names and
    refuses changes of read-only catalogs before it calls them. What a kind does not support is refused by this class.
    """

    kind: str
    """The value of the catalog option ``metastore``, which also names the kind in messages."""

    address: str
    """Where it is, for messages, without credentials."""

    lock: CatalogLock = NoLock()
    """The lock that writers of its tables hold while they publish."""

    keeps_partitions: bool = False
    """Whether it has the partitions of tables with option ``metastore.partitioned-table``."""

    roots: Sequence[str] = ()
    """Directories from which its tables may open files."""

    has_external_tables: bool = False
    """Whether it may have tables whose files are kept when they are dropped."""

    def __init__(self, storages: Storages) -> None:
        self.storages = storages
        """The storages of its tables."""
        self.cache = ByteCache(CACHE_BYTES)
        """Metadata that never changes, shared by the tables of the catalog."""

    def list_databases(self) -> list[str]:
        """Return the names of all databases."""
        raise NotImplementedError

    def get_database(self, name: str) -> Database | None:
        """Return a database, or None if it does not exist."""
        raise NotImplementedError

    def create_database(self, database: Database) -> None:
        """Create a database. Raises AlreadyExists if another process was first."""
        raise NotImplementedError

    def alter_database(self, database: Database, properties: Mapping[str, str | None]) -> None:  # noqa: ARG002
        """Set properties of a database; None removes one. ``comment`` is a property, too."""
        self._refuse("properties of databases")

    def drop_database(self, database: Database) -> None:
        """Remove a database with what is left in it. Its tables have been dropped before."""
        raise NotImplementedError

    def list_tables(self, database: str) -> list[str]:
        """Return the names of all Paimon tables of a database; none if the database does not exist."""
        raise NotImplementedError

    def list_other_tables(self, database: str) -> list[str]:  # noqa: ARG002
        """Return the names of the tables of other formats in a database, which are never changed."""
        return []

    def has_table(self, identifier: Identifier) -> bool:
        """Return whether a table exists, even if its schema cannot be read."""
        return self.get_table(identifier) is not None

    def get_table(self, identifier: Identifier) -> TableDescription | None:
        """Return a table, or None if it does not exist. The identifier has no branch and no system table."""
        raise NotImplementedError

    def create_table(self, identifier: Identifier, schema: TableSchema) -> None:
        """Create a table. Raises AlreadyExists if another process was first."""
        raise NotImplementedError

    def rename_table(self, old: Identifier, new: Identifier) -> None:
        """Rename a table that exists."""
        raise NotImplementedError

    def drop_table(self, identifier: Identifier) -> None:
        """Remove a table that exists, with its files unless it is external."""
        raise NotImplementedError

    def drop_tables(self, database: str, tables: Iterable[str]) -> None:
        """Remove all tables of a database that is about to be dropped."""
        for table in tables:
            self.drop_table(Identifier(database, table))

    def storage(self, table: TableDescription) -> FileIO:
        """Return the storage of a table."""
        return self.storages.at(table.location, table.storage_options)

    def directory(self, identifier: Identifier) -> TableDirectory | None:
        """Return where the files of a table are, even if it is one of another format; None if it does not exist."""
        found = self.get_table(identifier)
        return None if found is None else TableDirectory(found.location, self.storage(found))

    def create_object_table(self, identifier: Identifier) -> None:  # noqa: ARG002
        """Create a table that only contains files. Raises AlreadyExists if there is one."""
        raise Unsupported(
            f"Catalogs with 'metastore' = '{self.kind}' have no object tables.", "Catalogs of kind rest have them."
        )

    def owner_check(self, identifier: Identifier) -> OwnerCheck:  # noqa: ARG002
        """Return what checks, before the first change of a table, that it does not belong to another catalog."""
        return OwnerCheck()

    def list_partitions(self, identifier: Identifier) -> Sequence[PartitionStatistics] | None:  # noqa: ARG002
        """Return the partitions of a table; None if only its files say which there are."""
        return None

    def repair(self, database: str | None, table: str | None) -> None:  # noqa: ARG002
        """Register the databases, tables and partitions that exist as directories, where these may be missing.

        Args:
            database: The database; None for all of them.
            table: The table; None for all of the database.
        """
        raise Unsupported(
            f"Catalogs with 'metastore' = '{self.kind}' are not repaired: their entries cannot differ from the files.",
            "sys.repair is for catalogs of kind hive.",
        )

    def create_partitions(self, identifier: Identifier, specs: Sequence[Mapping[str, str]]) -> None:  # noqa: ARG002
        """Register partitions of a table; those that are registered already are kept."""
        self._refuse("registered partitions")

    def mark_partitions_done(self, identifier: Identifier, specs: Sequence[Mapping[str, str]]) -> None:  # noqa: ARG002
        """Mark registered partitions of a table as done."""
        self._refuse("registered partitions")

    # --- views and functions --------------------------------------------------------------------------------------

    def list_views(self, database: str) -> list[str]:  # noqa: ARG002
        """Return the names of all views of a database."""
        return []

    def list_other_views(self, database: str) -> list[str]:  # noqa: ARG002
        """Return the names of the views of other engines in a database, which are not dropped with it."""
        return []

    def get_view(self, identifier: Identifier) -> View | None:  # noqa: ARG002
        """Return a view, or None if it does not exist."""
        return None

    def create_view(self, identifier: Identifier, view: View) -> None:  # noqa: ARG002
        """Create a view. Raises AlreadyExists if another process was first."""
        self._refuse("views")

    def replace_view(self, identifier: Identifier, old: View, new: View) -> None:  # noqa: ARG002
        """Replace a view that exists."""
        self._refuse("views")

    def rename_view(self, old: Identifier, new: Identifier) -> None:  # noqa: ARG002
        """Rename a view that exists."""
        self._refuse("views")

    def drop_view(self, identifier: Identifier) -> None:  # noqa: ARG002
        """Remove a view that exists."""
        self._refuse("views")

    def list_functions(self, database: str) -> list[str]:  # noqa: ARG002
        """Return the names of all functions of a database."""
        return []

    def get_function(self, identifier: Identifier) -> Function | None:  # noqa: ARG002
        """Return a function, or None if it does not exist."""
        return None

    def _refuse(self, what: str) -> NoReturn:
        raise Unsupported(
            f"Catalogs with 'metastore' = '{self.kind}' have no {what}.",
            "Catalogs of kind hive, jdbc and rest have them.",
        )
