"""The context that a statement runs in: catalog, current database, engine and progress; resolves table names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.base.clock import Clock, SystemClock
from workbench.base.errors import CatalogError, Unsupported, WorkbenchError
from workbench.base.progress import Progress
from workbench.catalog.identifier import SYSTEM_DATABASE, SYSTEM_MARK, Identifier
from workbench.sql.statements import TableRef, TimeTravel

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from workbench.catalog.catalog import Catalog
    from workbench.catalog.descriptions import View
    from workbench.table.readable_table import ReadableTable
    from workbench.table.table import Table

# The name that users of the official connector usually give their catalog.
CATALOG_NAME = "paimon"
# The number of characters of a statement that its snapshots record.
_MAX_NOTED = 200


@dataclass(frozen=True)
class Context:
    """The context of one statement.

    ``version`` is the version at which a query reads every table for which its text names no version. ``statement`` is
    the text that runs. ``frames`` maps lower-case names to data frames. ``refusal`` is the reason why an earlier engine
    did not run the query. ``catalog_name`` is the catalog's name in SQL. ``run_query`` runs queries in the Spark
    session that the statement belongs to; without it, they run in the current session. ``session`` is the Spark session
    that the statement belongs to, if that session plans row changes. ``only_spark`` is the setting of the session
    with which only Spark evaluates expressions, and ``adds_casts`` says whether values that Spark refuses to store
    are cast. ``settings`` returns the session's settings that are table options, without the prefix
    ``spark.paimon.``. ``notes`` are lines about where parts of the statement ran. ``cell`` names the notebook cell
    that contains the statement. ``reason`` says why the engine was chosen, if the user did not choose it. ``opened``
    are the tables that the statement has opened so far, by their names, so that it reads each at one version and
    requests it once; None if Spark opens them.
    """

    catalog: Catalog
    database: str | None = None
    engine: str = "auto"
    progress: Progress = field(default_factory=Progress)
    limit: int = 50
    version: TimeTravel | None = None
    statement: str = ""
    clock: Clock = field(default_factory=SystemClock)
    frames: Mapping[str, pa.Table] = field(default_factory=dict)
    refusal: Unsupported | None = None
    catalog_name: str = CATALOG_NAME
    session: SparkSession | None = None
    run_query: Callable[[str], DataFrame] | None = None
    settings: Callable[[], Mapping[str, str]] | None = None
    only_spark: str | None = None
    adds_casts: bool = True
    cell: str = ""
    reason: str = ""
    notes: list[str] = field(default_factory=list)
    opened: dict[str, ReadableTable] | None = field(default_factory=dict, repr=False)

    @property
    def is_chosen_by_user(self) -> bool:
        """Whether the user chose the engine, rather than the session that the statement belongs to or a rule."""
        return self.engine != "auto" and not self.reason and self.session is None and self.run_query is None

    @property
    def choice(self) -> str:
        """Why the engine runs the statement, such as ``chosen by --engine spark``."""
        if self.reason:
            return self.reason
        if self.engine != "auto":
            return f"chosen by --engine {self.engine}"
        return f"auto: {self.refusal.message.rstrip('.')}" if self.refusal is not None else "auto"

    @property
    def snapshot_properties(self) -> dict[str, str]:
        """Snapshot properties that record the statement and its cell."""
        from workbench.format.spec.snapshot_properties import CELL_PROPERTY, STATEMENT_PROPERTY

        statement = {STATEMENT_PROPERTY: self.statement.strip()[:_MAX_NOTED]}
        return {**statement, CELL_PROPERTY: self.cell} if self.cell else statement

    @property
    def now(self) -> datetime:
        """The current time."""
        return datetime.fromtimestamp(self.clock.now_millis() / 1000, UTC)

    def note_spark(self) -> None:
        """Note that Spark runs a part of the statement, and why."""
        line = f"On Spark, {self.choice}."
        if line not in self.notes:
            self.notes.append(line)

    def after_refusal(self, refusal: Unsupported) -> Context:
        """Return the context for the next engine, after one refused the query."""
        return replace(self, refusal=refusal)

    def frame(self, table: TableRef) -> pa.Table | None:
        """Return the data frame that is registered by a plain name, or None."""
        if len(table.parts) > 1 or table.version is not None:
            return None
        return self.frames.get(table.parts[0].lower())

    def full_name(self, table: TableRef) -> tuple[str, str]:
        """Return the database and the name of a table reference with one to three parts.

        Raises:
            CatalogError: If no database is chosen, the reference has too many parts, or its first part names
                another catalog.
        """
        parts = table.parts
        if len(parts) == 3 and parts[0].lower() == self.catalog_name.lower():
            parts = parts[1:]
        if len(parts) == 2:
            return parts[0], parts[1]
        if len(parts) > 2:
            raise CatalogError(
                f"'{table}' is not in this catalog.", f"Write database.table or {self.catalog_name}.database.table."
            )
        if self.database is None:
            raise CatalogError(
                f"'{table}' has no database part, and no current database is set.",
                "Write database.table, or %paimon use <database>.",
            )
        return self.database, parts[0]

    def path(self, table: TableRef) -> tuple[str, ...]:
        """Return the catalog, the database and the name of a table. Names of views, and names of tables while no
        database is in use, are returned as written."""
        if self.frame(table) is not None or (self.database is None and len(table.parts) == 1):
            return table.parts
        return (self.catalog_name, *self.full_name(table)) if len(table.parts) < 3 else table.parts

    def database_named(self, database: str | None) -> str:
        """Return ``database`` or, if it is None, the current database.

        Raises:
            CatalogError: If no database is named or chosen.
        """
        if database is not None:
            return database
        if self.database is None:
            raise CatalogError("No current database is set.", "Name one: IN <database>, or %paimon use <database>.")
        return self.database

    def find_view(self, table: TableRef) -> tuple[Identifier, View] | None:
        """Return the view of the catalog that has a name, with its full name; None if the catalog has no such view."""
        if not self.catalog.has_views or len(table.parts) > 3 or (self.database is None and len(table.parts) == 1):
            return None
        if len(table.parts) == 3 and table.parts[0].lower() != self.catalog_name.lower():
            return None
        if len(table.parts) == 1 and self.session is not None:
            # Temporary views take precedence in sessions.
            from workbench.spark.session import has_temporary_view

            if has_temporary_view(self.session, table.parts[0]):
                return None
        identifier = Identifier(*self.full_name(table))
        if SYSTEM_MARK in identifier.table or identifier.database == SYSTEM_DATABASE:
            return None
        if self._opens(identifier):
            return None
        view = self.catalog.metastore.get_view(identifier)
        return None if view is None else (identifier, view)

    def _opens(self, identifier: Identifier) -> bool:
        """Return whether a name is that of a table. As most names are, it is opened for the statement at once."""
        if self.opened is None:
            return False
        name = str(identifier)
        if name not in self.opened:
            try:
                found = self.catalog.find_table(identifier)
            except WorkbenchError:
                # There is a table, but it cannot be read: the error is raised where it is read.
                return True
            if found is None:
                return False
            self.opened[name] = found
        return True

    def table(self, table: TableRef) -> Table:
        """Return a table at its newest version. Raises CatalogError if the name is that of a system table."""
        return self.catalog.get_table(".".join(self.full_name(table)))

    def readable(self, table: TableRef, version: TimeTravel | None = None) -> ReadableTable:
        """Return the table, branch or system table of a name, at the version in its reference (as `Table.at` resolves
        it), otherwise at ``version``."""
        name = ".".join(self.full_name(table))
        result = (self.opened or {}).get(name) or self.catalog.open(name)
        wanted = table.version or version
        if wanted is None:
            return result
        if wanted.kind == "timestamp":
            return result.at(timestamp=wanted.value)
        if table.version is not None:
            return result.at(version=str(wanted.value))
        return result.at(tag=str(wanted.value)) if wanted.kind == "tag" else result.at(snapshot=int(wanted.value))

    def table_to_change(self, table: TableRef) -> Table:
        """Return the newest version of a table, with the options that settings of the session give it.

        Raises:
            InvalidRequest: If a setting would change an option that is fixed for a table.
            UnknownOption: If tables do not have an option that a setting names.
        """
        found = self.table(table)
        if self.settings is None:
            return found
        # Only sessions of Spark have settings.
        from workbench.spark.jvm.options import changing_options, check_session
        from workbench.table.read_options import with_dynamic_options

        given = changing_options(self.settings(), self.catalog_name, ".".join(self.full_name(table)))
        check_session(given, found.store.schema)
        return with_dynamic_options(found, given) if given else found

    @contextmanager
    def timed(self) -> Iterator[Callable[[], str]]:
        """Yield a function that returns the elapsed time as `` Took 3.1 s.``, or '' for less than a second."""
        begin = self.clock.monotonic()

        def took() -> str:
            seconds = self.clock.monotonic() - begin
            return f" Took {seconds:,.1f} s." if seconds >= 1 else ""

        yield took
