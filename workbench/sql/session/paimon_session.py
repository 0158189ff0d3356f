"""The session that ``wb.spark.attach`` returns: Spark's own, whose ``sql`` runs every statement of Paimon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.spark.jvm.options import KEEPS_COLUMNS, session_settings
from workbench.spark.jvm.row_changes import notes_of_change
from workbench.spark.jvm.writer_options import noted
from workbench.spark.session import has_temporary_view
from workbench.spark.zone import in_zone_of
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.execute import run_statement
from workbench.sql.parse import parse
from workbench.sql.session.catalog_views import with_catalog_views
from workbench.sql.session.frames import frame_of
from workbench.sql.session.functions import with_functions_as_tables
from workbench.sql.session.inserts import is_by_position, with_dynamic_partitions_last
from workbench.sql.session.refusals import refusals_of_spark
from workbench.sql.session.routes import Route, route_of
from workbench.sql.session.second_tries import second_try
from workbench.sql.session.settings import adds_casts, why_only_spark, with_variables
from workbench.sql.statements import TableRef

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from workbench.catalog.catalog import Catalog


class PaimonSession(SparkSession):
    """A Spark session whose ``sql`` also runs UPDATE, DELETE, MERGE, TRUNCATE, CALL, and tag and partition statements.

    It is the same session in the JVM as the one that was attached: views, settings and caches are shared. Spark runs
    the statements that it knows; the library runs all others on the tables of the attached catalogs.

    Args:
        session: The session to extend.
        catalogs: The attached catalogs by their names in the session.
    """

    def __init__(self, session: SparkSession, catalogs: Mapping[str, Catalog]) -> None:
        super().__init__(session.sparkContext, session._jsparkSession)
        self.catalogs = dict(catalogs)

    def sql(
        self,
        sqlQuery: str,  # noqa: N803
        args: dict[str, Any] | list[Any] | None = None,
        **kwargs: Any,
    ) -> DataFrame:
        """Run a statement, as ``SparkSession.sql``.

        Args:
            sqlQuery: The statement.
            args: Values of its parameters; only queries, row changes and Spark's own statements can have them.
            kwargs: Values for the names in braces.

        Returns:
            The rows; a DataFrame without columns for a statement without rows.

        Raises:
            Unsupported: If a statement that the library runs has parameters.
            AnalysisException: If the library refuses a statement; the error is a `WorkbenchError`, too.
            WorkbenchError: If a statement that the library runs fails.
        """
        with in_zone_of(self):
            return self._sql(with_variables(self, sqlQuery), args, kwargs)

    def _sql(self, text: str, args: dict[str, Any] | list[Any] | None, kwargs: Mapping[str, Any]) -> DataFrame:
        route = None if kwargs else route_of(text)
        name = None if route is None else self._catalog_of(route)
        if route is not None and name is not None and route.only_views:
            name = name if self._context(name, text).find_view(TableRef(route.parts)) is not None else None
        if name is None:
            text = with_functions_as_tables(text, self._value_of)
            contexts = [] if kwargs else [self._context(each, text) for each in self.catalogs]
            with refusals_of_spark():
                return with_catalog_views(
                    text, contexts, lambda body: self._run_on_spark(body, args, kwargs), super().sql
                )
        if route is not None and route.changes_rows:
            # The library's parser accepts forms that Spark's parser refuses; Spark's error says what is wrong.
            self._jsparkSession.sessionState().sqlParser().parsePlan(text)
            if args or not _is_known(text):
                with noted(self, notes_of_change(text)):
                    return super().sql(text, args)
        if args:
            raise Unsupported("This statement cannot have parameters.", "Write the values into its text.")
        with refusals_of_spark():
            result = run_statement(self._context(name, text), parse(text))
        return frame_of(self, result)

    def table(self, tableName: str) -> DataFrame:  # noqa: N803
        """Return the rows of a table or of a view, as ``SparkSession.table``."""
        parts = Cursor(tableName).path()
        name = self._catalog_of(Route(parts, finds_views=True))
        if name is not None and self._context(name, tableName).find_view(TableRef(parts)) is not None:
            return self.sql(f"SELECT * FROM {tableName}")
        return super().table(tableName)

    def _run_on_spark(self, text: str, args: dict[str, Any] | list[Any] | None, kwargs: Mapping[str, Any]) -> DataFrame:
        text = with_dynamic_partitions_last(text, self._schema_of, self._is_attached)
        notes = [KEEPS_COLUMNS] if is_by_position(text) else []
        try:
            with noted(self, notes):
                return super().sql(text, args, **kwargs)
        except AnalysisException as error:
            is_final = args or kwargs or not adds_casts(self.conf.getAll)
            again = None if is_final else second_try(error.getCondition(), text, self._schema_of)
            if again is None:
                raise
            try:
                with noted(self, notes):
                    return super().sql(again)
            except AnalysisException:
                # The error of the user's own statement says more.
                raise error from None

    def _is_attached(self, parts: Sequence[str]) -> bool:
        return self._catalog_of(Route(tuple(parts))) is not None

    def _schema_of(self, query: str) -> StructType:
        return super().sql(query).schema

    def _value_of(self, expression: str) -> Any:
        return super().sql(f"SELECT {expression}").collect()[0][0]

    def newSession(self) -> PaimonSession:  # noqa: N802
        """Return a session of the same application with the same catalogs, but with separate views and settings."""
        from workbench.spark.jvm.attach import attach_catalog

        session = SparkSession(self.sparkContext, self._jsparkSession.newSession())
        for name, catalog in self.catalogs.items():
            attach_catalog(session, catalog, name)
        return PaimonSession(session, self.catalogs)

    def _context(self, name: str, statement: str) -> Context:
        """Return the context of a statement about an attached catalog."""
        settings = self.conf.getAll
        database = self.catalog.currentDatabase() if self.catalog.currentCatalog() == name else None
        return Context(
            self.catalogs[name],
            database,
            "spark",
            statement=statement,
            catalog_name=name,
            session=self,
            settings=lambda: session_settings(settings),
            only_spark=why_only_spark(settings),
            adds_casts=adds_casts(settings),
            opened=None,
        )

    def _catalog_of(self, route: Route) -> str | None:
        """Return the name of the attached catalog that a statement is about; None if it is about another catalog or
        a temporary view."""
        if route.finds_views and len(route.parts) == 1 and has_temporary_view(self, route.parts[0]):
            return None
        name = route.catalog or self.catalog.currentCatalog()
        return name if name in self.catalogs else None


def _is_known(text: str) -> bool:
    """Return whether the library's parser knows a statement."""
    try:
        parse(text)
    except (InvalidExpression, Unsupported):
        return False
    return True
