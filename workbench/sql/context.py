"""What a statement is run with: catalog, current database, engine, progress; and how its names are found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.base.clock import Clock, SystemClock
from workbench.base.errors import CatalogError, InvalidExpression, Unsupported, did_you_mean
from workbench.base.progress import Progress
from workbench.sql.statements import TableRef, Version

if TYPE_CHECKING:
    from workbench.catalog.filesystem import FileSystemCatalog
    from workbench.table.table import Table

# What the official connector's users call their catalog, by habit.
CATALOG_NAME = "paimon"
ENGINES = ("auto", "local", "spark", "jar")
# How many characters of a statement the snapshots that it makes note.
_MOST_NOTED = 200


@dataclass(frozen=True)
class Context:
    """``version`` is what every table of a query is read at, where its text says nothing else.

    ``statement`` is the text that runs.
    """

    catalog: FileSystemCatalog
    database: str | None = None
    engine: str = "auto"
    progress: Progress = field(default_factory=Progress)
    limit: int = 50
    version: Version | None = None
    statement: str = ""
    clock: Clock = field(default_factory=SystemClock)

    @property
    def snapshot_properties(self) -> dict[str, str]:
        """What the snapshots that this statement makes note of it."""
        from workbench.table.committing.two_phase import STATEMENT_PROPERTY

        return {STATEMENT_PROPERTY: self.statement.strip()[:_MOST_NOTED]}

    def check_engine(self) -> None:
        """Refuse an engine that is not there.

        Raises:
            InvalidExpression: no such engine.
            Unsupported: the engine exists in Paimon's world and not here.
        """
        if self.engine not in ENGINES:
            raise InvalidExpression(
                f"There is no engine '{self.engine}'.",
                did_you_mean(self.engine, ENGINES) or "Use auto, local or spark.",
            )
        if self.engine == "jar":
            raise Unsupported("Engine 'jar' (the official connector) is not supported.", "Use --engine spark or local.")

    def full_name(self, table: TableRef) -> tuple[str, str]:
        """Database and table of a reference with one to three parts.

        Raises:
            CatalogError: no database is chosen, too many parts, or the first part names another catalog.
        """
        parts = table.parts
        if len(parts) == 3 and parts[0].lower() == CATALOG_NAME:
            parts = parts[1:]
        if len(parts) == 2:
            return parts[0], parts[1]
        if len(parts) > 2:
            raise CatalogError(
                f"'{table}' is not in this catalog.", f"Write database.table or {CATALOG_NAME}.database.table."
            )
        if self.database is None:
            raise CatalogError(f"'{table}' needs a database.", "Write database.table, or %paimon use <database>.")
        return self.database, parts[0]

    def table(self, table: TableRef, version: Version | None = None) -> Table:
        """The table, at the version that the reference asks for (`Table.at` of ``version``), else at ``version``."""
        found: Table = self.catalog.get_table(".".join(self.full_name(table)))
        wanted = table.version or version
        if wanted is None:
            return found
        if wanted.kind == "timestamp":
            return found.at(timestamp=wanted.value)
        if table.version is not None:
            return found.at(version=str(wanted.value))
        return found.at(tag=str(wanted.value)) if wanted.kind == "tag" else found.at(snapshot=int(wanted.value))

    @contextmanager
    def timed(self) -> Iterator[Callable[[], str]]:
        """Gives a function that tells how long it took since the start, `` Took 3.1 s.``; '' for less than a second."""
        begin = self.clock.monotonic()

        def took() -> str:
            seconds = self.clock.monotonic() - begin
            return f" Took {seconds:,.1f} s." if seconds >= 1 else ""

        yield took
