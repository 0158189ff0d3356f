"""Keeps a worker process running and enforces request timeouts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from workbench.server.failures import too_slow, worker_died
from workbench.server.protocol import Answer, Request
from workbench.server.worker_process import WorkerDied, WorkerProcess

_ATTEMPTS = 2


class Supervisor:
    """Starts the worker at the first request, and a new one after it died or was killed for being too slow.

    Requests are safe to repeat, so a request that a dead worker left unanswered is sent again.
    """

    def __init__(
        self, memory_bytes: int, timeout: float, log: logging.Logger, endpoint_modules: Sequence[str] = ()
    ) -> None:
        self._memory_bytes = memory_bytes
        self._timeout = timeout
        self._log = log
        self._endpoint_modules = endpoint_modules
        self._process: WorkerProcess | None = None
        self._starting = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """The id of the running process; None if there is none, such as before the first request."""
        return self._process.pid if self._process is not None and self._process.alive else None

    async def ask(self, request: Request) -> Answer:
        """Return the answer, or an answer that says why the request failed. Cancelling this call cancels the work."""
        try:
            async with asyncio.timeout(self._timeout):
                return await self._ask(request)
        except TimeoutError:
            return too_slow(self._timeout)

    async def stop(self) -> None:
        """Stop the worker."""
        if self._process is not None:
            await self._process.stop()

    async def _ask(self, request: Request) -> Answer:
        for _ in range(_ATTEMPTS):
            process = await self._running()
            try:
                return await process.ask(request)
            except WorkerDied:
                self._log.warning("Paimon workbench: the worker %d ended", process.pid)
        return worker_died()

    async def _running(self) -> WorkerProcess:
        async with self._starting:
            if self._process is None or not self._process.alive:
                self._process = await WorkerProcess.start(self._memory_bytes, self._timeout, self._endpoint_modules)
                self._log.info("Paimon workbench: the worker runs as process %d", self._process.pid)
            return self._process
