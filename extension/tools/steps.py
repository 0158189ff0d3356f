"""Numbered steps on a terminal, with the elapsed time and the latest line of what runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

REDRAW_SECONDS = 1.0
REPORT_SECONDS = 8.0
_SHOWN_WIDTH = 100


class StepError(Exception):
    """Raised for a command that failed; the message contains its output."""


class Steps:
    """Runs commands one after the other. A terminal shows one line per step; other outputs get a line every 8 s."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total = total
        self._number = 0
        self._stream = stream
        self._live = stream.isatty()

    def run(self, label: str, command: Sequence[str], folder: Path) -> None:
        """Run a command to its end.

        Raises:
            StepError: If it fails.
        """
        self._number += 1
        name = f"{self._number} of {self._total}: {label}"
        started = time.monotonic()
        if not self._live:
            self._write(f"{name}\n")
        with _Running(command, folder) as running:
            shown = started
            while not running.ended_within(REDRAW_SECONDS):
                if self._live or time.monotonic() - shown >= REPORT_SECONDS:
                    shown = time.monotonic()
                    self._show(f"{name} · {shown - started:.0f} s  {running.latest}")
        self._show(f"{name} · {time.monotonic() - started:.0f} s", last=True)
        if running.code:
            raise StepError(f"{running.output}\n{label} failed.")

    def _show(self, text: str, last: bool = False) -> None:
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            self._write(f"\r{text[:width]:<{width}}" + ("\n" if last else ""))
        else:
            self._write(f"{text[:_SHOWN_WIDTH]}\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class _Running:
    """A process whose output is collected."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self._process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> _Running:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._process.terminate()
        self._process.wait()
        self._reader.join()

    def ended_within(self, seconds: float) -> bool:
        self._reader.join(seconds)
        return not self._reader.is_alive()

    @property
    def code(self) -> int:
        return self._process.returncode

    @property
    def latest(self) -> str:
        return self._lines[-1].strip() if self._lines else ""

    @property
    def output(self) -> str:
        return "".join(self._lines)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.strip():
                self._lines.append(line)
