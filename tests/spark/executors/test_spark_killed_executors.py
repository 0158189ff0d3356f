from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.long]


def test_a_killed_executor_neither_loses_nor_doubles_rows(tmp_path: Path) -> None:
    script = Path(__file__).with_name("killed_executors.py")
    ran = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout.splitlines()[-1]) == [
        ["fixed", "arrow", True, 40_000],
        ["log", "arrow", True, 40_000],
        ["dynamic", "arrow", True, 40_000],
        ["fixed", "jvm", True, 40_000],
        ["log", "jvm", True, 80_000],
        ["fixed", "compacted", True, 40_000],
    ]
