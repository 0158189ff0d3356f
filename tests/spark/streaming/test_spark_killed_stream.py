"""A stream whose driver is killed at random moments copies each row exactly once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.long]
KILLS = int(os.environ.get("WORKBENCH_STREAM_KILLS", "30"))
_COMMITS, _ROWS = 8, 20


def test_nothing_is_lost_or_doubled(catalog: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    source = catalog.create_table("shop.numbers", {"id": "BIGINT"})
    copy = catalog.create_table("shop.copy", {"id": "BIGINT"})
    command = [
        sys.executable,
        "-m",
        "tests.spark.streaming.killed_stream",
        catalog.warehouse,
        str(tmp_path / "checkpoint"),
    ]
    chance = random.Random(int(os.environ.get("WORKBENCH_FUZZ_SEED", time.time_ns())))
    written = 0
    while_running = 0
    for kill in range(KILLS + 1):
        for _ in range(_COMMITS):
            source.write([{"id": number} for number in range(written, written + _ROWS)])
            written += _ROWS
        driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert driver.stdout is not None
        assert driver.stdout.readline() == "started\n"
        if kill < KILLS:
            time.sleep(chance.uniform(0, 4))
            while_running += driver.poll() is None
            # The driver's process group also contains the JVM and the Python workers.
            os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    assert driver.returncode == 0
    assert while_running > 0
    assert sorted(copy.to_arrow()["id"].to_pylist()) == list(range(written))
