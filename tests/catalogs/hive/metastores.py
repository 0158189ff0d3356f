"""Hive Metastores on free ports of this machine, with a Derby database in a temporary directory."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from tests.interop.provision import CACHE, compiled, jar, java, lock, run, unavailable
from tests.interop.referees import JVM_OPENS
from workbench.catalog.hive.client import HiveClient, thrift_types
from workbench.catalog.hive.settings import HiveSettings

_START_SECONDS = 120.0
_MAP_REDUCE = "org.apache.hadoop:hadoop-mapreduce-client-core:2.6.0"
_MAIN = "org.apache.hadoop.hive.metastore.HiveMetaStore"
# Nothing is synchronized to disk: no test depends on databases that survive a failure of the machine.
_SMALL = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dderby.system.durability=test")
_COMMON = {
    "datanucleus.schema.autoCreateAll": "true",
    "datanucleus.connectionPoolingType": "HikariCP",
    "hive.metastore.schema.verification": "false",
    "hive.async.log.enabled": "false",
    "hive.hmshandler.retry.attempts": "1",
}


HOUSEKEEPING = {
    "hive.compactor.initiator.on": "true",
    "hive.support.concurrency": "true",
    "hive.txn.manager": "org.apache.hadoop.hive.ql.lockmgr.DbTxnManager",
    "hive.txn.timeout": "2s",
    "hive.timedout.txn.reaper.start": "1s",
    "hive.timedout.txn.reaper.interval": "1s",
}
"""What starts the thread that removes locks without heartbeats, with short times. Hive 2 requires the first three."""


@dataclass(frozen=True)
class Version:
    """A version of the metastore."""

    name: str
    """Its number."""

    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings that it needs in addition."""

    def command(self, configuration: Path, port: int) -> Sequence[str | Path]:
        """Return the command that serves on a port."""
        raise NotImplementedError


class _OfSpark(Version):
    """The version whose jars pyspark has."""

    def command(self, configuration: Path, port: int) -> Sequence[str | Path]:
        jars = spark_jars()
        return [java(), *_SMALL, *JVM_OPENS, "-cp", f"{configuration}{os.pathsep}{jars}/*", _MAIN, "-p", str(port)]


class _OfMaven(Version):
    """A version whose jars are fetched; it requires a class loader that newer Javas no longer use."""

    def command(self, configuration: Path, port: int) -> Sequence[str | Path]:
        launcher, jars = compiled([Path(__file__).parents[1] / "java" / "Launch.java"], []), fetched_jars(self.name)
        # Without a class of Hadoop's that is in none of these jars, the metastore starts no threads of its own.
        path = os.pathsep.join((str(configuration), f"{jars}/*", str(jar(_MAP_REDUCE))))
        return [java(), *_SMALL, *JVM_OPENS, "-cp", launcher, "Launch", path, _MAIN, "-p", str(port)]


HIVE_2 = _OfSpark("2.3.10")
HIVE_3 = _OfMaven(
    "3.1.3",
    {
        "metastore.event.db.notification.api.auth": "false",
        "hive.metastore.event.db.notification.api.auth": "false",
        "datanucleus.autoStartMechanismMode": "ignored",
    },
)


def spark_jars() -> Path:
    """Return the directory of pyspark's jars, which include a metastore."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        unavailable("pyspark is not installed: its jars bring the metastore")
        raise AssertionError("unreachable")
    return Path(spec.origin).parent / "jars"


def fetched_jars(version: str) -> Path:
    """Return a directory with the jars of a metastore, fetched with Maven (220 MB)."""
    home = CACHE / "hive" / version
    with lock("hive"):
        if not (home / "done").exists():
            if not shutil.which("mvn"):
                unavailable("no mvn on the path, which fetches the jars of the metastore")
            home.mkdir(parents=True, exist_ok=True)
            (home / "pom.xml").write_text(_pom(version))
            copy = ["dependency:copy-dependencies", f"-DoutputDirectory={home}", "-DincludeScope=runtime"]
            done = run(["mvn", "-q", "-B", "-f", home / "pom.xml", *copy], seconds=1800)
            if done.returncode != 0:
                unavailable(f"cannot fetch the metastore {version}: {done.stdout[-300:].strip()}")
            (home / "done").touch()
    return home


def _pom(version: str) -> str:
    artifacts = ("hive-standalone-metastore", "hive-exec")
    wanted = "".join(
        f"<dependency><groupId>org.apache.hive</groupId><artifactId>{each}</artifactId><version>{version}</version>"
        "</dependency>"
        for each in artifacts
    )
    head = "<modelVersion>4.0.0</modelVersion><groupId>tests</groupId><artifactId>hive</artifactId><version>1</version>"
    return f"<project>{head}<dependencies>{wanted}</dependencies></project>"


@dataclass
class RunningMetastore:
    """A metastore that answers."""

    version: Version
    directory: Path
    port: int
    process: subprocess.Popen[bytes]

    @property
    def uri(self) -> str:
        """Its address."""
        return f"thrift://127.0.0.1:{self.port}"

    @property
    def warehouse(self) -> Path:
        """The directory of the database ``default``."""
        return self.directory / "warehouse"

    @property
    def client(self) -> HiveClient:
        """A client, to look at what the metastore has."""
        return HiveClient(HiveSettings((("127.0.0.1", self.port),)))

    def get(self, database: str, table: str) -> Any:
        """Return the Thrift value of a table."""
        return self.client.call("get_table", database, table)

    def stop(self) -> None:
        """End the process."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(30)


@contextmanager
def running(version: Version, settings: Mapping[str, str] | None = None) -> Iterator[RunningMetastore]:
    """Run a metastore with an empty database."""
    with tempfile.TemporaryDirectory(prefix="metastore-") as name:
        directory = Path(name)
        shutil.copytree(_database(version), directory / "database")
        metastore = _start(version, directory, settings or {})
        try:
            yield metastore
        finally:
            metastore.stop()


def _database(version: Version) -> Path:
    """Return a database with all tables. They are created only with the option ``hive.in.test``, with which the
    metastore refuses what it is tested for here; so this is done once, and the database is copied for each run."""
    home = CACHE / "hive" / f"database-{version.name}"
    with lock(f"hive-database-{version.name}"):
        if not (home / "done").exists():
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir(parents=True)
            metastore = _start(version, home, {"hive.in.test": "true"})
            _lock_once(metastore.client)
            metastore.stop()
            (home / "done").touch()
    return home / "database"


def _lock_once(client: HiveClient) -> None:
    types = thrift_types()
    component = types.LockComponent(
        type=types.LockType.EXCLUSIVE,
        level=types.LockLevel.TABLE,
        dbname="default",
        tablename="any",
        operationType=types.DataOperationType.NO_TXN,
    )
    held = client.call("lock", types.LockRequest(component=[component], user="tests", hostname="tests"))
    client.call("unlock", types.UnlockRequest(lockid=held.lockid))


def _start(version: Version, directory: Path, settings: Mapping[str, str]) -> RunningMetastore:
    port = _free_port()
    values = {
        **_COMMON,
        **version.settings,
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={directory / 'database'};create=true",
        "hive.metastore.warehouse.dir": f"file://{directory / 'warehouse'}",
        "hive.metastore.uris": f"thrift://127.0.0.1:{port}",
        **settings,
    }
    properties = "".join(
        f"<property><name>{name}</name><value>{escape(value)}</value></property>" for name, value in values.items()
    )
    configuration = directory / "configuration"
    configuration.mkdir(exist_ok=True)
    (configuration / "hive-site.xml").write_text(f"<configuration>{properties}</configuration>")
    with (directory / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(each) for each in version.command(configuration, port)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=directory,
        )
    metastore = RunningMetastore(version, directory, port, process)
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return metastore
        time.sleep(0.1)
    metastore.stop()
    unavailable(f"the metastore {version.name} did not start: {(directory / 'log').read_text()[-300:]}")
    raise AssertionError("unreachable")


def registered(metastore: RunningMetastore, database: str, table: str) -> dict[tuple[str, ...], Any]:
    """The partitions in the metastore by their values, without the times."""
    found = metastore.client.call("get_partitions", database, table, -1)
    for each in found:
        for changing in ("transient_lastDdlTime", "numFiles", "totalSize"):
            each.parameters.pop(changing, None)
        assert each.createTime > 1_700_000_000
        each.createTime = each.lastAccessTime = 0
    return {tuple(each.values): each for each in found}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
