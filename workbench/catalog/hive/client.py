"""Calls of a Hive Metastore through the generated Thrift client of the package ``pymetastore``."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from workbench.base.errors import AlreadyExists, CatalogError, NoAnswer
from workbench.base.texts import without_error_number
from workbench.catalog.hive.settings import HiveSettings
from workbench.catalog.waits import waits

_INSTALL = "Install it: pip install 'paimon-workbench[hive]'."
# A server that does not answer is noticed within 10 seconds: this long after it was last used, then this long until it
# accepts a new connection, and again until it answers there.
_PATIENCE_SECONDS = 3.0
_IDLE_SECONDS = 1.0


class MetastoreRefusedError(CatalogError):
    """The metastore answered that it refuses a request. Every other `CatalogError` of a request means that it is not
    known whether the request was carried out."""


def thrift_types() -> Any:
    """Return the module of the generated Thrift types. Raises CatalogError if the package is not installed."""
    try:
        from pymetastore.hive_metastore import ttypes
    except ImportError as error:
        raise CatalogError("Hive Metastore requires the package 'pymetastore'.", _INSTALL) from error
    # It logs what it also raises.
    logging.getLogger("thrift").addHandler(logging.NullHandler())
    return ttypes


class _Connection:
    """A connection to one server of the metastore. ``patience`` is how many seconds it may take to show that it works,
    ``timeout`` how many seconds a call may take."""

    def __init__(self, host: str, port: int, patience: float, timeout: float) -> None:
        from pymetastore.hive_metastore import ThriftHiveMetastore
        from thrift.protocol import TBinaryProtocol
        from thrift.transport import TSocket, TTransport

        self._patience, self._timeout = patience, timeout
        self._socket = TSocket.TSocket(host, port)
        self._transport = TTransport.TBufferedTransport(self._socket)
        self._client = ThriftHiveMetastore.Client(TBinaryProtocol.TBinaryProtocol(self._transport))
        self._used = 0.0

    def open(self) -> None:
        """Connect, and check that the server answers."""
        self._socket.setTimeout(self._patience * 1000)
        self._transport.open()
        self.probe()

    @property
    def is_closed(self) -> bool:
        """Whether the server closed the connection."""
        return not self._transport.isOpen()

    def probe(self) -> None:
        """Check that the server still answers, if it is not known from the last second."""
        if time.monotonic() - self._used > _IDLE_SECONDS:
            self._socket.setTimeout(self._patience * 1000)
            self._client.get_config_value("hive.metastore.uris", "")
            self._used = time.monotonic()

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the service."""
        self._socket.setTimeout(self._timeout * 1000)
        result = getattr(self._client, name)(*arguments)
        self._used = time.monotonic()
        return result

    def close(self) -> None:
        """Close the connection."""
        with suppress(Exception):  # A connection that failed may not be closed twice.
            self._transport.close()


class HiveClient:
    """Calls a Hive Metastore: the first of its servers that answers, over a limited number of connections.

    Args:
        settings: Its servers and limits.
    """

    def __init__(self, settings: HiveSettings) -> None:
        thrift_types()
        self._settings = settings
        self._free: list[_Connection] = []
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(settings.pool_size)

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the service by its name in Thrift.

        Raises:
            NoAnswer: No server answers, or the answer was lost; the message names the servers and the cause.
            MetastoreRefusedError: The metastore refuses the request; the message is its own.
            AlreadyExists: What is to be created exists.
        """
        with self._connection() as connection, self._translated(name):
            return connection.call(name, *arguments)

    def find(self, name: str, *arguments: Any) -> Any:
        """Return the result of a call, or None if the metastore answers that there is no such object."""
        types = thrift_types()
        with self._connection() as connection, self._translated(name):
            try:
                return connection.call(name, *arguments)
            except types.NoSuchObjectException:
                return None

    @contextmanager
    def _connection(self) -> Iterator[_Connection]:
        """Lend a connection that works. It is closed if its use fails, unless the metastore answered."""
        with self._slots, waits.waiting(f"Waiting for {self._settings.address}"):
            connection = self._working() or self._opened()
            try:
                yield connection
            except CatalogError as error:
                if not isinstance(error, MetastoreRefusedError):
                    connection.close()
                    raise
                self._give_back(connection)
                raise
            except AlreadyExists:
                self._give_back(connection)
                raise
            except BaseException:
                connection.close()
                raise
            self._give_back(connection)

    def _give_back(self, connection: _Connection) -> None:
        with self._lock:
            self._free.append(connection)

    def _working(self) -> _Connection | None:
        """Return a connection from an earlier call. The server may have closed it, or have been started again."""
        with self._lock:
            connection = self._free.pop() if self._free else None
        if connection is None:
            return None
        try:
            if not connection.is_closed:
                connection.probe()
                return connection
        except _failures():
            pass
        connection.close()
        return None

    def _opened(self) -> _Connection:
        causes = []
        for host, port in self._settings.hosts:
            patience = max(1.0, _PATIENCE_SECONDS / len(self._settings.hosts))
            connection = _Connection(host, port, patience, self._settings.timeout)
            try:
                connection.open()
            except _failures() as error:
                connection.close()
                causes.append(f"thrift://{host}:{port}: {_cause(error)}")
            else:
                return connection
        raise NoAnswer(
            f"Hive Metastore does not answer: {'; '.join(causes)}.",
            "Start it, or correct the option 'uri'.",
        )

    @contextmanager
    def _translated(self, name: str) -> Iterator[None]:
        """Raise the errors of a call as errors of the catalog."""
        types = thrift_types()
        try:
            yield
        except types.AlreadyExistsException as error:
            raise AlreadyExists(f"Hive Metastore refuses '{name}': {_message(error)}") from error
        except _failures() as error:
            if _is_answer(error):
                raise MetastoreRefusedError(f"Hive Metastore refuses '{name}': {_message(error)}") from error
            raise NoAnswer(
                f"Hive Metastore {self._settings.address} did not answer '{name}': {_cause(error)}.",
                "It is not known whether the request was carried out.",
            ) from error


def _failures() -> tuple[type[Exception], ...]:
    """Return what the Thrift client raises."""
    from thrift.Thrift import TException

    return (TException, OSError, EOFError)


def _is_answer(error: Exception) -> bool:
    """Return whether an error is the answer of the metastore, not one of the connection to it."""
    from thrift.Thrift import TApplicationException

    return isinstance(error, TApplicationException) or type(error).__module__ == thrift_types().__name__


def _message(error: Exception) -> str:
    return " ".join(str(getattr(error, "message", None) or error).split()).rstrip(".") + "."


def _cause(error: Exception) -> str:
    inner = getattr(error, "inner", None) or error
    text = str(getattr(inner, "message", None) or inner or type(inner).__name__).strip().rstrip(".")
    return without_error_number(text)


_CLIENTS: dict[tuple[int, HiveSettings], HiveClient] = {}
_CLIENTS_LOCK = threading.Lock()


def client_for(settings: HiveSettings) -> HiveClient:
    """Return the client of this process for a metastore: a child of the process does not share its connections."""
    key = (os.getpid(), settings)
    with _CLIENTS_LOCK:
        if key not in _CLIENTS:
            _CLIENTS[key] = HiveClient(settings)
        return _CLIENTS[key]
