"""The database ``default``, in which Spark sessions start: every catalog has it, and it is created with its first
table.

Paimon's connector creates it as soon as it opens a catalog (``SparkCatalog.initialize``); here, opening a catalog
writes nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.base.errors import Unsupported

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


def properties_of(catalog: Catalog, name: str) -> dict[str, str]:
    """Return the properties of a database as Spark knows them: ``comment`` and ``location`` are among them.

    Args:
        catalog: The catalog.
        name: The name of the database; ``default`` may be missing.

    Raises:
        DatabaseNotFound: There is no such database.
    """
    if is_unwritten_default(catalog, name):
        return {}
    found = catalog.get_database(name)
    known = {"comment": found.comment, "location": found.location}
    return {**found.properties, **{key: value for key, value in known.items() if value is not None}}


def create_with_properties(catalog: Catalog, name: str, properties: Mapping[str, str], *, exist_ok: bool) -> None:
    """Create the database of a statement. A catalog that keeps no properties ignores them with a warning, as in Java.

    Args:
        catalog: The catalog.
        name: The name of the database.
        properties: Its properties; ``comment`` and ``location`` are what they say.
        exist_ok: Whether to keep a database that exists.

    Raises:
        AlreadyExists: There is a database of this name.
        Unsupported: The catalog cannot keep the location.
    """
    others = dict(properties)
    location, comment = others.pop("location", None), others.pop("comment", None)
    try:
        catalog.create_database(name, exist_ok, location=location, comment=comment, properties=others)
    except Unsupported as error:
        if location is not None:
            raise Unsupported(f"LOCATION is not possible: {error.message}", error.hint) from error
        if not properties:
            raise
        ignored = ", ".join(properties)
        warnings.warn(f"The catalog keeps no properties of databases: {ignored} is ignored.", stacklevel=2)
        catalog.create_database(name, exist_ok)
