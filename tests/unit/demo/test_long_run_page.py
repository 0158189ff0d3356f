from __future__ import annotations

import runpy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(PROJECT / "tests" / "record_long_run.py"))


def test_the_page_lists_the_runs_and_their_versions(script: dict[str, Any]) -> None:
    recorder = script["Recorder"](
        {"tests/a.py::test_x[1|2]": "passed", "tests/b.py::test_y": "failed"},
        {"tests/a.py::test_x[1|2]": 1.25, "tests/b.py::test_y": 61.0},
    )
    text = script["page"](recorder, 63.4, "abc123", datetime(2026, 11, 21, 10, 0, tzinfo=UTC))
    for line in (
        "| Date | 2026-11-21 10:00 UTC |",
        "| Commit | abc123 |",
        "| Result | 1 passed, 1 failed |",
        "| Seconds | 63 |",
        "| `tests/a.py` | 1 passed, 0 failed | 1 |",
        r"| `tests/a.py::test_x[1\|2]` | passed | 1.2 |",
    ):
        assert line in text.splitlines(), text
    assert text.index("test_y") < text.index("test_x")
    assert text.count("test_y") == 1
    assert "pyarrow" in text
    assert str(PROJECT) not in text


def test_the_page_of_an_interrupted_run_counts_the_tests_that_did_not_run(script: dict[str, Any]) -> None:
    recorder = script["Recorder"]({"tests/a.py::test_x": "passed"}, {"tests/a.py::test_x": 1.0})
    recorder.pytest_xdist_node_collection_finished(["tests/a.py::test_x", "tests/a.py::test_y", "tests/b.py::test_z"])
    text = script["page"](recorder, 2.0, "abc123", datetime(2026, 11, 21, 10, 0, tzinfo=UTC))
    assert "| Result | 1 passed, 0 failed, 2 not run |" in text.splitlines()


def test_an_error_outside_of_the_test_is_reported(script: dict[str, Any]) -> None:
    recorder = script["Recorder"]()
    for when, outcome in (("setup", "passed"), ("call", "passed"), ("teardown", "failed")):
        recorder.pytest_runtest_logreport(
            pytest.TestReport("t", ("t", 0, "t"), {}, outcome, None, when, duration=1.0)  # type: ignore[arg-type]
        )
    assert recorder.outcomes == {"t": "error"}
    assert recorder.seconds == {"t": 3.0}
    assert recorder.counts() == "0 passed, 0 failed, 1 error"
