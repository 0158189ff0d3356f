from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from workbench.base.clock import SystemClock
from workbench.base.errors import Cancelled
from workbench.base.progress import Progress, Step
from workbench.notebook.jobs import card as cards
from workbench.notebook.jobs.card import NotebookCard
from workbench.notebook.jobs.steps import Steps
from workbench.notebook.jobs.value import JOB_MIME, JobValue, StepValue, job_text, step_text, title_of
from workbench.notebook.jobs.watched import run_watched
from workbench.sql.grid import Shown
from workbench.sql.result import done


class Recorder:
    def __init__(self) -> None:
        self.values: list[JobValue] = []
        self.ended: list[object] = []

    def show(self, value: JobValue, cancel: Callable[[], None]) -> None:
        assert threading.current_thread() is threading.main_thread()
        assert callable(cancel)
        self.values.append(value)

    def replace(self, shown: Shown) -> None:
        raise AssertionError(shown)

    def end(self, value: JobValue) -> None:
        self.ended.append(value.state)

    def hand_over(self, outcome: object) -> None:
        self.ended.append(outcome)


@contextmanager
def interrupts(*after_seconds: float) -> Iterator[None]:
    """Interrupt the main thread, as Ctrl-C does, after each of the given numbers of seconds."""
    timers = [threading.Timer(seconds, _thread.interrupt_main) for seconds in after_seconds]
    for timer in timers:
        timer.start()
    yield
    for timer in timers:
        timer.cancel()


def patient(progress: Progress) -> str:
    """Work until canceled, for at most 20 seconds."""
    with progress.step("Writing", 400, "files"):
        for _ in range(400):
            time.sleep(0.05)
            progress.advance()
    return "finished"


def test_quick_work_shows_nothing() -> None:
    line = Recorder()
    assert run_watched(lambda _progress: 7, line) == 7
    assert (line.values, line.ended) == ([], [7])


def test_long_work_shows_its_steps_with_their_times() -> None:
    def work(progress: Progress) -> None:
        with progress.step("Starting"):
            time.sleep(0.5)
        with progress.step("Stage 1", 4, "tasks"):
            progress.describe("12 rows read")
            progress.advance(2)
            time.sleep(1)

    line = Recorder()
    run_watched(work, line, "INSERT")
    first = line.values[0]
    assert (first.state, first.title, first.number, first.message) == ("running", "INSERT", None, "")
    assert first.seconds > 0.7
    ended, running = first.steps
    assert (ended.label, ended.finished, running.finished) == ("Starting", True, False)
    assert step_text(running).startswith("Stage 1: 2 of 4 tasks, 12 rows read · 0.")
    assert line.values[-1].steps[0].seconds == ended.seconds < 0.8
    assert line.ended == [None]


def test_interrupt_cancels_and_waits_for_the_work() -> None:
    line = Recorder()
    with pytest.raises(Cancelled), interrupts(0.65):
        run_watched(patient, line)
    assert line.ended == ["canceled"]


def test_work_that_ends_despite_the_interrupt_returns_its_result() -> None:
    def stubborn(progress: Progress) -> str:
        with progress.step("Committing"):
            time.sleep(1)
        return "committed"

    with interrupts(0.45):
        assert run_watched(stubborn, Recorder()) == "committed"


def test_second_interrupt_returns_immediately() -> None:
    release = threading.Event()

    def deaf(progress: Progress) -> None:
        with progress.step("Deaf"):
            release.wait(20)

    line = Recorder()
    try:
        with pytest.raises(Cancelled, match="background"), interrupts(0.3, 0.7):
            run_watched(deaf, line)
    finally:
        release.set()
    assert line.ended == ["canceled"]


def test_errors_of_the_work_are_raised() -> None:
    def failing(_progress: Progress) -> None:
        raise ValueError("no")

    line = Recorder()
    with pytest.raises(ValueError, match="no"):
        run_watched(failing, line)
    assert line.ended == ["failed"]


def step(label: str, done: int, total: int | None = None, seconds: float = 1.0) -> StepValue:
    return StepValue(label, done, total, "rows", "", seconds, False)


def value(state: Any = "running", number: int | None = None, message: str = "") -> JobValue:
    steps = (step("<b>", 1, 2), step("Reading", 3))
    return JobValue(1, "job-1", number, state, "SELECT '<i>'", steps, 12.34, message)


def test_texts() -> None:
    assert step_text(step("Reading t", 0, seconds=1.26)) == "Reading t · 1.3 s"
    assert step_text(step("Reading t", 12)) == "Reading t: 12 rows · 1.0 s"
    assert title_of(["SELECT\n  1", "SELECT 2", "SELECT 3"]) == "SELECT 1 (and 2 more)"
    assert len(title_of(["x" * 500])) == 120
    failed = job_text(value("failed", 2, "InvalidExpression: no.\n  SELECT"))
    assert failed.splitlines()[0] == "Job 2: failed · 12.3 s · SELECT '<i>'"
    assert failed.endswith("InvalidExpression: no.\n  SELECT")


class FakeChannel:
    def __init__(self, name: str, cancel: Callable[[], None]) -> None:
        self.events = [name]
        self.cancel = cancel
        CHANNELS.append(self)

    def close(self) -> None:
        self.events.append("closed")


CHANNELS: list[FakeChannel] = []


def test_a_card_updates_one_output(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[dict[str, Any]] = []

    class Handle:
        def update(self, bundle: dict[str, Any], raw: bool) -> None:
            assert raw
            reported.append(bundle)

    def display(bundle: dict[str, Any], raw: bool, display_id: str) -> Handle:
        assert raw
        assert display_id == "job-1"
        reported.append(bundle)
        return Handle()

    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.setattr(cards, "Channel", FakeChannel)
    card = NotebookCard()
    card.hand_over(None)
    card.end(value("failed"))
    assert reported == []
    canceled: list[bool] = []
    card.show(value(number=2), lambda: canceled.append(True))
    card.show(value("failed", 2, "no"), lambda: None)
    card.replace(done("Inserted <1> row."))
    first, failed, last = reported
    assert "&lt;b&gt;: 1 of 2 rows" in first["text/html"]
    assert 'value="0.500"' in first["text/html"]
    assert "%paimon cancel 2" in first["text/html"]
    assert "%paimon cancel" not in failed["text/html"]
    assert first[JOB_MIME]["steps"][0] == {
        "label": "<b>", "done": "1", "total": "2", "unit": "rows", "detail": "", "seconds": 1.0, "finished": False
    }  # fmt: skip
    assert last["text/plain"] == "Inserted <1> row."
    (channel,) = CHANNELS
    assert channel.events == ["job-1", "closed"]
    channel.cancel()
    assert canceled == [True]


def test_the_noun_of_a_step_agrees_with_its_count() -> None:
    steps = Steps(SystemClock())
    for count, total in ((1, None), (2, None), (0, 1), (1, 3)):
        steps.take(Step(f"{count} {total}", count, total, "files"))
    texts = [step_text(each).partition(": ")[2].partition(" · ")[0] for each in steps.values()]
    assert texts == ["1 file", "2 files", "0 of 1 file", "1 of 3 files"]
