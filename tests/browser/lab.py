"""A real JupyterLab process with separate settings, catalogs and files."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from tests.browser.server_log import failures

ROOT = Path(__file__).resolve().parents[2]
LABEXTENSION = ROOT / "workbench" / "labextension"
START_SECONDS = 90
QUIET = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "paimon-workbench:plugin": {"welcome": False},
}
OTHER_KERNEL = "other-environment"


@dataclass
class Lab:
    """A running server. ``home`` is the directory of the notebooks, ``log`` the output of the server.

    ``modules`` are imported by the server, ``variables`` added to its environment.
    """

    directory: Path
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    modules: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home = self.directory / "home"
        self.log = self.directory / "server.log"
        self.catalog_file = self.directory / "config" / "paimon_catalogs.toml"
        # Kernels create their sockets there, whose paths are limited to about 100 characters.
        self.runtime = Path(tempfile.mkdtemp(prefix="lab-"))
        self.url = ""

    def start(self, catalogs: str) -> None:
        """Start the server with the text of a catalog file, and wait until it answers."""
        for name in ("home", "config", "settings"):
            (self.directory / name).mkdir(parents=True)
        self.catalog_file.write_text(catalogs)
        (self.directory / "config" / "jupyter_server_config.json").write_text(json.dumps(self._configuration()))
        (self.directory / "settings" / "overrides.json").write_text(json.dumps(QUIET))
        # Looking for extensions that have to be built takes the server a second for each page.
        (self.directory / "settings" / "page_config.json").write_text(json.dumps({"buildAvailable": False}))
        self._link_labextension()
        self._add_kernel_of_another_environment()
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=self.home, env=self._environment(), stdout=log, stderr=subprocess.STDOUT
            )
        self._wait()

    def stop(self) -> None:
        """Stop the server, its kernels and its worker."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.runtime, ignore_errors=True)

    def errors(self) -> list[str]:
        """The failures in the log, each with its lines."""
        return failures(self.log.read_text(errors="replace"), str(ROOT / "workbench"))

    def _configuration(self) -> dict[str, object]:
        return {
            "ServerApp": {
                "ip": "127.0.0.1",
                "port": 0,
                "port_retries": 0,
                "root_dir": str(self.home),
                "jpserver_extensions": {"workbench.server": True, "notebook": find_spec("notebook") is not None},
            },
            "IdentityProvider": {"token": self.token},
            # A TCP port that is free when it is chosen may be taken before the kernel listens on it.
            "KernelManager": {"transport": "ipc"},
            "LabApp": {
                "app_settings_dir": str(self.directory / "settings"),
                "expose_app_in_browser": True,
                "extension_manager": "readonly",
            },
            "PaimonWorkbench": {"poll_interval": 0.2, "endpoint_modules": list(self.modules)},
        }

    def _environment(self) -> dict[str, str]:
        positions = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_PATH": "share",
            "JUPYTERLAB_SETTINGS_DIR": "user-settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
        }
        own = {name: str(self.directory / position) for name, position in positions.items()}
        own["JUPYTER_RUNTIME_DIR"] = str(self.runtime)
        return {**os.environ, **own, **self.variables, "PYTHONPATH": str(ROOT), "TZ": "UTC"}

    def _link_labextension(self) -> None:
        link = self.directory / "share" / "labextensions" / "paimon-workbench"
        link.parent.mkdir(parents=True)
        link.symlink_to(LABEXTENSION, target_is_directory=True)

    def _add_kernel_of_another_environment(self) -> None:
        """Add a kernel that uses another Python interpreter with the same packages."""
        kernel = self.directory / "share" / "kernels" / OTHER_KERNEL
        kernel.mkdir(parents=True)
        packages = os.pathsep.join([str(ROOT), *(path for path in sys.path if path.endswith("site-packages"))])
        spec = {
            "argv": [os.path.realpath(sys.executable), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            "display_name": "Other environment",
            "language": "python",
            "env": {"PYTHONPATH": packages},
        }
        (kernel / "kernel.json").write_text(json.dumps(spec))

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            for file in self.runtime.glob("jpserver-*.json"):
                # The server may still be writing it.
                if text := file.read_text():
                    self.url = json.loads(text)["url"]
                    return
            time.sleep(0.1)
        raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text(errors='replace')}")
