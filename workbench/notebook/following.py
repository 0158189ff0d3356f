"""A thread that polls the tables on display for new snapshots once a second."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from workbench.base.clock import Clock, SystemClock

POLL_SECONDS = 1.0
# Polling a table takes at most this share of the time; a table that cannot be read is polled less and less often.
_MAX_SHARE = 0.2
_MAX_SECONDS = 30.0


class NewestSnapshot(NamedTuple):
    """The identity of a version. The id alone is ambiguous: after a rollback another snapshot may get the same id."""

    id: int
    uuid: str | None
    time_millis: int


class Followed(Protocol):
    """A view that follows a table. ``table`` is None as long as the view shows no table."""

    @property
    def table(self) -> Any:
        """The table that is polled."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether the view is still on a page."""
        ...

    def follow(self, newest: NewestSnapshot | Exception | None) -> bool:
        """Show the version or error that `newest_version` returned. Return whether it could be read; never raise."""
        ...


def newest_version(table: Any) -> NewestSnapshot | Exception | None:
    """Return the current version of a table, None if the table was never written, or the error if it cannot be read."""
    if table is None:
        return None
    try:
        version = table.version
        if version is None:
            # A table that was never written has a schema; this raises if there is none, because the table was dropped.
            table.schemas()
    except Exception as error:  # noqa: BLE001 - the view reports it
        return error
    return None if version is None else NewestSnapshot(version.id, version.uuid, version.time_millis)


@dataclass
class _Pace:
    """When a table is polled again, and the delay before that."""

    due: float = 0.0
    delay: float = POLL_SECONDS

    def next(self, now: float, took: float, *, succeeded: bool) -> None:
        calm = max(POLL_SECONDS, took / _MAX_SHARE)
        self.delay = min(_MAX_SECONDS, calm if succeeded else max(calm, 2 * self.delay))
        self.due = now + self.delay


class Follower:
    """Keeps views up to date until they are closed or garbage collected; its thread ends with the last view."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._views: weakref.WeakSet[Any] = weakref.WeakSet()
        self._paces: dict[str, _Pace] = {}
        self._lock = threading.Lock()
        self._change = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, view: Followed) -> None:
        """Start following the view's table."""
        with self._lock:
            self._views.add(view)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="paimon-workbench-follower", daemon=True)
                self._thread.start()

    def remove(self, view: Followed) -> None:
        """Stop following the view's table."""
        with self._lock:
            self._views.discard(view)
        self._change.set()

    @property
    def is_running(self) -> bool:
        """Whether the thread is running."""
        return self._thread is not None

    def _run(self) -> None:
        try:
            while self._poll():
                self._change.wait(POLL_SECONDS)
                self._change.clear()
        except BaseException:
            with self._lock:
                self._thread = None
            raise

    def _poll(self) -> bool:
        """Poll each table once. Return False if no view is left. No references to views remain after the call."""
        with self._lock:
            views = [view for view in self._views if view.is_open]
            if not views:
                # Under the lock, so that a view that is added next starts a new thread.
                self._thread = None
                self._paces.clear()
                return False
        tables: dict[str, list[Followed]] = {}
        for view in views:
            if view.table is not None:
                tables.setdefault(view.table.location, []).append(view)
        self._paces = {location: self._paces.get(location, _Pace()) for location in tables}
        for location, group in tables.items():
            self._poll_table(group, self._paces[location])
        return True

    def _poll_table(self, group: Sequence[Followed], pace: _Pace) -> None:
        begin = self._clock.monotonic()
        if begin < pace.due:
            return
        newest = newest_version(group[0].table)
        outcomes = [view.follow(newest) for view in group]
        end = self._clock.monotonic()
        pace.next(end, end - begin, succeeded=all(outcomes))


follower = Follower()
