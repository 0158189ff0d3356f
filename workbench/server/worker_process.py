"""One worker process, from its start to its end: frames out, frames in."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from asyncio import subprocess

from workbench.server.protocol import LENGTHS, Answer, Request, answer_of, cancel_frame, request_frame

# How long a request that was too slow may take to notice that it was given up.
GRACE_SECONDS = 2.0


class WorkerDied(Exception):  # noqa: N818 - it says what happened
    """The process ended before it answered."""


class WorkerProcess:
    """A running worker. Made by `start`; once it is not `alive` it never will be again."""

    def __init__(self, process: subprocess.Process, timeout: float) -> None:
        self._process = process
        self._timeout = timeout
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._overdue: dict[int, asyncio.TimerHandle] = {}
        self.alive = True
        self._receiving = asyncio.create_task(self._receive())

    @classmethod
    async def start(cls, memory_bytes: int, timeout: float) -> WorkerProcess:
        """A new worker. A request that it does not answer within ``timeout`` seconds and a moment ends it."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            # The server's folder may hold anything: modules are never taken from there.
            "-P",
            "-m",
            "workbench.server.worker",
            str(memory_bytes),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # An interrupt in the terminal is for the server, which may go on after it.
            start_new_session=True,
        )
        return cls(process, timeout)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    async def ask(self, request: Request) -> Answer:
        """The answer. Cancelling this tells the worker to give the request up.

        Raises:
            WorkerDied: it ended first.
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
        """End it, and wait until it has ended."""
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
