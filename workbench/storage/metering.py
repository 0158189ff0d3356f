"""A storage that counts its requests without slowing them down: opened files are passed on unchanged."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from workbench.storage.file_io import FileIO, InputFile, OutputFile
from workbench.storage.wrappers import DelegatingFileIO, Operation

Result = TypeVar("Result")


class MeteredFileIO(DelegatingFileIO):
    """Storage that counts calls by kind. Operations on a file after it is opened are not counted."""

    def __init__(self, inner: FileIO) -> None:
        super().__init__(inner)
        self.counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:
        self._count(operation.name)
        return call()

    def open_input(self, path: str) -> InputFile:
        """Open a file for random access."""
        self._count("open_input")
        return self.inner.open_input(path)

    def open_output(self, path: str) -> OutputFile:
        """Open a new file, or replace one."""
        self._count("open_output")
        return self.inner.open_output(path)

    def _count(self, name: str) -> None:
        with self._lock:
            self.counts[name] += 1
