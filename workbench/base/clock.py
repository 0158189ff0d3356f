"""Time as a value that tests can set: the only place that asks the machine what time it is."""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Where commits, retries and progress take their time from."""

    def now_millis(self) -> int:
        """Milliseconds since the epoch."""
        ...

    def local_wall_millis(self) -> int:
        """The local wall clock as if it were UTC, in ms: what `_CREATION_TIME` holds (format §6)."""
        ...

    def monotonic(self) -> float:
        """Seconds for measuring durations."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's clock."""

    def now_millis(self) -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    def local_wall_millis(self) -> int:
        """The local wall clock as if it were UTC, in ms."""
        return (datetime.now() - datetime(1970, 1, 1)) // timedelta(milliseconds=1)

    def monotonic(self) -> float:
        """Seconds for measuring durations."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class ManualClock:
    """A clock for tests: stands still until told, and a sleep moves it at once. Safe to use from several threads."""

    def __init__(self, millis: int = 1_767_225_600_000) -> None:
        self.millis = float(millis)
        self._lock = threading.Lock()

    def now_millis(self) -> int:
        """Milliseconds since the epoch."""
        return int(self.millis)

    def local_wall_millis(self) -> int:
        """The same as `now_millis`: this clock lives in UTC."""
        return int(self.millis)

    def monotonic(self) -> float:
        """Seconds."""
        return self.millis / 1000

    def sleep(self, seconds: float) -> None:
        """Move on by ``seconds`` without waiting."""
        self.advance(seconds * 1000)

    def advance(self, millis: float) -> None:
        """Move on."""
        with self._lock:
            self.millis += millis
