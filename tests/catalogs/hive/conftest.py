"""A Hive Metastore, and the catalogs of this library and of Java in it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

import workbench as wb
from tests.catalogs.hive.metastores import HIVE_2, HIVE_3, RunningMetastore, running, spark_jars
from tests.catalogs.referee import JavaCatalog

_JARS = (
    *(
        "hive-common",
        "hive-exec",
        "hive-metastore",
        "hive-serde",
        "hive-shims",
        "hive-storage",
        "libthrift",
        "libfb303",
    ),
    *("antlr", "commons-", "failureaccess", "guava", "jackson-", "jcl", "log4j"),
)


VERSIONS = [
    pytest.param(HIVE_2, id=HIVE_2.name),
    pytest.param(HIVE_3, id=HIVE_3.name, marks=pytest.mark.long),
]


@pytest.fixture(scope="session", params=VERSIONS)
def metastore(request: pytest.FixtureRequest) -> Iterator[RunningMetastore]:
    """The metastore of the run, which has its own port and database."""
    with running(request.param) as found:
        yield found


@pytest.fixture
def database() -> str:
    """The name of a database that no other test uses."""
    return f"d{uuid.uuid4().hex[:12]}"


@pytest.fixture
def options(metastore: RunningMetastore) -> dict[str, str]:
    """The options of a catalog in the metastore."""
    return {"metastore": "hive", "uri": metastore.uri, "warehouse": f"file:{metastore.warehouse}"}


@pytest.fixture
def catalog(options: dict[str, str], database: str) -> wb.Catalog:
    """A catalog with an empty database."""
    catalog = wb.connect(options)
    catalog.create_database(database)
    return catalog


@pytest.fixture(scope="session")
def java_jars() -> list[Path]:
    """The classes of Hive that Java's catalog uses."""
    return [each for each in sorted(spark_jars().glob("*.jar")) if each.name.startswith(_JARS)]


@pytest.fixture
def java(options: dict[str, str], java_jars: list[Path]) -> JavaCatalog:
    """Java's catalog in the metastore."""
    # Without its cache, it sees at once what this library changed.
    return JavaCatalog({**options, "cache-enabled": "false"}, java_jars)
