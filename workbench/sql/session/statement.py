"""``wb.spark.sql``: runs one statement over the tables of a catalog, on a session that need not know the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.base.arguments import checked
from workbench.base.progress import Progress
from workbench.catalog.default_database import DEFAULT_DATABASE
from workbench.spark.query import query
from workbench.spark.session import get_session
from workbench.spark.zone import in_zone_of
from workbench.sql.context import Context
from workbench.sql.execute import run_statement
from workbench.sql.parse import is_query, parse
from workbench.sql.session.catalog_views import with_catalog_views
from workbench.sql.session.frames import frame_of
from workbench.sql.session.settings import adds_casts, why_only_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from workbench.catalog.catalog import Catalog


@checked
def sql(
    text: str, catalog: Catalog, *, session: SparkSession | None = None, progress: Progress | None = None
) -> DataFrame:
    """Run a statement of Paimon's SQL: queries on Spark, all others as ``%%paimon --engine spark`` runs them.

    ``VERSION AS OF n`` and ``TIMESTAMP AS OF '…'`` after a table read that version of it; without them, the newest
    version is pinned for the whole query. Names that the catalog does not know, such as temporary views, are left to
    Spark. Sessions of Spark Connect work, too. Times are evaluated in the time zone of the session.

    Args:
        text: The statement. Tables are named ``database.table``, or ``table`` in the database ``default``.
        catalog: The catalog that resolves table names.
        session: The Spark session; by default the current one, or a new local one.
        progress: Receives reports about the start of Spark and planning, and cancels them.

    Returns:
        The result of a query as a lazy DataFrame; for other statements the rows of their result.

    Raises:
        Unsupported: If the statement or a part of it is not supported.
        InvalidExpression: If the text cannot be parsed.
        TableNotFound: If neither the catalog nor Spark has a table that the statement names.

    Example:
        >>> wb.spark.sql("SELECT * FROM shop.orders VERSION AS OF 3", catalog).show()
        >>> wb.spark.sql("CALL sys.compact(table => 'shop.orders')", catalog)
    """
    progress = progress or Progress()
    session = session or get_session(progress)
    with in_zone_of(session):
        if is_query(text):
            return _query(text, catalog, session, progress)
        settings = session.conf.getAll
        context = Context(
            catalog,
            DEFAULT_DATABASE,
            "spark",
            progress,
            statement=text,
            reason="called by wb.spark.sql",
            only_spark=why_only_spark(settings),
            adds_casts=adds_casts(settings),
        )
        return frame_of(session, run_statement(context, parse(text)))


def _query(text: str, catalog: Catalog, session: SparkSession, progress: Progress) -> DataFrame:
    def run(body: str) -> DataFrame:
        return query(body, catalog, session=session, progress=progress)

    return with_catalog_views(text, [Context(catalog, DEFAULT_DATABASE, "spark", progress, opened=None)], run, run)
