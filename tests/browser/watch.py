"""What a page must not do: log problems, fail, open dialogs of the browser, or contact any server but its own.

A changed notebook may open a dialog when it is left; that dialog is confirmed.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Dialog, Error, Page, Request, WebSocket

# Messages of JupyterLab itself, regardless of what else is installed.
HOST_NOISE = (
    # It logs each error that it shows in a dialog.
    r"^Showing error: ",
    # It logs every restart of a kernel, even a requested one.
    r"^Connection lost, reconnecting in 0 seconds",
    # Its debugger sends a request to a kernel that is then closed.
    r"^Could not restore the debugger state: Canceled future",
    # On a busy machine, it says this of any plugin.
    r"^Plugin \S+ .*took [\d.]+ms to activate",
    r"^Plugin \S+ is taking too long to activate",
    # It requests a subshell from a kernel that restarts.
    r"^Error: Canceled future for create_subshell_request",
    # Messages of a kernel that arrive after its restart, when JupyterLab has closed the comms.
    r"^Comm not found for comm id paimon-job-",
    # It removes its splash screen twice if two themes load shortly after each other.
    r"^NotFoundError: Failed to execute 'removeChild' .*\n\s+at \S+/static/lab/jlab_core\S*$",
)
_OWN_SCHEMES = ("data", "blob", "about")


def _is_of_host(text: str) -> bool:
    return any(re.search(noise, text) for noise in HOST_NOISE)


class Watch:
    """Collects what a page does wrong."""

    def __init__(self, page: Page) -> None:
        self.requests = 0
        self._problems: list[tuple[str, str]] = []
        self._refused: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", self._fail)
        page.on("dialog", self._close)
        page.on("request", self._see)
        page.on("websocket", self._see)

    def expect_refused(self, part: str) -> None:
        """Ignore failed requests to addresses that contain ``part``; the browser reports each of them."""
        self._refused.append(part)

    @property
    def problems(self) -> list[str]:
        """Return the unexpected errors."""
        return [text for text, url in self._problems if not self._is_expected(text, url)]

    def _is_expected(self, text: str, url: str) -> bool:
        return "Failed to load resource" in text and any(part in url for part in self._refused)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not _is_of_host(message.text):
            url = message.location["url"]
            self._note(f"console {message.type}: {message.text} ({url})", url)

    def _fail(self, error: Error) -> None:
        text = error.stack or str(error)
        if not _is_of_host(text):
            self._note(f"page error: {text}")

    def _close(self, dialog: Dialog) -> None:
        if dialog.type == "beforeunload":
            dialog.accept()
            return
        self._note(f"dialog of the browser: {dialog.message}")
        dialog.dismiss()

    def _see(self, request: Request | WebSocket) -> None:
        self.requests += 1
        address = urlsplit(request.url)
        if address.scheme not in _OWN_SCHEMES and address.hostname != "127.0.0.1":
            self._note(f"request to {request.url}")

    def _note(self, text: str, url: str = "") -> None:
        self._problems.append((text, url))
