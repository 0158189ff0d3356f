"""Time as a value that tests can set: the only module that reads the machine's clock."""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """The source of time for commits, retries and progress."""

    def now_millis(self) -> int:
        """Return milliseconds since the epoch."""
        ...

    def local_wall_millis(self) -> int:
        """Return the local wall clock as if it were UTC, in ms, as stored in `_CREATION_TIME` (format §6)."""
        ...

    def monotonic(self) -> float:
        """Return seconds for measuring durations."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait for ``seconds``."""
        ...


class SystemClock:
    """The machine's clock."""

    def now_millis(self) -> int:
        """Return milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    def local_wall_millis(self) -> int:
        """Return the local wall clock as if it were UTC, in ms."""
        return (datetime.now() - datetime(1970, 1, 1)) // timedelta(milliseconds=1)

    def monotonic(self) -> float:
        """Return seconds for measuring durations."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait for ``seconds``."""
        time.sleep(seconds)


class ManualClock:
    """A clock for tests that only moves when it is advanced; a sleep advances it immediately. Thread-safe."""

    def __init__(self, millis: int = 1_767_225_600_000) -> None:
        self.millis = float(millis)
        self._lock = threading.Lock()

    def now_millis(self) -> int:
        """Return milliseconds since the epoch."""
        return int(self.millis)

    def local_wall_millis(self) -> int:
        """Return the same as `now_millis`, since this clock is in UTC."""
        return int(self.millis)

    def monotonic(self) -> float:
        """Return seconds for measuring durations."""
        return self.millis / 1000

    def sleep(self, seconds: float) -> None:
        """Advance the clock by ``seconds`` without waiting."""
        self.advance(seconds * 1000)

    def advance(self, millis: float) -> None:
        """Advance the clock by ``millis``."""
        with self._lock:
            self.millis += millis


def millis_since(clock: Clock, started: float) -> int:
    """Return how long ago ``clock.monotonic()`` was ``started``, in whole milliseconds."""
    return round((clock.monotonic() - started) * 1000)
