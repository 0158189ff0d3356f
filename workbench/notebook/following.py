"""One thread of the process looks once a second whether the tables on display have a new snapshot."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from workbench.base.clock import Clock, SystemClock

EVERY_SECONDS = 1.0
# A table is looked at for at most this share of the time, and one that cannot be read more and more rarely.
_SHARE = 0.2
_RAREST_SECONDS = 30.0


class Version(NamedTuple):
    """What tells a version of a table from any other. The id alone does not: a rollback may be followed by another
    snapshot of the same id."""

    id: int
    uuid: str | None
    time_millis: int


class Followed(Protocol):
    """A view whose picture is to follow a table, not one at a fixed version. ``table`` is None while there is none."""

    @property
    def table(self) -> Any:
        """What is looked at."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether anybody can still see it."""
        ...

    def follow(self, newest: Version | Exception | None) -> bool:
        """Show the version that `newest_version` told of, or its error. Whether all is well; raises nothing."""
        ...


def newest_version(table: Any) -> Version | Exception | None:
    """The version that a table stands at, None where there is none, or why it cannot be read."""
    if table is None:
        return None
    try:
        found = table.version
        if found is None:
            # One never written has its schema; where that is gone too, so is the table.
            table.schemas()
    except Exception as error:  # noqa: BLE001 - it is the view that tells it
        return error
    return None if found is None else Version(found.id, found.uuid, found.time_millis)


@dataclass
class _Pace:
    """When a table is looked at again, and after how many seconds it was the last time."""

    due: float = 0.0
    delay: float = EVERY_SECONDS

    def next(self, now: float, took: float, *, is_well: bool) -> None:
        calm = max(EVERY_SECONDS, took / _SHARE)
        self.delay = min(_RAREST_SECONDS, calm if is_well else max(calm, 2 * self.delay))
        self.due = now + self.delay


class Follower:
    """Keeps views up to date until they are closed or forgotten; its thread is there only as long as a view is."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._views: weakref.WeakSet[Any] = weakref.WeakSet()
        self._paces: dict[str, _Pace] = {}
        self._lock = threading.Lock()
        self._change = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, view: Followed) -> None:
        """Begin to follow the view's table."""
        with self._lock:
            self._views.add(view)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="paimon-workbench-follower", daemon=True)
                self._thread.start()

    def remove(self, view: Followed) -> None:
        """Follow it no longer."""
        with self._lock:
            self._views.discard(view)
        self._change.set()

    @property
    def is_running(self) -> bool:
        """Whether the thread is there."""
        return self._thread is not None

    def _run(self) -> None:
        try:
            while self._look():
                self._change.wait(EVERY_SECONDS)
                self._change.clear()
        except BaseException:
            with self._lock:
                self._thread = None
            raise

    def _look(self) -> bool:
        """One round. False where no view is left; the references taken here end with it."""
        with self._lock:
            views = [view for view in self._views if view.is_open]
            if not views:
                # Under the lock: a view that comes now finds no thread and starts one.
                self._thread = None
                self._paces.clear()
                return False
        tables: dict[str, list[Followed]] = {}
        for view in views:
            if view.table is not None:
                tables.setdefault(view.table.location, []).append(view)
        self._paces = {location: self._paces.get(location, _Pace()) for location in tables}
        for location, group in tables.items():
            self._look_at(group, self._paces[location])
        return True

    def _look_at(self, group: Sequence[Followed], pace: _Pace) -> None:
        begin = self._clock.monotonic()
        if begin < pace.due:
            return
        newest = newest_version(group[0].table)
        outcomes = [view.follow(newest) for view in group]
        end = self._clock.monotonic()
        pace.next(end, end - begin, is_well=all(outcomes))


follower = Follower()
