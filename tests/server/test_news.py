"""The websocket that announces new snapshots."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tornado.httpclient import HTTPClientError

from tests.server.server_answers import ORDERS, slow_table, until, value_of
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.server import news
from workbench.server.failures import failure


def place(table: str, catalog: str = "lake", database: str = "shop") -> dict[str, str]:
    return {"catalog": catalog, "database": database, "table": table}


class Listener:
    """The client's end of the websocket."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self._next: asyncio.Future[Any] | None = None

    async def watch(self, *tables: dict[str, str]) -> None:
        await self.socket.write_message(json.dumps({"watch": tables}))

    async def hears(self, seconds: float = 20) -> Any:
        """The next message; None if the websocket is closed."""
        message = await asyncio.wait_for(self._read(), seconds)
        self._next = None
        return None if message is None else json.loads(message)

    async def hears_nothing(self, seconds: float = 0.5) -> None:
        done, _ = await asyncio.wait([self._read()], timeout=seconds)
        assert not done, "there is news"

    def _read(self) -> asyncio.Future[Any]:
        if self._next is None:
            self._next = asyncio.ensure_future(self.socket.read_message())
        return self._next


@pytest.fixture
def listen(workbench: Any, jp_ws_fetch: Any, jp_asyncio_loop: Any) -> Any:  # noqa: ARG001 - its worker ends later
    open_sockets = []

    async def connect(**arguments: Any) -> Listener:
        open_sockets.append(await jp_ws_fetch("paimon-workbench", "news", **arguments))
        return Listener(open_sockets[-1])

    yield connect
    for socket in open_sockets:
        socket.close()
    # The handlers must notice the closed sockets before their worker ends.
    jp_asyncio_loop.run_until_complete(asyncio.sleep(0.1))


def write(lake: FileSystemCatalog) -> int:
    table = lake.get_table("shop.orders")
    table.write([{"id": 99, "item": "new", "day": "2026-11-03"}])
    return table.snapshot().id


async def test_a_write_is_reported(listen: Any, lake: FileSystemCatalog) -> None:
    listener = await listen()
    await listener.watch(place("orders"))
    assert await listener.hears() == {"kind": "snapshot", **place("orders"), "snapshot": "2"}
    for _ in range(3):
        newest = await asyncio.to_thread(write, lake)
        # A write may create two snapshots, and a poll may happen between them.
        while (reported := await listener.hears())["snapshot"] != str(newest):
            assert reported["snapshot"] == str(newest - 1)
        assert reported == {"kind": "snapshot", **place("orders"), "snapshot": str(newest)}
    await listener.hears_nothing()


async def test_a_table_never_written(listen: Any, lake: FileSystemCatalog) -> None:
    listener = await listen()
    await listener.watch(place("empty"))
    assert (await listener.hears())["snapshot"] is None
    lake.get_table("shop.empty").write([{"id": 1, "item": None, "day": None}])
    assert (await listener.hears())["snapshot"] == "1"


async def test_another_list_replaces_the_former(listen: Any, lake: FileSystemCatalog) -> None:
    listener = await listen()
    await listener.watch(place("orders"), place("empty"))
    assert {(await listener.hears())["table"] for _ in range(2)} == {"orders", "empty"}
    await listener.watch(place("empty"))
    await asyncio.sleep(0.1)
    write(lake)
    await listener.hears_nothing()


async def test_a_table_that_disappears_and_reappears(listen: Any, lake: FileSystemCatalog) -> None:
    listener = await listen()
    await listener.watch(place("orders"))
    await listener.hears()
    lake.rename_table("shop.orders", "shop.away")
    reported = await listener.hears()
    assert (reported["kind"], reported["table"], reported["error"]["code"]) == ("error", "orders", "table_not_found")
    assert set(reported["error"]) == {"code", "message", "hint", "file"}
    lake.rename_table("shop.away", "shop.orders")
    assert (await listener.hears())["snapshot"] == "2"


async def test_a_table_that_is_created_again(listen: Any, lake: FileSystemCatalog) -> None:
    listener = await listen()
    await listener.watch(place("orders"))
    assert (await listener.hears())["snapshot"] == "2"
    lake.create_table("shop.other", {"id": "BIGINT", "item": "STRING", "day": "STRING"})
    lake.get_table("shop.other").write([{"id": 1, "item": None, "day": None}])
    directory = Path(lake.get_table("shop.orders").location)
    # In one step, so that no poll sees that the table is gone.
    directory.rename(directory.with_name("away"))
    directory.with_name("other").rename(directory)
    news_after = [await listener.hears()]
    if news_after[-1]["kind"] == "error":
        news_after.append(await listener.hears())
    assert news_after[-1]["snapshot"] == "1"


async def test_a_storage_that_does_not_answer(listen: Any, workbench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tables are polled again soon, and do not keep the tables of other catalogs waiting."""
    polls: Counter[str] = Counter()
    running: Counter[str] = Counter()
    most: Counter[str] = Counter()
    ask = workbench.worker.ask

    async def asked(request: Any) -> Any:
        catalog = request.arguments["catalog"]
        if catalog == "lake":
            return await ask(request)
        running[catalog] += 1
        most[catalog] = max(most[catalog], running[catalog])
        polls[request.arguments["table"]] += 1
        await asyncio.sleep(0.02)
        running[catalog] -= 1
        return replace(failure(503, "storage_error", "The storage does not answer."), seconds=8.0)

    monkeypatch.setattr(workbench.worker, "ask", asked)
    monkeypatch.setattr(news, "_RETRY_SECONDS", 0.1)
    listener = await listen()
    await listener.watch(*(place(f"t{number}", catalog="dead") for number in range(5)), place("orders"))
    heard = [await listener.hears() for _ in range(6)]
    assert [each["kind"] for each in heard].count("error") == 5
    await until(lambda: min(polls.values()) > 2)
    assert most["dead"] == 2


async def test_a_table_that_becomes_unreadable(listen: Any, lake: FileSystemCatalog) -> None:
    listener = await listen()
    await listener.watch(place("orders"))
    await listener.hears()
    newest = Path(lake.get_table("shop.orders").location, "snapshot", "snapshot-2")
    newest.write_text("{")
    assert (await listener.hears())["error"]["code"] == "corrupt_file"
    await listener.hears_nothing()
    # In one step, so that no poll sees a part of it.
    Path(lake.warehouse).rename(f"{lake.warehouse}-away")
    assert (await listener.hears())["error"]["code"] == "database_not_found"


async def test_names_that_nothing_has(listen: Any) -> None:
    listener = await listen()
    wrong = [place("orders", catalog="none"), place("<img src=x onerror=alert(1)>"), place("orders", catalog="/etc")]
    hostile = [place(".."), place("a/b"), place("a\0b"), place("x", database="../shop"), place(""), place("x" * 3000)]
    await listener.watch(*wrong, *hostile, place("orders"))
    reported = [await listener.hears() for _ in range(10)]
    assert [each["table"] for each in reported if each["kind"] == "snapshot"] == ["orders"]
    codes = {each["error"]["code"] for each in reported if each["kind"] == "error"}
    assert codes == {"catalog_not_found", "table_not_found", "catalog_error"}


async def test_news_survive_the_worker(listen: Any, workbench: Any, lake: FileSystemCatalog) -> None:
    listener = await listen()
    await listener.watch(place("orders"))
    await listener.hears()
    os.kill(workbench.worker.pid, signal.SIGKILL)
    newest = await asyncio.to_thread(write, lake)
    assert (await listener.hears())["snapshot"] == str(newest)


async def test_a_slow_table_keeps_no_other_waiting(listen: Any, lake: FileSystemCatalog) -> None:
    gate = slow_table(lake, "slow")
    listener = await listen()
    await listener.watch(place("slow"), place("orders"))
    assert (await listener.hears())["table"] == "orders"
    await until(gate.has_reader)
    newest = await asyncio.to_thread(write, lake)
    assert (await listener.hears())["snapshot"] == str(newest)
    gate.open()
    assert (await listener.hears())["table"] == "slow"


MALFORMED = [
    "",
    "{",
    "[]",
    "{}",
    '{"watch": {}}',
    '{"watch": ["orders"]}',
    '{"watch": [{}]}',
    json.dumps({"watch": [{**place("orders"), "table": 3}]}),
    json.dumps({"watch": [place(f"t{number}") for number in range(news.MAX_WATCHED + 1)]}),
    "x" * 100_000,
]


async def test_malformed_messages(listen: Any, workbench: Any) -> None:
    for message in MALFORMED:
        listener = await listen()
        await listener.socket.write_message(message)
        assert await listener.hears() is None, message
        assert listener.socket.close_code == 1003
        assert listener.socket.close_reason
    assert workbench.worker.pid is None


async def test_nothing_is_watched_for_those_who_left(
    listen: Any, workbench: Any, monkeypatch: pytest.MonkeyPatch, get: Any
) -> None:
    listener = await listen()
    await listener.watch(place("orders"))
    await listener.hears()
    looks = []
    ask = workbench.worker.ask

    async def counted(request: Any) -> Any:
        looks.append(request.operation)
        return await ask(request)

    monkeypatch.setattr(workbench.worker, "ask", counted)
    await until(lambda: len(looks) > 2)
    listener.socket.close()
    await asyncio.sleep(0.3)
    looks.clear()
    await asyncio.sleep(0.5)
    assert not looks
    value_of(await get(*ORDERS))


async def test_news_require_a_login(listen: Any) -> None:
    for headers in ({"Authorization": "token wrong"}, {"Authorization": ""}):
        with pytest.raises(HTTPClientError) as refusal:
            await listen(headers=headers)
        assert refusal.value.code == 403


@pytest.mark.usefixtures("workbench")
async def test_another_site_gets_no_news(jp_ws_fetch: Any, jp_serverapp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A websocket from another origin is refused, since browsers send cookies with it."""
    monkeypatch.setattr(type(jp_serverapp.identity_provider), "should_check_origin", lambda *_: True)
    with pytest.raises(HTTPClientError) as refusal:
        await jp_ws_fetch("paimon-workbench", "news", headers={"Origin": "https://evil.example"})
    assert refusal.value.code == 403
