"""Run the long tests except those with a separate target, and record the outcome in docs/generated/long-tests.md.

Arguments are passed to pytest.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# `make interop` and `make official` run these.
SEPARATE = ("tests/interop/matrix", "tests/spark/test_official_answers.py")
PAGE = ROOT / "docs" / "generated" / "long-tests.md"
REPORTED_VERSIONS = ("paimon-workbench", "pyarrow", "numpy", "pyspark", "fastavro", "pytest")
MOST_SLOW = 20
RECORDED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed")


@dataclass(eq=False)
class Recorder:
    """A pytest plugin: the outcome and the seconds of each test, set-up and tear-down included."""

    outcomes: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    selected: int = 0

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        self.selected = len(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid
        self.seconds[name] = self.seconds.get(name, 0.0) + report.duration
        if report.failed and report.when != "call":
            self.outcomes[name] = "error"
        elif hasattr(report, "wasxfail"):
            self.outcomes[name] = "xfailed" if report.skipped else "failed"
        elif report.when == "call" or report.skipped:
            self.outcomes[name] = report.outcome

    @property
    def not_run(self) -> int:
        """The number of selected tests without an outcome, after an interrupted run."""
        return max(0, self.selected - len(self.outcomes))

    def counts(self, file: str = "") -> str:
        """Return counts such as ``12 passed, 1 failed``, of one file if given. These two are shown even if zero."""
        outcomes = [outcome for name, outcome in self.outcomes.items() if file in ("", _file(name))]
        numbers = {kind: outcomes.count(kind) for kind in OUTCOMES}
        return ", ".join(f"{number} {kind}" for kind, number in numbers.items() if number or kind in OUTCOMES[:2])


def commit() -> str:
    """The commit that was tested, and whether files differed from it."""
    try:
        name = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/generated")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name} with local changes" if changed else name


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def versions() -> str:
    reported = [f"Python {platform.python_version()}"]
    for name in REPORTED_VERSIONS:
        try:
            reported.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(reported)


def page(recorder: Recorder, seconds: float, tested: str, when: datetime) -> str:
    """Return the page as Markdown. Test names are relative to the project, so the page contains no local paths."""
    facts = [
        ("Date", f"{when:%Y-%m-%d %H:%M} UTC"),
        ("Commit", tested),
        ("Versions", versions()),
        ("Result", f"{recorder.counts()}{f', {recorder.not_run} not run' if recorder.not_run else ''}"),
        ("Seconds", f"{seconds:,.0f}"),
    ]
    slowest = sorted(recorder.outcomes, key=lambda name: -recorder.seconds[name])
    failed = [name for name in slowest if recorder.outcomes[name] in ("failed", "error")]
    files = dict.fromkeys(sorted(map(_file, recorder.outcomes)), 0.0)
    for name, spent in recorder.seconds.items():
        files[_file(name)] += spent
    return "\n".join(
        [
            "# The last run of the long tests",
            "",
            "Written by `make test-long`; do not edit.",
            "",
            "| | |",
            "|---|---|",
            *(f"| {name} | {value} |" for name, value in facts),
            "",
            "| File | Result | Seconds |",
            "|---|---|---|",
            *(f"| `{name}` | {recorder.counts(name)} | {spent:,.0f} |" for name, spent in files.items()),
            "",
            "The failed tests and the slowest:",
            "",
            "| Test | Result | Seconds |",
            "|---|---|---|",
            *(
                f"| `{_in_cell(name)}` | {recorder.outcomes[name]} | {recorder.seconds[name]:,.1f} |"
                for name in dict.fromkeys((*failed, *slowest[:MOST_SLOW]))
            ),
            "",
        ]
    )


def _file(name: str) -> str:
    return name.partition("::")[0]


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: list[str]) -> int:
    recorder, started = Recorder(), time.monotonic()
    tested, when = commit(), datetime.now(UTC)
    ignored = [f"--ignore={ROOT / each}" for each in SEPARATE]
    chosen = ["-m", "long", *ignored, "-n", "2", "--dist", "loadfile"]
    code = pytest.main([*chosen, *arguments], plugins=[recorder])
    if recorder.outcomes and code in RECORDED:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page(recorder, time.monotonic() - started, tested, when), encoding="utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
