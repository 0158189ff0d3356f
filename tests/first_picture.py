"""``python -m tests.first_picture wheel``: the time from the wheel to the first picture, in an empty environment.

``binder`` performs Binder's steps in such an environment, and ``lab`` the steps of a contributor in a new clone. Each
checks the result in a browser: the panel, and the quickstart.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser import chromium

ROOT = Path(__file__).resolve().parents[1]
MOST_SECONDS, MOST_OF_OURS, MOST_OF_A_CONTAINER = 120, 20, 60
MOST_OF_A_CLONE, MOST_SILENCE, MOST_BYTES = 360, 10, 1_600_000_000
PICTURE = "start JupyterLab, to the picture"
WAIT_MILLIS = 120_000
TABLES = {"airlines", "airports", "board", "flights", "planes", "weather"}
FAILURES = '[data-mime-type="application/vnd.jupyter.error"], [data-mime-type="application/vnd.jupyter.stderr"]'
DONE = """failures => document.querySelector(failures) ||
  [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].every(each => /\\d/.test(each.textContent))"""


@dataclass
class Stopwatch:
    """The seconds of each step."""

    steps: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.steps[name] = time.monotonic() - started
        print(f"{self.steps[name]:7.1f} s  {name}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.first_picture", description=__doc__)
    parser.add_argument("what", choices=["wheel", "binder", "lab"])
    parser.add_argument("--wheel", type=Path, help="the wheel; built from this checkout by default")
    parser.add_argument("--screenshots", type=Path, help="where to store screenshots")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="first-picture-") as folder:
        if given.what == "binder":
            return try_binder(Path(folder), given.screenshots)
        if given.what == "lab":
            return try_lab(Path(folder), given.screenshots)
        wheel = given.wheel or build_wheel(Path(folder))
        return try_wheel(Path(folder), wheel.absolute(), given.screenshots)


def build_wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def try_wheel(folder: Path, wheel: Path, screenshots: Path | None) -> int:
    watch = Stopwatch()
    with watch.step("create an empty environment"):
        tools = new_environment(folder)
    with watch.step("pip install"):
        run([tools / "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[lab]"], tools, folder)
    command = [tools / "paimon-workbench", "demo", "--", "--no-browser"]
    check_in_browser(lambda flags: [*command, *flags], tools, folder, watch, screenshots)
    total, ours = sum(watch.steps.values()), watch.steps[PICTURE]
    print(f"{total:7.1f} s  from an empty environment to the picture; at most {MOST_SECONDS}")
    print(f"{ours:7.1f} s  of which are ours; at most {MOST_OF_OURS}")
    return int(total > MOST_SECONDS or ours > MOST_OF_OURS)


def try_binder(folder: Path, screenshots: Path | None) -> int:
    watch = Stopwatch()
    repository = folder / "repository"
    copy_of_repository(repository)
    tools = new_environment(folder)
    with watch.step("postBuild"):
        run([repository / "binder" / "postBuild"], tools, repository)
    command = [repository / "binder" / "start", tools / "jupyter-lab", "--no-browser", "--allow-root"]
    check_in_browser(lambda flags: [*command, *flags], tools, repository, watch, screenshots)
    return int(watch.steps[PICTURE] > MOST_OF_A_CONTAINER)


def try_lab(folder: Path, screenshots: Path | None) -> int:
    watch, clone = Stopwatch(), folder / "clone"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)

    def command(flags: Sequence[str]) -> list[str]:
        return ["make", "lab", f"LAB_ARGS=--no-browser --allow-root {' '.join(flags)}"]

    silence = check_in_browser(command, Path(sys.executable).parent, clone, watch, screenshots, folder)
    size = sum(path.lstat().st_size for path in clone.rglob("*") if path.is_file() and not path.is_symlink())
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True)
    print(f"{watch.steps[PICTURE]:7.1f} s  from the clone to the picture; at most {MOST_OF_A_CLONE}")
    print(f"{silence:7.1f} s  longest time without output; at most {MOST_SILENCE}")
    print(f"{size / 1e9:7.2f} GB left behind; at most {MOST_BYTES / 1e9:.1f}")
    print(changed.stdout or "   nothing changed in the checkout", flush=True)
    limits = (watch.steps[PICTURE] > MOST_OF_A_CLONE, silence > MOST_SILENCE, size > MOST_BYTES)
    return int(any(limits) or bool(changed.stdout))


def new_environment(folder: Path) -> Path:
    """Create an environment, and return the directory of its commands."""
    subprocess.run([sys.executable, "-m", "venv", folder / "environment"], check=True)
    return folder / "environment" / "bin"


def copy_of_repository(target: Path) -> None:
    """Copy the files that Git tracks, as a clone has them."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target / name, follow_symlinks=False)


def environment(tools: Path, home: Path) -> dict[str, str]:
    """The variables of a user who has no settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTHON", "IPYTHON"))}
    return {**kept, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "HOME": str(home)}


def run(command: Sequence[object], tools: Path, folder: Path) -> None:
    subprocess.run([str(each) for each in command], cwd=folder, env=environment(tools, folder), check=True)


def check_in_browser(
    command: Callable[[Sequence[str]], Sequence[object]],
    tools: Path,
    folder: Path,
    watch: Stopwatch,
    screenshots: Path | None,
    home: Path | None = None,
) -> float:
    """Start JupyterLab and measure the time to the picture; then run the quickstart.

    Args:
        command: Returns the command that starts JupyterLab with the given flags.
        tools: The directory of the commands of the environment.
        folder: Where the command runs.
        watch: Where the time is noted.
        screenshots: Where to store screenshots.
        home: The user's directory; ``folder`` by default.

    Returns:
        The longest time in seconds without output, until the server answered.
    """
    port = free_port()
    arguments = [str(each) for each in command([f"--port={port}", "--IdentityProvider.token="])]
    home = home or folder
    log = home / "jupyterlab.log"
    with chromium.opened(WAIT_MILLIS) as browser, ExitStack() as servers:
        page = browser.new_page()
        with watch.step(PICTURE):
            server = servers.enter_context(running(arguments, environment(tools, home), folder, log))
            silence = wait_for(f"http://127.0.0.1:{port}/api", server, log)
            page.goto(f"http://127.0.0.1:{port}/")
            wait_for_picture(page)
        save(page, screenshots, "start")
        with Stopwatch().step("run the quickstart (not counted)"):
            run_all(page)
        save(page, screenshots, "run")
    return silence


@contextmanager
def running(
    command: Sequence[str], variables: Mapping[str, str], folder: Path, log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("w") as output:
        server = subprocess.Popen(
            command, cwd=folder, env=variables, stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield server
    finally:
        # The command may have started JupyterLab as a separate process.
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)


def wait_for_picture(page: Page) -> None:
    """Wait until the notebook and, in the panel beside it, the demo's tables are visible."""
    expect(page.locator(".jp-Notebook h1", has_text="Quickstart")).to_be_visible()
    for name in TABLES:
        expect(page.locator(f'[role="treeitem"][data-name="{name}"]')).to_be_visible()


def run_all(page: Page) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_function(DONE, arg=FAILURES)
    assert page.locator(FAILURES).all_inner_texts() == []


def save(page: Page, screenshots: Path | None, name: str) -> None:
    if screenshots:
        screenshots.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=screenshots / f"{name}.png")


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> float:
    """Wait until the server answers, and return the longest time in seconds without output."""
    silence, size, since = 0.0, 0, time.monotonic()
    while server.poll() is None:
        now = time.monotonic()
        silence = max(silence, now - since)
        if log.stat().st_size != size:
            size, since = log.stat().st_size, now
        try:
            with urllib.request.urlopen(url, timeout=5):
                return silence
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(errors='replace')}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


if __name__ == "__main__":
    sys.exit(main())
