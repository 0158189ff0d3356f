"""The environment that `make lab` creates."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import open_lab
import pytest
from jupyterlab_server.workspaces_handler import WorkspacesManager


def test_the_demo_has_a_name_that_follows_its_warehouse(tmp_path: Path) -> None:
    file = tmp_path / "etc" / "paimon_catalogs.toml"
    for warehouse in (tmp_path / 'a "b" \\ ü', tmp_path / "c"):
        open_lab.name_catalog(file, warehouse)
        assert tomllib.loads(file.read_text(encoding="utf-8")) == {"demo": {"warehouse": str(warehouse)}}


def test_an_existing_catalog_file_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "paimon_catalogs.toml"
    file.write_text('[demo]\nwarehouse = "/data"\n')
    open_lab.name_catalog(file, tmp_path)
    assert file.read_text() == '[demo]\nwarehouse = "/data"\n'
    assert capsys.readouterr().out == f"{file} stays as it is.\n"


def test_news_are_off_and_other_settings_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "settings" / "overrides.json"
    open_lab.stay_on_this_machine(file)
    news = json.loads(file.read_text())
    file.write_text(json.dumps({"other": {"a": 1}}))
    open_lab.stay_on_this_machine(file)
    assert json.loads(file.read_text()) == {"other": {"a": 1}, **news}
    assert news["@jupyterlab/apputils-extension:notification"] == {"fetchNews": "false", "checkForUpdates": False}


def test_the_panel_is_open_at_first_and_then_the_layout_is_the_users(tmp_path: Path) -> None:
    open_lab.open_panel(tmp_path)
    manager = WorkspacesManager(str(tmp_path))
    assert manager.load("default")["data"]["layout-restorer:data"]["left"]["current"] == open_lab.PANEL
    manager.save("default", json.dumps({"data": {"mine": 1}, "metadata": {"id": "default"}}))
    open_lab.open_panel(tmp_path)
    assert manager.load("default")["data"] == {"mine": 1}


def test_the_front_end_knows_the_panel_by_the_same_name() -> None:
    source = (open_lab.ROOT / "extension/src/panel/widget.tsx").read_text(encoding="utf-8")
    assert f"'{open_lab.PANEL}'" in source


def test_the_labextension_is_linked_and_linked_again(tmp_path: Path) -> None:
    for _ in range(2):
        open_lab.link_labextension(tmp_path)
    link = tmp_path / "labextensions" / "paimon-workbench"
    assert link.is_symlink()
    assert link.readlink() == open_lab.ROOT / "workbench" / "labextension"
