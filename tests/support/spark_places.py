"""Spark sessions of the tests: local ones, small clusters, and Spark Connect."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from typing import Any

PLACE = os.environ.get("WORKBENCH_SPARK_MASTER", "local[2,2]")
"""The master URL of the tests' session, or 'connect'."""
CONNECT = "connect"
# With the C1 compiler alone, the JVM has 48 MB for compiled code. Hundreds of queries fill it, and a JVM without space
# left recompiles everything, or ends.
_SMALL_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m"


def small_session(
    name: str,
    place: str = PLACE,
    timezone: str = "Europe/Berlin",
    java_options: str = "",
    more: Mapping[str, str] | None = None,
) -> Any:
    """Start a session that starts fast.

    Args:
        name: The name of the application.
        place: The master URL; 'connect' starts a server of Spark Connect on two cores.
        timezone: The time zone of the session.
        java_options: Further options of the JVM.
        more: Further settings.
    """
    from workbench.spark.session import new_session

    settings = {
        "spark.driver.extraJavaOptions": f"{_SMALL_JVM} {java_options}",
        "spark.executor.extraJavaOptions": f"{_SMALL_JVM} {java_options}",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": timezone,
        **(more or {}),
    }
    if place == CONNECT:
        return _connect(settings)
    session = new_session(name, place, settings)
    session.sparkContext.setLogLevel("OFF")
    return session


def _connect(settings: dict[str, str]) -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false")
    for key, value in settings.items():
        builder = builder.config(key, value)
    with warnings.catch_warnings():
        # The session warns that settings of the server cannot be changed.
        warnings.simplefilter("ignore")
        return builder.getOrCreate()
