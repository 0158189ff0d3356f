"""The session that ``wb.spark.attach`` returns for Spark Connect: it rewrites uses of tables of attached catalogs.

The server does not know the attached catalogs. A query is rewritten to read DataFrames of its tables; the library runs
all other statements and the writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql.connect.dataframe import DataFrame
from pyspark.sql.connect.readwriter import DataFrameReader
from pyspark.sql.connect.session import SparkSession
from pyspark.sql.connect.streaming.readwriter import DataStreamReader

from workbench.base.errors import CatalogError, SchemaMismatch, Unsupported
from workbench.base.progress import Progress
from workbench.expr.dialect import tokens_of
from workbench.spark.data_source import register_format
from workbench.spark.jvm.options import session_settings
from workbench.spark.query import is_frame, query_of
from workbench.spark.reading.reader import read
from workbench.spark.reading.watched_frames import watched_like
from workbench.spark.sys_functions import NAMES, registered_name
from workbench.spark.zone import in_zone_of
from workbench.sql.commands.value_casts import with_value_casts
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.execute import run_statement
from workbench.sql.parse import is_query, only_statement, parse
from workbench.sql.session.catalog_views import with_catalog_views
from workbench.sql.session.connect.catalog import ConnectCatalog
from workbench.sql.session.connect.commands import run_command, with_known_sink
from workbench.sql.session.connect.definitions import (
    as_create,
    check_change,
    create_database,
    create_table,
    create_view,
    described_database,
    is_creation,
)
from workbench.sql.session.connect.functions import with_sys_functions
from workbench.sql.session.connect.position import Position
from workbench.sql.session.connect.subjects import Kind, Subject, query_of_describe, subject_of
from workbench.sql.session.connect.tables import SessionTables
from workbench.sql.session.connect.writes import Target, insert, source_text
from workbench.sql.session.frames import frame_of
from workbench.sql.session.functions import with_functions_as_tables
from workbench.sql.session.max_pt import with_max_pt
from workbench.sql.session.refusals import refusals_of_spark
from workbench.sql.session.settings import adds_casts, changes_text, why_only_spark
from workbench.sql.statements import CreateTable, InsertInto, TableRef

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog
    from workbench.table.readable_table import ReadableTable

_OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"


class ConnectSession(SparkSession):
    """A session of Spark Connect in which the tables of attached catalogs can be used by name.

    It is the same session on the server as the one that was attached: temporary views, settings and caches are shared.

    Args:
        session: The session to extend.
        catalogs: The attached catalogs by their names.
    """

    def __init__(self, session: SparkSession, catalogs: Mapping[str, Catalog]) -> None:
        self.__dict__.update(session.__dict__)
        self.__dict__.pop("catalog", None)
        self.plain = session
        client: Any = _Client(session.client, self)
        self._client = client
        self.catalogs = dict(catalogs)
        self.position = Position(self.catalogs)
        self._functions: dict[str, str] = {}

    def __del__(self) -> None:
        """Leave the connection open: it belongs to the session that was attached."""

    def sql(
        self,
        sqlQuery: str,  # noqa: N803
        args: dict[str, Any] | list[Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Run a statement, as ``SparkSession.sql``.

        Args:
            sqlQuery: The statement.
            args: Values of its parameters; only queries have parameters.
            kwargs: Values for the names in braces; Spark alone runs such a statement.

        Returns:
            The rows; a DataFrame without columns for a statement without rows.

        Raises:
            Unsupported: If a statement that the library runs has parameters.
            AnalysisException: If the library refuses a statement; the error is a `WorkbenchError`, too.
            WorkbenchError: If a statement that the library runs fails.
        """
        if kwargs or not tokens_of(sqlQuery):
            return super().sql(sqlQuery, args, **kwargs)
        with refusals_of_spark(), self.in_own_zone():
            return self._sql(sqlQuery, args)

    def _sql(self, sqlQuery: str, args: dict[str, Any] | list[Any] | None) -> Any:  # noqa: N803
        if is_query(sqlQuery):
            return self._query(sqlQuery, args)
        described = query_of_describe(sqlQuery)
        if described is not None:
            return self._described(described)
        if self.position.use(sqlQuery) or create_view(sqlQuery, self.position, self._query):
            return self._no_rows()
        subject = subject_of(sqlQuery)
        name = None if subject is None else self._catalog_of(subject, sqlQuery)
        if name is None:
            return super().sql(sqlQuery, args)
        if args:
            raise Unsupported("This statement cannot have parameters.", "Write the values into its text.")
        return self._run(name, only_statement(sqlQuery))

    def table(self, tableName: str) -> Any:  # noqa: N803
        """Return the rows of a table, as ``SparkSession.table``."""
        return self.read.table(tableName)

    @property
    def read(self) -> DataFrameReader:
        """A reader whose ``table`` knows the attached catalogs."""
        return _Reader(self)

    @property
    def readStream(self) -> DataStreamReader:  # noqa: N802
        """A reader of streams whose ``table`` knows the attached catalogs."""
        return _StreamReader(self)

    @cached_property
    def catalog(self) -> ConnectCatalog:
        """The catalogs of the session, including the attached catalogs."""
        return ConnectCatalog(self, self.position)

    def newSession(self) -> ConnectSession:  # noqa: N802
        """Return a session on the same server with the same catalogs, but with separate views and settings."""
        made = ConnectSession(self.plain.newSession(), {})
        for name, catalog in self.catalogs.items():
            made.attach(name, catalog)
        return made

    def attach(self, name: str, catalog: Catalog) -> None:
        """Attach a catalog, so that its tables can be used by name and the format ``paimon`` finds them.

        Args:
            name: The name of the catalog.
            catalog: The catalog.
        """
        session: Any = self
        self.catalogs[name] = catalog
        register_format(session, catalog, "paimon")

    def target(self, name: str) -> Target | None:
        """Return the table of an attached catalog that a writer names; None if it names another table."""
        found = self.position.full_name(Cursor(name).path())
        if found is None:
            return None
        catalog, database, table = found
        return Target(self.catalogs[catalog], catalog, f"{database}.{table}", self.paimon_settings())

    def named_rows(self, name: str, options: Mapping[str, str]) -> Any:
        """Return the rows of a table of an attached catalog, with options of a read; None for other tables."""
        session: Any = self
        with self.in_own_zone():
            found: Any = self._tables().read(Cursor(name).path(), options)
            return found if found is None or is_frame(found) else read(found, session=session)

    def in_own_zone(self) -> AbstractContextManager[None]:
        """Evaluate the statement of the block in the time zone of the session."""
        return in_zone_of(cast("Any", self.plain))

    def paimon_settings(self) -> dict[str, str]:
        """Return the session's settings that are table options, without the prefix ``spark.paimon.``."""
        return session_settings(self.conf.getAll)

    @property
    def overwrites_dynamically(self) -> bool:
        """Whether INSERT OVERWRITE without PARTITION replaces only the partitions that the new rows are in."""
        return str(self.conf.get(_OVERWRITE_MODE, "static")).lower() == "dynamic"

    def _query(self, text: str, args: dict[str, Any] | list[Any] | None = None) -> Any:
        tables, session = self._tables(), cast("Any", self.plain)
        text = with_functions_as_tables(text, lambda value: session.sql(f"SELECT {value}").collect()[0][0])
        text = with_sys_functions(with_max_pt(text, self._open), self._function)

        def run(body: str) -> Any:
            named = tables.with_options_named(body)
            return query_of(named, tables, session=session, progress=Progress(), args=args)

        contexts = [self._context(name, text) for name in self.catalogs]
        frame: Any = with_catalog_views(text, contexts, run, run)
        return watched_like(cast("Any", DataFrame(frame._plan, self)), frame)

    def _run(self, name: str, text: str) -> Any:
        if create_database(self.catalogs[name], name, text):
            return self._no_rows()
        described = described_database(self.catalogs[name], name, text)
        if described is not None:
            return self.createDataFrame(described, "info_name string, info_value string")
        context = self._context(name, text)
        text, how = as_create(text)
        statement = parse(text)
        if isinstance(statement, InsertInto):
            rows = self._query(source_text(statement))
            insert(self._written(context, statement.table), statement, rows, dynamic=self.overwrites_dynamically)
            return self._no_rows()
        if isinstance(statement, CreateTable):
            create_table(self._written(context, statement.table), statement, how, self._query)
            return self._no_rows()
        check_change(statement, context.table)
        if context.only_spark is not None and changes_text(self.conf.getAll):
            raise Unsupported(f"A session with {context.only_spark} cannot run this statement.", "RESET the setting.")
        try:
            result = run_statement(context, statement)
        except SchemaMismatch:
            # Paimon's connector casts values that cannot be stored, as CAST does.
            again = with_value_casts(text, lambda query: self._query(query).schema) if context.adds_casts else None
            if again is None:
                raise
            result = run_statement(context, parse(again))
        return frame_of(cast("Any", self), result)

    def _described(self, query: str) -> Any:
        """Return the columns of a query."""
        fields = self._query(query).schema.fields
        rows = [(each.name, each.dataType.simpleString(), each.metadata.get("comment")) for each in fields]
        return self.createDataFrame(rows, "col_name string, data_type string, comment string")

    def _written(self, context: Context, table: TableRef) -> Target:
        name = ".".join(context.full_name(table))
        return Target(context.catalog, context.catalog_name, name, self.paimon_settings())

    def _context(self, name: str, text: str) -> Context:
        settings = self.conf.getAll
        database = self.position.database if self.position.catalog == name else None
        return Context(
            self.catalogs[name],
            database,
            "spark",
            statement=text,
            catalog_name=name,
            run_query=self._query,
            settings=lambda: session_settings(settings),
            only_spark=why_only_spark(settings),
            adds_casts=adds_casts(settings),
            opened=None,
        )

    def _catalog_of(self, subject: Subject, text: str) -> str | None:
        """Return the attached catalog that a statement is about; None if it is about something else."""
        if subject.catalog is not None:
            return subject.catalog if subject.catalog in self.catalogs else None
        if subject.kind is not Kind.TABLE or len(subject.parts) != 1 or self.position.catalog is None:
            return self.position.catalog
        is_view = subject.parts[0].lower() in self.position.views and not is_creation(text)
        return None if is_view else self.position.catalog

    def _open(self, catalog: str | None, table: str) -> ReadableTable:
        """Open a table by its name in the catalog, or in the current one."""
        name = catalog or self.position.catalog
        if name not in self.catalogs:
            raise CatalogError(f"'{name}' is not an attached catalog.", "Name one, or USE it.")
        return self._context(name, "").readable(TableRef(Cursor(table).path()))

    def _function(self, name: str) -> str | None:
        """Return the name by which the server knows a function in ``sys``."""
        if name in NAMES and name not in self._functions:
            self._functions[name] = registered_name(cast("Any", self.plain), name)
        return self._functions.get(name)

    def _tables(self) -> SessionTables:
        return SessionTables(self, self.position, self.paimon_settings())

    def _no_rows(self) -> Any:
        from pyspark.sql.types import StructType

        return self.createDataFrame([], StructType([]))


class _Client:
    """The client of a session, whose commands of writers may name tables of attached catalogs."""

    def __init__(self, client: Any, session: ConnectSession) -> None:
        self._sent_by, self._session = client, session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sent_by, name)

    def execute_command(self, command: Any, *args: Any, **kwargs: Any) -> Any:
        """Run a command here if it names a table of an attached catalog, otherwise on the server."""
        with refusals_of_spark(), self._session.in_own_zone():
            if run_command(self._session, command):
                return None, {}, None
            command = with_known_sink(self._session, command)
        return self._sent_by.execute_command(command, *args, **kwargs)


class _Reader(DataFrameReader):
    def table(self, tableName: str) -> Any:  # noqa: N803
        with refusals_of_spark():
            rows = self._client.named_rows(tableName, self._options)
        return super().table(tableName) if rows is None else rows


class _StreamReader(DataStreamReader):
    def table(self, tableName: str) -> Any:  # noqa: N803
        found = self._client.position.full_name(Cursor(tableName).path())
        if found is None:
            return super().table(tableName)
        return self.format("paimon").load(f"{found[1]}.{found[2]}")
