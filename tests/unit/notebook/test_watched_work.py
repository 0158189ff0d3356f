from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from workbench.base.errors import Cancelled
from workbench.base.progress import Progress, Step
from workbench.notebook.running import NotebookLine, run_watched, step_text


class Recorder:
    def __init__(self) -> None:
        self.shown: list[str] = []
        self.before: list[str] = []
        self.cleared = 0

    def show(self, text: str, fraction: float | None, before: Sequence[str] = ()) -> None:
        assert threading.current_thread() is threading.main_thread()
        assert fraction is None or 0 <= fraction <= 1
        self.shown.append(text)
        self.before = list(before)

    def clear(self) -> None:
        self.cleared += 1


@contextmanager
def interrupts(*after_seconds: float) -> Iterator[None]:
    """Ctrl-C at these moments, wherever the main thread is then."""
    timers = [threading.Timer(seconds, _thread.interrupt_main) for seconds in after_seconds]
    for timer in timers:
        timer.start()
    yield
    for timer in timers:
        timer.cancel()


def patient(progress: Progress) -> str:
    """Works until it is cancelled, for 20 seconds at most."""
    with progress.step("Writing", 400, "files"):
        for _ in range(400):
            time.sleep(0.05)
            progress.advance()
    return "finished"


def test_quick_work_shows_nothing() -> None:
    line = Recorder()
    assert run_watched(lambda _progress: 7, line) == 7
    assert (line.shown, line.cleared) == ([], 1)


def test_long_work_shows_its_steps() -> None:
    def work(progress: Progress) -> None:
        with progress.step("Writing", 8, "files"):
            progress.advance(3)
            time.sleep(0.8)

    line = Recorder()
    run_watched(work, line)
    assert line.shown[0].startswith("Writing: 3 of 8 files · 0.")
    assert line.cleared == 1


def test_steps_that_ended_stay_with_their_own_times() -> None:
    def work(progress: Progress) -> None:
        with progress.step("Starting"):
            time.sleep(0.7)
        with progress.step("Stage 1", 4, "tasks"):
            progress.describe("12 rows read")
            progress.advance(2)
            time.sleep(0.9)

    line = Recorder()
    run_watched(work, line)
    assert line.shown[0].startswith("Starting · 0.")
    assert line.shown[-1].startswith("Stage 1: 2 of 4 tasks, 12 rows read · 0.")
    assert [each.startswith("Starting · 0.") for each in line.before] == [True]


def test_interrupt_cancels_and_waits_for_the_work() -> None:
    line = Recorder()
    with pytest.raises(Cancelled), interrupts(0.65):
        run_watched(patient, line)
    assert line.cleared == 1


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

    try:
        with pytest.raises(Cancelled, match="background"), interrupts(0.3, 0.7):
            run_watched(deaf, Recorder())
    finally:
        release.set()


def test_errors_of_the_work_are_raised() -> None:
    def failing(_progress: Progress) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_watched(failing, Recorder())


def test_step_text() -> None:
    assert step_text(Step("Reading t", 0, None, "rows"), 1.26) == "Reading t · 1.3 s"
    assert step_text(Step("Reading t", 12, None, "rows"), 1) == "Reading t: 12 rows · 1.0 s"


def test_notebook_line_updates_one_output(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[dict[str, str]] = []

    class Handle:
        def update(self, bundle: dict[str, str], raw: bool) -> None:
            assert raw
            reported.append(bundle)

    def display(bundle: dict[str, str], raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        reported.append(bundle)
        return Handle()

    monkeypatch.setattr("IPython.display.display", display)
    line = NotebookLine()
    line.clear()
    line.show("<b>x</b>", 0.5)
    line.show("y", None)
    line.clear()
    assert [bundle["text/plain"] for bundle in reported] == ["<b>x</b>", "y", ""]
    assert "&lt;b&gt;" in reported[0]["text/html"]
    assert 'value="0.500"' in reported[0]["text/html"]
    assert 'data-commandlinker-command="notebook:interrupt-kernel"' in reported[0]["text/html"]
