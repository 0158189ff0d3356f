"""Changelog files that Flink has concatenated into one file (option ``precommit-compact``).

The first changelog file gives the packed file its name, ``<name>$<bucket>-<length>.cc-<format>``. All others are
recorded with their own position appended, ``<name>$<bucket>-<length>-<offset>-<length>.cc-<format>``, although they are
stored in the bucket of the first (`CompactedChangelogPathResolver`).
"""

from __future__ import annotations

import io
import re

from workbench.base.errors import CorruptFile
from workbench.metadata.store import TableStore
from workbench.storage.file_io import FileIO, FileStatus, InputFile, join, name, parent
from workbench.storage.wrappers import DelegatingFileIO

_NAME = re.compile(
    r"(?P<first>[^$]+\$(?P<bucket>[0-9]+)-(?P<length>[0-9]+))(-(?P<offset>[0-9]+)-(?P<size>[0-9]+))?(?P<format>\.cc-\w+)"
)


def over_packed(store: TableStore, path: str) -> tuple[TableStore, int]:
    """Return the store in which the packed file ``path`` appears as a separate file, and the size of that file.

    Raises:
        CorruptFile: The name does not contain its position.
    """
    matched = _NAME.fullmatch(name(path))
    if matched is None:
        raise CorruptFile(path, "its name does not contain its position in the packed file")
    if matched["offset"] is None:
        size = int(matched["length"])
        return store.with_file_io(_ByteRangeFileIO(store.file_io, path, path, 0, size)), size
    size = int(matched["size"])
    containing = join(parent(parent(path)), f"bucket-{matched['bucket']}", matched["first"] + matched["format"])
    stretch = _ByteRangeFileIO(store.file_io, path, containing, int(matched["offset"]), size)
    return store.with_file_io(stretch), size


class _ByteRangeFileIO(DelegatingFileIO):
    """A store in which one path refers to a byte range of another file. Such files are small, so they are read as a
    whole."""

    def __init__(self, inner: FileIO, path: str, containing: str, offset: int, length: int) -> None:
        super().__init__(inner)
        self._path = path
        self._containing = containing
        self._offset = offset
        self._length = length

    def read_bytes(self, path: str) -> bytes:
        """Read the byte range."""
        if path != self._path:
            return super().read_bytes(path)
        return super().read_range(self._containing, self._offset, self._length)

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Read ``length`` bytes from ``offset`` of the byte range."""
        if path != self._path:
            return super().read_range(path, offset, length)
        return self.read_bytes(path)[offset : offset + length]

    def open_input(self, path: str) -> InputFile:
        """Open the byte range for random access."""
        return io.BytesIO(self.read_bytes(path)) if path == self._path else super().open_input(path)

    def status(self, path: str) -> FileStatus | None:
        """Return the status of the file that contains the byte range."""
        return super().status(self._containing if path == self._path else path)
