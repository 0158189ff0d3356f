"""A server between a storage and its client that counts requests, delays them, refuses them or loses their answers, and
that may die or fall silent for a while."""

from __future__ import annotations

import http.client
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# Listings of S3 and OSS, of Azure, and of GCS, whose names of objects would follow.
_LISTING = re.compile(r"[?&](list-type=2|comp=list)(&|$)|/o(\?|$)")
_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


@dataclass(frozen=True)
class Request:
    """A request of the client."""

    method: str
    target: str
    """The path and the query."""

    headers: Mapping[str, str] = field(default_factory=dict)

    time: float = field(default_factory=time.monotonic, compare=False)
    """When it arrived, in seconds."""

    body: bytes = field(default=b"", compare=False, repr=False)
    """What it contained."""

    @property
    def kind(self) -> str:
        """The method; ``LIST`` for listings, which have another price than other reads."""
        return "LIST" if self.method == "GET" and _LISTING.search(self.target) else self.method


@dataclass
class Proxy:
    """The behavior of a running proxy, which may be changed at any time."""

    origin: int
    """The port of the storage."""

    port: int = 0
    """The port of the proxy; 0 for any that is free."""

    seen: list[Request] = field(default_factory=list)
    """The requests that were forwarded or refused, in their order."""

    delay: float = 0.0
    """The seconds that each request takes longer."""

    refuses: Callable[[Request], int | tuple[int, bytes] | tuple[int, bytes, Mapping[str, str]] | None] = lambda _: None
    """Returns the status, or status, content and headers, with which a request is refused; None if it is forwarded."""

    loses: Callable[[Request], bool] = lambda _: False
    """Returns whether the answer to a request is lost: the connection is closed after the storage has answered."""

    def __post_init__(self) -> None:
        self.speaks = threading.Event()
        self.speaks.set()
        self.is_listening = False

    def count(self) -> int:
        """Return the number of requests."""
        return len(self.seen)

    def methods(self) -> Counter[str]:
        """Return the number of requests by their method."""
        return Counter(each.method for each in self.seen)

    def start(self) -> None:
        """Accept connections, on the same port as before."""
        self._server = _Server(self)
        self.port = self._server.server_address[1]
        self.is_listening = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        """Close all connections, and refuse new ones."""
        self.is_listening = False
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self._server.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def dead(self) -> Iterator[None]:
        """Refuse connections until the end of the block."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Accept connections and requests, but answer none before the end of the block."""
        self.speaks.clear()
        try:
            yield
        finally:
            self.speaks.set()


@contextmanager
def proxied(port: int) -> Iterator[Proxy]:
    """Run a proxy for a server on another port."""
    proxy = Proxy(port)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, proxy: Proxy) -> None:
        super().__init__(("127.0.0.1", proxy.port), type("_Handler", (_Handler,), {"proxy": proxy}))
        self.connections: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: clients may give up."""


class _Handler(BaseHTTPRequestHandler):
    proxy: Proxy
    protocol_version = "HTTP/1.1"
    # Otherwise the operating system delays the end of an answer by 40 ms.
    disable_nagle_algorithm = True

    def _forward(self) -> None:
        proxy, body = self.proxy, self._body()
        request = Request(self.command, self.path, dict(self.headers), body=body)
        proxy.seen.append(request)
        time.sleep(proxy.delay)
        proxy.speaks.wait()
        refusal = proxy.refuses(request)
        if refusal is not None:
            status, content, *headers = refusal if isinstance(refusal, tuple) else (refusal, b"")
            self.send_response(status)
            for name, value in (headers[0] if headers else {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(b"" if self.command == "HEAD" else content)
            return
        connection = http.client.HTTPConnection("127.0.0.1", proxy.origin, timeout=60)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP | {"expect"}}
        connection.request(self.command, self.path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if proxy.loses(request):
            self.close_connection = True
            return
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() == "location":
                # The client sends the parts of a file to GCS to this address.
                value = re.sub("^http://[^/]+", f"http://{self.headers['Host']}", value)
            if name.lower() not in _HOP:
                self.send_header(name, value)
        length = answer.getheader("Content-Length") if self.command == "HEAD" else str(len(content))
        self.send_header("Content-Length", length or "0")
        self.end_headers()
        self.wfile.write(content)

    # The server finds the method of a request by its name.
    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_PATCH = _forward  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""
