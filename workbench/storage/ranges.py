"""A file that is read by ranges, where every request takes long: few requests, sent at the same time."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence

from workbench.base.errors import CorruptFile
from workbench.base.parallel import parallel_map
from workbench.storage.file_io import FileIO

# A gap of this size takes less time than another request.
_GAP_BYTES = 1 << 20
# Larger ranges are requested in parts, at the same time.
_PART_BYTES = 8 << 20
_REQUESTS = 16
# What is read of the end of a file, where formats have their footers, and beyond a range that was not expected.
_TAIL_BYTES = 64 << 10
_AHEAD_BYTES = 1 << 20
_RECENT = 8

Range = tuple[int, int]
"""The offset and the length of bytes in a file."""


class FileRanges:
    """The bytes of a file, as far as they were requested. Ranges that are fetched together replace earlier ones.

    Args:
        file_io: The storage.
        path: The file.
        size: Its size in bytes.
        ahead: How many bytes are requested at least, where a range was not fetched before.
    """

    def __init__(self, file_io: FileIO, path: str, size: int, ahead: int = _AHEAD_BYTES) -> None:
        self._file_io = file_io
        self._path = path
        self.size = size
        self._ahead = ahead
        self._fetched: Sequence[tuple[int, bytes]] = ()
        self._tail: tuple[int, bytes] | None = None
        # Readers of several streams alternate between them.
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=_RECENT)

    def fetch(self, ranges: Iterable[Range]) -> None:
        """Request ranges at the same time, those close to each other together; earlier ones are forgotten.

        Raises:
            CorruptFile: The file is shorter than its size.
        """
        self._fetched = ()
        parts = [part for each in coalesced(ranges) for part in _parts(each)]
        self._fetched = parallel_map(lambda part: (part[0], self._request(*part)), parts, _REQUESTS)

    def read(self, offset: int, length: int) -> bytes:
        """Return bytes, which are requested unless they are known; fewer at the end of the file.

        Raises:
            CorruptFile: The file is shorter than its size.
        """
        pieces: list[bytes] = []
        end = min(offset + length, self.size)
        while offset < end:
            piece = self._known(offset, end) or self._unexpected(offset, end)
            pieces.append(piece)
            offset += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _known(self, offset: int, end: int) -> bytes:
        """Return the bytes from an offset as far as they are known."""
        index = bisect_right(self._fetched, offset, key=lambda part: part[0]) - 1
        fetched = [self._fetched[index]] if index >= 0 else []
        tail = [] if self._tail is None else [self._tail]
        for start, data in (*fetched, *tail, *self._recent):
            if start <= offset < start + len(data):
                return data[offset - start : end - start]
        return b""

    def _unexpected(self, offset: int, end: int) -> bytes:
        start = max(0, self.size - _TAIL_BYTES)
        if self._tail is None and offset >= start:
            self._tail = (start, self._request(start, self.size - start))
        else:
            length = min(max(end - offset, self._ahead), self.size - offset)
            self._recent.append((offset, self._request(offset, length)))
        return self._known(offset, end)

    def _request(self, offset: int, length: int) -> bytes:
        data = self._file_io.read_range(self._path, offset, length)
        if len(data) < length:
            raise CorruptFile(self._path, f"it ends at {offset + len(data):,} of the {self.size:,} bytes that it has")
        return data


def coalesced(ranges: Iterable[Range]) -> list[Range]:
    """Return ranges in their order, those with small gaps as one.

    Example:
        >>> coalesced([(5 << 20, 100), (0, 100), (200, 100)])
        [(0, 300), (5242880, 100)]
    """
    joined: list[Range] = []
    for offset, length in sorted(each for each in ranges if each[1] > 0):
        if joined and offset <= sum(joined[-1]) + _GAP_BYTES:
            start, before = joined[-1]
            joined[-1] = (start, max(before, offset + length - start))
        else:
            joined.append((offset, length))
    return joined


def _parts(whole: Range) -> list[Range]:
    offset, length = whole
    return [(offset + at, min(_PART_BYTES, length - at)) for at in range(0, length, _PART_BYTES)]


class RangedFile(io.RawIOBase):
    """Random access to `FileRanges`."""

    def __init__(self, ranges: FileRanges) -> None:
        super().__init__()
        self._ranges = ranges
        self._position = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Return up to ``size`` bytes from the current position."""
        wanted = self._ranges.size if size is None or size < 0 else size
        data = self._ranges.read(self._position, wanted)
        self._position += len(data)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move the current position."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._ranges.size}[whence]
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        """Return the current position."""
        return self._position
