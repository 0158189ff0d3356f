"""The name of the cell that runs, which its snapshots record."""

from __future__ import annotations

import os
from typing import Any


def cell_name(shell: Any) -> str:
    """Return the notebook and the number of the running cell, such as ``flights.ipynb [12]``, as far as they are known.

    A kernel has the path of its notebook in an environment variable.
    """
    notebook = os.path.basename(os.environ.get("JPY_SESSION_NAME", ""))
    number = f"[{shell.execution_count}]" if getattr(shell, "kernel", None) is not None else ""
    return " ".join(part for part in (notebook, number) if part)
