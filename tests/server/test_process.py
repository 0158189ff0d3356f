"""The extension in a separate Jupyter server: loading costs little, and no worker is left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.server_answers import is_running
from tests.support.sampling import sampled

HEAVY = {"pyarrow", "numpy", "pandas", "fsspec", "fastavro", "sqlglot", "pyspark"}


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(' '.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_server_loads_nothing_that_reads_tables() -> None:
    loaded = loaded_after("import workbench.server.application")
    assert "tornado" in loaded
    assert not loaded & HEAVY


def test_importing_the_room_does_not_even_load_tornado() -> None:
    assert not loaded_after("import workbench.server") & {"tornado", "traitlets", *HEAVY}


class Server:
    """``jupyter server`` with the extension."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = folder / "server.log"
        options = {
            "ServerApp.jpserver_extensions": "{'workbench.server': True}",
            "ServerApp.ip": "127.0.0.1",
            "ServerApp.port": self.port,
            "ServerApp.port_retries": 0,
            "ServerApp.open_browser": False,
            "ServerApp.root_dir": folder,
            "IdentityProvider.token": "secret",
            "PaimonWorkbench.request_timeout": 20,
        }
        arguments = [f"--{key}={value}" for key, value in options.items()]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jupyter_server", "--allow-root", *arguments],
                env={**os.environ, "JUPYTER_CONFIG_DIR": str(folder), "JUPYTER_RUNTIME_DIR": str(folder / "run")},
                cwd=folder,
                stderr=log,
                stdout=log,
            )

    def get(self, path: str) -> object:
        """Return an answer as soon as the server sends one."""
        address = f"http://127.0.0.1:{self.port}/paimon-workbench/{path}"
        request = urllib.request.Request(address, headers={"Authorization": "token secret"})
        for _ in range(150):
            try:
                with urllib.request.urlopen(request, timeout=20) as response:
                    return json.loads(response.read())
            except urllib.error.HTTPError:
                raise
            except OSError:
                time.sleep(0.2)
        raise AssertionError(self.log.read_text())

    def worker(self) -> int:
        """The process id of its worker."""
        reported = [line for line in self.log.read_text().splitlines() if "the worker runs as process" in line]
        return int(reported[-1].split()[-1])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path)
    yield started
    started.process.kill()
    started.process.wait()


def gone(pid: int) -> bool:
    for _ in range(250):
        if not is_running(pid):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("how", sampled([signal.SIGKILL, signal.SIGTERM], 2))
def test_the_worker_ends_with_the_server(server: Server, how: signal.Signals) -> None:
    server.get("environment")
    worker = server.worker()
    assert is_running(worker)
    server.process.send_signal(how)
    server.process.wait(20)
    assert gone(worker)
    log = server.log.read_text()
    assert "Traceback" not in log
    assert "Exception ignored" not in log
