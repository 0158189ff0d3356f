"""The bytes of a data file: a small file is read whole in one request, a large one by ranges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from workbench.base.lazy import cached_property
from workbench.storage.file_io import FileIO
from workbench.storage.ranges import FileRanges, Range, RangedFile

# Up to this size, one request for the whole file takes less time than those for its footer and its columns.
_WHOLE_LOCAL_BYTES = 64 << 10
_WHOLE_REMOTE_BYTES = 4 << 20


def reads_whole(file_io: FileIO, size: int) -> bool:
    """Return whether a file of this size is read in one request."""
    return size < (_WHOLE_LOCAL_BYTES if file_io.is_local else _WHOLE_REMOTE_BYTES)


class DataInput:
    """The bytes of a data file. ``is_whole`` is whether all of them are read at once, ``is_ranged`` whether single
    ranges are requested from a remote storage.

    Args:
        file_io: The storage.
        path: The file.
        size: Its size in bytes, as its manifest says.
        ahead: How many bytes a reader requests at least of a large remote file; by default 1 MiB.
    """

    def __init__(self, file_io: FileIO, path: str, size: int, ahead: int | None = None) -> None:
        self._file_io = file_io
        self._path = path
        self.size = size
        self.is_whole = reads_whole(file_io, size)
        self.is_ranged = not self.is_whole and not file_io.is_local
        self._ahead = {} if ahead is None else {"ahead": ahead}

    def open(self) -> Any:
        """Return a source for Arrow's readers, at the beginning of the file."""
        if self.is_whole:
            return pa.BufferReader(self._whole)
        if self.is_ranged:
            return pa.PythonFile(RangedFile(self._ranges), mode="r")
        return self._file_io.open_input(self._path)

    def read_range(self, offset: int, length: int) -> bytes:
        """Return bytes of the file, fewer at its end."""
        if self.is_whole:
            return self._whole[offset : offset + length]
        if self.is_ranged:
            return self._ranges.read(offset, length)
        return self._file_io.read_range(self._path, offset, length)

    def fetch(self, ranges: Iterable[Range]) -> None:
        """Request ranges at the same time, before they are read, if `is_ranged`; earlier ones are forgotten."""
        if self.is_ranged:
            self._ranges.fetch(ranges)

    @cached_property
    def _whole(self) -> bytes:
        return self._file_io.read_bytes(self._path)

    @cached_property
    def _ranges(self) -> FileRanges:
        return FileRanges(self._file_io, self._path, self.size, **self._ahead)
