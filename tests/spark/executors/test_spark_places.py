"""The Spark tests also pass on a small cluster."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.long]
CLUSTER = "local-cluster[2,1,1536]"


@pytest.mark.parametrize("place", [CLUSTER])
def test_the_suite_passes_elsewhere(place: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", str(Path(__file__).parents[1]), "-m", "spark and not long", "-q"]
    environment = {**os.environ, "WORKBENCH_SPARK_MASTER": place}
    ran = subprocess.run(
        [*command, "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'tests'}"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=3600,
    )
    assert ran.returncode == 0, ran.stdout[-5000:]
