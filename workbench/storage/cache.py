"""A bounded memory for decoded files that never change: manifests, schemas, footers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar, cast

Value = TypeVar("Value")


class ByteCache:
    """Keeps the objects used last, up to ``capacity`` of weight in bytes. Safe under threads.

    Objects must not be changed by those who get them. Keys are paths, with what else tells decoded forms apart.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.weight = 0
        self.hits = 0
        self.misses = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[object, tuple[object, int]] = OrderedDict()
        self._loading: dict[object, Future[Any]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    def get_or_load(self, key: object, loader: Callable[[], Value], weigher: Callable[[Value], int]) -> Value:
        """The object of ``key``, loading it once however many threads ask; the others wait for the first.

        A loader that fails is raised to its own caller only: those who waited try for themselves, so that one cancelled
        read does not cancel another's. A loader must not ask for its own key.
        """
        while True:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    self.hits += 1
                    return cast(Value, self._kept[key][0])
                others = self._loading.get(key)
                if others is None:
                    self.misses += 1
                    mine: Future[Value] = Future()
                    self._loading[key] = mine
                    break
            if others.exception() is None:
                with self._lock:
                    self.hits += 1
                return cast(Value, others.result())
        return self._load(key, mine, loader, weigher)

    def discard(self, key: object) -> None:
        """Forget one key; what is being loaded for it now will not be kept."""
        with self._lock:
            self._forget(key)
            self._loading.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._loading.clear()
            self.weight = 0

    def _load(
        self, key: object, mine: Future[Value], loader: Callable[[], Value], weigher: Callable[[Value], int]
    ) -> Value:
        try:
            value = loader()
            weight = weigher(value)
        except BaseException as error:
            with self._lock:
                if self._loading.get(key) is mine:
                    del self._loading[key]
            mine.set_exception(error)
            raise
        with self._lock:
            if self._loading.get(key) is mine:
                del self._loading[key]
                self._keep(key, value, weight)
        mine.set_result(value)
        return value

    def _keep(self, key: object, value: object, weight: int) -> None:
        self._forget(key)
        if weight > self.capacity:
            return
        self._kept[key] = (value, weight)
        self.weight += weight
        while self.weight > self.capacity:
            _, (_, gone) = self._kept.popitem(last=False)
            self.weight -= gone

    def _forget(self, key: object) -> None:
        if key in self._kept:
            self.weight -= self._kept.pop(key)[1]
