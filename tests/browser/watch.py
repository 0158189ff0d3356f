"""What a page must not do: complain, fail, open dialogs of the browser, or talk to anybody but its own server.

A notebook that has changed may ask whether it is left; that is confirmed.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Dialog, Error, Page, Request, WebSocket

# What JupyterLab itself says, whatever is installed beside it.
HOST_NOISE = (
    # It notes each error that it shows in a dialog.
    r"^Showing error: ",
    # It notes a kernel's restart, also one that was asked for.
    r"^Connection lost, reconnecting in 0 seconds",
    # Its debugger asks a kernel that is closed meanwhile.
    r"^Could not restore the debugger state: Canceled future",
    # On a busy machine, of all plugins.
    r"^Plugin \S+ .*took [\d.]+ms to activate",
    r"^Plugin \S+ is taking too long to activate",
    # It asks a kernel that restarts for a thread of messages.
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
        """Requests to addresses that contain ``part`` fail by intention; the browser reports each of them."""
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
