"""A store that calls other operations between any two operations, as another process could at that moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from typing import TypeVar

from workbench.storage.file_io import FileIO, name
from workbench.storage.wrappers import DelegatingFileIO, Operation

Result = TypeVar("Result")
WRITING = ("open_output", "close_output", "write_bytes", "overwrite_atomic", "put_if_absent", "delete")


class InterruptedFileIO(DelegatingFileIO):
    """Calls ``others`` once, before the operation with the number ``at``, counted from 0 since `arm`.

    Operations on files with one of the names ``uninterrupted`` do not count.

    Only operations of the thread that called `arm` count: while it waits for other threads, it may hold locks that
    another process would not need.
    """

    def __init__(self, inner: FileIO, others: Callable[[], None], uninterrupted: Collection[str] = ()) -> None:
        super().__init__(inner)
        self._uninterrupted = uninterrupted
        self._left, self._counts_reads, self._thread = -1, True, -1
        self._others = others
        self.happened = "nothing"

    def arm(self, at: int, *, counts_reads: bool) -> None:
        """Begin to count operations: those that write, or with ``counts_reads`` all of them."""
        self._left, self._counts_reads, self._thread = at, counts_reads, threading.get_ident()

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:
        counts = threading.get_ident() == self._thread and (self._counts_reads or operation.name in WRITING)
        counts = counts and name(operation.path) not in self._uninterrupted
        is_due = counts and self._left == 0
        self._left -= counts
        if is_due:
            self.happened = f"{operation.name} {operation.path.rpartition('/db.db/')[2]}"
            self._others()
        return call()
