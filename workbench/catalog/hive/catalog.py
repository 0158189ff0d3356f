"""A catalog in a Hive Metastore (Java ``HiveCatalog``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.base.clock import Clock
from workbench.base.errors import CatalogError
from workbench.base.ids import IdSource
from workbench.base.progress import Progress
from workbench.catalog.catalog import Catalog
from workbench.catalog.hive.client import client_for, thrift_types
from workbench.catalog.hive.environment import HiveEnvironment
from workbench.catalog.hive.metastore import HiveMetastore
from workbench.catalog.hive.settings import HiveSettings, read_settings
from workbench.catalog.hive.tables import read_database
from workbench.catalog.identifier import Identifier
from workbench.catalog.storages import Storages
from workbench.catalog.wait_lines import line_here
from workbench.catalog.waits import waits
from workbench.format.options.values import parse_option
from workbench.storage.file_io import qualify

if TYPE_CHECKING:
    from workbench.table.table import Table

_LOCK = "hive"
_DEFAULT_DATABASE = "default"


class HiveCatalog(Catalog):
    """A catalog in a Hive Metastore.

    Args:
        settings: How the metastore is reached.
        warehouse: The directory of new databases.
        options: Paimon's catalog options.
        clock: The source of times.
        ids: The source of unique names.
    """

    metastore: HiveMetastore
    """The Hive Metastore."""

    def __init__(
        self,
        settings: HiveSettings,
        warehouse: str,
        options: Mapping[str, str],
        clock: Clock | None = None,
        ids: IdSource | None = None,
    ) -> None:
        environment = HiveEnvironment(settings, uses_locks(options, warehouse))
        lock = environment.lock(options)
        metastore = HiveMetastore(settings, Storages(options), warehouse, lock, environment)
        super().__init__(metastore, warehouse, options, clock, ids)

    def _migrated(
        self,
        source: Identifier,
        target: Identifier | None,
        options: Mapping[str, str],
        delete_origin: bool,
        progress: Progress,
    ) -> Table:
        from workbench.catalog.hive.migration import TableMigration

        return TableMigration(self, self.metastore, source, target, options, delete_origin, progress).run()


def open_catalog(options: Mapping[str, str]) -> HiveCatalog:
    """Open a catalog with the options of ``wb.connect``.

    Raises:
        CatalogError: There is no address of a metastore, it does not answer, or the package ``pymetastore`` is not
            installed.
        Unsupported: An option requires what this client does not have, such as Kerberos.
    """
    settings = read_settings(options)
    thrift_types()
    if waits.line is None:
        waits.line = line_here()
    return HiveCatalog(settings, _warehouse(settings), options)


def uses_locks(options: Mapping[str, str], warehouse: str) -> bool:
    """Return whether writers hold the lock of the metastore: if ``lock.enabled`` says so, or else on object stores,
    where Java's writers check whether a snapshot exists and then replace it."""
    if options.get("lock.type", _LOCK) != _LOCK:
        return False
    enabled = options.get("lock.enabled")
    if enabled is not None:
        return bool(parse_option("lock.enabled", "bool", enabled))
    # Loaded here, because catalogs on local disks do not need it.
    from workbench.storage.stores.registry import is_object_store

    return is_object_store(warehouse)


def _warehouse(settings: HiveSettings) -> str:
    """Return the directory of new databases: as configured, or else that of the database ``default``."""
    if settings.warehouse:
        return qualify(settings.warehouse)
    found = client_for(settings).find("get_database", _DEFAULT_DATABASE)
    location = None if found is None else read_database(found).location
    if location is None:
        raise CatalogError(
            "No warehouse is given, and the database 'default' of the metastore has no location.",
            "Set the option 'warehouse' to the directory of new databases.",
        )
    return location
