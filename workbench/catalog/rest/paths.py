"""The paths of the resources of a REST service (Java ``ResourcePaths``)."""

from __future__ import annotations

from urllib.parse import quote_plus

CONFIG = "/v1/config"


class ResourcePaths:
    """The paths under the prefix that the service chose. Names are encoded as one part of a path each.

    Example:
        >>> ResourcePaths("paimon").table("shop", "orders$branch_b", "snapshot")
        '/v1/paimon/databases/shop/tables/orders%24branch_b/snapshot'
    """

    def __init__(self, prefix: str | None) -> None:
        self._root = f"/v1/{encoded(prefix)}" if prefix else "/v1"

    def databases(self) -> str:
        """All databases."""
        return f"{self._root}/databases"

    def database(self, name: str) -> str:
        """One database."""
        return f"{self.databases()}/{encoded(name)}"

    def objects(self, kind: str, database: str) -> str:
        """All ``tables``, ``views`` or ``functions`` of a database."""
        return f"{self.database(database)}/{kind}"

    def object(self, kind: str, database: str, name: str) -> str:
        """One table, view or function."""
        return f"{self.objects(kind, database)}/{encoded(name)}"

    def table(self, database: str, table: str, *parts: str) -> str:
        """What belongs to a table, such as ``snapshot``, ``commit``, ``partitions``, or ``branches`` and a name."""
        return "/".join([self.object("tables", database, table), *map(encoded, parts)])

    def rename(self, kind: str) -> str:
        """Where tables or views are renamed."""
        return f"{self._root}/{kind}/rename"


def encoded(text: str) -> str:
    """Return a name as a part of a path or query, encoded as Java's ``URLEncoder`` does, since it is also signed."""
    return quote_plus(text, safe="*").replace("~", "%7E")
