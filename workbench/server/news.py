"""News of tables over a websocket: clients that watch a table are notified of its new snapshots."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, cast

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from workbench.base.errors import InvalidRequest
from workbench.server.endpoints.newest import WatchedTable
from workbench.server.handler import RESOURCE, SETTING
from workbench.server.parameters import json_object, text_in
from workbench.server.protocol import POLL, Answer, Request, Workbench

MAX_WATCHED = 100

_UNSUPPORTED_DATA = 1003
# Polling takes at most this share of the time, but no pause exceeds `_MAX_PAUSE_SECONDS`. After an error, the pause is
# short: waiting for a storage that does not answer is no work for it, and users wait until they see that it is back.
_MAX_SHARE = 0.1
_MAX_PAUSE_SECONDS = 60.0
_RETRY_SECONDS = 3.0
# The polls of a catalog that run at the same time: those of one that does not answer must not stop all others.
_POLLS_OF_CATALOG = 2


class NewsHandler(WebSocketMixin, WebSocketHandler, JupyterHandler):
    """The websocket ``news``. Each message ``{"watch": [{catalog, database, table}…]}`` replaces the watched tables."""

    auth_resource = RESOURCE

    def initialize(self) -> None:
        """Start without watched tables."""
        self._watching: dict[WatchedTable, asyncio.Task[None]] = {}
        self._polls: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(_POLLS_OF_CATALOG))

    @ws_authenticated
    @authorized
    async def get(self) -> None:
        """Open the websocket."""
        await super().get()

    def on_message(self, message: str | bytes) -> None:
        """Replace the watched tables."""
        try:
            wanted = watched_tables(message)
        except InvalidRequest as error:
            # The reason of a close frame is limited to 123 bytes.
            self.close(_UNSUPPORTED_DATA, error.message.encode()[:120].decode(errors="ignore"))
            return
        for table in self._watching.keys() - wanted:
            self._watching.pop(table).cancel()
        for table in wanted - self._watching.keys():
            self._watching[table] = asyncio.create_task(self._watch(table))

    def on_close(self) -> None:
        """Stop watching."""
        for task in self._watching.values():
            task.cancel()
        self._watching.clear()

    async def _watch(self, table: WatchedTable) -> None:
        workbench = cast("Workbench", self.settings[SETTING])
        reported: dict[str, Any] | None = None
        while True:
            poll = Request(POLL, asdict(table), session_catalogs=workbench.session_catalogs)
            async with self._polls[table.catalog]:
                answer = await workbench.worker.ask(poll)
            news = _news(answer)
            if news != reported:
                sent = self.write_message(json.dumps({**asdict(table), **news}))
                # If this watch is canceled first, nothing else notices that the connection was closed.
                sent.add_done_callback(_seen)
                try:
                    await sent
                except WebSocketClosedError:
                    return
                reported = news
            longest = _MAX_PAUSE_SECONDS if answer.status == HTTPStatus.OK else _RETRY_SECONDS
            await asyncio.sleep(max(workbench.poll_interval, min(answer.seconds / _MAX_SHARE, longest)))


def _seen(sent: asyncio.Future[None]) -> None:
    """Look at the error of a message, which asyncio would report otherwise."""
    if not sent.cancelled():
        sent.exception()


def watched_tables(message: str | bytes) -> set[WatchedTable]:
    """Return the tables in a message.

    Raises:
        InvalidRequest: the message does not contain a list of at most `MAX_WATCHED` tables.
    """
    listed = json_object(message).get("watch")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise InvalidRequest("'watch' must be a list of tables.")
    if len(listed) > MAX_WATCHED:
        raise InvalidRequest(f"At most {MAX_WATCHED} tables can be watched.")
    return {WatchedTable(*(text_in(each, part) for part in ("catalog", "database", "table"))) for each in listed}


def _news(answer: Answer) -> dict[str, Any]:
    value = json.loads(answer.body)
    if answer.status == HTTPStatus.OK:
        return {"kind": "snapshot", "snapshot": value["snapshot"]}
    return {"kind": "error", "error": value}
