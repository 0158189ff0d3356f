"""An attached session of Spark Connect, in a process that has no classic one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.long]


def test_an_attached_session(tmp_path: Path) -> None:
    pytest.importorskip("grpc")
    command = [sys.executable, "-m", "tests.spark.connect.connect_statements", str(tmp_path / "warehouse")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert ran.returncode == 0, ran.stderr[-5000:]
    assert json.loads(ran.stdout.splitlines()[-1]) == {
        "query": [[1, "a"], [2, "b"], [3, None]],
        "parameters": [["b"]],
        "version": [[2]],
        "changes": [[3]],
        "options": [[2]],
        "hidden": [[1, "a", "mon", 0]],
        "appended": [[5, "e", "mon"]] * 3,
        "overwritten": [[2, "b", "tue"], [3, None, "wed"], [5, "e", "mon"]],
        "copy": [[0]],
        "views": [[3, "c", "e"]],
        "changed": [[3, "c"], [5, "e!"]],
        "functions": [
            [0, 2, 1, "BlobDescriptor{version=2, uri='a', offset=0, length=-1}"],
            [1, 0, 3, "BlobDescriptor{version=2, uri='a', offset=0, length=-1}"],
        ],
        "merged": [[1, "a", 10], [2, "B", 77], [4, "alone", 41], [9, "n", None]],
        "refused": True,
        "call": [[True]],
        "setting": [[1], [2]],
        "empty": [],
        "catalog": ["paimon", "shop", ["copy", "merged", "t"], True, False, ["id", "v", "day"]],
        "stale": ["TableNotFound"] * 3,
        "streamed": [[2]],
        "streamed by name": [[4]],
        "streamed in batches": [[6]],
        "new session": [[2]],
        "server": [["spark_catalog"]],
    }
