"""Parallel work on threads: Arrow and NumPy release the interpreter lock, so threads are enough."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from typing import TYPE_CHECKING, TypeVar, cast

from workbench.base.modules import futures

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")


def worker_count() -> int:
    """Return how many threads to use: the processors that this process may run on."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def parallel_map(function: Callable[[Item], Result], items: Iterable[Item], workers: int | None = None) -> list[Result]:
    """Return ``[function(item) for item in items]``, computed on threads. The first error is raised, and items that
    have not been started yet are skipped."""
    todo = list(items)
    workers = min(workers or worker_count(), len(todo))
    if workers <= 1:
        return [function(item) for item in todo]
    return list(parallel_stream(function, todo, workers, ahead=len(todo)))


def parallel_stream(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int | None = None, ahead: int | None = None
) -> Iterator[Result]:
    """Yield the results of `parallel_map` as a stream: at most ``ahead`` (by default ``workers``) are buffered."""
    workers = workers or worker_count()
    ahead = ahead or workers
    pool = futures.ThreadPoolExecutor(workers, thread_name_prefix="workbench")
    waiting: deque[Future[Result]] = deque()
    failures: list[Exception] = []

    def run(item: Item) -> Result:
        # Results are consumed in order, so an error may have to wait for a slow earlier item. Until then, items that
        # have not been started yet fail here.
        if failures:
            raise failures[0]
        try:
            return function(item)
        except Exception as error:
            failures.append(error)
            raise

    try:
        for item in items:
            # The settings of a statement, such as its time zone, belong to its thread.
            waiting.append(pool.submit(copy_context().run, run, item))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        pool.shutdown(wait=True)


def read_ahead(items: Iterable[Result]) -> Iterator[Result]:
    """Yield the same items; while one of them is used, the next one is computed on another thread.

    No further item is begun before the next one is taken, so that two items are in memory regardless of which thread is
    faster.
    """
    source = iter(items)
    end = object()
    # One worker: two threads must not enter a generator at the same time.
    pool = futures.ThreadPoolExecutor(1, thread_name_prefix="workbench")

    def begin() -> Future[Result | object]:
        # The settings of a statement, such as its time zone, belong to its thread.
        return pool.submit(copy_context().run, lambda: next(source, end))

    coming = begin()
    try:
        while (item := coming.result()) is not end:
            coming = begin()
            yield cast(Result, item)
            # Frees the memory of this item before the next one is awaited.
            del item
    finally:
        coming.cancel()
        pool.shutdown(wait=True)
