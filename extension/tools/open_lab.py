"""``make lab``: opens JupyterLab with the quickstart and the demo in its panel, changing only its own environment."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from jupyterlab_server.workspaces_handler import WorkspacesManager

import workbench as wb
from workbench.catalog.named import server_catalog_file
from workbench.demo.tables import State, state_of

ROOT = Path(__file__).resolve().parents[2]
SHARE = Path(sys.prefix) / "share" / "jupyter"
WORKSPACES = SHARE / "lab" / "workspaces"
NOTEBOOK = "notebooks/quickstart.ipynb"
PANEL = "paimon-workbench-panel"
OURS = "# Written by `make lab`; take this line away to keep what you change.\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepare what is missing, run JupyterLab, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python extension/tools/open_lab.py", description=__doc__)
    parser.add_argument("warehouse", type=Path, help="directory of the demo; built if the demo is not in it")
    parser.add_argument("months", help="months of the demo to load if it is built")
    parser.add_argument("jupyter", nargs=argparse.REMAINDER, help="arguments for JupyterLab")
    given = parser.parse_args(arguments)
    warehouse = given.warehouse.expanduser().absolute()
    failed = _build_demo(warehouse, given.months)
    if failed:
        return failed
    link_labextension()
    name_catalog(server_catalog_file(), warehouse)
    stay_on_this_machine(SHARE / "lab" / "settings" / "overrides.json")
    open_panel(WORKSPACES)
    return _run_jupyterlab(given.jupyter)


def link_labextension(share: Path = SHARE) -> None:
    """Link the most recent build of the front end for JupyterLab, without an installation."""
    link = share / "labextensions" / "paimon-workbench"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(ROOT / "workbench" / "labextension", target_is_directory=True)


def name_catalog(file: Path, warehouse: Path) -> None:
    """Name the demo's warehouse ``demo``, unless the file of catalogs was written by the user."""
    if file.exists() and not file.read_text(encoding="utf-8").startswith(OURS):
        print(f"{file} stays as it is.")
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    # JSON strings are valid TOML strings.
    file.write_text(f"{OURS}[demo]\nwarehouse = {json.dumps(str(warehouse))}\n", encoding="utf-8")


def stay_on_this_machine(file: Path) -> None:
    """Disable JupyterLab's news and its requests for them, which go to a remote server."""
    settings = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    settings["@jupyterlab/apputils-extension:notification"] = {"fetchNews": "false", "checkForUpdates": False}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def open_panel(workspaces: Path) -> None:
    """Start with the panel open; from then on JupyterLab keeps the user's layout here."""
    manager = WorkspacesManager(str(workspaces))
    if manager.load("default")["data"]:
        return
    left = {"collapsed": False, "visible": True, "current": PANEL, "widgets": [PANEL]}
    layout = {"layout-restorer:data": {"left": left}}
    manager.save("default", json.dumps({"data": layout, "metadata": {"id": "default"}}))


def _build_demo(warehouse: Path, months: str) -> int:
    warehouse.mkdir(parents=True, exist_ok=True)
    if state_of(wb.connect(warehouse)) is State.WHOLE:
        return 0
    # A separate process, so that Spark's JVM ends with it.
    return subprocess.run([sys.executable, "-m", "workbench.demo", str(warehouse), "--months", months]).returncode


def _run_jupyterlab(arguments: Sequence[str]) -> int:
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={ROOT}"]
    command += [f"--LabApp.default_url=/lab/tree/{NOTEBOOK}", f"--LabApp.workspaces_dir={WORKSPACES}"]
    if os.geteuid() == 0:
        command.append("--allow-root")
    print("Starting JupyterLab. Press Ctrl-C to stop it.", flush=True)
    os.execv(sys.executable, [*command, *arguments])


if __name__ == "__main__":
    sys.exit(main())
