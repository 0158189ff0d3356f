"""``python -m tests.benchmarks`` is the same as running ``run.py``."""

from __future__ import annotations

import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).with_name("run.py")), run_name="__main__")
