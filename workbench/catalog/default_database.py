"""The database ``default``, in which Spark sessions start: every catalog has it, and it is created with its first
table.

Paimon's connector creates it as soon as it opens a catalog (``SparkCatalog.initialize``); here, opening a catalog
writes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog

DEFAULT_DATABASE = "default"


def databases_with_default(catalog: Catalog) -> list[str]:
    """Return the names of the databases of a catalog, ``default`` included."""
    return sorted({*catalog.list_databases(), DEFAULT_DATABASE})


def is_unwritten_default(catalog: Catalog, database: str) -> bool:
    """Return whether a database is ``default`` and was not created yet."""
    return database == DEFAULT_DATABASE and database not in catalog.list_databases()


def create_if_default(catalog: Catalog, database: str) -> None:
    """Create the database of a new table if it is ``default`` and does not exist."""
    if database == DEFAULT_DATABASE:
        catalog.create_database(database, exist_ok=True)
