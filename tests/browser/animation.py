"""``python -m tests.browser.animation``: record the animated picture of the README from the running product.

A notebook writes to the departures board of the demo; the page beside it shows files on level 0, and their compaction.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import expect

import workbench as wb
from tests.browser import chromium
from tests.browser.apng import Frame, animated
from tests.browser.face import Face
from tests.browser.lab import ROOT, Lab
from tests.browser.screenshots import close_launcher
from tests.browser.warehouse import CATALOG
from workbench.demo.build import build
from workbench.demo.local import ArrowLoader

PICTURE = ROOT / "docs" / "screenshots" / "write-and-compact.png"
MOST_BYTES = 3_000_000
SIZE = {"width": 1160, "height": 560}
WAIT_MILLIS = 60_000
FRAME_MILLIS, LAST_MILLIS = 400, 3_000

NOTEBOOK = "write.ipynb"
SETUP = f"""
import workbench as wb
get_ipython().run_line_magic("load_ext", "workbench")
get_ipython().run_line_magic("paimon", "connect {CATALOG}")
catalog = wb.connect("{CATALOG}")
board = catalog.get_table("nyc.board")
"""
RUN = "code => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute({ code }).done"
INSERT = """%%paimon
INSERT INTO board VALUES
  (TIMESTAMP '2013-12-31 12:30:00', 'WB', 1,
   'JFK', 'HNL', 'scheduled', NULL)"""
CELLS = (
    INSERT,
    "from workbench.demo import advance_board\n\ncommits = advance_board(catalog)",
    "commits = advance_board(catalog)",
    "commit = board.compact(full=True)",
)
FIRST_CELL = """() => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = 0;
  content.node.focus();
}"""


class Recorder:
    """Takes screenshots of a face; a screenshot that equals the last one prolongs its frame."""

    def __init__(self, face: Face) -> None:
        self._face = face
        self.frames: list[Frame] = []

    def record(self, seconds: float) -> None:
        """Record for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            started = time.monotonic()
            png = self._face.page.screenshot(caret="hide")
            self._face.page.wait_for_timeout(max(0, FRAME_MILLIS - 1000 * (time.monotonic() - started)))
            self._add(png, round(1000 * (time.monotonic() - started)))

    def _add(self, png: bytes, millis: int) -> None:
        if self.frames and self.frames[-1].png == png:
            self.frames[-1].millis += millis
        else:
            self.frames.append(Frame(png, millis))


def play(face: Face) -> list[Frame]:
    """Run the cells one after the other beside the levels of the board."""
    face.page.set_viewport_size(SIZE)
    face.open_notebook(NOTEBOOK, CELLS)
    face.page.evaluate(RUN, SETUP)
    face.wait_for_kernel()
    face.show("nyc.board", "levels")
    face.put_beside_notebook()
    face.run("application:toggle-left-area")
    close_launcher(face)
    face.run("docmanager:open", path=NOTEBOOK)
    face.page.evaluate(FIRST_CELL)
    recorder = Recorder(face)
    recorder.record(1.5)
    for _ in CELLS:
        before = face.levels.locator("h3 small").inner_text()
        face.page.keyboard.press("Shift+Enter")
        recorder.record(2)
        expect(face.levels.locator("h3 small")).not_to_have_text(before)
        recorder.record(1)
    recorder.frames[-1].millis += LAST_MILLIS
    return recorder.frames


def main() -> int:
    """Record the picture again, and return the exit code."""
    subprocess.run([sys.executable, str(ROOT / "extension" / "tools" / "front_end.py")], check=True)
    with tempfile.TemporaryDirectory(prefix="paimon-") as directory:
        warehouse = Path(directory) / "warehouse"
        build(wb.connect(warehouse), ArrowLoader())
        lab = Lab(Path(directory) / "lab")
        lab.start(f'[{CATALOG}]\nwarehouse = "{warehouse}"\n')
        try:
            with chromium.opened(WAIT_MILLIS) as browser:
                face = Face(browser.new_page(), lab)
                face.begin()
                frames = play(face)
        finally:
            lab.stop()
    picture = animated(frames)
    if len(picture) > MOST_BYTES:
        print(f"The picture has {len(picture):,} bytes, more than {MOST_BYTES:,}.", file=sys.stderr)
        return 1
    PICTURE.write_bytes(picture)
    print(f"{PICTURE}: {len(frames)} frames, {len(picture):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
