"""The command ``paimon-workbench demo`` without JupyterLab."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from jupyterlab_server.workspaces_handler import WorkspacesManager

import workbench as wb
from workbench.base.errors import TableNotFound
from workbench.catalog.named import named_catalogs
from workbench.cli import lab
from workbench.cli.lab import DemoFolder
from workbench.cli.main import COMMANDS, main

ROOT = Path(__file__).resolve().parents[3]


def run(folder: Path, *arguments: str) -> int:
    return main(["demo", "--folder", str(folder), "--no-lab", *arguments])


@pytest.fixture
def folder(tmp_path: Path) -> DemoFolder:
    folder = DemoFolder(tmp_path / 'a "b" \\ ü', tmp_path / "warehouse")
    folder.prepare()
    return folder


def test_the_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = capsys.readouterr().out
    assert all(f"{each.name} " in printed and each.help in printed for each in COMMANDS)


@pytest.mark.long
def test_the_demo_is_built_once_and_again_if_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path) == 0
    assert "43/43 commits" in capsys.readouterr().out
    (tmp_path / "quickstart.ipynb").write_text("mine")
    flights = wb.connect(tmp_path / "warehouse").get_table("nyc.flights")
    flights.create_tag("mine")
    assert run(tmp_path) == 0
    assert "commits" not in capsys.readouterr().out
    assert "mine" in flights.tags()
    assert (tmp_path / "quickstart.ipynb").read_text() == "mine"
    assert run(tmp_path, "--fresh") == 0
    with pytest.raises(TableNotFound, match="created again"):
        flights.tags()
    assert "mine" not in wb.connect(tmp_path / "warehouse").get_table("nyc.flights").tags()
    assert (tmp_path / "quickstart.ipynb").read_bytes() == (ROOT / "notebooks/quickstart.ipynb").read_bytes()


@pytest.mark.long
def test_the_stream_runs_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workbench.cli", "demo", "--folder", str(tmp_path), "--no-lab", "--stream"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    stream = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    assert stream.stdout is not None
    try:
        first = next(line for line in stream.stdout if "  snapshot " in line)
        assert first.startswith("12:05  snapshot 32")
        stream.send_signal(signal.SIGINT)
        assert stream.wait(30) == 130
    finally:
        stream.kill()


def test_another_database_of_that_name_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    catalog = wb.connect(tmp_path / "warehouse")
    catalog.create_database("nyc")
    catalog.create_table("nyc.flights", {"id": "INT"}).write([{"id": 1}])
    assert run(tmp_path, "--fresh") == 1
    assert "not this demo's" in capsys.readouterr().err
    assert catalog.get_table("nyc.flights").to_arrow().num_rows == 1


def test_the_catalog_is_named_for_the_server_and_its_kernels_only(
    folder: DemoFolder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.delenv("JUPYTER_CONFIG_PATH", raising=False)
    assert "demo" not in named_catalogs()
    environment = folder.environment()
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", environment["JUPYTER_CONFIG_PATH"])
    assert named_catalogs()["demo"].options == {"warehouse": str(folder.warehouse)}
    assert tomllib.loads((folder.settings / "paimon_catalogs.toml").read_text()) == {
        "demo": {"warehouse": str(folder.warehouse)}
    }


def test_settings_are_added_to_those_of_the_environment(folder: DemoFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/etc/site")
    assert folder.environment()["JUPYTER_CONFIG_PATH"] == f"{folder.settings}{os.pathsep}/etc/site"
    news = json.loads((folder.settings / "labconfig/default_setting_overrides.json").read_text())
    assert news["@jupyterlab/apputils-extension:notification"] == {"fetchNews": "false", "checkForUpdates": False}


def test_the_panel_is_open_at_first_and_then_the_layout_is_the_users(folder: DemoFolder) -> None:
    manager = WorkspacesManager(str(folder.settings / "workspaces"))
    data = manager.load("default")["data"]
    assert data["layout-restorer:data"]["left"]["current"] == lab.PANEL
    assert data[lab.TREE_STATE]["expanded"] == ['["demo"]', '["demo","nyc"]']
    manager.save("default", json.dumps({"data": {"mine": 1}, "metadata": {"id": "default"}}))
    folder.prepare()
    assert manager.load("default")["data"] == {"mine": 1}


def test_the_front_end_uses_the_same_names() -> None:
    panel = (ROOT / "extension/src/panel/widget.tsx").read_text(encoding="utf-8")
    assert f"'{lab.PANEL}'" in panel
    plugin = (ROOT / "extension/src/plugins/panel.ts").read_text(encoding="utf-8")
    assert f"const SAVED = '{lab.TREE_STATE}'" in plugin


def test_without_jupyterlab_the_message_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lab, "find_spec", lambda _: None)
    assert main(["demo", "--folder", str(tmp_path / "demo")]) == 1
    assert "pip install 'paimon-workbench[lab]'" in capsys.readouterr().err
    assert not (tmp_path / "demo").exists()
