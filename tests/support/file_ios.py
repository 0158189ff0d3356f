"""Storages that count operations, add latency, or fail at a chosen operation."""

from __future__ import annotations

import io
import threading
from collections import Counter
from collections.abc import Callable
from typing import Literal, TypeVar

from workbench.base.clock import Clock, SystemClock
from workbench.storage.file_io import FileIO, OutputFile, join, name, parent
from workbench.storage.wrappers import DelegatingFileIO, DelegatingOutput, Operation, Run

Result = TypeVar("Result")


class CountingFileIO(DelegatingFileIO):
    """Storage that counts operations. ``counts`` maps each operation to how often it ran, and ``bytes_read`` and
    ``bytes_written`` to bytes."""

    def __init__(self, inner: FileIO) -> None:
        super().__init__(inner)
        self.counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:
        result = call()
        with self._lock:
            self.counts[operation.name] += 1
            if operation.data is not None:
                self.counts["bytes_written"] += len(operation.data)
            if isinstance(result, bytes):
                self.counts["bytes_read"] += len(result)
        return result


class LatencyFileIO(DelegatingFileIO):
    """Storage that waits ``seconds`` before every operation, like a remote one; writes to an open file only fill a
    buffer."""

    def __init__(self, inner: FileIO, seconds: float, clock: Clock | None = None) -> None:
        super().__init__(inner)
        self.seconds = seconds
        self._clock = clock or SystemClock()

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:
        if operation.name != "write":
            self._clock.sleep(self.seconds)
        return call()


class FaultInjected(OSError):  # noqa: N818
    """The failure that a test has injected."""


FaultMode = Literal["before", "after", "torn"]


class FaultyFileIO(DelegatingFileIO):
    """Simulation of a process that is killed at its ``fail_at``-th operation, counted from 1: that one and all later
    ones fail.

    ``mode`` defines what the last operation leaves behind: nothing (``before``), all of it (``after``), or a part
    (``torn``: half of the bytes of a plain write; only a temporary file of an atomic one; a directory half deleted;
    other operations are atomic and leave nothing). An opened output counts at open and at close. Its bytes reach the
    storage at close: if the failure is there, ``after`` leaves all of it and the other modes leave half.
    ``fail_at=None`` never fails: ``log`` then contains all operations.
    """

    def __init__(self, inner: FileIO, fail_at: int | None, mode: FaultMode = "before") -> None:
        super().__init__(inner)
        self.fail_at = fail_at
        self.mode = mode
        self.log: list[Operation] = []
        self.dead = False
        self._lock = threading.Lock()

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:
        with self._lock:
            if self.dead:
                raise _died(operation)
            if operation.name in ("read", "write"):
                return call()
            self.log.append(operation)
            if len(self.log) != self.fail_at:
                return call()
            self.dead = True
            if self.mode == "after":
                call()
            elif self.mode == "torn" or operation.name == "close_output":
                self._leave_part(operation)
        raise _died(operation)

    def open_output(self, path: str) -> OutputFile:
        """Open an output whose bytes reach the storage at close; until then there is an empty file."""
        self._run(Operation("open_output", path), lambda: self.inner.open_output(path).close())
        return _HeldOutput(self.inner, path, self._run)

    def _leave_part(self, operation: Operation) -> None:
        path, data = operation.path, operation.data or b""
        half = data[: len(data) // 2]
        if operation.name in ("write_bytes", "open_output", "close_output"):
            self.inner.write_bytes(path, half)
        elif operation.name in ("put_if_absent", "overwrite_atomic"):
            self.inner.write_bytes(join(parent(path), f".{name(path)}.torn.tmp"), half)
        elif operation.name == "delete_directory":
            inside = self.inner.list_files(path)
            for status in inside[: (len(inside) + 1) // 2]:
                if status.is_directory:
                    self.inner.delete_directory(status.path)
                else:
                    self.inner.delete(status.path)


def _died(operation: Operation) -> FaultInjected:
    return FaultInjected(f"Fault injected at {operation.name} of {operation.path}.")


class _HeldOutput(DelegatingOutput):
    """An output that keeps its bytes until close, so that the failure can leave a part of them."""

    def __init__(self, store: FileIO, path: str, run: Run[None]) -> None:
        self._held = io.BytesIO()
        super().__init__(self._held, path, run)
        self._store = store

    def _finish(self) -> None:
        data = self._held.getvalue()
        self._run(Operation("close_output", self._path, data), lambda: self._store.write_bytes(self._path, data))
