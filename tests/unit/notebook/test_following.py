"""The thread that follows tables: when it ends, and how often it looks."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from workbench.base.clock import ManualClock
from workbench.notebook.following import Follower, NewestSnapshot


class Watched:
    """A view that only counts how often it is checked; it is also its own table."""

    is_open = True
    location = "here"

    def __init__(self, clock: ManualClock | None = None, seconds: float = 0.0, *, is_well: bool = True) -> None:
        self.clock, self.seconds, self.is_well, self.looks = clock, seconds, is_well, 0

    @property
    def table(self) -> Watched:
        return self

    @property
    def version(self) -> Any:
        self.looks += 1
        if self.clock is not None:
            self.clock.sleep(self.seconds)
        return NewestSnapshot(1, None, 0)

    def follow(self, newest: object) -> bool:
        assert newest == NewestSnapshot(1, None, 0)
        return self.is_well


def test_a_forgotten_view_ends_the_thread() -> None:
    follower, views = Follower(), [Watched()]
    follower.add(views[0])
    thread = follower._thread
    assert thread is not None
    known = weakref.ref(views.pop())
    thread.join(10)
    gc.collect()
    assert not thread.is_alive()
    assert not follower.is_running
    assert known() is None


def test_a_later_view_restarts_it() -> None:
    follower, view = Follower(), Watched()
    for _ in range(2):
        follower.add(view)
        thread = follower._thread
        assert thread is not None
        follower.remove(view)
        thread.join(10)
        assert not follower.is_running


@pytest.mark.parametrize(("seconds", "is_well", "looks"), [(0.0, True, 60), (2.0, True, 5), (0.0, False, 5)])
def test_slow_or_broken_tables_are_checked_less_often(seconds: float, is_well: bool, looks: int) -> None:
    clock = ManualClock()
    follower, view = Follower(clock), Watched(clock, seconds, is_well=is_well)
    follower._views.add(view)
    begin = clock.monotonic()
    while clock.monotonic() - begin < 60:
        assert follower._poll()
        clock.sleep(1)
    assert abs(view.looks - looks) <= 1
