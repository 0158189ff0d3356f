from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.record_long_run import FileRun, page, recorded_runs
from tests.support.outcomes import Outcomes, outcome_of, read_outcomes

PROJECT = Path(__file__).resolve().parents[3]
WHEN = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
A = FileRun(
    "tests/a.py", "abc123", Outcomes(1, {"tests/a.py::test_x[1|2]": "passed"}, {"tests/a.py::test_x[1|2]": 1.25})
)
B = FileRun("tests/b.py", "abc123", Outcomes(1, {"tests/b.py::test_y": "failed"}, {"tests/b.py::test_y": 61.0}))


def test_the_page_lists_the_runs_and_their_versions() -> None:
    text = page([A, B], "abc123", WHEN, 63.4)
    for line in (
        "| Date | 2026-11-21 10:00 UTC |",
        "| Commit | abc123 |",
        "| Result | 1 passed, 1 failed |",
        "| Seconds | 63, and 62 of all tests |",
        "| `tests/a.py` | 1 passed, 0 failed | 1 | abc123 |",
        r"| `tests/a.py::test_x[1\|2]` | passed | 1.2 |",
    ):
        assert line in text.splitlines(), text
    assert text.index("test_y") < text.index("test_x")
    assert text.count("test_y") == 1
    assert "pyarrow" in text
    assert str(PROJECT) not in text


def test_the_page_names_other_commits_and_counts_the_tests_that_did_not_run() -> None:
    older = FileRun("tests/c.py", "older1", Outcomes(2, {"c": "passed"}, {"c": 1.0}))
    never = FileRun("tests/d.py", "", Outcomes(3))
    lines = page([A, older, never], "abc123", WHEN, 2.0).splitlines()
    assert "| Commit | abc123; some files at no run, older1 |" in lines
    assert "| Result | 2 passed, 0 failed, 4 not run |" in lines
    assert "| `tests/c.py` | 1 passed, 0 failed, 1 not run | 1 | older1 |" in lines


def test_runs_of_another_clone_are_taken_from_the_page() -> None:
    other = Outcomes(
        3, {"tests/c.py::x": "skipped", "tests/c.py::y": "failed"}, {"tests/c.py::x": 1_500.0, "tests/c.py::y": 0}
    )
    text = page([A, FileRun("tests/c.py", "older1 with local changes", other)], "abc123", WHEN, 1.0)
    found = recorded_runs(text)
    assert list(found) == ["tests/a.py", "tests/c.py"]
    assert found["tests/c.py"].commit == "older1 with local changes"
    assert found["tests/c.py"].outcomes.counts() == "0 passed, 1 failed, 1 skipped, 1 not run"
    assert found["tests/c.py"].seconds == 1_500
    again = page([A, found["tests/c.py"]], "abc123", WHEN, 1.0)
    assert again.splitlines()[:14] == text.splitlines()[:14]
    assert recorded_runs("") == {}


def test_an_error_outside_of_the_test_is_reported() -> None:
    noted = Outcomes(1)
    for when, outcome in (("setup", "passed"), ("call", "passed"), ("teardown", "failed")):
        report = pytest.TestReport("t", ("t", 0, "t"), {}, outcome, None, when, duration=1.0)  # type: ignore[arg-type]
        noted.add("t", outcome_of(report), report.duration)
    assert noted.outcomes == {"t": "error"}
    assert noted.seconds == {"t": 3.0}
    assert noted.counts() == "0 passed, 0 failed, 1 error"


def test_the_outcomes_of_a_killed_process_are_kept(tmp_path: Path) -> None:
    tests, noted = tmp_path / "test_some.py", tmp_path / "outcomes"
    tests.write_text(
        "import os, pytest\n"
        "def test_one(): pass\n"
        "def test_two(): assert False\n"
        "def test_three(): pytest.skip('no')\n"
        "def test_four(): os._exit(9)\n"
        "def test_five(): pass\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    given = ["-p", "tests.support.outcomes", "--outcomes", str(noted), "-c", str(tmp_path / "pytest.ini")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *given, str(tests)], cwd=PROJECT, capture_output=True, text=True
    )
    assert done.returncode == 9, done.stdout + done.stderr
    found = read_outcomes(noted)
    assert list(found.outcomes.values()) == ["passed", "failed", "skipped"]
    assert (found.selected, found.not_run, found.passed) == (5, 2, False)
    noted.write_text(json.dumps({"selected": 1}) + "\n" + '{"name": "cut')
    assert read_outcomes(noted).not_run == 1
