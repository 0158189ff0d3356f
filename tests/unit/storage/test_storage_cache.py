"""The cache: one load per key, bounded weight, failures and cancellations that affect only their caller."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from types import FrameType
from typing import Any

import pytest

from workbench.storage import cache as cache_module
from workbench.storage.cache import ByteCache


def in_threads(count: int, work: Callable[[], object]) -> list[object]:
    results: list[object] = []

    def run() -> None:
        try:
            results.append(work())
        except ValueError as error:
            results.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)
    return results


@pytest.mark.parametrize("weight", [1, 1000])
def test_many_threads_load_once(weight: int) -> None:
    """Concurrent callers share one load, even if the object is too heavy to be kept."""
    cache = ByteCache(100)
    loads: list[int] = []

    def load() -> object:
        loads.append(1)
        time.sleep(0.3)
        return object()

    results = in_threads(16, lambda: cache.get_or_load("k", load, lambda _: weight))
    assert len(loads) == 1
    assert len(results) == 16
    assert len(set(map(id, results))) == 1
    assert len(cache) == (1 if weight == 1 else 0)


def test_the_least_recently_used_is_evicted_first() -> None:
    cache = ByteCache(30)
    for key in "abc":
        cache.get_or_load(key, lambda key=key: key, lambda _: 10)
    cache.get_or_load("a", lambda: pytest.fail("kept"), lambda _: 10)
    cache.get_or_load("d", lambda: "d", lambda _: 10)
    assert (len(cache), cache.weight) == (3, 30)
    assert cache.get_or_load("a", lambda: "new", lambda _: 10) == "a"
    assert cache.get_or_load("b", lambda: "new", lambda _: 10) == "new"
    cache.get_or_load("heavy", lambda: "x", lambda _: 31)
    assert (len(cache), cache.weight) == (3, 30)
    assert cache.hits == 2
    assert cache.misses == 6


def test_a_failure_is_not_kept_nor_shared() -> None:
    cache = ByteCache(100)
    tries: list[int] = []
    lock = threading.Lock()

    def load() -> str:
        with lock:
            tries.append(1)
            first = len(tries) == 1
        time.sleep(0.1)
        if first:
            raise ValueError("cancelled")
        return "good"

    results = in_threads(6, lambda: cache.get_or_load("k", load, lambda _: 1))
    assert sorted(map(str, results)) == ["cancelled"] + ["good"] * 5
    assert len(tries) == 2
    with pytest.raises(ZeroDivisionError):
        cache.get_or_load("w", lambda: 0, lambda value: 1 // value)
    assert cache.get_or_load("w", lambda: 1, lambda value: 1 // value) == 1


def test_discard_also_applies_to_running_loads() -> None:
    cache = ByteCache(100)

    def load() -> str:
        cache.discard("k")
        return "stale"

    assert cache.get_or_load("k", load, lambda _: 1) == "stale"
    assert cache.get_or_load("k", lambda: "fresh", lambda _: 1) == "fresh"
    cache.clear()
    assert (len(cache), cache.weight) == (0, 0)


def test_none_is_a_value() -> None:
    cache = ByteCache(10)
    assert cache.get_or_load("k", lambda: None, lambda _: 1) is None
    assert cache.get_or_load("k", lambda: 1, lambda _: 1) is None


def test_weight_is_correct_with_threads() -> None:
    cache = ByteCache(50)

    def work() -> None:
        for i in range(2000):
            cache.get_or_load(i * 7 % 23, lambda i=i: i, lambda _: 7)
            if i % 50 == 0:
                cache.discard(i % 23)

    in_threads(4, work)
    assert cache.weight == 7 * len(cache)
    assert cache.weight <= 50


class _InterruptAtLine:
    """Raises KeyboardInterrupt before the n-th line of the cache's own code that this thread runs."""

    def __init__(self, number: int) -> None:
        self.hit = False
        self._left = number

    def __enter__(self) -> _InterruptAtLine:
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _trace(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != cache_module.__file__:
            return None
        if event == "line":
            self._left -= 1
            if self._left == 0:
                self.hit = True
                raise KeyboardInterrupt
        return self._trace


def loads() -> int:
    return 1


def loads_another() -> int:
    return 2


def fails() -> int:
    raise ValueError("the store failed")


@pytest.mark.parametrize("loader", [loads, fails])
@pytest.mark.parametrize("call", ["get_or_load", "get_or_load of a kept key", "discard", "clear"])
def test_an_interrupt_at_any_line_blocks_no_thread(loader: Callable[[], int], call: str) -> None:
    interrupted = 0
    for number in count(1):
        cache = ByteCache(100)
        cache.get_or_load("other", lambda: 0, lambda _: 5)
        if call == "get_or_load of a kept key":
            cache.get_or_load("k", loads, lambda _: 7)
        with _InterruptAtLine(number) as interrupt, suppress(KeyboardInterrupt, ValueError):
            if call == "discard":
                cache.discard("other")
            elif call == "clear":
                cache.clear()
            else:
                cache.get_or_load("k", loader, lambda _: 7)
        if not interrupt.hit:
            break
        interrupted += 1
        result = in_threads(2, partial(cache.get_or_load, "k", loads_another, lambda _: 7))
        assert len(set(result)) == 1
        assert result[0] in (1, 2)
        assert cache.weight == sum(7 if key == "k" else 5 for key in ("k", "other") if key in cache)
        assert cache.get_or_load("k", fails, lambda _: 7) == result[0]
    assert interrupted >= 3


def test_threads_waiting_for_an_interrupted_load_continue() -> None:
    for number in count(1):
        cache = ByteCache(100)
        begun = threading.Event()
        results: list[int] = []

        def load(begun: threading.Event = begun) -> int:
            begun.set()
            time.sleep(0.02)
            return 1

        def wait(cache: ByteCache = cache, begun: threading.Event = begun, results: list[int] = results) -> None:
            begun.wait(0.05)
            results.append(cache.get_or_load("k", loads_another, lambda _: 1))

        waiting = threading.Thread(target=wait, daemon=True)
        waiting.start()
        with _InterruptAtLine(number) as interrupt, suppress(KeyboardInterrupt):
            cache.get_or_load("k", load, lambda _: 1)
        waiting.join(10)
        assert results in ([1], [2])
        if not interrupt.hit:
            return
