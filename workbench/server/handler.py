"""The one handler of all endpoints: it checks the request, lets the worker answer, and passes the answer on."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from http import HTTPStatus
from http.client import responses
from typing import Any, cast

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from tornado.web import HTTPError, authenticated

from workbench.base.errors import InvalidRequest
from workbench.server.endpoint import Endpoint
from workbench.server.failures import failure
from workbench.server.parameters import check_known, check_length, json_object
from workbench.server.protocol import Answer, Request, Workbench
from workbench.server.requests import field_names, parse_request, request_arguments

SETTING = "paimon_workbench"
RESOURCE = "paimon-workbench"

_ENTITY_TAG = re.compile(r'(?:W/)?"[^"]*"')
_CLIENT_CLOSED_REQUEST = 499


class EndpointHandler(APIHandler):
    """Answers the endpoints of one path, by HTTP method; without any endpoint, the answer is 404."""

    auth_resource = RESOURCE

    _asking: asyncio.Task[Answer] | None = None
    _entity_tag: str | None = None
    _request: Request | None = None

    def initialize(self, endpoints: Mapping[str, Endpoint[Any]]) -> None:
        """Take the endpoints from the route."""
        super().initialize()
        self._endpoints = endpoints

    @property
    def workbench(self) -> Workbench:
        """The extension."""
        return cast("Workbench", self.settings[SETTING])

    @authenticated
    @authorized
    async def get(self, **names: str) -> None:
        """Answer a GET."""
        await self._respond(names)

    @authenticated
    @authorized
    async def post(self, **names: str) -> None:
        """Answer a POST."""
        await self._respond(names)

    @authenticated
    @authorized
    async def delete(self, **names: str) -> None:
        """Answer a DELETE."""
        await self._respond(names)

    async def _respond(self, names: Mapping[str, str]) -> None:
        if not self._endpoints:
            raise HTTPError(HTTPStatus.NOT_FOUND)
        endpoint = self._endpoints.get(self.request.method or "")
        if endpoint is None:
            raise HTTPError(HTTPStatus.METHOD_NOT_ALLOWED)
        request = parse_request(endpoint.request, {**self._parameters(endpoint, names), **names})
        self._request = Request(
            endpoint.name, request_arguments(request), self._entity_tags(), self.workbench.session_catalogs
        )
        self.send(await endpoint.handle(request, self))

    def _parameters(self, endpoint: Endpoint[Any], names: Mapping[str, str]) -> Mapping[str, Any]:
        """Return the parameters in the query, or in the body of a POST; all of them must be known."""
        known = [name for name in field_names(endpoint.request) if name not in names]
        given = self.request.query_arguments
        if endpoint.method == "POST":
            check_known(given, ())
            body = json_object(self.request.body)
            check_known(body, known)
            return body
        check_known(given, known)
        parameters = {name: self.get_query_argument(name, strip=False) for name in known if name in given}
        return {name: check_length(name, text) for name, text in parameters.items()}

    def _entity_tags(self) -> tuple[str, ...]:
        known = _ENTITY_TAG.findall(self.request.headers.get("If-None-Match", ""))
        return tuple(tag.removeprefix("W/") for tag in known)

    # --- the worker -------------------------------------------------------------------------------------------------

    async def ask_worker(self) -> Answer:
        """Return the worker's answer to the request, which is cancelled if the client disconnects."""
        assert self._request is not None
        self._asking = asyncio.create_task(self.workbench.worker.ask(self._request))
        try:
            return await self._asking
        except asyncio.CancelledError:
            return Answer(_CLIENT_CLOSED_REQUEST, b"")

    def on_connection_close(self) -> None:
        """Cancel the work for a client that disconnected."""
        super().on_connection_close()
        if self._asking is not None:
            self._asking.cancel()

    # --- the response -----------------------------------------------------------------------------------------------

    def send(self, answer: Answer) -> None:
        """Send an answer unchanged."""
        self.set_status(answer.status, responses.get(answer.status, "Client Closed Request"))
        # The browser may store the answer, but must revalidate it before each use.
        self.set_header("Cache-Control", "private, no-cache")
        self._entity_tag = answer.entity_tag
        if answer.entity_tag is not None:
            self.set_header("Etag", answer.entity_tag)
        self.finish(answer.body or None)

    def compute_etag(self) -> str | None:
        """Return the worker's entity tag, or a hash of the content if there is none."""
        return self._entity_tag or super().compute_etag()

    def send_error(self, status_code: int = 500, **kwargs: Any) -> None:
        """Answer an invalid request with 400, any other error as usual."""
        invalid = isinstance(_error_in(kwargs), InvalidRequest)
        super().send_error(HTTPStatus.BAD_REQUEST if invalid else status_code, **kwargs)

    def log_exception(self, *exc_info: Any) -> None:
        """Log errors of the server, not those of its clients."""
        if not isinstance(exc_info[1], InvalidRequest):
            super().log_exception(*exc_info)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Write errors that occur outside of the worker in the same form as the worker's errors."""
        error, status = _error_in(kwargs), HTTPStatus(status_code)
        if isinstance(error, InvalidRequest):
            self.send(failure(status, error.code, error.message, error.hint))
            return
        hint = "Sign in to the Jupyter server, or send its token." if status == HTTPStatus.FORBIDDEN else None
        self.send(failure(status, status.phrase.lower().replace(" ", "_"), f"{status.phrase}.", hint))


def _error_in(kwargs: dict[str, Any]) -> BaseException | None:
    return kwargs["exc_info"][1] if kwargs.get("exc_info") else None
