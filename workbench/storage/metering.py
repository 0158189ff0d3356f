"""A store that counts how often it is asked, and is as fast as the store itself: opened files are handed on as they
are."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from workbench.storage.file_io import FileIO, InputFile, OutputFile
from workbench.storage.wrappers import DelegatingFileIO, Operation

Result = TypeVar("Result")


class MeteredFileIO(DelegatingFileIO):
    """Counts calls by kind. What happens to a file once it is open is not seen."""

    def __init__(self, inner: FileIO) -> None:
        super().__init__(inner)
        self.counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:
        self._count(operation.name)
        return call()

    def open_input(self, path: str) -> InputFile:
        """Open for random access."""
        self._count("open_input")
        return self.inner.open_input(path)

    def open_output(self, path: str) -> OutputFile:
        """Open a new file, or replace one."""
        self._count("open_output")
        return self.inner.open_output(path)

    def _count(self, name: str) -> None:
        with self._lock:
            self.counts[name] += 1
