"""Runs JupyterLab in the folder of the demo, without changes to the user's settings or to the environment."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from workbench.base.errors import WorkbenchError
from workbench.catalog.named import CATALOG_FILE, DEMO_CATALOG
from workbench.demo.tables import DATABASE

NOTEBOOK = "quickstart.ipynb"
PANEL = "paimon-workbench-panel"
TREE_STATE = "paimon-workbench:tree"
_QUICKSTART = Path(__file__).resolve().parents[1] / "demo" / NOTEBOOK


@dataclass(frozen=True)
class DemoFolder:
    """The folder of the demo: the notebook, the warehouse unless it is elsewhere, and Jupyter settings.

    Jupyter finds these settings through ``JUPYTER_CONFIG_PATH``, in addition to those of the user and the environment.
    """

    root: Path
    warehouse: Path

    @property
    def notebook(self) -> Path:
        """The user's copy of the quickstart."""
        return self.root / NOTEBOOK

    @property
    def settings(self) -> Path:
        """The directory for ``JUPYTER_CONFIG_PATH``."""
        return self.root / ".jupyter"

    def prepare(self, fresh: bool = False) -> None:
        """Write what is missing. The notebook and JupyterLab's layout stay as the user left them, unless ``fresh``."""
        workspaces = self.settings / "workspaces"
        if fresh:
            shutil.rmtree(workspaces, ignore_errors=True)
        self.root.mkdir(parents=True, exist_ok=True)
        if fresh or not self.notebook.exists():
            shutil.copyfile(_QUICKSTART, self.notebook)
        # JSON strings are valid TOML strings.
        catalog = f"[{DEMO_CATALOG}]\nwarehouse = {json.dumps(str(self.warehouse))}\n"
        _write(self.settings / CATALOG_FILE, catalog)
        start = f"/lab/tree/{self.root.name}/{NOTEBOOK}"
        lab = {"default_url": start, "workspaces_dir": str(workspaces)}
        _write(self.settings / "jupyter_lab_config.json", _json({"LabApp": lab}))
        news = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}
        _write(self.settings / "labconfig" / "default_setting_overrides.json", _json(news))
        _open_panel(workspaces)

    def environment(self) -> dict[str, str]:
        """Return the environment variables of a Jupyter server for this folder."""
        paths = [str(self.settings), os.environ.get("JUPYTER_CONFIG_PATH", "")]
        return {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, paths))}


def check_jupyterlab() -> None:
    """Raise WorkbenchError if JupyterLab is not installed."""
    if find_spec("jupyterlab") is None:
        raise WorkbenchError("JupyterLab is not installed.", "Run: pip install 'paimon-workbench[lab]'.")


def run_jupyterlab(folder: DemoFolder, arguments: Sequence[str]) -> int:
    """Run JupyterLab until it ends, and return its exit code."""
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder.root.parent}"]
    # Windows has no user ids.
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    process = subprocess.Popen([*command, *arguments], env=folder.environment())
    # Ctrl-C also reaches JupyterLab, which then prompts for confirmation.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    return process.wait()


def _open_panel(workspaces: Path) -> None:
    """Make the first start show the panel and the list of tables; later, JupyterLab keeps the user's layout here."""
    from jupyterlab_server.workspaces_handler import WorkspacesManager

    manager = WorkspacesManager(str(workspaces))
    if manager.load("default")["data"]:
        return
    left = {"collapsed": False, "visible": True, "current": PANEL, "widgets": [PANEL]}
    expanded = [json.dumps(path, separators=(",", ":")) for path in ([DEMO_CATALOG], [DEMO_CATALOG, DATABASE])]
    data = {"layout-restorer:data": {"left": left}, TREE_STATE: {"expanded": expanded, "shown": True}}
    manager.save("default", json.dumps({"data": data, "metadata": {"id": "default"}}))


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
