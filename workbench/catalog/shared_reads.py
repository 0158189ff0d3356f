"""Reads that several requests of a server have in common: each is sent once while it is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, TypeVar

from workbench.catalog.catalog import Catalog
from workbench.storage.file_io import FileIO, FileStatus, InputFile
from workbench.storage.wrappers import DelegatingFileIO

Result = TypeVar("Result")


class SharedReads(DelegatingFileIO):
    """The storage ``inner``, except that threads that read the same at the same time wait for one answer.

    A thread may get the answer to a request that was sent a moment before. This is right for showing a table, and wrong
    for committing to it: a writer must see what it has written.
    """

    def __init__(self, inner: FileIO) -> None:
        super().__init__(inner)
        self._lock = threading.Lock()
        self._sent: dict[Hashable, Future[Any]] = {}

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file."""
        return self._shared(("read_bytes", path), lambda: self.inner.read_bytes(path))

    def exists(self, path: str) -> bool:
        """Return whether a file or directory exists."""
        return self._shared(("exists", path), lambda: self.inner.exists(path))

    def status(self, path: str) -> FileStatus | None:
        """Return the size, time and type of a file or directory, or None if the path does not exist."""
        return self._shared(("status", path), lambda: self.inner.status(path))

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        """Return the files and directories directly in the directory."""
        return list(self._shared(("list_files", path, prefix), lambda: self.inner.list_files(path, prefix)))

    def list_few(self, path: str, prefix: str = "") -> list[FileStatus] | None:
        """Return what `list_files` does if one request is enough for it."""
        few = self._shared(("list_few", path, prefix), lambda: self.inner.list_few(path, prefix))
        return None if few is None else list(few)

    def open_input(self, path: str) -> InputFile:
        """Open a file for random access, without a wrapper around its reads."""
        return self.inner.open_input(path)

    def _shared(self, key: Hashable, read: Callable[[], Result]) -> Result:
        with self._lock:
            sent = self._sent.get(key)
            answer: Future[Result] = Future() if sent is None else sent
            self._sent[key] = answer
        if sent is None:
            try:
                answer.set_result(read())
            except BaseException as error:  # noqa: BLE001 - raised on every thread that waits for it
                answer.set_exception(error)
            finally:
                with self._lock:
                    del self._sent[key]
        return answer.result()


def with_shared_reads(catalog: Catalog) -> Catalog:
    """Return a catalog for showing its tables. If its storage is not local, reads are shared between threads."""
    catalog.metastore.storages.wrap(lambda storage: storage if storage.is_local else SharedReads(storage))
    return catalog
