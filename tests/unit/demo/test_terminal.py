from __future__ import annotations

import io

from workbench.base.clock import ManualClock
from workbench.base.progress import Progress
from workbench.demo.terminal import ProgressLine, grid


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def work(stream: io.StringIO, total: int) -> str:
    clock = ManualClock()
    progress = Progress(ProgressLine(stream, clock))
    with progress.step("Loading", total, "commits"):
        for number in range(total):
            with progress.step(f"load {number}", unit="rows"):
                clock.advance(61_000)
            progress.advance()
    return stream.getvalue()


def test_a_terminal_shows_one_line_that_is_overwritten() -> None:
    shown = work(Terminal(), 4)
    assert shown.count("\n") == 1
    assert shown.endswith("\n")
    frames = shown.split("\r")
    assert any("2/4 commits" in frame and "load 1" in frame for frame in frames)
    assert "[########################] 4/4 commits, 4:04  done" in frames[-1]


def test_other_outputs_get_a_line_for_each_tenth() -> None:
    lines = work(io.StringIO(), 100).splitlines()
    assert len(lines) == 10
    assert lines[0] == "10/100 commits, 10:10  load 9"
    assert lines[-1].startswith("100/100 commits")


def test_few_steps_are_few_lines() -> None:
    assert len(work(io.StringIO(), 3).splitlines()) == 3


def test_grid_sets_numbers_to_the_right() -> None:
    assert grid(("name", "rows"), [("a", 1234567), ("bcdef", None)]).splitlines() == [
        "name        rows",
        "-----  ---------",
        "a      1,234,567",
        "bcdef",
    ]


def test_grid_can_leave_numbers_as_they_are() -> None:
    assert "1102" in grid(("flight",), [(1102,)], thousands=False)


def test_grid_without_rows_is_its_head() -> None:
    assert grid(("a", "bc"), []) == "a  bc\n-  --"
