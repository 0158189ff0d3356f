"""A server between a metastore and its client that may die, fall silent, or close connections."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Relay:
    """Forwards bytes between clients and a port of this machine.

    Args:
        origin: The port.
    """

    def __init__(self, origin: int) -> None:
        self._origin = origin
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self.is_silent = False
        """Whether what the metastore answers is swallowed."""
        self.connections = 0
        """How many connections were accepted."""
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close_connections(self) -> None:
        """Close all connections, as a server that is started again does."""
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def die(self) -> None:
        """Close all connections, and accept no more."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.close_connections()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            self.connections += 1
            server = socket.create_connection(("127.0.0.1", self._origin))
            self._open += [client, server]
            threading.Thread(target=self._forward, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._forward, args=(server, client, True), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket, is_answer: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                if not (is_answer and self.is_silent):
                    target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)


@contextmanager
def relay(origin: int) -> Iterator[Relay]:
    """Forward to a port until the end of a ``with`` block."""
    running = Relay(origin)
    try:
        yield running
    finally:
        running.die()
