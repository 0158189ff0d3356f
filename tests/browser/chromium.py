"""Debian's chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, ViewportSize, expect, sync_playwright

PATH = shutil.which("chromium") or shutil.which("chromium-browser")
VIEWPORT: ViewportSize = {"width": 1400, "height": 900}


@contextmanager
def opened(wait_millis: int) -> Iterator[BrowserContext]:
    """Open a browser far from the server's time zone, with a readable clipboard; waits end after ``wait_millis``."""
    expect.set_options(timeout=wait_millis)
    with sync_playwright() as playwright:
        # Chromium has no sandbox for root, as in containers. Emulating a GPU takes a quarter more processor time.
        browser = playwright.chromium.launch(executable_path=PATH, args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(viewport=VIEWPORT, timezone_id="Asia/Tokyo", locale="en-US")
        context.set_default_timeout(wait_millis)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        try:
            yield context
        finally:
            browser.close()
