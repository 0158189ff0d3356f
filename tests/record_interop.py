"""Run the whole interop matrix and record the outcome in docs/generated/interop.md and docs/features.md.

Arguments such as ``-k java-2.0.0`` are passed to pytest. With arguments, or if the run is interrupted, cells that did
not run keep their recorded outcomes.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.record_long_run import commit


class Recorder:
    """A pytest plugin: keeps the reports of the cells."""

    def __init__(self) -> None:
        self.stats: dict[str, list[Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.stats.setdefault(report.outcome, []).append(report)


def main(arguments: list[str]) -> int:
    recorder, tested, when = Recorder(), commit(), datetime.now(UTC)
    code = pytest.main([str(Path(__file__).parent / "interop" / "matrix"), *arguments], plugins=[recorder])
    interrupted = code == pytest.ExitCode.INTERRUPTED
    if interrupted or code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        from tests.interop.matrix import record

        whole = {}
        for each in record.DIRECTIONS:
            outcomes = record.outcomes_of(recorder.stats, each)
            whole[each.name] = record.renewed(outcomes, each) if arguments or interrupted else outcomes
        record.PAGE.write_text(record.page(whole, tested, when), encoding="utf-8")
        summarized = record.with_summaries(record.FEATURES_PAGE.read_text(encoding="utf-8"))
        record.FEATURES_PAGE.write_text(summarized, encoding="utf-8")
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
