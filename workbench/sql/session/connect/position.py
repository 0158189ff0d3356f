"""The attached catalogs of a session, and which of them USE has chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.base.errors import DatabaseNotFound, InvalidExpression, did_you_mean
from workbench.sql.cursor import Cursor

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog

_DEFAULT_DATABASE = "default"


@dataclass
class Position:
    """Where names without a catalog are looked up.

    ``catalog`` is the attached catalog that was chosen; None if a catalog of the server is current. ``views`` maps the
    lower-case names of temporary views to the text of their queries, or to None for views of DataFrames.
    """

    catalogs: Mapping[str, Catalog]
    catalog: str | None = None
    database: str = field(default=_DEFAULT_DATABASE)
    views: dict[str, str | None] = field(default_factory=dict)

    def full_name(self, parts: tuple[str, ...]) -> tuple[str, str, str] | None:
        """Return the catalog, database and name of a table; None if it is in no attached catalog."""
        if len(parts) == 3 and parts[0] in self.catalogs:
            return parts[0], parts[1], parts[2]
        if self.catalog is None or len(parts) > 2:
            return None
        return (self.catalog, *parts) if len(parts) == 2 else (self.catalog, self.database, parts[0])

    def use(self, text: str) -> bool:
        """Follow a USE or SET CATALOG statement; return whether it chose an attached catalog or one of its databases.

        Raises:
            DatabaseNotFound: If an attached catalog has no such database.
        """
        try:
            parts, is_catalog = _used(Cursor(text))
        except InvalidExpression:
            return False
        if not parts:
            return False
        if not is_catalog and parts[0] in self.catalogs:
            self.choose(*parts)
        elif is_catalog and len(parts) == 1 and parts[0] in self.catalogs:
            self.choose(parts[0])
        elif not is_catalog and len(parts) == 1 and self.catalog is not None and parts[0] != "spark_catalog":
            self.choose(self.catalog, parts[0])
        else:
            self.catalog = None
            return False
        return True

    def choose(self, catalog: str, database: str | None = None) -> None:
        """Choose an attached catalog and one of its databases.

        Raises:
            DatabaseNotFound: If the catalog has no such database.
        """
        if database is not None:
            names = self.catalogs[catalog].list_databases()
            if database not in names:
                raise DatabaseNotFound(f"There is no database '{database}'.", did_you_mean(database, names))
        self.catalog, self.database = catalog, database or _DEFAULT_DATABASE


def _used(cursor: Cursor) -> tuple[tuple[str, ...], bool]:
    """Return the parts of the name in USE or SET CATALOG, or none for other statements, and whether it is a catalog."""
    if cursor.accept("SET", "CATALOG"):
        return (cursor.string(),) if cursor.has_string() else cursor.path(), True
    if not cursor.accept("USE"):
        return (), False
    is_catalog = cursor.accept("CATALOG")
    if not is_catalog:
        cursor.choose("DATABASE", "SCHEMA", "NAMESPACE")
    parts = cursor.path()
    cursor.expect_end()
    return parts, is_catalog
