"""A file system of fsspec whose server may be dead, slow or busy: requests fail soon, with an error that says why."""

from __future__ import annotations

import io
import random
import socket
import threading
import time
import weakref
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from workbench.storage.stores.failures import UNREACHABLE, Failure, failure_of, storage_error

Result = TypeVar("Result")

# Seconds without an answer, after which the server is tried by opening a connection to it.
_PATIENCE = 3.0
_CONNECT_SECONDS = 3.0
# Seconds for an answer, plus the time that its bytes take at this rate, in bytes per second.
_ANSWER_SECONDS = 8.0
_LEAST_RATE = 256 << 10
# The size of files that are read whole without knowing it.
_ASSUMED_BYTES = 8 << 20
# How often a request is sent that the storage refuses because it is busy, and the seconds before the second time.
_TRIES = 6
_FIRST_PAUSE = 0.2
_PORTS = {"http": 80, "https": 443}
_REQUESTS = {"call_s3", "cp_file", "find", "info", "ls", "makedirs", "mv", "rm", "rm_file", "rmdir"}


@dataclass(frozen=True)
class Endpoint:
    """The server of a storage. ``host`` is its name in messages; ``url`` is its address, None if it is not known."""

    host: str
    url: str | None = None

    def is_reachable(self) -> bool:
        """Return whether the server, or the proxy in front of it, accepts connections."""
        if self.url is None:
            return True
        parts = urlsplit(self.url)
        proxy = getproxies().get(parts.scheme)
        parts = urlsplit(proxy) if proxy else parts
        try:
            with socket.create_connection(
                (parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 80)), _CONNECT_SECONDS
            ):
                return True
        except OSError:
            return False


class WatchedFileSystem:
    """A file system whose requests are watched; everything else is that of ``inner``."""

    def __init__(self, inner: Any, endpoint: Endpoint) -> None:
        self.inner = inner
        self._endpoint = endpoint

    @property
    def host(self) -> str:
        """The name of the server in messages."""
        return self._endpoint.host

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        if name not in _REQUESTS:
            return found
        return lambda *given, **named: self.request(lambda: found(*given, **named), _path_of(given, named))

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **named: Any) -> bytes:
        """Return the bytes of a file, or of a range of it."""
        size = _ASSUMED_BYTES if start is None or end is None else end - start
        return self.request(lambda: bytes(self.inner.cat_file(path, start=start, end=end, **named)), path, size)

    def pipe_file(self, path: str, data: bytes, **named: Any) -> Any:
        """Write a whole file."""
        return self.request(lambda: self.inner.pipe_file(path, data, **named), path, len(data))

    def open(self, path: str, mode: str = "rb", **named: Any) -> Any:
        """Open a file whose reads and writes are watched, too."""
        inner = self.request(lambda: self.inner.open(path, mode, **named), path)
        opened = _WatchedFile(inner, path, self)
        if mode != "rb":
            # Without this, the file of fsspec would complete itself when it is not needed any more.
            weakref.finalize(opened, _give_up, inner)
        return opened

    def request(self, send: Callable[[], Result], path: str, size: int = 0, *, repeats: bool = True) -> Result:
        """Return the answer of the storage to a request.

        Args:
            send: Sends it.
            path: The path in messages.
            size: The number of bytes that it transfers.
            repeats: Whether it may be sent again.

        Raises:
            StorageError: The storage cannot be reached, does not answer, or refuses the request.
        """
        for left in reversed(range(_TRIES if repeats else 1)):
            answer = self._answer(send, path, size)
            if answer.error is None:
                return answer.value
            if answer.failure is None:
                raise answer.error
            if not answer.failure.is_temporary or not left:
                raise storage_error(answer.failure, self.host, path, answer.error) from answer.error
            _pause(left)
        raise AssertionError("unreachable")

    def _answer(self, send: Callable[[], Result], path: str, size: int) -> _Answer[Result]:
        """Wait for the answer on another thread, which is left behind if there is none."""
        answer = _Answer(send)
        threading.Thread(target=copy_context().run, args=(answer.wait_for,), daemon=True).start()
        deadline = time.monotonic() + _ANSWER_SECONDS + size / _LEAST_RATE
        while not answer.done.wait(max(0.0, min(_PATIENCE, deadline - time.monotonic()))):
            if time.monotonic() >= deadline or not self._endpoint.is_reachable():
                raise storage_error(UNREACHABLE, self.host, path)
        return answer


def repeat_while_busy(send: Callable[[], Result]) -> Result:
    """Return the answer to a request inside of one that is watched, which is sent again while the storage is busy.

    Args:
        send: Sends a request that has the same effect once and twice.

    Raises:
        Exception: The error of the client, if the storage refuses the request for another reason, or stays busy.
    """
    for left in reversed(range(_TRIES)):
        try:
            return send()
        except Exception as error:
            failure = failure_of(error)
            if failure is None or not failure.is_temporary or not left:
                raise
        _pause(left)
    raise AssertionError("unreachable")


def _pause(left: int) -> None:
    """Wait before the next attempt, of which so many are left."""
    time.sleep(_FIRST_PAUSE * 2 ** (_TRIES - 1 - left) * random.uniform(0.5, 1.0))


class _Answer(Generic[Result]):
    """The outcome of a request."""

    def __init__(self, send: Callable[[], Result]) -> None:
        self.done = threading.Event()
        self.error: BaseException | None = None
        self.failure: Failure | None = None
        self._send = send
        self._value: list[Result] = []

    def wait_for(self) -> None:
        try:
            self._value.append(self._send())
        except BaseException as error:  # noqa: BLE001 - raised on the thread that waits.
            # There, it would be chained to an error that is being handled, which is not its cause.
            self.failure = failure_of(error)
            self.error = error
        finally:
            self.done.set()

    @property
    def value(self) -> Result:
        """What was returned."""
        return self._value[0]


class _WatchedFile(io.RawIOBase):
    """An opened file of a `WatchedFileSystem`.

    Writing is not repeated: a file that has sent a part of its data before an error would send it twice, and a file
    whose end could not be sent takes itself for closed.
    """

    def __init__(self, inner: Any, path: str, files: WatchedFileSystem) -> None:
        super().__init__()
        self._inner = inner
        self._path = path
        self._files = files

    @property
    def size(self) -> int | None:
        size: int | None = getattr(self._inner, "size", None)
        return size

    @property
    def _collected(self) -> int:
        """The bytes of earlier writes that the client has not sent yet."""
        buffer = getattr(self._inner, "buffer", None)
        return 0 if buffer is None else int(buffer.tell())

    def readable(self) -> bool:
        return bool(self._inner.readable())

    def writable(self) -> bool:
        return bool(self._inner.writable())

    def seekable(self) -> bool:
        return bool(self._inner.seekable())

    def read(self, size: int = -1, /) -> bytes:
        expected = size if size >= 0 else _ASSUMED_BYTES
        return bytes(self._files.request(lambda: self._inner.read(size), self._path, expected))

    def seek(self, offset: int, whence: int = 0, /) -> int:
        # Files of hdfs-native return nothing.
        self._inner.seek(offset, whence)
        return int(self._inner.tell())

    def tell(self) -> int:
        return int(self._inner.tell())

    def write(self, data: Any, /) -> int:
        size = memoryview(data).nbytes
        self._files.request(lambda: self._inner.write(data), self._path, self._collected + size, repeats=False)
        return size

    def flush(self) -> None:
        if not self.closed and self._inner.writable():
            self._files.request(self._inner.flush, self._path, self._collected, repeats=False)

    def __del__(self) -> None:
        # IOBase would close the file here, and so complete a file that its writer never completed.
        return

    def discard(self) -> None:
        """Give up a file that is written, with the parts that were sent."""
        try:
            self._files.request(self._inner.discard, self._path, repeats=False)
        finally:
            _give_up(self._inner)

    def close(self) -> None:
        if not self.closed:
            size = max(_ASSUMED_BYTES, self._collected)
            self._files.request(self._inner.close, self._path, size, repeats=not self._inner.writable())
        super().close()


def _give_up(file: Any) -> None:
    """Let a file that is written never be completed."""
    from fsspec.spec import AbstractBufferedFile

    if isinstance(file, AbstractBufferedFile):
        file.closed = True


def _path_of(given: tuple[Any, ...], named: dict[str, Any]) -> str:
    if given and isinstance(given[0], str) and "Key" not in named:
        return given[0]
    return "/".join(str(named[key]) for key in ("Bucket", "Key") if key in named)
