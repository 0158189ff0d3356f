"""Makes a catalog known to the JVM of a Spark session."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from workbench.base.errors import InvalidRequest, Unsupported
from workbench.spark.bucket import quoted
from workbench.spark.data_source import register_format
from workbench.spark.jvm.bridge import Bridge
from workbench.spark.jvm.compiler import CATALOG_CLASS, bridge_functions
from workbench.spark.progress import classic_context

if TYPE_CHECKING:
    from workbench.catalog.protocol import Catalog


def attach_catalog(session: SparkSession, catalog: Catalog, name: str) -> None:
    """Make a catalog known to the JVM of a session.

    Raises:
        Unsupported: If the session is one of Spark Connect, which has no JVM here.
        InvalidRequest: If the session has another catalog of that name.
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
    functions = bridge_functions(context._jvm)
    format_name = register_format(session, catalog, f"paimon_{uuid.uuid4().hex}")
    functions.put(name, Bridge(catalog, name, format_name, context))
    session.conf.set(key, CATALOG_CLASS)
    # Only this thread's class loader knows the class; the session keeps the catalog once it is loaded.
    session.sql(f"SHOW NAMESPACES IN {quoted(name)}")
