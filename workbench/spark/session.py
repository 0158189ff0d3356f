"""Finds or starts a Spark session: a local one needs only ``pip install``; a user's session is left unchanged."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base.arguments import checked
from workbench.base.errors import WorkbenchError
from workbench.base.progress import Progress
from workbench.base.session import session_options
from workbench.spark.java import java_home
from workbench.spark.messages import StartMessages
from workbench.spark.shipping import ship
from workbench.spark.tasks import ROWS_PER_BATCH, WithRenamedColumns

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

Batches = Iterator["pa.RecordBatch"]
OLDEST_PYSPARK = (4, 1)
_LOG_LEVEL = "ERROR"
# These loggers print page-long errors that are also raised in Python, or that belong to canceled tasks.
_REDUNDANT_LOGGERS = (
    "org.apache.spark.executor.Executor",
    "org.apache.spark.scheduler.TaskSetManager",
    "org.apache.spark.storage.DiskBlockObjectWriter",
    "org.apache.spark.util.Utils",
)


def get_session(progress: Progress | None = None) -> SparkSession:
    """Return the existing session (of this process, or a Spark Connect one) unchanged, otherwise a `new_session`, whose
    start is reported to ``progress``."""
    require_supported_pyspark()
    existing = existing_session()
    if existing is not None:
        return existing
    with (progress or Progress()).step("Starting Spark, once per kernel"):
        return new_session()


@checked
def new_session(
    app_name: str = "workbench", master: str = "local[*]", config: Mapping[str, str] | None = None
) -> SparkSession:
    """Start a local session or, if Spark already runs, open a second session in addition to the user's.

    If Spark already runs, only session settings (``spark.sql.…``) have an effect, and the user's session is unchanged.

    Args:
        app_name: The name of the Spark application.
        master: The master URL.
        config: Spark settings, which take precedence over the defaults of this library.

    Returns:
        The session.

    Raises:
        WorkbenchError: If PySpark is not installed, no suitable Java was found, or Spark did not start.

    Example:
        >>> session = new_session(config={"spark.sql.shuffle.partitions": "8"})
    """
    require_supported_pyspark()
    settings = {**_session_settings(), **(config or {})}
    existing = existing_session()
    if existing is not None:
        beside = existing.newSession()
        for key, value in settings.items():
            if beside.conf.isModifiable(key):
                beside.conf.set(key, value)
        return beside
    return _start(app_name, master, {**_start_settings(), **settings})


def existing_session() -> SparkSession | None:
    """Return the session of this process, or a Spark Connect one; None if there is none.

    Raises:
        WorkbenchError: If PySpark is not installed, or the JVM of the session has ended.
    """
    require_pyspark()
    from py4j.protocol import Py4JNetworkError
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    try:
        active = SparkSession.getActiveSession()
        if active is not None or SparkContext._active_spark_context is None:
            return active
        # Another thread's session: without settings, getOrCreate returns it unchanged.
        return SparkSession.builder.getOrCreate()
    except (ConnectionError, Py4JNetworkError) as error:
        raise WorkbenchError(
            "The JVM of this Spark session has ended.", "Restart the kernel, and start the session again."
        ) from error


def has_temporary_view(session: SparkSession, name: str) -> bool:
    """Return whether a session has a temporary view of that name."""
    from workbench.spark.progress import classic_context

    if classic_context(session) is not None:
        return bool(session._jsparkSession.sessionState().catalog().getTempView(name).isDefined())
    return any(table.isTemporary for table in session.catalog.listTables(pattern=name))


def require_pyspark() -> None:
    """Check that PySpark is installed.

    Raises:
        WorkbenchError: If it is not.
    """
    try:
        import pyspark  # noqa: F401
    except ImportError as error:
        raise WorkbenchError("PySpark is not installed.", "Run: pip install 'paimon-workbench[spark]'.") from error


def require_supported_pyspark() -> None:
    """Check that a supported PySpark is installed. Statements for the official connector do not need one.

    Raises:
        WorkbenchError: If it is missing or too old.
    """
    require_pyspark()
    from pyspark import __version__ as version

    if tuple(map(int, version.split(".")[:2])) < OLDEST_PYSPARK:
        oldest = ".".join(map(str, OLDEST_PYSPARK))
        raise WorkbenchError(
            f"This library runs on Spark {oldest} and newer, but PySpark {version} is installed.",
            "Run: pip install 'paimon-workbench[spark]'; or use --engine jar with Paimon's connector.",
        )


def map_in_arrow(frame: DataFrame, function: Callable[[Batches], Batches], schema: StructType | str) -> DataFrame:
    """Return `DataFrame.mapInArrow` on executors that have this package.

    PySpark's warning about the version of pandas is suppressed, because pandas is not used here. PySpark takes a name
    such as ``a.b`` for a field of a column, and compares names as the active session does, which may be another
    one. Such columns have other names until they reach the task.
    """
    ship(frame.sparkSession)
    names = frame.columns
    with _no_word_of_pandas():
        alike = len({name.lower() for name in names}) < len(names)
        if not alike and not any("." in name or "`" in name for name in names):
            return frame.mapInArrow(function, schema)
        positions = [f"_{position}" for position in range(len(names))]
        return frame.toDF(*positions).mapInArrow(WithRenamedColumns(names, function), schema)


@contextmanager
def _no_word_of_pandas() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def _start(app_name: str, master: str, settings: Mapping[str, str]) -> SparkSession:
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    conf = SparkConf().setMaster(master).setAppName(app_name).setAll(list(settings.items()))
    with _launch_environment(java_home()), _no_word_of_pandas():
        try:
            if SparkContext._gateway is None:
                with StartMessages() as messages:
                    SparkContext(conf=conf, gateway=messages.launch(conf))
            session = SparkSession.builder.config(conf=conf).getOrCreate()
        except (PySparkException, Py4JError) as error:
            raise WorkbenchError(f"Spark did not start: {error}", "See Spark's own messages above.") from error
    _keep_exceptions_out_of_logs(session, settings["spark.log.level"])
    return session


def _keep_exceptions_out_of_logs(session: SparkSession, level: str) -> None:
    from workbench.spark.progress import classic_context

    # PySpark logs each failed analysis as a page of JSON in addition to raising the exception.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    context = classic_context(session)
    if context is not None and level == _LOG_LEVEL:
        log4j = context._jvm.org.apache.logging.log4j
        for name in _REDUNDANT_LOGGERS:
            log4j.core.config.Configurator.setLevel(name, log4j.Level.OFF)


@contextmanager
def _launch_environment(home: Path | None) -> Iterator[None]:
    """Set the environment that the JVM and its Python workers inherit at launch; the user's own settings are kept."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    package_root = str(Path(__file__).parents[2])
    changed = {"PYTHONPATH": os.pathsep.join(filter(None, [package_root, os.environ.get("PYTHONPATH")]))}
    if home is not None:
        changed["JAVA_HOME"] = str(home)
    before = {key: os.environ.get(key) for key in changed}
    os.environ.update(changed)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value


def _session_settings() -> dict[str, str]:
    return {
        "spark.sql.session.timeZone": session_options.timezone,
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(ROWS_PER_BATCH),
        "spark.sql.python.filterPushdown.enabled": "true",
    }


def _start_settings() -> dict[str, str]:
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": f"{_driver_megabytes()}m",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": _LOG_LEVEL,
        # Tasks report the rows that they have read with each heartbeat.
        "spark.executor.heartbeatInterval": "1s",
        # Tasks that swallow the interrupt of a canceled job are interrupted again.
        "spark.task.reaper.enabled": "true",
        "spark.task.reaper.pollingInterval": "1s",
    }


def _driver_megabytes() -> int:
    """Return a quarter of the machine's memory, between 1 and 8 GB: in local mode executors run in the driver."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    except (ValueError, OSError, AttributeError):
        return 2048
    return max(1024, min(8192, physical // 4))
