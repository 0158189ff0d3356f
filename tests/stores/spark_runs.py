"""Runs of `spark_job`, and what they left in a folder."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def run_on_spark(folder: Path, warehouse: str, options: Mapping[str, str], jars: Sequence[Path] = ()) -> str:
    """Run the statements of `spark_job` with further jars in Spark; return the plans and results."""
    script = Path(__file__).with_name("spark_job.py")
    given = json.dumps({"url": warehouse, "options": dict(options), "jars": [str(each) for each in jars]})
    ran = subprocess.run([sys.executable, script, folder, given], capture_output=True, text=True, check=False)
    (folder / "output").write_text(ran.stdout + ran.stderr)
    assert ran.returncode == 0, ran.stderr
    return (folder / "texts.txt").read_text()


def files_with(folder: Path, texts: Iterable[str]) -> list[Path]:
    """Return the files below a folder that contain one of the texts."""
    wanted = [text.encode() for text in texts]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if any(text in path.read_bytes() for text in wanted)]
