"""The metrics of an operation, logged as one line to the log ``workbench``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields

from workbench.base.clock import Clock

_running: ContextVar[dict[str, float] | None] = ContextVar("phases of the running operation", default=None)


@dataclass(frozen=True)
class Metrics:
    """Counts of one operation. Bytes are the stored sizes of data and changelog files.

    ``seconds`` is wall time by phase. ``requests`` counts storage calls by operation; an opened file counts once,
    regardless of how it is read.
    """

    rows_read: int = 0
    rows_written: int = 0
    files_read: int = 0
    files_written: int = 0
    files_deleted: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    bytes_deleted: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    requests: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return one line, without counts of zero."""
        counts = [
            f"{each.name} {getattr(self, each.name):,}"
            for each in fields(self)
            if each.type == "int" and getattr(self, each.name)
        ]
        times = [f"{phase} {seconds:.3f} s" for phase, seconds in self.seconds.items()]
        requests = f"{sum(self.requests.values()):,} requests"
        return ", ".join([*counts, *times, requests])


def log(operation: str, table: str, metrics: Metrics) -> None:
    """Log one line at level INFO.

    Does not import ``logging``: a process that has not imported it has no handler that could receive the line.
    """
    if (logging := sys.modules.get("logging")) is not None:
        logging.getLogger("workbench").info("%s of %s: %s", operation, table, metrics)


def is_measured() -> bool:
    """Return whether an operation that collects phases is running on this thread."""
    return _running.get() is not None


@contextmanager
def phases() -> Iterator[dict[str, float]]:
    """Collect the seconds of the phases that run inside the block, on this thread."""
    seconds: dict[str, float] = {}
    token = _running.set(seconds)
    try:
        yield seconds
    finally:
        _running.reset(token)


@contextmanager
def phase(name: str, clock: Clock) -> Iterator[None]:
    """Add the duration of the block to the phase of this name, if an operation collects phases."""
    seconds = _running.get()
    started = clock.monotonic()
    try:
        yield
    finally:
        if seconds is not None:
            seconds[name] = seconds.get(name, 0.0) + clock.monotonic() - started
