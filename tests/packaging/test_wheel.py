"""The wheel, built from the sdist: its content, and that it works in an empty environment."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import front_end
import pytest

DATA = "data/share/jupyter/labextensions/paimon-workbench/"


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--outdir", str(folder), str(front_end.ROOT)])
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (files,) = dist.glob("*.whl")
    return files


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    return zipfile.ZipFile(wheel).namelist()


def run(command: list[str], path: Path | None = None) -> str:
    environment = {"PATH": str(path), "HOME": str(path)} if path else None
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert not done.returncode, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_wheel_contains_the_package_and_the_front_end_once(names: list[str]) -> None:
    assert {"workbench/py.typed", "workbench/__init__.py", front_end.VIEWS} <= set(names)
    (data,) = {name.split("/")[0] for name in names if ".data/" in name}
    shared = [name.removeprefix(f"{data}/") for name in names if name.startswith(data)]
    assert {f"{DATA}package.json", f"{DATA}install.json", f"{DATA}schemas/paimon-workbench/plugin.json"} <= set(shared)
    assert "data/etc/jupyter/jupyter_server_config.d/paimon-workbench.json" in shared
    built = front_end.ROOT / front_end.LABEXTENSION
    here = {f"{DATA}{file.relative_to(built).as_posix()}" for file in built.rglob("*") if file.is_file()}
    assert {name for name in shared if name.startswith(DATA)} == here | {f"{DATA}install.json"}


def test_the_wheel_contains_the_quickstart_and_the_command(wheel: Path, names: list[str]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        notebook = archive.read("workbench/demo/quickstart.ipynb")
        (scripts,) = (archive.read(name).decode() for name in names if name.endswith("entry_points.txt"))
    assert notebook == (front_end.ROOT / "notebooks/quickstart.ipynb").read_bytes()
    assert "paimon-workbench = workbench.cli.main:main" in scripts


def test_the_wheel_holds_nothing_else(wheel: Path, names: list[str]) -> None:
    strays = [
        name
        for name in names
        if not name.startswith(("workbench/", "paimon_workbench-"))
        or name.startswith(f"{front_end.LABEXTENSION}/")
        or "node_modules" in name
        or name.endswith((".map", ".ts", ".tsx", ".pyc"))
    ]
    assert not strays
    assert wheel.stat().st_size < 2_300_000


def test_the_module_for_notebooks_is_the_one_that_was_built(wheel: Path) -> None:
    inside = zipfile.ZipFile(wheel).read(front_end.VIEWS)
    assert inside == (front_end.ROOT / front_end.VIEWS).read_bytes()


def test_the_sdist_contains_the_sources_and_the_build_of_the_front_end(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    assert {"extension/yarn.lock", "extension/src/index.ts", front_end.RECORD, front_end.VIEWS} <= files
    assert {"extension/tools/front_end.py", "Makefile", "notebooks/quickstart.ipynb"} <= files
    assert not [name for name in files if "node_modules" in name or name.startswith("extension/lib")]


@pytest.mark.long
def test_in_an_empty_environment_both_extensions_are_enabled_without_node(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=True)
    tools = tmp_path / "bin"
    quietly = ["--quiet", "--disable-pip-version-check", "--no-compile"]
    run([str(tools / "pip"), "install", *quietly, str(wheel), "jupyterlab"], path=tools)
    labextensions = run([str(tools / "jupyter"), "labextension", "list"], path=tools)
    assert "paimon-workbench v0.1.0" in labextensions
    (line,) = [each for each in labextensions.splitlines() if "paimon-workbench" in each]
    assert "enabled" in line
    assert "OK" in line
    assert "(python, paimon-workbench)" in line
    servers = run([str(tools / "jupyter"), "server", "extension", "list"], path=tools)
    ours = [each for each in servers.splitlines() if "workbench.server" in each]
    assert "enabled" in ours[0]
    assert "OK" in ours[-1]
    package = tmp_path / "share/jupyter/labextensions/paimon-workbench/package.json"
    assert json.loads(package.read_text())["jupyterlab"]["discovery"]["server"]["base"]["name"] == "paimon-workbench"
