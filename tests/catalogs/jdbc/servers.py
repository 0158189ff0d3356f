"""Servers of databases on free ports of this machine, each with an empty database for every test."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interop.debian import Programs, programs
from tests.interop.provision import jar, unavailable

USER, PASSWORD = "ada", "s3cret-of-ada"
_START_SECONDS = 60.0
# The number of the user without any rights, and of its group.
_UNPRIVILEGED = 65534
# One set, so that all tests use one Java process.
DRIVERS = ("org.xerial:sqlite-jdbc:3.46.1.3", "org.postgresql:postgresql:42.7.4", "com.mysql:mysql-connector-j:9.7.0")


def driver_jars() -> list[Path]:
    """The jars of Java's drivers."""
    return [jar(each) for each in DRIVERS]


@dataclass(frozen=True)
class Place:
    """An empty database."""

    kind: str
    uri: str

    @property
    def options(self) -> dict[str, str]:
        """The options of a catalog that connect to it."""
        credentials = {} if self.kind == "sqlite" else {"jdbc.user": USER, "jdbc.password": PASSWORD}
        return {"metastore": "jdbc", "uri": self.uri, **credentials}

    @property
    def java_options(self) -> dict[str, str]:
        """The same for Java."""
        if self.kind != "mariadb":
            return self.options
        # Java looks for the tables of a catalog in all databases of the server without this.
        return {**self.options, "uri": self.uri + "?nullDatabaseMeansCurrent=true"}

    def connect(self) -> Any:
        """Return a connection (PEP 249) that does not belong to the catalog and commits each statement."""
        port_and_name = self.uri.rpartition("127.0.0.1:")[2]
        port, _, name = port_and_name.partition("/")
        if self.kind == "sqlite":
            import sqlite3

            return sqlite3.connect(self.uri.removeprefix("jdbc:sqlite:"), isolation_level=None)
        if self.kind == "postgresql":
            import psycopg

            return psycopg.connect(
                host="127.0.0.1", port=int(port), dbname=name, user=USER, password=PASSWORD, autocommit=True
            )
        import pymysql

        return pymysql.connect(
            host="127.0.0.1", port=int(port), database=name, user=USER, password=PASSWORD, autocommit=True
        )

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query, sorted."""
        connection = self.connect()
        try:
            cursor = connection.cursor()
            cursor.execute(query)
            return sorted(map(tuple, cursor.fetchall()))
        finally:
            connection.close()

    def run(self, statement: str) -> None:
        """Run a statement that returns nothing."""
        connection = self.connect()
        try:
            connection.cursor().execute(statement)
        finally:
            connection.close()


@dataclass(frozen=True)
class Server:
    """A running server."""

    kind: str
    version: str
    port: int

    def new_place(self) -> Place:
        """Create an empty database."""
        name = f"c{uuid.uuid4().hex[:12]}"
        # Java's statements fail with the character set that MariaDB uses by default.
        suffix = " CHARACTER SET utf8mb3" if self.kind == "mariadb" else ""
        self._place("postgres" if self.kind == "postgresql" else "test").run(f"CREATE DATABASE {name}{suffix}")
        return self._place(name)

    def wait(self) -> None:
        """Wait until it accepts connections."""
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                self.new_place()
            except Exception:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
            else:
                return

    def _place(self, name: str) -> Place:
        protocol = "postgresql" if self.kind == "postgresql" else "mysql"
        return Place(self.kind, f"jdbc:{protocol}://127.0.0.1:{self.port}/{name}")


@contextmanager
def postgresql() -> Iterator[Server]:
    """Run PostgreSQL."""
    found = programs(("postgresql",), ("initdb", "postgres"))
    with _home() as home:
        secret = home / "password"
        secret.write_text(PASSWORD)
        data = home / "data"
        flags = ["--no-sync", "--no-instructions", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C"]
        _done(found, home, [found.path("initdb"), "-D", data, "-U", USER, "--pwfile", secret, *flags])
        port = _free_port()
        settings = [f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={home}", "fsync=off"]
        command = [found.path("postgres"), "-D", data, *(part for each in settings for part in ("-c", each))]
        with _running(found, home, command, port, signal.SIGQUIT):
            server = Server("postgresql", _version(found, "postgres"), port)
            server.wait()
            yield server


@contextmanager
def mariadb() -> Iterator[Server]:
    """Run MariaDB."""
    found = programs(("mariadb-server-core", "mariadb-client-core"), ("mariadbd", "mariadb-install-db"))
    with _home() as home:
        data, start = home / "data", home / "start.sql"
        # What the programs look for below /usr is below the directory with the unpacked packages.
        base = [] if found.root is None else [f"--basedir={found.root}/usr"]
        messages = [] if found.root is None else [f"--lc-messages-dir={found.root}/usr/share/mysql"]
        install = [found.path("mariadb-install-db"), "--no-defaults", *base, f"--datadir={data}", "--skip-test-db"]
        _done(found, home, [*install, "--auth-root-authentication-method=normal"])
        # One statement a line.
        start.write_text(
            f"CREATE DATABASE test;\nCREATE USER '{USER}'@'%' IDENTIFIED BY '{PASSWORD}';\n"
            f"GRANT ALL PRIVILEGES ON *.* TO '{USER}'@'%' WITH GRANT OPTION;\n"
        )
        port = _free_port()
        where = [
            f"--port={port}",
            "--bind-address=127.0.0.1",
            "--skip-name-resolve",
            f"--socket={home}/socket",
            f"--datadir={data}",
        ]
        command = [found.path("mariadbd"), "--no-defaults", *base, *messages, *where, f"--init-file={start}"]
        with _running(found, home, command, port, signal.SIGTERM):
            server = Server("mariadb", _version(found, "mariadbd"), port)
            server.wait()
            yield server


@contextmanager
def _home() -> Iterator[Path]:
    """Return a directory that belongs to the user that runs the servers."""
    home = Path(tempfile.mkdtemp(prefix="database-"))
    try:
        if os.getuid() == 0:
            os.chown(home, _UNPRIVILEGED, _UNPRIVILEGED)
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _as_user(command: Sequence[str | Path]) -> list[str]:
    """Return a command that does not run as root: PostgreSQL and MariaDB refuse that."""
    drop = (
        ["setpriv", f"--reuid={_UNPRIVILEGED}", f"--regid={_UNPRIVILEGED}", "--clear-groups", "--"]
        if os.getuid() == 0
        else []
    )
    return [*drop, *map(str, command)]


def _done(found: Programs, home: Path, command: Sequence[str | Path]) -> None:
    environment = {**os.environ, **found.environment, "HOME": str(home)}
    result = subprocess.run(
        _as_user(command), env=environment, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if result.returncode:
        unavailable(f"{command[0]} failed: {result.stdout[-500:]}")


@contextmanager
def _running(
    found: Programs, home: Path, command: Sequence[str | Path], port: int, end: signal.Signals
) -> Iterator[None]:
    environment = {**os.environ, **found.environment, "HOME": str(home)}
    with (home / "log").open("w") as log:
        process = subprocess.Popen(_as_user(command), env=environment, cwd=home, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + _START_SECONDS
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                unavailable(f"{command[0]} did not start: {(home / 'log').read_text()[-500:]}")
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(end)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _version(found: Programs, program: str) -> str:
    environment = {**os.environ, **found.environment}
    return subprocess.run(
        [found.path(program), "--version"], env=environment, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
