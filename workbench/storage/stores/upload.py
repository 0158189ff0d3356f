"""A new file of an object store: a small one is sent whole, in one request, when it is closed."""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any

# Larger files are sent in parts while they are written.
_WHOLE_BYTES = 8 << 20


class CountedOutput(io.RawIOBase):
    """A new file that knows its position from the bytes that were written to it."""

    def __init__(self) -> None:
        super().__init__()
        self._written = 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any, /) -> int:
        """Append data."""
        size = memoryview(data).nbytes
        self._append(data, size)
        self._written += size
        return size

    def tell(self) -> int:
        """Return the number of bytes written so far."""
        return self._written

    def __del__(self) -> None:
        # IOBase would close the file here, and so complete a file that its writer never completed.
        return

    @abstractmethod
    def _append(self, data: Any, size: int) -> None:
        """Pass on bytes, of which there are ``size``."""


class Upload(CountedOutput):
    """A file that becomes visible when it is closed, unless a part of it could not be sent: then, it never does.

    Args:
        put: Sends a whole file.
        begin: Opens a file that is sent in parts.
    """

    def __init__(self, put: Callable[[bytes], None], begin: Callable[[], Any]) -> None:
        super().__init__()
        self._put = put
        self._begin = begin
        self._waiting = bytearray()
        self._parts: Any = None
        self._failure: BaseException | None = None

    def _append(self, data: Any, size: int) -> None:
        if self._failure is not None:
            # A writer may try to finish the file: the cause remains that of the first error.
            raise self._failure
        if self._parts is None and len(self._waiting) + size <= _WHOLE_BYTES:
            self._waiting += data
        else:
            self._send(data)

    def close(self) -> None:
        """Finish the file; do nothing if a part of it was not sent, whose error was raised then."""
        if self.closed:
            return
        super().close()
        if self._failure is not None:
            return
        if self._parts is None:
            self._put(bytes(self._waiting))
        else:
            self._sent(self._parts.close)

    def _send(self, data: Any) -> None:
        if self._parts is None:
            self._sent(self._begin_parts)
            self._waiting.clear()
        self._sent(lambda: self._parts.write(data))

    def _begin_parts(self) -> None:
        self._parts = self._begin()
        self._parts.write(bytes(self._waiting))

    def _sent(self, send: Callable[[], Any]) -> None:
        """Send a part. If this fails, the parts that the store already has are removed."""
        try:
            send()
        except BaseException as error:
            self._failure = error
            # The error of the upload explains more than that of its removal.
            with suppress(Exception):
                self._parts.discard()
            raise
