"""A huge table is read while a kernel is at work: its websocket, and the rest of the server, keep answering."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from statistics import median
from typing import Any

from tests.server.server_answers import SHOP, many_files, value_of
from workbench.catalog.filesystem import FileSystemCatalog

FILES = 60_000


class Kernel:
    """A kernel that is queried for its information over its websocket."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket

    async def answer(self) -> float:
        """Seconds until it has answered."""
        number = uuid.uuid4().hex
        header = {"msg_id": number, "msg_type": "kernel_info_request", "username": "", "session": "s", "version": "5.3"}
        empty: dict[str, Any] = {"parent_header": {}, "metadata": {}, "content": {}, "buffers": []}
        begun = time.perf_counter()
        await self._socket.write_message(json.dumps({"header": header, "channel": "shell", **empty}))
        while True:
            answer = json.loads(await asyncio.wait_for(self._socket.read_message(), 60))
            if answer["msg_type"] == "kernel_info_reply" and answer["parent_header"]["msg_id"] == number:
                return time.perf_counter() - begun


async def test_the_kernel_keeps_answering(
    get: Any, lake: FileSystemCatalog, jp_fetch: Any, jp_ws_fetch: Any, jp_serverapp: Any
) -> None:
    many_files(lake, "huge", FILES, buckets=4)
    created = json.loads((await jp_fetch("api", "kernels", method="POST", body=json.dumps({"name": "python3"}))).body)
    socket = await jp_ws_fetch("api", "kernels", created["id"], "channels")
    try:
        kernel = Kernel(socket)
        await kernel.answer()
        await get("environment")

        begun = time.perf_counter()
        reading = asyncio.ensure_future(get(*SHOP, "huge", "levels"))
        kernel_times, server_times = [], []
        while not reading.done():
            kernel_times.append(await kernel.answer())
            begin = time.perf_counter()
            value_of(await get("catalogs"))
            server_times.append(time.perf_counter() - begin)
            await asyncio.sleep(0.02)
        result = value_of(await reading)
        took = time.perf_counter() - begun
    finally:
        socket.close()
        await jp_serverapp.kernel_manager.shutdown_all(now=True)

    assert sum(bucket["files"] for bucket in result["buckets"]) > FILES
    print(
        f"\n{FILES:,} files read in {took:.1f} s; median and longest of "
        f"{len(kernel_times)} answers each at the same time: "
        f"kernel {median(kernel_times) * 1000:.0f} and {max(kernel_times) * 1000:.0f} ms, "
        f"another handler {median(server_times) * 1000:.0f} and {max(server_times) * 1000:.0f} ms"
    )
    assert took > 1, "too small a table to say anything"
    for times in (kernel_times, server_times):
        # An event loop that waits for the table would be blocked as long as the read takes, on a busy machine too.
        assert median(times) < max(0.1, took / 40)
        assert max(times) < max(0.5, took / 2)
