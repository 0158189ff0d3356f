"""Amazon S3 as moto plays it, on the port of the argument; conditional writes are atomic, as in S3 itself."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

_moto = DomainDispatcherApplication(create_backend_app)
_conditional = threading.RLock()


def application(environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """Answer a request; moto itself checks a condition and writes in two steps."""
    if environment.get("HTTP_IF_NONE_MATCH") or environment.get("HTTP_IF_MATCH"):
        with _conditional:
            return [b"".join(_moto(environment, start))]
    return _moto(environment, start)  # type: ignore[no-any-return]


if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]), application, threaded=True).serve_forever()
