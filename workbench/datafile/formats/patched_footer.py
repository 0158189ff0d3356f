"""A file whose last bytes are replaced by others when it is read."""

from __future__ import annotations

import io
from collections.abc import Callable


class PatchedFooterFile(io.RawIOBase):
    """The first ``kept`` bytes of a file, which ``read`` returns by offset and length, followed by ``tail``."""

    def __init__(self, read: Callable[[int, int], bytes], kept: int, tail: bytes) -> None:
        super().__init__()
        self._read = read
        self._kept = kept
        self._tail = tail
        self._place = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position of the next byte."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the position of the next byte."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._kept + len(self._tail)}[whence]
        self._place = max(0, start + offset)
        return self._place

    def read(self, size: int = -1) -> bytes:
        """Read up to ``size`` bytes, fewer only at the end."""
        end = self._kept + len(self._tail)
        if size >= 0:
            end = min(end, self._place + size)
        first = min(self._place, self._kept)
        middle = min(end, self._kept)
        data = self._read(first, middle - first) if first < middle else b""
        data += self._tail[max(0, self._place - self._kept) : max(0, end - self._kept)]
        self._place = max(self._place, end)
        return data
