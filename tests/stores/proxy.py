"""A server between a storage and its client that counts requests, delays them, refuses them or loses their answers."""

from __future__ import annotations

import http.client
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

    time: float = field(default_factory=time.monotonic, compare=False)
    """When it arrived, in seconds."""

    @property
    def kind(self) -> str:
        """The method; ``LIST`` for listings, which have another price than other reads."""
        return "LIST" if self.method == "GET" and _LISTING.search(self.target) else self.method


@dataclass
class Proxy:
    """The behavior of a running proxy, which may be changed at any time."""

    port: int
    seen: list[Request] = field(default_factory=list)
    """The requests that were forwarded or refused, in their order."""

    delay: float = 0.0
    """The seconds that each request takes longer."""

    refuses: Callable[[Request], int | None] = lambda _: None
    """Returns the status with which a request is refused; None if it is forwarded."""

    loses: Callable[[Request], bool] = lambda _: False
    """Returns whether the answer to a request is lost: the connection is closed after the storage has answered."""

    def count(self) -> int:
        """Return the number of requests."""
        return len(self.seen)

    def methods(self) -> Counter[str]:
        """Return the number of requests by their method."""
        return Counter(each.method for each in self.seen)


@contextmanager
def proxied(port: int) -> Iterator[Proxy]:
    """Run a proxy for a server on another port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("_Handler", (_Handler,), {}))
    server.daemon_threads = True
    proxy = Proxy(server.server_address[1])
    server.RequestHandlerClass.proxy = proxy  # type: ignore[attr-defined]
    server.RequestHandlerClass.origin = port  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    proxy: Proxy
    origin: int
    protocol_version = "HTTP/1.1"

    def _forward(self) -> None:
        proxy, request = self.proxy, Request(self.command, self.path)
        body = self._body()
        proxy.seen.append(request)
        time.sleep(proxy.delay)
        status = proxy.refuses(request)
        if status is not None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        connection = http.client.HTTPConnection("127.0.0.1", self.origin, timeout=60)
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
