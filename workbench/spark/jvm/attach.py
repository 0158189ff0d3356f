"""``wb.spark.attach``: makes a catalog known to a Spark session."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from workbench.base.arguments import checked
from workbench.base.errors import InvalidRequest, Unsupported
from workbench.spark.bucket import quoted
from workbench.spark.data_source import register_format
from workbench.spark.jvm.bridge import Bridge
from workbench.spark.jvm.compiler import CATALOG_CLASS, catalog_class
from workbench.spark.progress import classic_context

if TYPE_CHECKING:
    from workbench.catalog.protocol import Catalog


@checked
def attach(session: SparkSession, catalog: Catalog, name: str = "paimon") -> SparkSession:
    """Make a catalog known to a Spark session, as ``name.database.table``.

    Its tables then work in ``spark.sql``, ``spark.table``, ``spark.read.table``, ``spark.catalog``, ``USE``, joins with
    other tables and views, INSERT, ``df.writeTo`` and ``insertInto``; so do CREATE, ALTER and DROP of
    tables and databases, and VERSION and TIMESTAMP AS OF. A query reads each table at one snapshot. No JAR is needed:
    the catalog is compiled by Spark itself.

    Args:
        session: A session of this process. Attach each session that ``newSession`` returns, too.
        catalog: The catalog.
        name: The name of the catalog in the session.

    Returns:
        The session.

    Raises:
        Unsupported: If the session is one of Spark Connect, which has no JVM here.
        InvalidRequest: If the session has another catalog of that name.

    Example:
        >>> spark = wb.spark.attach(spark, wb.connect("./warehouse"))
        >>> spark.sql("SELECT * FROM paimon.shop.orders").show()
    """
    from pyspark.java_gateway import ensure_callback_server_started

    context = classic_context(session)
    if context is None:
        raise Unsupported("A session of Spark Connect cannot be attached.", "Use wb.spark.sql with catalog=….")
    key = f"spark.sql.catalog.{name}"
    present = session.conf.get(key, None)
    if present not in (None, CATALOG_CLASS):
        raise InvalidRequest(f"The session already has a catalog '{name}': {present}.", "Pass another name.")
    ensure_callback_server_started(context._gateway)  # type: ignore[no-untyped-call]
    compiled = catalog_class(context._jvm)
    bridge = Bridge(catalog, register_format(session, catalog, f"paimon_{uuid.uuid4().hex}"))
    compiled.getField("BRIDGES").get(None).put(name, bridge)
    session.conf.set(key, CATALOG_CLASS)
    # Only this thread's class loader knows the class; the session keeps the catalog once it is loaded.
    session.sql(f"SHOW NAMESPACES IN {quoted(name)}")
    return session
