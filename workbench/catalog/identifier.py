"""Names of databases, tables, branches and system tables (format §1, `Identifier`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.base.errors import CatalogError

SYSTEM_DATABASE = "sys"
_FORBIDDEN = "/\\"
_MAX_BYTES = 250  # File systems allow 255 bytes, and the directory name of a database has a suffix.
SYSTEM_MARK = "$"
"""Precedes the name of a branch or of a system table."""
_BRANCH = "branch_"
# A database, perhaps between backticks, and the rest.
_PARTS = re.compile(r"(\s*`[^`]*`\s*|[^.`]*)\.(.*)", re.DOTALL)


@dataclass(frozen=True)
class Identifier:
    """The name ``database.table``, with an optional ``branch`` and an optional ``system`` table."""

    database: str
    table: str
    branch: str | None = None
    system: str | None = None

    def __str__(self) -> str:
        branch = "" if self.branch is None else f"{SYSTEM_MARK}{_BRANCH}{self.branch}"
        system = "" if self.system is None else f"{SYSTEM_MARK}{self.system}"
        return f"{self.database}.{self.table}{branch}{system}"

    @property
    def is_system(self) -> bool:
        """Whether it is a system table, or a table of the database ``sys``."""
        return self.system is not None or self.database == SYSTEM_DATABASE

    @property
    def whole(self) -> Identifier:
        """The identifier of the table itself."""
        return Identifier(self.database, self.table)

    @classmethod
    def parse(cls, name: str, *, whole: bool = False) -> Identifier:
        """Parse ``database.table``, ``database.table$branch_b``, ``database.table$system`` or a name with both
        suffixes; backticks around a part are removed, between which the name of a database may contain a dot. With
        ``whole``, the name must not have a suffix.

        Raises:
            CatalogError: The text does not have two parts, or one of them is not a valid name.
        """
        match = _PARTS.fullmatch(name)
        if match is None:
            raise CatalogError(f"'{name}' does not name a database.", "Write database.table.")
        database, table = (part.strip().strip("`") for part in match.groups())
        check_name(database, "database")
        table, *rest = table.split(SYSTEM_MARK)
        check_name(table, "table")
        if rest and whole:
            raise CatalogError(
                f"'{SYSTEM_MARK.join([table, *rest])}' is not a valid table name.",
                "'$' precedes the names of branches and system tables.",
            )
        branch = rest.pop(0).removeprefix(_BRANCH) if rest and rest[0].startswith(_BRANCH) else None
        if len(rest) > 1:
            raise CatalogError(f"'{name}' does not name a table.", "Write table$system or table$branch_name$system.")
        system = rest[0] if rest else None
        for part, what in ((branch, "branch"), (system, "system table")):
            if part is not None:
                check_name(part, what)
        return cls(database, table, branch, system)


def check_name(name: str, what: str) -> str:
    """Return the name, which becomes part of a path, if it is valid. Raises CatalogError."""
    if not name.strip() or name in (".", "..") or any(char in _FORBIDDEN or not char.isprintable() for char in name):
        raise CatalogError(f"{name!r} is not a valid name of a {what}.", "Use letters, digits and underscores.")
    if len(name.encode(errors="replace")) > _MAX_BYTES:
        raise CatalogError(f"The name of a {what} cannot be longer than {_MAX_BYTES} bytes.", "Choose a shorter one.")
    return name
