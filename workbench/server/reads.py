"""How the worker answers: it prepares an endpoint's answer, compares entity tags, then reads and encodes the value."""

from __future__ import annotations

import json
from http import HTTPStatus

from workbench.base.progress import Progress
from workbench.lens.wire import to_json
from workbench.server.catalog_cache import CatalogCache, OpenCatalogs
from workbench.server.entity_tags import entity_tag
from workbench.server.protocol import Answer, Request
from workbench.server.registry import ENDPOINTS


def answer_to(request: Request, cache: CatalogCache, progress: Progress) -> Answer:
    """Answer a request. Raises any error of the read, and Cancelled between its steps."""
    progress.check()
    endpoint = ENDPOINTS[request.operation]
    assert endpoint.read is not None, f"the server answers '{endpoint.name}' alone"
    catalogs = OpenCatalogs(cache, request.session_catalogs, progress)
    reading = endpoint.read(endpoint.request(**request.arguments), catalogs)
    tag = None if reading.facts is None else entity_tag(*reading.facts)
    if tag is not None and tag in request.entity_tags:
        return Answer(HTTPStatus.NOT_MODIFIED, b"", tag)
    progress.check()
    value = reading.collect()
    progress.check()
    text = json.dumps(to_json(value), ensure_ascii=False, separators=(",", ":"))
    # A file name that is not valid UTF-8 contains lone surrogates, which cannot be encoded.
    return Answer(reading.status, text.encode(errors="replace"), tag if reading.is_lasting(value) else None)
