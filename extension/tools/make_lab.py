"""``make lab``: installs and builds what is missing, creates the demo, and opens JupyterLab.

Runs before there is an environment, so it needs only the standard library.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from steps import StepError, Steps

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv" / "bin" / "python"
FOLDER = "paimon-demo"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the steps, and become JupyterLab."""
    parser = argparse.ArgumentParser(prog="python extension/tools/make_lab.py", description=__doc__)
    parser.add_argument("--make", default="make", help="the make that runs this")
    parser.add_argument("--warehouse", required=True, help="directory of the demo's tables")
    parser.add_argument("jupyter", nargs="*", help="arguments of JupyterLab, after '--'")
    given = parser.parse_args(arguments)
    make = [given.make, "--no-print-directory", "PIP_FLAGS=--disable-pip-version-check --progress-bar off"]
    demo = [str(PYTHON), "-m", "workbench.cli", "demo", f"--folder={FOLDER}", f"--warehouse={given.warehouse}"]
    steps = Steps(4, sys.stdout)
    try:
        steps.run("Creating the Python environment", [*make, ".venv/bin/pip"], ROOT)
        steps.run("Installing Python packages", [*make, ".venv/.lab"], ROOT)
        steps.run("Building the front end", [*make, "front-end"], ROOT)
        steps.run("Creating the demo", [*demo, "--no-lab"], ROOT)
    except StepError as failure:
        print(failure, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run make lab again to continue.", file=sys.stderr)
        return 130
    return _become([*demo, "--", *given.jupyter])


def _become(command: Sequence[str]) -> NoReturn:
    os.chdir(ROOT)
    os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(main())
