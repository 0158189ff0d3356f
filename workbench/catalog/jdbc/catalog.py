"""Catalogs with the option ``metastore`` = ``jdbc``."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.errors import CatalogError
from workbench.catalog.catalog import Catalog
from workbench.catalog.filesystem import check_directory
from workbench.catalog.jdbc.metastore import JdbcMetastore
from workbench.catalog.storages import Storages
from workbench.catalog.wait_lines import line_here
from workbench.catalog.waits import waits
from workbench.storage.file_io import qualify, scheme


def open_catalog(options: Mapping[str, str]) -> Catalog:
    """Open a catalog with the options of ``wb.connect``. The database is reached when it is first needed.

    Raises:
        CatalogError: ``uri`` or ``warehouse`` is missing or invalid.
    """
    if "warehouse" not in options:
        raise CatalogError(
            "No warehouse is given.", "Set the option 'warehouse' to the directory or URL of the tables."
        )
    warehouse = qualify(options["warehouse"]).rstrip("/")
    metastore = JdbcMetastore(options, warehouse, Storages(options))
    if scheme(warehouse) == "file":
        check_directory(warehouse)
    if waits.line is None:
        waits.line = line_here()
    return Catalog(metastore, warehouse, options)
