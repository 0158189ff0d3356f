"""Wrappers of a storage that count operations, add latency, or fail at a chosen operation."""

from __future__ import annotations

import io
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from workbench.base.clock import Clock, SystemClock
from workbench.storage.file_io import FileIO, FileStatus, InputFile, OutputFile, join, name, parent

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of a `FileIO` method, or ``read``, ``write`` and ``close_output`` of an opened file."""

    name: str
    path: str
    data: bytes | None = None


class DelegatingFileIO:
    """Storage that passes everything on to ``inner``; a subclass overrides `_run`, which runs every operation."""

    def __init__(self, inner: FileIO) -> None:
        self.inner = inner

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:  # noqa: ARG002
        return call()

    @property
    def is_local(self) -> bool:
        """As in the inner storage."""
        return self.inner.is_local

    @property
    def supports_put_if_absent(self) -> bool:
        """As in the inner storage."""
        return self.inner.supports_put_if_absent

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file."""
        return self._run(Operation("read_bytes", path), lambda: self.inner.read_bytes(path))

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Read ``length`` bytes from ``offset``."""
        return self._run(Operation("read_range", path), lambda: self.inner.read_range(path, offset, length))

    def open_input(self, path: str) -> InputFile:
        """Open a file for random access; its reads also pass through the wrapper."""
        opened = self._run(Operation("open_input", path), lambda: self.inner.open_input(path))
        return _Input(opened, path, self._run)

    def open_output(self, path: str) -> OutputFile:
        """Open a file for writing; its writes and its close also pass through the wrapper."""
        opened = self._run(Operation("open_output", path), lambda: self.inner.open_output(path))
        return _Output(opened, path, self._run)

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write or replace a whole file."""
        self._run(Operation("write_bytes", path, data), lambda: self.inner.write_bytes(path, data))

    def overwrite_atomic(self, path: str, data: bytes) -> None:
        """Replace a whole file atomically."""
        self._run(Operation("overwrite_atomic", path, data), lambda: self.inner.overwrite_atomic(path, data))

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """Create a complete file if there is none."""
        return self._run(Operation("put_if_absent", path, data), lambda: self.inner.put_if_absent(path, data))

    def exists(self, path: str) -> bool:
        """Return whether a file or directory exists."""
        return self._run(Operation("exists", path), lambda: self.inner.exists(path))

    def status(self, path: str) -> FileStatus | None:
        """Return size, time and kind, or None."""
        return self._run(Operation("status", path), lambda: self.inner.status(path))

    def list_files(self, path: str) -> list[FileStatus]:
        """Return the files and directories directly in the directory."""
        return self._run(Operation("list_files", path), lambda: self.inner.list_files(path))

    def delete(self, path: str, missing_ok: bool = True) -> None:
        """Delete one file."""
        self._run(Operation("delete", path), lambda: self.inner.delete(path, missing_ok))

    def delete_directory(self, path: str) -> None:
        """Delete a directory with its content."""
        self._run(Operation("delete_directory", path), lambda: self.inner.delete_directory(path))

    def delete_empty_directory(self, path: str) -> bool:
        """Delete an empty directory."""
        return self._run(Operation("delete_empty_directory", path), lambda: self.inner.delete_empty_directory(path))

    def make_directory(self, path: str) -> None:
        """Create a directory and its parents."""
        self._run(Operation("make_directory", path), lambda: self.inner.make_directory(path))

    def rename(self, source: str, target: str) -> None:
        """Move a file or directory."""
        self._run(Operation("rename", source), lambda: self.inner.rename(source, target))


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


class LockedFileIO(DelegatingFileIO):
    """Storage that runs one operation at a time under ``lock``, for an inner one that is not thread-safe."""

    def __init__(self, inner: FileIO, lock: threading.RLock) -> None:
        super().__init__(inner)
        self._lock = lock

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:  # noqa: ARG002
        with self._lock:
            return call()


class FaultInjected(OSError):  # noqa: N818
    """The failure that a test has injected."""


FaultMode = Literal["before", "after", "torn"]


class FaultyFileIO(DelegatingFileIO):
    """Simulation of a process that is killed at its ``fail_at``-th operation, counted from 1: that one and all later
    ones fail.

    ``mode`` defines what the last operation leaves behind: nothing (``before``), all of it (``after``), or a part
    (``torn``: half of the bytes of a plain write; only a temporary file of an atomic one; a directory half deleted;
    other operations are all or nothing, so nothing). An opened output counts at open and at close. Its bytes reach the
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


Run = Callable[[Operation, Callable[[], Result]], Result]


class _Input(io.RawIOBase):
    """An opened input whose reads are operations."""

    def __init__(self, inner: InputFile, path: str, run: Run[bytes]) -> None:
        super().__init__()
        self._inner = inner
        self._path = path
        self._run = run

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = -1 if size is None else size
        return self._run(
            Operation("read", self._path), lambda: self._inner.read() if wanted < 0 else self._inner.read(wanted)
        )

    def readall(self) -> bytes:
        return self.read()

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._inner.seek(offset, whence)

    def tell(self) -> int:
        return self._inner.tell()

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
        super().close()


class _Output(io.RawIOBase):
    """An opened output whose writes and close are operations."""

    def __init__(self, inner: OutputFile, path: str, run: Run[None]) -> None:
        super().__init__()
        self._inner = inner
        self._path = path
        self._run = run
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        block = bytes(memoryview(data))  # type: ignore[arg-type]
        self._run(Operation("write", self._path, block), lambda: _write(self._inner, block))
        self._written += len(block)
        return len(block)

    def tell(self) -> int:
        return self._written

    def __del__(self) -> None:
        # IOBase would close, and so finish, a file that its writer never finished.
        return

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._finish()

    def _finish(self) -> None:
        self._run(Operation("close_output", self._path), self._inner.close)


class _HeldOutput(_Output):
    """An output that keeps its bytes until close, so that the failure can leave a part of them."""

    def __init__(self, store: FileIO, path: str, run: Run[None]) -> None:
        self._held = io.BytesIO()
        super().__init__(self._held, path, run)
        self._store = store

    def _finish(self) -> None:
        data = self._held.getvalue()
        self._run(Operation("close_output", self._path, data), lambda: self._store.write_bytes(self._path, data))


def _write(file: OutputFile, data: bytes) -> None:
    file.write(data)
