"""The process that reads tables for the server: ``python -m workbench.server.worker BYTES [ENDPOINT_MODULE …]``.

Requests arrive on the standard input and are answered in any order. When the input ends, the process exits immediately,
regardless of what it is doing: a worker never outlives its server.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from typing import BinaryIO

from workbench.base.progress import Progress
from workbench.base.secrets import without_secrets
from workbench.catalog.waits import waits
from workbench.server.catalog_cache import CatalogCache
from workbench.server.failures import out_of_memory
from workbench.server.protocol import POLL, Answer, Header, Request, answer_frame, read_frame, request_of
from workbench.server.read_failures import failure_of
from workbench.server.reads import answer_to

READ_THREADS = 8
POLL_THREADS = 4

_log = logging.getLogger("workbench.server.worker")


class _WithoutSecrets(logging.Formatter):
    """Hides secrets in all lines: a traceback may show the options of a catalog, and a library may log them."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class Service:
    """Answers each request on a thread, so that a slow table does not delay others.

    Polls of watched tables have their own threads: they arrive every second and must not compete with requests.
    """

    def __init__(self, answers: BinaryIO, memory_bytes: int) -> None:
        self._answers = answers
        self._memory_bytes = memory_bytes
        self._sending = threading.Lock()
        self._cache = CatalogCache()
        self._running: dict[int, Progress] = {}
        self._reads = ThreadPoolExecutor(READ_THREADS, thread_name_prefix="read")
        self._polls = ThreadPoolExecutor(POLL_THREADS, thread_name_prefix="poll")

    def take(self, header: Header) -> None:
        """Start a request, or cancel a running one."""
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
            answer = answer_to(request, self._cache, progress)
        except MemoryError:
            self._send(number, out_of_memory(self._memory_bytes >> 20))
            # Memory in use by other threads cannot be distinguished from leaked memory; a new process starts clean.
            os._exit(1)
        except Exception as error:  # noqa: BLE001 - every error of a read is answered
            answer = failure_of(error, _log)
        del self._running[number]
        self._send(number, replace(answer, seconds=time.monotonic() - begun))

    def _send(self, number: int, answer: Answer) -> None:
        with self._sending:
            self._answers.write(answer_frame(number, answer))
            self._answers.flush()


def limit_memory(memory_bytes: int) -> None:
    """Limit the private memory of this process. Does nothing on systems other than Linux."""
    if sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        allowed = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))


def main() -> None:
    """Answer requests until the input ends."""
    memory_bytes = int(sys.argv[1])
    limit_memory(memory_bytes)
    # The panel shows what it waits for; the terminal of the server shows its log.
    waits.hide()
    logging.basicConfig(format="%(message)s")
    for handler in logging.getLogger().handlers:
        handler.setFormatter(_WithoutSecrets("%(message)s"))
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Output of libraries is redirected to the log, so that it does not appear between the frames.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    for module in sys.argv[2:]:
        import_module(module)
    service = Service(answers, memory_bytes)
    while (message := read_frame(requests)) is not None:
        service.take(message[0])
    os._exit(0)


if __name__ == "__main__":
    main()
