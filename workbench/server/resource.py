"""What all resources share: they check what is asked, let the worker answer, and pass its bytes on."""

from __future__ import annotations

import asyncio
import re
from http import HTTPStatus
from http.client import responses
from typing import TYPE_CHECKING, Any, cast

from jupyter_server.base.handlers import APIHandler

from workbench.base.errors import InvalidRequest
from workbench.server.failures import failure
from workbench.server.parameters import (
    DEFAULT_ITEMS,
    catalog_name,
    check_known,
    limit_of,
    name_part,
    short_text,
    snapshot_id,
)
from workbench.server.protocol import Answer, Request

if TYPE_CHECKING:
    from workbench.server.application import PaimonWorkbench

SETTING = "paimon_workbench"
RESOURCE = "paimon-workbench"

_ENTITY_TAG = re.compile(r'(?:W/)?"[^"]*"')
_CLIENT_LEFT = 499


class ResourceHandler(APIHandler):
    """A resource. Subclasses answer ``get`` with `respond`."""

    auth_resource = RESOURCE

    _asking: asyncio.Task[Answer] | None = None
    _entity_tag: str | None = None

    @property
    def workbench(self) -> PaimonWorkbench:
        """The extension."""
        return cast("PaimonWorkbench", self.settings[SETTING])

    async def respond(self, operation: str, arguments: dict[str, Any]) -> None:
        """Answer with what the worker says."""
        self.send(await self.ask(operation, arguments))

    async def ask(self, operation: str, arguments: dict[str, Any]) -> Answer:
        """What the worker says. It is told to stop when the client is gone."""
        known = _ENTITY_TAG.findall(self.request.headers.get("If-None-Match", ""))
        request = Request(operation, arguments, tuple(tag.removeprefix("W/") for tag in known))
        self._asking = asyncio.create_task(self.workbench.worker.ask(request))
        try:
            return await self._asking
        except asyncio.CancelledError:
            return Answer(_CLIENT_LEFT, b"")

    def on_connection_close(self) -> None:
        """The client does not wait any more."""
        super().on_connection_close()
        if self._asking is not None:
            self._asking.cancel()

    def send(self, answer: Answer) -> None:
        """An answer as it is."""
        self.set_status(answer.status, responses.get(answer.status, "Client Closed Request"))
        # The browser may keep it, and asks every time whether it still holds.
        self.set_header("Cache-Control", "private, no-cache")
        self._entity_tag = answer.entity_tag
        if answer.entity_tag is not None:
            self.set_header("Etag", answer.entity_tag)
        self.finish(answer.body or None)

    def compute_etag(self) -> str | None:
        """The worker's entity tag; a hash of the content where it gave none."""
        return self._entity_tag or super().compute_etag()

    # --- errors -----------------------------------------------------------------------------------------------------

    def send_error(self, status_code: int = 500, **kwargs: Any) -> None:
        """What was asked wrongly is the client's error."""
        wrong = isinstance(_error_in(kwargs), InvalidRequest)
        super().send_error(HTTPStatus.BAD_REQUEST if wrong else status_code, **kwargs)

    def log_exception(self, *exc_info: Any) -> None:
        """The log is for what goes wrong here."""
        if not isinstance(exc_info[1], InvalidRequest):
            super().log_exception(*exc_info)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Errors outside of the worker, in the same form as those inside."""
        error, status = _error_in(kwargs), HTTPStatus(status_code)
        if isinstance(error, InvalidRequest):
            self.send(failure(status, error.code, error.message, error.hint))
            return
        hint = "Sign in to the Jupyter server, or send its token." if status == HTTPStatus.FORBIDDEN else None
        self.send(failure(status, status.phrase.lower().replace(" ", "_"), f"{status.phrase}.", hint))

    # --- what is asked ----------------------------------------------------------------------------------------------

    def parameters(self, *known: str) -> dict[str, str]:
        """The parameters of the address, all of which must be known."""
        given = self.request.query_arguments
        check_known(given, known)
        found = {name: self.get_query_argument(name, strip=False) for name in known if name in given}
        return {name: short_text(name, text) for name, text in found.items()}

    def catalog_arguments(self, catalog: str) -> dict[str, Any]:
        """The catalog in an address, and its options where only this server knows it."""
        name = catalog_name(catalog)
        return {"catalog": name, "session_options": self.workbench.session_catalogs.get(name)}

    def database_arguments(self, catalog: str, database: str) -> dict[str, Any]:
        """The database in an address."""
        return {**self.catalog_arguments(catalog), "database": name_part(database, "database")}

    def table_arguments(self, catalog: str, database: str, table: str) -> dict[str, Any]:
        """The table in an address."""
        return {**self.database_arguments(catalog, database), "table": name_part(table, "table")}


def _error_in(kwargs: dict[str, Any]) -> BaseException | None:
    return kwargs["exc_info"][1] if kwargs.get("exc_info") else None


def page_arguments(given: dict[str, str], default_limit: int = DEFAULT_ITEMS) -> dict[str, Any]:
    """Which page is asked for."""
    return {"cursor": given.get("cursor"), "limit": limit_of(given.get("limit"), default_limit)}


def version_arguments(given: dict[str, str]) -> dict[str, Any]:
    """Which version of a table is asked for; the newest where neither is given."""
    if "snapshot" in given and "tag" in given:
        raise InvalidRequest("A version is either a snapshot or a tag.", "Give one of the two.")
    return {"snapshot": snapshot_id(given["snapshot"]) if "snapshot" in given else None, "tag": given.get("tag")}
