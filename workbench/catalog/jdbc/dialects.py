"""The databases that can contain a catalog, each with its driver and its dialect of SQL."""

from __future__ import annotations

import importlib
import os
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

from workbench.base.errors import CatalogError, Unsupported
from workbench.base.session import machine_timezone
from workbench.catalog.jdbc.url import JdbcUrl

# Two addresses of one host are tried one after the other.
_CONNECT_SECONDS = 4
# How long SQLite waits for another process that writes; users see within ten seconds that it waits in vain.
_BUSY_SECONDS = 8.0
# How long an answer may take. With a new connection after it, users see within ten seconds that there is none.
_LOST_SECONDS = 4


class Dialect:
    """A kind of database."""

    name: str
    """Its name in messages."""

    package: str
    """The module of its driver."""

    placeholder = "%s"
    """The text in place of a value in a statement."""

    table_suffix = ""
    """What follows the columns of a new table."""

    begin = "BEGIN"
    """The statement that begins a transaction."""

    expired_lock: str
    """The condition for a row of ``paimon_distributed_locks`` whose time has passed, as Java's lock writes it."""

    checks_lengths = True
    """Whether the database refuses values that are longer than their column."""

    def connect(self, url: JdbcUrl, *, is_read_only: bool) -> Any:
        """Return a new connection (PEP 249) that commits each statement; in case of failure the driver's error."""
        raise NotImplementedError

    def patience(self, connection: Any) -> AbstractContextManager[None]:  # noqa: ARG002
        """Let statements fail in a ``with`` block if the server falls silent. By default the driver does that."""
        return nullcontext()

    def is_open(self, connection: Any) -> bool:
        """Return whether a connection can still be used, after an error."""
        raise NotImplementedError

    def close(self, connection: Any) -> None:
        """Close a connection, which the server may have closed already."""
        if self.is_open(connection):
            connection.close()

    def is_duplicate(self, error: Exception) -> bool:
        """Return whether a statement failed because a row or table existed already."""
        raise NotImplementedError

    def is_missing_table(self, error: Exception) -> bool:
        """Return whether a statement failed because a table does not exist."""
        raise NotImplementedError

    def is_conflict(self, error: Exception) -> bool:
        """Return whether a statement failed because of another one at the same time, so that it can be repeated."""
        raise NotImplementedError

    def driver(self) -> Any:
        """Return the module of the driver. Raises CatalogError if it is not installed."""
        try:
            return importlib.import_module(self.package)
        except ImportError as error:
            raise CatalogError(
                f"A catalog in {self.name} needs the package {self.package}, which is not installed: {error}.",
                "Run: pip install 'paimon-workbench[jdbc]'.",
            ) from error


class Sqlite(Dialect):
    """SQLite, a file on this machine."""

    name = "SQLite"
    package = "sqlite3"
    placeholder = "?"
    begin = "BEGIN IMMEDIATE"
    expired_lock = "strftime('%s', 'now') - strftime('%s', acquired_at) > expire_time_seconds"
    checks_lengths = False

    def connect(self, url: JdbcUrl, *, is_read_only: bool) -> Any:
        """Open the file, which is created unless the catalog is read-only."""
        path = url.database.removeprefix("file:")
        if url.hosts or not path or path.startswith(":"):
            raise Unsupported(
                f"The catalog cannot be in {url.address}: other processes would not see it.",
                "Write the path of a file: jdbc:sqlite:/path/of/file.",
            )
        sqlite3 = self.driver()
        if is_read_only and not os.path.exists(path):
            raise sqlite3.OperationalError("the file does not exist")
        # Connections are used by one thread at a time, but not by the same one.
        return sqlite3.connect(path, _busy_seconds(url.properties), isolation_level=None, check_same_thread=False)

    def is_open(self, connection: Any) -> bool:  # noqa: ARG002
        """Return True: a file does not close connections."""
        return True

    def is_duplicate(self, error: Exception) -> bool:
        """Return whether a key or table existed already."""
        return "UNIQUE constraint failed" in str(error) or "already exists" in str(error)

    def is_missing_table(self, error: Exception) -> bool:
        """Return whether a table does not exist."""
        return "no such table" in str(error)

    def is_conflict(self, error: Exception) -> bool:  # noqa: ARG002
        """Return False: a statement waits for those of others."""
        return False


class PostgreSql(Dialect):
    """PostgreSQL."""

    name = "PostgreSQL"
    package = "psycopg"
    expired_lock = "EXTRACT(EPOCH FROM AGE(NOW(), acquired_at)) > expire_time_seconds"

    # What psycopg calls the properties of Java's driver.
    _ARGUMENTS: Mapping[str, str] = {
        **{key: key for key in ("user", "password", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword")},
        "ApplicationName": "application_name",
        "channelBinding": "channel_binding",
        "connectTimeout": "connect_timeout",
        "gssEncMode": "gssencmode",
        "loginTimeout": "connect_timeout",
    }

    def connect(self, url: JdbcUrl, *, is_read_only: bool) -> Any:  # noqa: ARG002
        """Connect to the first of the servers that answers."""
        arguments: dict[str, Any] = {"connect_timeout": _CONNECT_SECONDS}
        # As Java's driver does it: the time at which a lock was acquired is kept without its zone.
        settings = [f"-c TimeZone={machine_timezone()}"]
        for key, value in url.properties.items():
            if key in self._ARGUMENTS:
                arguments[self._ARGUMENTS[key]] = value
            elif key == "currentSchema":
                settings.append(f"-c search_path={value}")
            elif key == "options":
                settings.append(value)
            elif key == "ssl":
                arguments.setdefault("sslmode", "verify-full" if value.lower() in ("", "true") else "prefer")
            else:
                _check_harmless(self.name, key, value)
        hosts = url.hosts or (("localhost", None),)
        arguments["host"] = ",".join(host for host, _ in hosts)
        arguments["port"] = ",".join(str(port or 5432) for _, port in hosts)
        if url.database.strip("/"):
            arguments["dbname"] = url.database.strip("/")
        arguments.update(options=" ".join(settings), tcp_user_timeout=_LOST_SECONDS * 1000)
        # Statements are not prepared: a pooler may pass them to another server process.
        return self.driver().connect(**arguments, autocommit=True, prepare_threshold=None)

    @contextmanager
    def patience(self, connection: Any) -> Iterator[None]:
        """Close the connection if the server does not answer: libpq waits forever for one whose system still confirms
        what it gets."""
        timer = threading.Timer(_LOST_SECONDS, _hang_up, (connection.fileno(),))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def is_open(self, connection: Any) -> bool:
        """Return whether the server has not closed the connection."""
        return not connection.closed

    def is_duplicate(self, error: Exception) -> bool:
        """Return whether a key, table or type of a table existed already."""
        return getattr(error, "sqlstate", None) in ("23505", "42P07", "42710")

    def is_missing_table(self, error: Exception) -> bool:
        """Return whether a table does not exist."""
        return getattr(error, "sqlstate", None) == "42P01"

    def is_conflict(self, error: Exception) -> bool:
        """Return whether a deadlock or another transaction prevented the statement."""
        return getattr(error, "sqlstate", None) in ("40001", "40P01")


class MySql(Dialect):
    """MySQL and MariaDB."""

    name = "MySQL"
    package = "pymysql"
    # Keys of four columns with 255 characters each do not fit into an index if a character may have four bytes.
    table_suffix = " CHARACTER SET utf8mb3"
    expired_lock = "TIMESTAMPDIFF(SECOND, acquired_at, NOW()) > expire_time_seconds"

    def connect(self, url: JdbcUrl, *, is_read_only: bool) -> Any:  # noqa: ARG002
        """Connect to the first of the servers that answers."""
        pymysql = self.driver()
        if not url.hosts:
            raise Unsupported(f"The servers in {url.address} cannot be used.", "Write jdbc:mysql://host:3306/database.")
        arguments = {
            "user": None,
            "password": "",
            "connect_timeout": _CONNECT_SECONDS,
            "read_timeout": _LOST_SECONDS,
            "write_timeout": _LOST_SECONDS,
            **_mysql_arguments(url.properties),
        }
        failure: Exception | None = None
        for host, port in url.hosts:
            try:
                return pymysql.connect(
                    host=host,
                    port=port or 3306,
                    database=url.database or None,
                    charset="utf8mb4",
                    autocommit=True,
                    # The rows that a condition finds are counted, as other databases do, not those that change.
                    client_flag=pymysql.constants.CLIENT.FOUND_ROWS,
                    **arguments,
                )
            except pymysql.OperationalError as error:
                failure = error
        assert failure is not None
        raise failure

    def is_open(self, connection: Any) -> bool:
        """Return whether the server has not closed the connection."""
        return bool(connection.open)

    def is_duplicate(self, error: Exception) -> bool:
        """Return whether a key or table existed already."""
        return _code(error) in (1050, 1062)

    def is_missing_table(self, error: Exception) -> bool:
        """Return whether a table does not exist."""
        return _code(error) == 1146

    def is_conflict(self, error: Exception) -> bool:
        """Return whether a deadlock or another transaction prevented the statement."""
        return _code(error) in (1020, 1205, 1213)


DIALECTS: Mapping[str, Dialect] = {
    "sqlite": Sqlite(),
    "postgresql": PostgreSql(),
    "mysql": MySql(),
    "mariadb": MySql(),
}
"""The kinds of databases by the name in their URLs."""


def dialect_of(url: JdbcUrl) -> Dialect:
    """Return the kind of a database. Raises CatalogError if there is none for the URL."""
    if url.protocol not in DIALECTS:
        known = ", ".join(f"jdbc:{each}:" for each in sorted(DIALECTS))
        raise CatalogError(f"A catalog cannot be in '{url.address}'.", f"Known are: {known}.")
    return DIALECTS[url.protocol]


def _busy_seconds(properties: Mapping[str, str]) -> float:
    given = properties.get("busy_timeout", "")
    return int(given) / 1000 if given.isdigit() else _BUSY_SECONDS


def _hang_up(file: int) -> None:
    """End a connection under its driver, which then reports that it was lost."""
    with suppress(OSError), socket.socket(fileno=os.dup(file)) as connection:
        connection.shutdown(socket.SHUT_RDWR)


def _code(error: Exception) -> object:
    return error.args[0] if error.args else None


# What Java's drivers for MySQL and MariaDB call the ways to encrypt a connection.
_ENCRYPTED: Mapping[str, Mapping[str, Any]] = {
    "disable": {"ssl_disabled": True},
    "preferred": {},
    "required": {"ssl": {"check_hostname": False, "verify_mode": "none"}},
    "verify-ca": {"ssl_verify_cert": True},
    "verify-full": {"ssl_verify_cert": True, "ssl_verify_identity": True},
}
_SYNONYMS = {"disabled": "disable", "trust": "required", "verify_ca": "verify-ca", "verify_identity": "verify-full"}


def _mysql_arguments(properties: Mapping[str, str]) -> dict[str, Any]:
    """Return arguments of PyMySQL for properties of Java's drivers."""
    arguments: dict[str, Any] = {}
    for key, value in properties.items():
        if key in ("user", "password"):
            arguments[key] = value
        elif key == "connectTimeout" and value.isdigit():
            arguments["connect_timeout"] = max(int(value) // 1000, 1)
        elif key == "sslMode" and (mode := _SYNONYMS.get(value.lower(), value.lower())) in _ENCRYPTED:
            arguments.update(_ENCRYPTED[mode])
        elif key == "serverSslCert":
            arguments["ssl_ca"] = value
        elif key == "useSSL" and value.lower() == "false":
            arguments["ssl_disabled"] = True
        elif key in ("useSSL", "requireSSL") and value.lower() == "true":
            arguments.update(_ENCRYPTED["required"])
        else:
            _check_harmless("MySQL", key, value)
    return arguments


def _check_harmless(name: str, key: str, value: str) -> None:
    """Refuse a property without which a connection would be less secure; others only concern Java's driver."""
    lower = key.lower()
    if any(
        part in lower for part in ("ssl", "certificate", "truststore", "keystore", "krb", "gss", "authentication")
    ) and (value.lower() not in ("false", "")):
        raise Unsupported(
            f"Property '{key}' of the connection to {name} is not supported.",
            "Encrypt the connection with 'sslmode' (PostgreSQL) or 'sslMode' (MySQL), and remove the property.",
        )
