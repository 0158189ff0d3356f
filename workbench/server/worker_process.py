"""One worker process, from start to end: it receives request frames and sends answer frames."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from asyncio import subprocess
from collections.abc import Sequence

from workbench.server.protocol import LENGTHS, Answer, Request, answer_of, cancel_frame, request_frame

# How long a request that timed out may take to notice its cancellation.
GRACE_SECONDS = 2.0


class WorkerDied(Exception):  # noqa: N818 - named after the event
    """The process ended before it answered."""


class WorkerProcess:
    """A worker process, started by `start`. A process that is no longer `alive` is never restarted."""

    def __init__(self, process: subprocess.Process, timeout: float) -> None:
        self._process = process
        self._timeout = timeout
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._overdue: dict[int, asyncio.TimerHandle] = {}
        self.alive = True
        self._receiving = asyncio.create_task(self._receive())

    @classmethod
    async def start(cls, memory_bytes: int, timeout: float, endpoint_modules: Sequence[str] = ()) -> WorkerProcess:
        """Start a worker. It is killed if a request is not answered within ``timeout`` and a grace period."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            # Never import modules from the server's working directory, which may contain anything.
            "-P",
            "-m",
            "workbench.server.worker",
            str(memory_bytes),
            *endpoint_modules,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # An interrupt in the terminal is for the server, which may keep running.
            start_new_session=True,
        )
        return cls(process, timeout)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    async def ask(self, request: Request) -> Answer:
        """Return the answer. Cancelling this call cancels the request in the worker.

        Raises:
            WorkerDied: the process ended first.
        """
        number = next(self._numbers)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        late = self._timeout + GRACE_SECONDS
        self._overdue[number] = asyncio.get_running_loop().call_later(late, self._kill)
        self._send(request_frame(number, request))
        try:
            return await answer
        except asyncio.CancelledError:
            self._send(cancel_frame(number))
            raise

    async def stop(self) -> None:
        """Kill the process and wait for its end."""
        self._kill()
        await self._receiving

    def _send(self, frame: bytes) -> None:
        assert self._process.stdin is not None
        if self.alive:
            self._process.stdin.write(frame)

    async def _receive(self) -> None:
        assert self._process.stdout is not None
        try:
            while True:
                lengths = LENGTHS.unpack(await self._process.stdout.readexactly(LENGTHS.size))
                head, body = [await self._process.stdout.readexactly(length) for length in lengths]
                self._answered(json.loads(head)["number"], answer_of(json.loads(head), body))
        except (asyncio.IncompleteReadError, ConnectionError):
            self._end()
        await self._process.wait()

    def _answered(self, number: int, answer: Answer) -> None:
        self._overdue.pop(number).cancel()
        waiting = self._waiting.pop(number)
        if not waiting.done():
            waiting.set_result(answer)

    def _end(self) -> None:
        self.alive = False
        for timer in self._overdue.values():
            timer.cancel()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(WorkerDied())

    def _kill(self) -> None:
        if self.alive:
            self._process.kill()
