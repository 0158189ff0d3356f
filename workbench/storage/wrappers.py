"""A storage that passes every operation on to another one, through a method that subclasses override."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from workbench.storage.file_io import FileIO, FileStatus, InputFile, OutputFile

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

    def check_writable(self) -> None:
        """As in the inner storage."""
        self.inner.check_writable()

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
        return DelegatingOutput(opened, path, self._run)

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
        """Return the size, time and type of a file or directory, or None if the path does not exist."""
        return self._run(Operation("status", path), lambda: self.inner.status(path))

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        """Return the files and directories directly in the directory."""
        return self._run(Operation("list_files", path), lambda: self.inner.list_files(path, prefix))

    def list_few(self, path: str, prefix: str = "") -> list[FileStatus] | None:
        """Return what `list_files` does if one request is enough for it."""
        return self._run(Operation("list_files", path), lambda: self.inner.list_few(path, prefix))

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


class LockedFileIO(DelegatingFileIO):
    """Storage that runs one operation at a time under ``lock``, for an inner storage that is not thread-safe."""

    def __init__(self, inner: FileIO, lock: threading.RLock) -> None:
        super().__init__(inner)
        self._lock = lock

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:  # noqa: ARG002
        with self._lock:
            return call()


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


class DelegatingOutput(io.RawIOBase):
    """An opened output whose writes and close are operations."""

    def __init__(self, inner: OutputFile, path: str, run: Run[None]) -> None:
        super().__init__()
        self._inner = inner
        self._path = path
        self._run = run
        self._written = 0

    def writable(self) -> bool:
        """Return True, as every output file does."""
        return True

    def write(self, data: object, /) -> int:
        """Write a block, as one operation."""
        block = bytes(memoryview(data))  # type: ignore[arg-type]
        self._run(Operation("write", self._path, block), lambda: _write(self._inner, block))
        self._written += len(block)
        return len(block)

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self._written

    def __del__(self) -> None:
        # IOBase would close the file here, and so complete a file that its writer never completed.
        return

    def close(self) -> None:
        """Finish the file, as one operation."""
        if not self.closed:
            super().close()
            self._finish()

    def _finish(self) -> None:
        self._run(Operation("close_output", self._path), self._inner.close)


def _write(file: OutputFile, data: bytes) -> None:
    file.write(data)
