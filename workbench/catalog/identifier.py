"""Names of databases and tables as users type them (format §1, `Identifier`)."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.base.errors import CatalogError, Unsupported

SYSTEM_DATABASE = "sys"
_FORBIDDEN = "/\\"


@dataclass(frozen=True)
class Identifier:
    """``database.table``."""

    database: str
    table: str

    def __str__(self) -> str:
        return f"{self.database}.{self.table}"

    @classmethod
    def parse(cls, name: str, *, new: bool = False) -> Identifier:
        """From ``database.table``; back quotes around a part are taken off. ``new``: the name is to be given to a
        table.

        Raises:
            CatalogError: it has not two parts, or one of them cannot be a name.
            Unsupported: the name of a system table or branch.
        """
        parts = [part.strip().strip("`") for part in name.split(".", 1)]
        if len(parts) != 2:
            raise CatalogError(f"'{name}' names no database.", "Write database.table.")
        database, table = parts
        check_name(database, "database")
        if "$" in table:
            if new:
                raise CatalogError(
                    f"A table cannot be called '{table}'.", "'$' stands before the names of system tables."
                )
            base, _, rest = table.partition("$")
            raise Unsupported(
                f"System tables and branches such as '${rest}' are not supported yet.", f"Open {database}.{base}."
            )
        check_name(table, "table")
        return cls(database, table)


def check_name(name: str, what: str) -> str:
    """The name, if it can be one: it becomes part of a path. Raises CatalogError."""
    if not name.strip() or name in (".", "..") or any(char in _FORBIDDEN or not char.isprintable() for char in name):
        raise CatalogError(f"{name!r} cannot be the name of a {what}.", "Use letters, digits and underscores.")
    return name
