"""The process that reads tables, so that the server never does: ``python -m workbench.server.worker BYTES``.

Requests come in on the standard input and may be answered in any order. The end of the input is the end of the process,
whatever it is doing: no server, no worker.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import BinaryIO

from workbench.base.progress import Progress
from workbench.server.failures import out_of_memory
from workbench.server.protocol import POLL, Answer, Header, Request, answer_frame, read_frame, request_of
from workbench.server.read_failures import failure_of
from workbench.server.reads import answer_to
from workbench.server.shelf import Shelf

READ_THREADS = 8
POLL_THREADS = 4

_log = logging.getLogger("workbench.server.worker")


class Service:
    """Answers each request on a thread, so that a slow table keeps no other one waiting.

    Looks at watched tables have threads of their own: they come every second, and must neither wait nor be waited for.
    """

    def __init__(self, answers: BinaryIO, memory_bytes: int) -> None:
        self._answers = answers
        self._memory_bytes = memory_bytes
        self._sending = threading.Lock()
        self._shelf = Shelf()
        self._running: dict[int, Progress] = {}
        self._reads = ThreadPoolExecutor(READ_THREADS, thread_name_prefix="read")
        self._polls = ThreadPoolExecutor(POLL_THREADS, thread_name_prefix="poll")

    def take(self, header: Header) -> None:
        """Begin a request, or cancel one that is begun."""
        number = header["number"]
        if "cancel" in header:
            progress = self._running.get(number)
            if progress is not None:
                progress.cancel()
            return
        request = request_of(header)
        self._running[number] = progress = Progress()
        pool = self._polls if request.operation == POLL else self._reads
        pool.submit(self._work, number, request, progress)

    def _work(self, number: int, request: Request, progress: Progress) -> None:
        begun = time.monotonic()
        try:
            answer = answer_to(request, self._shelf, progress)
        except MemoryError:
            self._send(number, out_of_memory(self._memory_bytes >> 20))
            # What the other threads hold cannot be told from what leaked: a new process starts clean.
            os._exit(1)
        except Exception as error:  # noqa: BLE001 - whatever a read raises is an answer
            answer = failure_of(error, _log)
        del self._running[number]
        self._send(number, replace(answer, seconds=time.monotonic() - begun))

    def _send(self, number: int, answer: Answer) -> None:
        with self._sending:
            self._answers.write(answer_frame(number, answer))
            self._answers.flush()


def limit_memory(memory_bytes: int) -> None:
    """Let the process have so many bytes of its own. Other systems than Linux know no such limit."""
    if sys.platform == "linux":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        allowed = memory_bytes if most == resource.RLIM_INFINITY else min(memory_bytes, most)
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, most))


def main() -> None:
    """Serve until the input ends."""
    memory_bytes = int(sys.argv[1])
    limit_memory(memory_bytes)
    logging.basicConfig(format="%(message)s")
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Nothing else may speak on the pipes: what libraries print goes to the log.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    service = Service(answers, memory_bytes)
    while (message := read_frame(requests)) is not None:
        service.take(message[0])
    os._exit(0)


if __name__ == "__main__":
    main()
