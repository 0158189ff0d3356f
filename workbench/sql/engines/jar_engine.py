"""Runs statements on the official connector, in the Spark session that the user created with Paimon's JAR.

This module works with PySpark 3.5 and later, because the connector determines the user's version of Spark.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.base.errors import InvalidExpression, Unsupported
from workbench.sql.engines.footer import footer
from workbench.sql.engines.protocol import Written
from workbench.sql.result import Result, done

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CONNECTOR = "org.apache.paimon.spark."
_CATALOG = "spark.sql.catalog."
_HOW = (
    "Create a session with the connector: spark.jars = the JAR, spark.sql.catalog.paimon = "
    "org.apache.paimon.spark.SparkCatalog, spark.sql.catalog.paimon.warehouse = the warehouse."
)


def run_on_connector(statement: Written) -> Result:
    """Run a statement as it is written, on the official connector of the active session.

    Raises:
        Unsupported: If there is no Spark session, or it has no catalog of the connector.
        InvalidExpression: If Spark or the connector refuses the statement.
    """
    session = _session()
    from workbench.spark.progress import run_job

    begin = statement.clock.monotonic()
    with _short_errors():
        frame, rows = run_job(session, "Statement", lambda: _rows(session, statement), statement.progress)
    seconds = statement.clock.monotonic() - begin
    if not frame.columns:
        return done(f"Done by Paimon's connector in {seconds:,.1f} s.")
    shown = rows.slice(0, statement.limit)
    total = rows.num_rows if rows.num_rows <= statement.limit else None
    notes = (footer("Paimon's connector", seconds, None, (), shown, "chosen by --engine jar"),)
    return Result("Query", shown, total, statement.limit, frame=frame, engine="jar", notes=notes)


def _rows(session: SparkSession, statement: Written) -> tuple[DataFrame, pa.Table]:
    """Run the statement, and read one row more than are shown."""
    from workbench.spark.frames import arrow_of

    frame = session.sql(statement.text)
    return frame, arrow_of(frame.limit(statement.limit + 1)) if frame.columns else pa.table({})


def connector_catalogs(settings: Mapping[str, str]) -> list[str]:
    """Return the names of the official connector's catalogs that the settings of a session define."""
    names = (key.removeprefix(_CATALOG) for key, value in settings.items() if value.startswith(_CONNECTOR))
    return sorted(name for name in names if "." not in name)


def _session() -> SparkSession:
    """Return the active session, which is never started here."""
    from workbench.spark.session import existing_session

    session = existing_session() if "pyspark" in sys.modules else None
    if session is None:
        raise Unsupported("Engine 'jar' needs an active Spark session, and there is none.", _HOW)
    settings = {row[0]: str(row[1]) for row in session.sql("SET").collect()}
    if not connector_catalogs(settings):
        raise Unsupported("The active Spark session has no catalog of Paimon's connector.", _HOW)
    return session


@contextmanager
def _short_errors() -> Iterator[None]:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    # PySpark logs each failed analysis as a page of JSON in addition to raising the exception.
    log = logging.getLogger("SQLQueryContextLogger")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise InvalidExpression(f"Paimon's connector says: {_sentence(error)}") from error
    finally:
        log.setLevel(level)


def _sentence(error: Exception) -> str:
    """Return the first non-empty line of an error; for an error from Java, it contains the class and the message."""
    java = getattr(error, "java_exception", None)
    text = str(error) if java is None else str(java.toString())
    return next((line.strip() for line in text.splitlines() if line.strip()), "no reason given").split(" SQLSTATE:")[0]
