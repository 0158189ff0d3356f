"""Files that two readers read at about the same pace: each piece is read once and delivered to both."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from itertools import islice
from threading import RLock

import pyarrow as pa

from workbench.format.spec.data_file import DataFileMeta

# Pieces of at most this many bytes wait for the slower reader; beyond that, it reads the file itself.
_MOST_BYTES = 64 << 20

Pieces = Iterator[pa.Table]
Read = Callable[[], Pieces]


class _SharedFile:
    """A file with two readers. ``waiting[reader]`` holds the pieces that only the other reader has received; None if
    the reader has stopped, or continues by itself with another ``read``."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self.source = read()
        self.waiting: list[deque[pa.Table] | None] = [deque(), deque()]


class SharedFiles:
    """The files with the given names, each read once for two readers. Thread-safe."""

    def __init__(self, names: Container[tuple[str, str | None]]) -> None:
        self._names = names
        # Reentrant, because an abandoned reader may be finalized by a thread that holds the lock.
        self._lock = RLock()
        self._with_one_reader: dict[Hashable, _SharedFile] = {}
        self._bytes = 0

    def pieces(self, file: DataFileMeta, columns: Sequence[str], read: Read) -> Pieces:
        """Return columns of a file. They are read by ``read`` unless the other reader has already read them."""
        name = file.file_name, file.external_path
        if name not in self._names:
            return read()
        with self._lock:
            known = self._with_one_reader.pop((name, frozenset(columns)), None)
            if known is None:
                new = self._with_one_reader[name, frozenset(columns)] = _SharedFile(read)
                return self._pieces(new, 0)
        return (piece.select(list(columns)) for piece in self._pieces(known, 1))

    def _pieces(self, file: _SharedFile, reader: int) -> Pieces:
        received = 0
        try:
            while True:
                with self._lock:
                    if file.waiting[reader] is None:
                        break
                    piece = self._next(file, reader)
                if piece is None:
                    return
                received += 1
                yield piece
        finally:
            self._leave(file, reader)
        yield from islice(file.read(), received, None)

    def _next(self, file: _SharedFile, reader: int) -> pa.Table | None:
        if mine := file.waiting[reader]:
            piece = mine.popleft()
            self._bytes -= piece.nbytes
            return piece
        other = 1 - reader
        try:
            piece = next(file.source, None)
        except BaseException:
            # A reader that failed or was interrupted has ended, which the other reader must not mistake for the end of
            # the file.
            self._leave(file, other)
            raise
        if piece is not None and (theirs := file.waiting[other]) is not None:
            theirs.append(piece)
            self._bytes += piece.nbytes
            if self._bytes > _MOST_BYTES:
                self._leave(file, other)
        return piece

    def _leave(self, file: _SharedFile, reader: int) -> None:
        with self._lock:
            self._bytes -= sum(piece.nbytes for piece in file.waiting[reader] or ())
            file.waiting[reader] = None
