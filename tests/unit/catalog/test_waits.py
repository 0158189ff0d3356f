"""Waits for storages are shown if they are long, and only then."""

from __future__ import annotations

import io
import sys
import threading

import pytest

from workbench.base.clock import ManualClock
from workbench.catalog.wait_lines import TerminalWaitLine, line_here
from workbench.catalog.waits import Waits


class Line:
    """Records what is shown."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.drawn = threading.Event()

    def draw(self, text: str) -> None:
        self.texts.append(text)
        self.drawn.set()

    def erase(self) -> None:
        self.texts.append("")


class SteadyClock(ManualClock):
    """Only the test moves it; sleeps are real and short."""

    def sleep(self, seconds: float) -> None:  # noqa: ARG002
        threading.Event().wait(0.01)


@pytest.fixture
def clock() -> SteadyClock:
    return SteadyClock()


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def waits(clock: SteadyClock, line: Line) -> Waits:
    waits = Waits(clock)
    waits.line = line
    return waits


def test_short_waits_are_not_shown(waits: Waits, clock: SteadyClock, line: Line) -> None:
    for _ in range(5):
        with waits.waiting("Waiting for s3://lake"):
            clock.advance(900)
        clock.advance(600)
    assert line.texts == []


def test_a_long_wait_is_shown_while_it_lasts(waits: Waits, clock: SteadyClock, line: Line) -> None:
    with waits.waiting("Waiting for s3://lake"):
        clock.advance(3000)
        assert line.drawn.wait(10)
        assert line.texts == ["Waiting for s3://lake: 3 s"]
    assert line.texts[-1] == ""
    clock.advance(600)
    with waits.waiting("Waiting for s3://lake"):
        pass
    assert line.texts == ["Waiting for s3://lake: 3 s", ""]


def test_requests_that_follow_each_other_are_one_wait(waits: Waits, clock: SteadyClock, line: Line) -> None:
    for _ in range(30):
        with waits.waiting("Waiting for s3://lake"):
            clock.advance(50)
    assert "Waiting for s3://lake: 1 s, 22 answers" in line.texts
    assert line.texts[-1] == ""


def test_a_failed_request_ends_its_wait(waits: Waits, clock: SteadyClock, line: Line) -> None:
    def fail() -> None:
        with waits.waiting("Waiting for s3://lake"):
            clock.advance(9000)
            assert line.drawn.wait(10)
            raise OSError("no answer")

    with pytest.raises(OSError, match="no answer"):
        fail()
    assert line.texts[-1] == ""


def test_nothing_is_shown_beside_other_progress(waits: Waits, clock: SteadyClock, line: Line) -> None:
    with waits.waiting("Waiting for s3://lake"):
        clock.advance(3000)
        assert line.drawn.wait(10)
        with waits.hidden():
            assert line.texts.pop() == ""
            line.texts.clear()
            with waits.waiting("Waiting for s3://lake"):
                clock.advance(3000)
        with waits.waiting("Waiting for s3://lake"):
            assert line.texts == ["Waiting for s3://lake: 6 s"]


def test_a_process_may_show_nothing_at_all(waits: Waits, clock: SteadyClock, line: Line) -> None:
    waits.hide()
    with waits.waiting("Waiting for s3://lake"):
        clock.advance(3000)
    assert line.texts == []


def test_a_line_of_a_terminal_is_cleared_for_what_follows() -> None:
    stream = io.StringIO()
    line = TerminalWaitLine(stream)
    line.draw("Waiting for s3://lake: 3 s" + "." * 1000)
    line.erase()
    assert stream.getvalue().startswith("\r\x1b[KWaiting for s3://lake: 3 s")
    assert stream.getvalue().endswith("\r\x1b[K")
    assert len(stream.getvalue()) < 1000


def test_files_and_pipes_get_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert line_here() is None
