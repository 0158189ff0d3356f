"""The worker dies, hangs, fills its memory, or is no longer needed: the server still answers."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_answers import (
    DATABASE,
    ORDERS,
    SHOP,
    Gate,
    is_running,
    manifest_gate,
    refused,
    slow_table,
    until,
    value_of,
)
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.server import worker_process


@pytest.fixture
def quick(settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are due within three seconds, and a worker that hangs is ended soon after."""
    settings["request_timeout"] = 3.0
    monkeypatch.setattr(worker_process, "GRACE_SECONDS", 1.0)


@pytest.fixture
def patient(settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests have enough time for a second worker."""
    settings["request_timeout"] = 10.0
    monkeypatch.setattr(worker_process, "GRACE_SECONDS", 1.0)


@pytest.fixture
def small(settings: dict[str, Any]) -> None:
    """A worker of little memory."""
    settings["memory_megabytes"] = 768


async def test_it_starts_with_the_first_request(get: Any, workbench: Any) -> None:
    assert workbench.worker.pid is None
    await get("environment")
    pid = workbench.worker.pid
    assert is_running(pid)
    await get(*ORDERS)
    assert workbench.worker.pid == pid


async def test_concurrent_requests_share_the_worker(get: Any, caplog: pytest.LogCaptureFixture) -> None:
    for response in await asyncio.gather(*(get(*ORDERS, "levels") for _ in range(20))):
        assert value_of(response)["snapshot"] == "2"
    assert caplog.text.count("the worker runs as process") == 1


async def test_a_slow_table_keeps_no_other_waiting(get: Any, lake: FileSystemCatalog) -> None:
    gate = slow_table(lake, "slow")
    waiting = asyncio.ensure_future(get(*SHOP, "slow"))
    await until(gate.has_reader)
    for _ in range(20):
        begun = time.perf_counter()
        value_of(await get(*ORDERS, "levels", timeout=5))
        assert time.perf_counter() - begun < 2
    assert not waiting.done()
    gate.open()
    assert value_of(await waiting)["table"] == "shop.slow"


# --- death --------------------------------------------------------------------------------------------------------


async def test_killed_while_idle(get: Any, workbench: Any) -> None:
    before = value_of(await get(*ORDERS, "levels"))
    pid = workbench.worker.pid
    os.kill(pid, signal.SIGKILL)
    assert value_of(await get(*ORDERS, "levels")) == before
    assert workbench.worker.pid != pid


async def test_killed_while_it_answers(get: Any, workbench: Any, lake: FileSystemCatalog) -> None:
    gate = slow_table(lake, "slow")
    waiting = asyncio.ensure_future(get(*SHOP, "slow"))
    await until(gate.has_reader)
    pid = workbench.worker.pid
    os.kill(pid, signal.SIGKILL)
    await until(lambda: workbench.worker.pid not in (None, pid) and gate.has_reader())
    gate.open()
    assert value_of(await waiting)["table"] == "shop.slow"


async def test_killed_twice(get: Any, workbench: Any, lake: FileSystemCatalog) -> None:
    gate = slow_table(lake, "slow")
    waiting = asyncio.ensure_future(get(*SHOP, "slow"))
    killed: set[int | None] = {None}
    for _ in range(2):
        await until(lambda: workbench.worker.pid not in killed and gate.has_reader())
        os.kill(workbench.worker.pid, signal.SIGKILL)
        killed.add(workbench.worker.pid)
    assert refused(await waiting, 503, "worker_died")["hint"]
    value_of(await get(*ORDERS))


# --- time ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick")
async def test_an_answer_has_a_deadline(get: Any, workbench: Any, lake: FileSystemCatalog) -> None:
    await get("environment")
    pid = workbench.worker.pid
    slow_table(lake, "slow")
    begun = time.perf_counter()
    assert "3 seconds" in refused(await get(*SHOP, "slow"), 504, "timeout")["message"]
    assert 2.9 < time.perf_counter() - begun < 5
    value_of(await get(*ORDERS))
    # The hanging thread cannot be stopped, so its process is.
    await until(lambda: not is_running(pid))
    value_of(await get(*ORDERS))
    assert workbench.worker.pid != pid


@pytest.mark.usefixtures("patient")
@pytest.mark.long
async def test_the_other_requests_are_repeated(get: Any, workbench: Any, lake: FileSystemCatalog) -> None:
    await get("environment")
    pid = workbench.worker.pid
    hanging, slow = slow_table(lake, "hanging"), slow_table(lake, "slow")
    first = asyncio.ensure_future(get(*SHOP, "hanging"))
    await until(hanging.has_reader)
    await asyncio.sleep(7)
    second = asyncio.ensure_future(get(*SHOP, "slow"))
    await until(slow.has_reader)
    refused(await first, 504, "timeout")
    await until(lambda: workbench.worker.pid not in (None, pid) and slow.has_reader())
    slow.open()
    assert value_of(await second)["table"] == "shop.slow"


@pytest.mark.usefixtures("quick")
async def test_a_canceled_request_that_ends_keeps_the_worker(get: Any, workbench: Any, lake: FileSystemCatalog) -> None:
    await get("environment")
    pid = workbench.worker.pid
    gate = slow_table(lake, "slow")
    refused(await get(*SHOP, "slow"), 504, "timeout")
    gate.open()
    await asyncio.sleep(1.5)
    assert workbench.worker.pid == pid


Leave = Callable[..., Awaitable[None]]


@pytest.fixture
def leave(
    http_server_client: Any, jp_base_url: str, jp_auth_header: dict[str, str], caplog: pytest.LogCaptureFixture
) -> Leave:
    """Sends a request, and disconnects as soon as it waits at a gate, which is then released."""

    async def send_and_leave(gate: Gate, *names: str, query: str = "") -> None:
        _, client = await asyncio.open_connection("127.0.0.1", http_server_client.get_http_port())
        address = f"{jp_base_url}paimon-workbench/{'/'.join(names)}{query}"
        login = f"Authorization: {jp_auth_header['Authorization']}"
        client.write(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n{login}\r\n\r\n".encode())
        await until(gate.has_reader)
        client.close()
        await until(lambda: "499 GET" in caplog.text)
        gate.open()

    return send_and_leave


async def has_no_reader(gate: Gate) -> None:
    """Check for a second that nothing reads a file."""
    for _ in range(50):
        await asyncio.sleep(0.02)
        assert not gate.has_reader(), "a read still runs for the disconnected client"


async def test_a_search_of_a_disconnected_client_is_canceled(get: Any, lake: FileSystemCatalog, leave: Leave) -> None:
    for number in range(60):
        lake.create_table(f"shop.t{number:02d}", {"tail": "INT"})
    later = slow_table(lake, "t50")
    await leave(slow_table(lake, "t00"), *DATABASE, "search", query="?text=tail")
    await has_no_reader(later)
    # The same request of a client that stays connected reaches the later table.
    stays = asyncio.ensure_future(get(*DATABASE, "search", text="tail", cursor="t40"))
    await until(later.has_reader)
    later.open()
    assert "t51" in [each["table"] for each in value_of(await stays)["found"]]


async def test_requests_of_disconnected_clients_are_canceled(get: Any, lake: FileSystemCatalog, leave: Leave) -> None:
    manifests = manifest_gate(lake, "orders")
    await leave(slow_table(lake, "orders"), *ORDERS, "levels")
    await has_no_reader(manifests)
    # The same request of a client that stays connected reaches the manifests.
    stays = asyncio.ensure_future(get(*ORDERS, "levels"))
    await until(manifests.has_reader)
    manifests.open()
    assert value_of(await stays)["snapshot"] == "2"


# --- memory -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
async def test_memory_has_a_cap(get: Any, workbench: Any, lake: FileSystemCatalog) -> None:
    before = value_of(await get(*ORDERS, "levels"))
    pid = workbench.worker.pid
    table = lake.create_table("shop.huge", {"id": "BIGINT"})
    table.write([{"id": 1}])
    with Path(table.location, "snapshot", "snapshot-1").open("r+b") as file:
        # A sparse file: it takes no space on disk, but reading it takes memory for its whole size.
        file.truncate(2 << 30)
    error = refused(await get(*SHOP, "huge"), 503, "out_of_memory")
    assert "768 MB" in error["message"]
    assert "memory_megabytes" in error["hint"]
    await until(lambda: not is_running(pid))
    assert value_of(await get(*ORDERS, "levels")) == before


# --- the end ------------------------------------------------------------------------------------------------------


async def test_it_ends_with_the_extension(get: Any, workbench: Any) -> None:
    await get("environment")
    pid = workbench.worker.pid
    await workbench.worker.stop()
    assert not is_running(pid)


async def test_nothing_is_imported_from_the_folder_of_the_server(
    get: Any, jp_root_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ``pyarrow.py`` in the folder of the server is not imported."""
    (jp_root_dir / "pyarrow.py").write_text("raise SystemExit('hostile')")
    monkeypatch.chdir(jp_root_dir)
    value_of(await get(*ORDERS))
