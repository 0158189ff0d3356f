"""The steps of `make lab` on a terminal and elsewhere."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
import steps
from steps import StepError, Steps


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "REDRAW_SECONDS", 0.05)
    monkeypatch.setattr(steps, "REPORT_SECONDS", 0.1)


def test_a_terminal_shows_a_line_for_each_step(tmp_path: Path) -> None:
    shown = Terminal()
    running = Steps(2, shown)
    running.run("Collecting", python("import time; print('Collecting pyarrow'); time.sleep(0.4)"), tmp_path)
    running.run("Building", python("pass"), tmp_path)
    text = shown.getvalue()
    assert text.count("\n") == 2
    assert "1 of 2: Collecting · 0 s  Collecting pyarrow" in text
    assert text.splitlines()[-1].split("\r")[-1].rstrip() == "2 of 2: Building · 0 s"


def test_other_outputs_are_never_silent_for_long(tmp_path: Path) -> None:
    shown = io.StringIO()
    Steps(1, shown).run("Building", python("import time; print('tsc'); time.sleep(0.6)"), tmp_path)
    first, *reports, last = shown.getvalue().splitlines()
    assert first == "1 of 1: Building"
    assert len(reports) >= 2
    assert all(line.endswith(" s  tsc") for line in reports[1:])
    assert last.startswith("1 of 1: Building · ")


def test_the_output_of_a_failed_step_is_shown(tmp_path: Path) -> None:
    with pytest.raises(StepError, match=r"no such package\n\nInstalling failed\."):
        Steps(1, io.StringIO()).run("Installing", python("print('no such package'); raise SystemExit(3)"), tmp_path)
