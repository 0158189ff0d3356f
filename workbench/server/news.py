"""News of tables over a websocket: whoever watches some hears of new snapshots without asking."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from workbench.base.errors import InvalidRequest
from workbench.server.parameters import json_object, text_of
from workbench.server.protocol import POLL, Answer, Request
from workbench.server.resource import RESOURCE, SETTING

if TYPE_CHECKING:
    from workbench.server.application import PaimonWorkbench

MOST_WATCHED = 100

_NOT_UNDERSTOOD = 1003
# A look at a far table may take at most this part of the time, and one at a broken store comes at least so often.
_SHARE = 0.1
_LONGEST_PAUSE = 60.0


@dataclass(frozen=True)
class WatchedTable:
    """A table by its names."""

    catalog: str
    database: str
    table: str


class NewsHandler(WebSocketMixin, WebSocketHandler, JupyterHandler):
    """``news``. Takes ``{"watch": [{catalog, database, table}…]}``, which replaces what was watched before."""

    auth_resource = RESOURCE

    def initialize(self) -> None:
        """Nothing is watched yet."""
        self._watching: dict[WatchedTable, asyncio.Task[None]] = {}

    @ws_authenticated
    @authorized
    async def get(self) -> None:
        """Open the websocket."""
        await super().get()

    def on_message(self, message: str | bytes) -> None:
        """Watch other tables than before."""
        try:
            wanted = watched_tables(message)
        except InvalidRequest as error:
            # The reason of a close must fit a small frame.
            self.close(_NOT_UNDERSTOOD, error.message.encode()[:120].decode(errors="ignore"))
            return
        for table in self._watching.keys() - wanted:
            self._watching.pop(table).cancel()
        for table in wanted - self._watching.keys():
            self._watching[table] = asyncio.create_task(self._watch(table))

    def on_close(self) -> None:
        """Nobody listens any more."""
        for task in self._watching.values():
            task.cancel()
        self._watching.clear()

    async def _watch(self, table: WatchedTable) -> None:
        workbench = cast("PaimonWorkbench", self.settings[SETTING])
        told: dict[str, Any] | None = None
        while True:
            options = workbench.session_catalogs.get(table.catalog)
            answer = await workbench.worker.ask(Request(POLL, {**asdict(table), "session_options": options}))
            news = _news(answer)
            if news != told:
                try:
                    await self.write_message(json.dumps({**asdict(table), **news}))
                except WebSocketClosedError:
                    return
                told = news
            await asyncio.sleep(max(workbench.poll_interval, min(answer.seconds / _SHARE, _LONGEST_PAUSE)))


def watched_tables(message: str | bytes) -> set[WatchedTable]:
    """The tables in a message. Raises InvalidRequest."""
    listed = json_object(message).get("watch")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise InvalidRequest("'watch' is no list of tables.")
    if len(listed) > MOST_WATCHED:
        raise InvalidRequest(f"At most {MOST_WATCHED} tables can be watched.")
    # Names that nothing can have are told of like those that nothing has: the other tables are still watched.
    return {WatchedTable(*(text_of(each, part) for part in ("catalog", "database", "table"))) for each in listed}


def _news(answer: Answer) -> dict[str, Any]:
    said = json.loads(answer.body)
    if answer.status == HTTPStatus.OK:
        return {"kind": "snapshot", "snapshot": said["snapshot"]}
    return {"kind": "error", "error": said}
