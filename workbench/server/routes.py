"""The routes of the server extension, made from the table of endpoints."""

from __future__ import annotations

import re
from typing import Any

from jupyter_server.utils import url_path_join
from tornado.web import RequestHandler

from workbench.server.endpoint import Endpoint
from workbench.server.handler import RESOURCE, EndpointHandler
from workbench.server.news import NewsHandler
from workbench.server.registry import ENDPOINTS

_FIELD = re.compile(r"\{(\w+)\}")
_Route = tuple[str, type[RequestHandler], dict[str, Any]]


def routes(base_url: str) -> list[_Route]:
    """Return the URL patterns and their handlers; the first matching pattern wins."""
    base = re.escape(url_path_join(base_url, RESOURCE))
    methods: dict[str, dict[str, Endpoint[Any]]] = {}
    for endpoint in ENDPOINTS.values():
        if endpoint.path is not None:
            methods.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    return [
        *((f"{base}/{_pattern(path)}", EndpointHandler, {"endpoints": each}) for path, each in methods.items()),
        (f"{base}/news", NewsHandler, {}),
        (f"{base}/.*", EndpointHandler, {"endpoints": {}}),
    ]


def _pattern(path: str) -> str:
    return _FIELD.sub(r"(?P<\1>[^/]+)", path)
