"""``wb.spark.register``: the format ``paimon`` of Spark's readers and writers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from py4j.protocol import Py4JJavaError

from workbench.base.arguments import checked
from workbench.spark.classes.compiler import SOURCE_CLASS
from workbench.spark.data_source import register_format
from workbench.spark.jvm.attach import serve_format
from workbench.spark.progress import classic_context

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.catalog.catalog import Catalog

_FORMAT, _OTHER_FORMAT = "paimon", "workbench"


@checked
def register(session: SparkSession, catalog: Catalog) -> str:
    """Register the tables of ``catalog`` as a data source of Spark and return the name of its format.

    The name is ``paimon``, or ``workbench`` if the session already has a JVM provider called ``paimon``. Then use
    ``spark.read.format(…).load("db.t")`` with options such as scan.snapshot-id, scan.tag-name and scan.timestamp, and
    ``df.write.format(…).mode("append" | "overwrite").save("db.t")``.

    Args:
        session: The Spark session.
        catalog: The catalog whose tables to register.

    Returns:
        The name of the format.

    Example:
        >>> name = wb.spark.register(session, catalog)
        >>> session.read.format(name).load("shop.orders").show()
    """
    provider = _jvm_provider(session)
    if provider == SOURCE_CLASS:
        # A catalog was attached in this process, and its provider takes precedence over sources registered from Python.
        serve_format(session, catalog, _FORMAT)
        return _FORMAT
    if provider is None:
        return register_format(session, catalog, _FORMAT)
    print(f"This session already has a provider called '{_FORMAT}'; use format '{_OTHER_FORMAT}'.")
    return register_format(session, catalog, _OTHER_FORMAT)


def _jvm_provider(session: SparkSession) -> str | None:
    """Return the class that provides the format in the JVM; None if there is none."""
    context = classic_context(session)
    if context is None:
        return None
    lookup = context._jvm.org.apache.spark.sql.execution.datasources.DataSource.lookupDataSource
    try:
        name = str(lookup(_FORMAT, session._jsparkSession.sessionState().conf()).getName())
    except Py4JJavaError:
        return None
    # Includes sources registered from Python, such as an earlier registration of this one.
    return None if name.endswith(".PythonDataSourceV2") else name
