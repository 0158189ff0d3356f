"""The tables that ``load`` and ``save`` name: by ``database.table``, or by their directory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.base.errors import TableNotFound
from workbench.catalog.connect import connect
from workbench.storage.file_io import qualify

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.readable_table import ReadableTable
    from workbench.table.table import Table

_DATABASE = ".db"


def open_path(catalog_options: Mapping[str, str], path: str, system: str | None = None) -> ReadableTable:
    """Open the table that a path names.

    Args:
        catalog_options: The options of the catalog, which also apply to a directory in another warehouse.
        path: A name such as ``db.t``, optionally followed by ``$`` and a system table; or a directory ``…/db.db/t``.
        system: The name of the system table to open instead.

    Raises:
        TableNotFound: There is no such table.
    """
    catalog, name = _located(catalog_options, path)
    return catalog.open(name if system is None else f"{name}${system}")


def table_at_path(catalog_options: Mapping[str, str], path: str) -> Table:
    """Open the table that a path names, to write it. The arguments are those of `open_path`.

    Raises:
        TableNotFound: There is no such table.
        CatalogError: The path names a system table.
    """
    catalog, name = _located(catalog_options, path)
    return catalog.get_table(name)


def _located(catalog_options: Mapping[str, str], path: str) -> tuple[Catalog, str]:
    if "/" not in path:
        return connect(catalog_options), path
    warehouse, name = split_location(path)
    return connect(options_at(catalog_options, warehouse)), name


def options_at(catalog_options: Mapping[str, str], warehouse: str) -> Mapping[str, str]:
    """Return the options with which a warehouse is opened that a path names: those of the catalog if it is its own
    warehouse, or else those of a directory on the same storage."""
    own = catalog_options.get("warehouse")
    if own and qualify(own).rstrip("/") == warehouse:
        return catalog_options
    return {**catalog_options, "metastore": "filesystem", "warehouse": warehouse}


def split_location(path: str) -> tuple[str, str]:
    """Return the warehouse and the table name that correspond to the directory of a table.

    Raises:
        TableNotFound: The path is not the directory of a table.
    """
    above, _, table = qualify(path).rpartition("/")
    warehouse, _, database = above.rpartition("/")
    if not database.endswith(_DATABASE) or not warehouse:
        raise TableNotFound(
            f"{path} is not the directory of a table.", "Name the table as 'database.table', or '…/database.db/table'."
        )
    return warehouse, f"{database.removesuffix(_DATABASE)}.{table}"
