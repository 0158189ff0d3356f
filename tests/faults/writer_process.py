"""A writer in a separate process: ``python writer_process.py '{"warehouse": …, "table": …, …}'``.

It prints a line before and after each commit, so that its parent knows what was attempted and what is certain.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

BATCH_ROWS = 10


def start(**task: Any) -> subprocess.Popen[str]:
    """Start a writer; the keywords are those of `run`."""
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, __file__, json.dumps({key: str(value) for key, value in task.items()})],
        cwd=root,
        env={"PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def batch(writer: int, number: int, same_keys: bool = False) -> pa.Table:
    """Return ten rows, with keys of this batch alone, or with ``same_keys`` the keys of every batch."""
    first = 0 if same_keys else writer * 1_000_000 + number * BATCH_ROWS
    return pa.table(
        {
            "id": pa.array(range(first, first + BATCH_ROWS), pa.int64()),
            "writer": pa.array([writer] * BATCH_ROWS, pa.int32()),
            "batch": pa.array([number] * BATCH_ROWS, pa.int32()),
        }
    )


def run(warehouse: str, table: str, writer: str, commits: str, first: str = "0", same_keys: str = "False") -> None:
    """Write ``commits`` batches, starting with number ``first``, and report each."""
    from workbench.catalog.connect import connect

    opened = connect(warehouse).get_table(table)
    print("ready", flush=True)
    for number in range(int(first), int(first) + int(commits)):
        print(f"begin {number}", flush=True)
        commit = opened.write(batch(int(writer), number, same_keys == "True"))
        print(f"done {number} {'abandoned' if commit.abandoned else len(commit.snapshots)}", flush=True)


if __name__ == "__main__":
    run(**json.loads(sys.argv[1]))
