"""``wb.spark.cdc`` from a topic of Apache Kafka."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from tests.interop.provision import CACHE, unavailable
from tests.spark.streaming.kafka_broker import broker

_UNKNOWN = "unresolved dependency"
# Not every repository has the newest package.
_OLDER = "4.2.0"
pytestmark = [pytest.mark.spark, pytest.mark.long]


def test_change_events_of_a_topic(tmp_path: Path) -> None:
    with broker(tmp_path) as address:
        command = [sys.executable, "-m", "tests.spark.streaming.cdc_from_kafka", str(tmp_path / "warehouse"), address]
        for version in (pyspark.__version__, _OLDER):
            arguments = [*command, str(CACHE / "ivy-spark"), version]
            ran = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=900)
            if _UNKNOWN not in ran.stdout + ran.stderr:
                break
    if _UNKNOWN in ran.stdout + ran.stderr:
        unavailable("cannot fetch Spark's package for Kafka from Maven Central")
    assert ran.returncode == 0, ran.stderr[-5000:]
    assert json.loads(ran.stdout.splitlines()[-1]) == {
        "rows": [
            {"id": 1, "v": "e", "price": 2.5},
            {"id": 5_000_000_000, "v": "d", "price": 1.5},
        ],
        "batches": [0, 1],
    }
