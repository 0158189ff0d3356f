"""A server between a service and its client that may die, come back, fall silent, or close connections."""

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
        self.port = 0
        self.is_silent = False
        """Whether what the service answers is swallowed."""
        self.connections = 0
        """How many connections were accepted."""
        self._open: list[socket.socket] = []
        self.start()

    def start(self) -> None:
        """Accept connections, on the same port as before."""
        self._server = socket.create_server(("127.0.0.1", self.port))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._server,), daemon=True).start()

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

    @contextmanager
    def dead(self) -> Iterator[None]:
        """Refuse connections until the end of the block."""
        self.die()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Swallow all answers until the end of the block."""
        self.is_silent = True
        try:
            yield
        finally:
            self.is_silent = False
            # Their answers are lost.
            self.close_connections()

    def _accept(self, accepting: socket.socket) -> None:
        while True:
            try:
                client, _ = accepting.accept()
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
