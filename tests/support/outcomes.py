"""A pytest plugin that notes each outcome in a file as soon as a test ends, so that a killed process loses none.

``-p tests.support.outcomes --outcomes FILE`` enables it. Each line of the file is one JSON object: the number of
selected tests first, then the reports of tests.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed")


@dataclass
class Outcomes:
    """The outcomes and seconds of the tests of a file, set-up and tear-down included."""

    selected: int = 0
    outcomes: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def not_run(self) -> int:
        """The number of selected tests without an outcome."""
        return max(0, self.selected - len(self.outcomes))

    @property
    def passed(self) -> bool:
        """Whether all selected tests ran, and none failed."""
        return not self.not_run and not {"failed", "error"} & set(self.outcomes.values())

    def add(self, name: str, outcome: str, seconds: float) -> None:
        """Add the report of a test's set-up, call or tear-down. A later success does not replace a failure."""
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        if outcome and self.outcomes.get(name) not in ("failed", "error"):
            self.outcomes[name] = outcome

    def counts(self) -> str:
        """Return counts such as ``12 passed, 0 failed, 2 not run``. The first two are shown even if zero."""
        found = list(self.outcomes.values())
        numbers = {**{kind: found.count(kind) for kind in OUTCOMES}, "not run": self.not_run}
        return ", ".join(f"{number} {kind}" for kind, number in numbers.items() if number or kind in OUTCOMES[:2])


def read_outcomes(path: Path) -> Outcomes:
    """Return what the plugin wrote. A line that was cut off by a kill is left out."""
    result = Outcomes()
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            break
        if "selected" in entry:
            result.selected = entry["selected"]
        else:
            result.add(entry["name"], entry["outcome"], entry["seconds"])
    return result


def outcome_of(report: pytest.TestReport) -> str:
    """Return the outcome that a report decides, or an empty text if it decides none, as after a set-up."""
    if report.failed and report.when != "call":
        return "error"
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "failed"
    return report.outcome if report.when == "call" or report.skipped else ""


class _Writer:
    def __init__(self, path: Path) -> None:
        self._path = path

    def _append(self, entry: dict[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(entry) + "\n")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._append({"selected": len(session.items)})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._append({"name": report.nodeid, "outcome": outcome_of(report), "seconds": report.duration})


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--outcomes", type=Path, help="the file in which the outcomes of tests are noted")


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("--outcomes", default=None)
    if path is not None:
        config.pluginmanager.register(_Writer(path))
