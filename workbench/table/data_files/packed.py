"""Changelog files that Flink has put one behind the other into one file (option ``precommit-compact``).

The first of them gives the file its name, ``<name>$<bucket>-<length>.cc-<format>``. The others are told as files of
that name with their own place behind it, ``<name>$<bucket>-<length>-<offset>-<length>.cc-<format>``, though they lie in
the bucket of the first (`CompactedChangelogPathResolver`).
"""

from __future__ import annotations

import io
import re
from dataclasses import replace

from workbench.base.errors import CorruptFile
from workbench.storage.file_io import FileIO, FileStatus, InputFile, join, name, parent
from workbench.storage.wrappers import DelegatingFileIO
from workbench.table.store import TableStore

_NAME = re.compile(
    r"(?P<first>[^$]+\$(?P<bucket>[0-9]+)-(?P<length>[0-9]+))(-(?P<offset>[0-9]+)-(?P<size>[0-9]+))?(?P<format>\.cc-\w+)"
)


def over_packed(store: TableStore, path: str) -> TableStore:
    """The store, in which the packed file ``path`` is one of its own.

    Raises:
        CorruptFile: the name does not tell its place.
    """
    told = _NAME.fullmatch(name(path))
    if told is None:
        raise CorruptFile(path, "its name does not tell where it lies")
    if told["offset"] is None:
        return replace(store, file_io=_OneStretch(store.file_io, path, path, 0, int(told["length"])))
    lies_in = join(parent(parent(path)), f"bucket-{told['bucket']}", told["first"] + told["format"])
    stretch = _OneStretch(store.file_io, path, lies_in, int(told["offset"]), int(told["size"]))
    return replace(store, file_io=stretch)


class _OneStretch(DelegatingFileIO):
    """A store in which one path stands for some bytes of another file. Such files are small, so they are read whole."""

    def __init__(self, inner: FileIO, path: str, lies_in: str, offset: int, length: int) -> None:
        super().__init__(inner)
        self._path = path
        self._lies_in = lies_in
        self._offset = offset
        self._length = length

    def read_bytes(self, path: str) -> bytes:
        """The bytes of the stretch."""
        if path != self._path:
            return super().read_bytes(path)
        return super().read_range(self._lies_in, self._offset, self._length)

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """``length`` bytes from ``offset`` of the stretch."""
        if path != self._path:
            return super().read_range(path, offset, length)
        return self.read_bytes(path)[offset : offset + length]

    def open_input(self, path: str) -> InputFile:
        """The stretch, open for random access."""
        return io.BytesIO(self.read_bytes(path)) if path == self._path else super().open_input(path)

    def status(self, path: str) -> FileStatus | None:
        """That of the file it lies in."""
        return super().status(self._lies_in if path == self._path else path)
