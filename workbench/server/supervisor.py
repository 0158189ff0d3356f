"""The worker as the server sees it: always there, never late."""

from __future__ import annotations

import asyncio
import logging

from workbench.server.failures import too_slow, worker_died
from workbench.server.protocol import Answer, Request
from workbench.server.worker_process import WorkerDied, WorkerProcess

_TRIES = 2


class Supervisor:
    """Starts the worker with the first request, and a new one when it died or was too slow to be worth waiting for.

    All requests are reads, so what a dead worker left unanswered is asked once more.
    """

    def __init__(self, memory_bytes: int, timeout: float, log: logging.Logger) -> None:
        self._memory_bytes = memory_bytes
        self._timeout = timeout
        self._log = log
        self._process: WorkerProcess | None = None
        self._starting = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """The process that answers now, None before the first request."""
        return self._process.pid if self._process is not None and self._process.alive else None

    async def ask(self, request: Request) -> Answer:
        """The answer, or one that says why there is none. Cancelling this cancels the work."""
        try:
            async with asyncio.timeout(self._timeout):
                return await self._ask(request)
        except TimeoutError:
            return too_slow(self._timeout)

    async def stop(self) -> None:
        """End the worker."""
        if self._process is not None:
            await self._process.stop()

    async def _ask(self, request: Request) -> Answer:
        for _ in range(_TRIES):
            process = await self._running()
            try:
                return await process.ask(request)
            except WorkerDied:
                self._log.warning("Paimon workbench: the worker %d ended", process.pid)
        return worker_died()

    async def _running(self) -> WorkerProcess:
        async with self._starting:
            if self._process is None or not self._process.alive:
                self._process = await WorkerProcess.start(self._memory_bytes, self._timeout)
                self._log.info("Paimon workbench: the worker runs as process %d", self._process.pid)
            return self._process
