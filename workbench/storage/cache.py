"""A bounded cache of decoded files that never change: manifests, schemas, footers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

Value = TypeVar("Value")
_RECHECK_SECONDS = 1.0


@dataclass(eq=False)
class _Load:
    """One call that loads a key. ``outcome`` holds the object once it is there, and stays empty if the call failed."""

    done: threading.Event = field(default_factory=threading.Event)
    outcome: list[Any] = field(default_factory=list)


class ByteCache:
    """LRU cache of objects whose total weight is at most ``capacity`` bytes. Thread-safe.

    Callers must not modify the objects. A key is a path, combined with anything else that distinguishes decoded forms
    of the same file.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.weight = 0
        self.hits = 0
        self.misses = 0
        # Reentrant, because only a reentrant lock raises if a thread releases it without holding it.
        self._lock = threading.RLock()
        self._kept: OrderedDict[object, tuple[object, int]] = OrderedDict()
        self._loading: dict[object, _Load] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    def get_or_load(self, key: object, loader: Callable[[], Value], weigher: Callable[[Value], int]) -> Value:
        """Return the object of ``key``. If several threads request it at the same time, the first one loads it, and the
        others wait for that.

        If a loader fails, only its own caller gets the error: the waiting threads then try to load the key themselves,
        so that one canceled read does not cancel other reads. A loader must not request its own key.
        """
        while True:
            kept = self._locked(self._take, key)
            if kept is not None:
                return cast(Value, kept[0])
            mine = _Load()
            try:
                current = self._locked(self._begin, key, mine)
                if current is mine:
                    return self._load(key, mine, loader, weigher)
            finally:
                # `_load` has already ended the load, unless an interrupt arrived before it could do so.
                self._locked(self._end, key, mine)
            if current is not None and self._wait_for(key, current):
                return cast(Value, current.outcome[0])

    def find(self, key: object) -> Any:
        """Return the object of ``key``; None if it is not cached."""
        kept = self._locked(self._take, key)
        return None if kept is None else kept[0]

    def discard(self, key: object) -> None:
        """Remove one key; an object that is being loaded for it will not be cached."""

        def discard() -> None:
            self._forget(key)
            self._loading.pop(key, None)

        self._locked(discard)

    def clear(self) -> None:
        """Remove everything."""
        self._locked(self._clear)

    def _locked(self, step: Callable[..., Value], *arguments: Any) -> Value:
        """Run one step under the lock. A ``KeyboardInterrupt`` may arrive at any line; it must leave neither the lock
        held nor the state inconsistent, so an interrupted step empties the cache."""
        try:
            with self._lock:
                return step(*arguments)
        except BaseException:
            # Python can be interrupted between the last line of a `with` block and the release of its lock.
            with suppress(RuntimeError):
                self._lock.release()
            with self._lock:
                self._clear()
            raise

    def _take(self, key: object) -> tuple[object, int] | None:
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            self.hits += 1
        return kept

    def _begin(self, key: object, mine: _Load) -> _Load | None:
        """Register a load and return it. If another thread's load of the key is already registered, return that one; if
        the key is already cached, return None."""
        if key in self._kept:
            return None
        current = self._loading.setdefault(key, mine)
        if current is mine:
            self.misses += 1
        return current

    def _load(self, key: object, mine: _Load, loader: Callable[[], Value], weigher: Callable[[Value], int]) -> Value:
        try:
            value = loader()
            self._locked(self._keep_loaded, key, mine, value, weigher(value))
            mine.outcome.append(value)
            return value
        finally:
            self._locked(self._end, key, mine)

    def _end(self, key: object, mine: _Load) -> None:
        """End a load, so that other threads can load the key. Ending a load twice is harmless."""
        if self._loading.get(key) is mine:
            del self._loading[key]
        mine.done.set()

    def _wait_for(self, key: object, other: _Load) -> bool:
        """Wait until another thread's load has ended; return whether it loaded the object."""
        # The event alone is not reliable: an interrupt may arrive between the two steps of `_end`.
        while not other.done.wait(_RECHECK_SECONDS) and self._loading.get(key) is other:
            pass
        if other.outcome:
            self._locked(self._count_hit)
        return bool(other.outcome)

    def _count_hit(self) -> None:
        self.hits += 1

    def _keep_loaded(self, key: object, mine: _Load, value: object, weight: int) -> None:
        if self._loading.get(key) is not mine:
            return
        self._forget(key)
        if weight > self.capacity:
            return
        self._kept[key] = (value, weight)
        self.weight += weight
        while self.weight > self.capacity:
            _, (_, removed_weight) = self._kept.popitem(last=False)
            self.weight -= removed_weight

    def _forget(self, key: object) -> None:
        if key in self._kept:
            self.weight -= self._kept.pop(key)[1]

    def _clear(self) -> None:
        self._kept.clear()
        self._loading.clear()
        self.weight = 0
