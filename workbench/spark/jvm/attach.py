"""Makes a catalog known to the JVM of a Spark session."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from workbench.base.errors import InvalidRequest, Unsupported
from workbench.spark.bucket import quoted
from workbench.spark.classes.compiler import CATALOG_CLASS, bridge_functions, plan_changes
from workbench.spark.data_source import register_format
from workbench.spark.interpreter import check_interpreter
from workbench.spark.jvm.bridge import Bridge
from workbench.spark.jvm.caches import keep_fresh
from workbench.spark.jvm.writer_options import note_writer_options
from workbench.spark.progress import classic_context
from workbench.spark.shipping import shares_files

if TYPE_CHECKING:
    from workbench.catalog.catalog import Catalog


# The name by which PaimonSource.java knows the catalog of the format.
_OF_FORMAT = ""


def attach_catalog(session: SparkSession, catalog: Catalog, name: str) -> None:
    """Make a catalog known to the JVM of a session, and make its tables available through the format ``paimon``.

    Raises:
        Unsupported: If the session is one of Spark Connect, which has no JVM here.
        InvalidRequest: If the session has another catalog of that name.
    """
    connect_catalog(session, catalog, name)
    serve_format(session, catalog, name)


def connect_catalog(session: SparkSession, catalog: Catalog, name: str) -> None:
    """Make a catalog known to the JVM of a session.

    Raises:
        Unsupported: If the session is one of Spark Connect, which has no JVM here.
        InvalidRequest: If the session has another catalog of that name.
        WorkbenchError: If Spark runs its Python tasks in a Python without this package.
    """
    from pyspark.java_gateway import ensure_callback_server_started

    context = classic_context(session)
    if context is None:
        raise Unsupported("A session of Spark Connect cannot be attached.", "Use wb.spark.sql with catalog=….")
    key = f"spark.sql.catalog.{name}"
    present = session.conf.get(key, None)
    if present not in (None, CATALOG_CLASS):
        raise InvalidRequest(f"The session already has a catalog '{name}': {present}.", "Pass another name.")
    if shares_files(str(context.master)):
        check_interpreter(context)
    ensure_callback_server_started(context._gateway)  # type: ignore[no-untyped-call]
    note_writer_options()
    bridge_functions(context).put(name, _bridge(session, catalog, name))
    plan_changes(context._jvm, session)
    session.conf.set(key, CATALOG_CLASS)
    # The session keeps the catalog once it is loaded, even if only this thread's class loader knows the class.
    session.sql(f"SHOW NAMESPACES IN {quoted(name)}")
    keep_fresh(session, name)


def serve_format(session: SparkSession, catalog: Catalog, name: str) -> None:
    """Make the tables of a catalog available to readers and writers through the format ``paimon``.

    The format uses the catalog that was passed last; option ``catalog`` names a different attached catalog.
    """
    bridge_functions(session.sparkContext).put(_OF_FORMAT, _bridge(session, catalog, name))


def _bridge(session: SparkSession, catalog: Catalog, name: str) -> Bridge:
    """Return the bridge of a catalog. Streams read and write the tables of the catalog through a Python data source."""
    return Bridge(catalog, name, register_format(session, catalog, hashed_name(catalog, name)), session.sparkContext)


def hashed_name(catalog: Catalog, name: str) -> str:
    """Return a name for a catalog that is the same in all sessions that know it as ``name``."""
    known = json.dumps([name, catalog.warehouse, dict(catalog.options)], sort_keys=True)
    return f"paimon_{hashlib.sha256(known.encode()).hexdigest()[:32]}"
