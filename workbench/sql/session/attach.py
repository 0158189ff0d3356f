"""``wb.spark.attach``: makes a catalog known to a Spark session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.base.arguments import checked
from workbench.base.progress import Progress
from workbench.spark.progress import classic_context
from workbench.spark.session import get_session as start_session
from workbench.sql.session.paimon_session import PaimonSession

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.catalog.catalog import Catalog


@checked
def attach(session: SparkSession, catalog: Catalog, name: str = "paimon") -> SparkSession:
    """Make a catalog known to a Spark session, as ``name.database.table``.

    Its tables then work in ``spark.sql``, ``spark.table``, ``spark.read.table``, ``spark.catalog``, ``USE``, joins with
    other tables and views, INSERT, ``df.writeTo`` and ``insertInto``; so do CREATE, ALTER and DROP of
    tables and databases, and VERSION and TIMESTAMP AS OF. A query reads each table at one snapshot. No JAR is needed:
    the catalog is compiled by Spark itself. UPDATE, DELETE, MERGE, CALL, TRUNCATE and tag statements work in ``sql``
    of the returned session.

    Args:
        session: A session of this process, or a session of Spark Connect, in which table names are rewritten. Sessions
            that ``newSession`` of the returned session creates are attached, too.
        catalog: The catalog.
        name: The name of the catalog in the session.

    Returns:
        The same session, with a ``sql`` that runs every statement.

    Raises:
        InvalidRequest: If the session has another catalog of that name.
        WorkbenchError: If Spark runs its Python tasks in a Python without this package.

    Example:
        >>> spark = wb.spark.attach(spark, wb.connect("./warehouse"))
        >>> spark.sql("SELECT * FROM paimon.shop.orders").show()
        >>> spark.sql("DELETE FROM paimon.shop.orders WHERE status = 'canceled'")
    """
    if classic_context(session) is None:
        connected: SparkSession = _attach_connect(session, catalog, name)
        return connected
    from workbench.spark.jvm.attach import attach_catalog

    attach_catalog(session, catalog, name)
    known = session.catalogs if isinstance(session, PaimonSession) else {}
    return PaimonSession(session, {**known, name: catalog})


def _attach_connect(session: Any, catalog: Catalog, name: str) -> Any:
    # Requires the packages of Spark Connect.
    from workbench.sql.session.connect.session import ConnectSession

    attached = session if isinstance(session, ConnectSession) else ConnectSession(session, {})
    attached.attach(name, catalog)
    return attached


@checked
def get_session(progress: Progress | None = None, catalog: Catalog | None = None, name: str = "paimon") -> SparkSession:
    """Return the Spark session of this process, or start a local one; with a catalog, attach it.

    Args:
        progress: Receives the progress of starting Spark.
        catalog: A catalog to make known to the session, as `attach` does.
        name: The name of the catalog in the session.

    Returns:
        The session; if a catalog is given, the session that `attach` returns.

    Raises:
        WorkbenchError: If PySpark is not installed, no suitable Java was found, or Spark did not start.

    Example:
        >>> spark = wb.spark.get_session(catalog=wb.connect("./warehouse"))
        >>> spark.sql("SHOW TABLES IN paimon.shop").show()
    """
    session = start_session(progress)
    return session if catalog is None else attach(session, catalog, name)
