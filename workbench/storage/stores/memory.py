"""fsspec's memory storage, which all code of a process shares."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from workbench.storage.file_io import FileIO, InputFile, OutputFile
from workbench.storage.fsspec_io import FsspecFileIO
from workbench.storage.stores.object_store import ObjectStoreFileIO
from workbench.storage.stores.options import Arguments
from workbench.storage.wrappers import LockedFileIO

_lock = threading.RLock()


class MemoryFileIO(ObjectStoreFileIO):
    """The memory storage. All of its handles of a file share one position, so readers get a copy and writers a
    buffer."""

    make_directory = FsspecFileIO.make_directory
    delete_empty_directory = FsspecFileIO.delete_empty_directory

    def open_input(self, path: str) -> InputFile:
        """Open a copy of the current content."""
        opened: InputFile = pa.BufferReader(self.read_bytes(path))
        return opened

    def open_output(self, path: str) -> OutputFile:
        """Open a buffer that becomes the file when it is closed; until then there is an empty file."""
        self.write_bytes(path, b"")
        return _MemoryOutput(lambda data: self.write_bytes(path, data))


class _MemoryOutput(io.BytesIO):
    def __init__(self, keep: Callable[[bytes], None]) -> None:
        super().__init__()
        self._keep = keep

    def close(self) -> None:
        if not self.closed:
            self._keep(self.getvalue())
        super().close()


def memory_file_io(file_system: Any, arguments: Arguments) -> FileIO:  # noqa: ARG001
    """Return the storage; its operations are not atomic without a lock."""
    return LockedFileIO(MemoryFileIO(file_system), _lock)
