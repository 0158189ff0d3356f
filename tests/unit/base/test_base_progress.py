"""Progress: nested steps, several threads, cancel from another thread."""

from __future__ import annotations

import threading

import pytest

from workbench.base.errors import Cancelled
from workbench.base.parallel import parallel_map
from workbench.base.progress import Progress, Step


def told(progress_events: list[Step]) -> list[tuple[str, int, bool]]:
    return [(step.label, step.done, step.finished) for step in progress_events]


def test_the_outer_step_is_reported_after_a_nested_one() -> None:
    events: list[Step] = []
    progress = Progress(events.append)
    with progress.step("outer", total=4, unit="rows"):
        progress.advance(2)
        with progress.step("inner"):
            progress.advance()
        progress.advance(2)
    assert told(events) == [
        ("outer", 0, False),
        ("outer", 2, False),
        ("inner", 0, False),
        ("inner", 1, False),
        ("inner", 1, True),
        ("outer", 2, False),
        ("outer", 4, False),
        ("outer", 4, True),
    ]
    assert events[1].fraction == 0.5
    assert events[1].unit == "rows"
    assert events[2].fraction is None


def test_fraction_never_passes_one() -> None:
    assert Step("x", 5, 4, "files").fraction == 1.0
    assert Step("x", 5, 0, "files").fraction is None


def test_without_listener_or_step() -> None:
    progress = Progress()
    progress.advance()
    with progress.step("x"):
        progress.advance(3)


def test_steps_end_when_work_fails() -> None:
    events: list[Step] = []
    progress = Progress(events.append)
    with progress.step("outer"):
        with pytest.raises(ZeroDivisionError), progress.step("inner"):
            raise ZeroDivisionError
        progress.advance()
    assert told(events)[2:] == [("inner", 0, True), ("outer", 0, False), ("outer", 1, False), ("outer", 1, True)]


def test_workers_advance_the_step_of_who_called_them() -> None:
    events: list[Step] = []
    progress = Progress(events.append)
    with progress.step("files", total=500):
        parallel_map(lambda _: progress.advance(), range(500), workers=4)
    assert [step.done for step in events] == [*range(501), 500]


def test_steps_of_separate_threads_do_not_mix() -> None:
    events: list[Step] = []
    progress = Progress(events.append)
    both = threading.Barrier(2)

    def work(label: str, amount: int) -> None:
        with progress.step(label):
            both.wait()
            for _ in range(100):
                progress.advance(amount)
            if label == "b":
                both.wait()
        if label == "a":
            both.wait()

    threads = [threading.Thread(target=work, args=args) for args in (("a", 1), ("b", 2))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((s.label, s.done) for s in events if s.finished) == [("a", 100), ("b", 200)]


def test_cancel_from_another_thread() -> None:
    progress = Progress()
    started, rounds = threading.Event(), 0

    def cancel() -> None:
        started.wait()
        progress.cancel()

    watcher = threading.Thread(target=cancel)
    watcher.start()

    def work() -> None:
        nonlocal rounds
        with progress.step("long"):
            while True:
                rounds += 1
                progress.advance()
                started.set()

    with pytest.raises(Cancelled):
        work()
    watcher.join()
    assert progress.cancelled
    assert rounds >= 1
    for later in (progress.check, progress.advance):
        with pytest.raises(Cancelled):
            later()
    with pytest.raises(Cancelled), progress.step("another"):
        pytest.fail("does not begin")


def test_cancel_stops_parallel_work() -> None:
    progress = Progress()
    done: list[int] = []

    def work(i: int) -> None:
        if i == 10:
            progress.cancel()
        progress.advance()
        done.append(i)

    with pytest.raises(Cancelled), progress.step("files"):
        parallel_map(work, range(1000), workers=2)
    assert len(done) < 20


def test_a_listener_may_cancel_and_call_back() -> None:
    progress: Progress

    def listener(step: Step) -> None:
        if step.label == "outer" and step.done == 1:
            with progress.step("from the listener"):
                progress.cancel()

    progress = Progress(listener)
    with pytest.raises(Cancelled), progress.step("outer"):
        parallel_map(lambda _: progress.advance(), range(2), workers=1)


def test_a_failing_listener_leaves_no_step_open() -> None:
    events: list[str] = []

    def listener(step: Step) -> None:
        events.append(step.label)
        if step.label == "bad":
            raise ValueError

    progress = Progress(listener)
    with progress.step("outer"):
        with pytest.raises(ValueError), progress.step("bad"):  # noqa: PT011
            pytest.fail("does not begin")
        progress.advance()
    assert events == ["outer", "bad", "bad", "outer", "outer"]
