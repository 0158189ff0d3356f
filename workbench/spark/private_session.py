"""A session in which Spark plans a statement of a notebook: a copy of the user's that knows the notebook's catalog."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from workbench.base.progress import Progress
from workbench.base.zones import statement_zone_name
from workbench.spark.guest_session import GuestSession, keep_active_session
from workbench.spark.jvm.attach import connect_catalog, hashed_name
from workbench.spark.progress import classic_context
from workbench.spark.session import existing_session, get_session
from workbench.spark.zone import ZONE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.catalog.catalog import Catalog

# Replaces the name of the catalog in the hash that is part of its private name.
_PURPOSE = "notebook"


def can_have_private_session() -> bool:
    """Return whether the session of this process can be copied, or a local session can be started. Sessions of Spark
    Connect cannot be copied: they have no JVM here."""
    session = existing_session()
    return session is None or classic_context(session) is not None


@contextmanager
def private_session(catalog: Catalog, database: str | None, progress: Progress) -> Iterator[SparkSession]:
    """Yield a copy of the user's session whose current catalog is the catalog of a notebook.

    Settings and temporary views are copied; temporary views with the names of tables in the database are left out,
    because tables take precedence in notebooks. The time zone is that of the statement. The user's
    session is unchanged.

    Args:
        catalog: The catalog of the notebook.
        database: The current database.
        progress: Receives the progress of starting Spark.

    Yields:
        The session.

    Raises:
        WorkbenchError: If Spark did not start.
    """
    user = get_session(progress)
    session = GuestSession(user.sparkContext, user._jsparkSession.cloneSession())
    with keep_active_session(user):
        session.conf.set(ZONE, statement_zone_name())
        _use(session, catalog, database)
        yield session


def _use(session: SparkSession, catalog: Catalog, database: str | None) -> None:
    """Make a database of a catalog the current one."""
    name = hashed_name(catalog, _PURPOSE)
    connect_catalog(session, catalog, name)
    session.catalog.setCurrentCatalog(name)
    if database is not None:
        session.catalog.setCurrentDatabase(database)
        views = session._jsparkSession.sessionState().catalog().listLocalTempViews("*")
        names = {views.apply(at).table() for at in range(views.size())}
        for name in names.intersection(catalog.list_tables(database) if names else ()):
            session.catalog.dropTempView(name)
