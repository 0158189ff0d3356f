"""Catalog locks, for storages whose `FileIO.put_if_absent` is not reliable.

Implementations:

* `NoLock`: local file systems and object stores with conditional writes, if all writers use this library or another one
  that creates snapshots by put-if-absent. The usual case.
* `LocalFileLock`: all writers run on machines that share ``directory`` on a file system with working locks (a local
  disk, NFS 4), and the storage has no put-if-absent. It excludes only writers that use the same lock, which Java Paimon
  does not. Enabled by the catalog options ``lock.enabled`` = ``true``, ``lock.type`` = ``local-file`` and
  ``lock.directory``.
* `UnsupportedLock`: used in place of locks that only Java engines support. Tables can be read; a commit is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol
from urllib.parse import quote

from workbench.base.clock import Clock, SystemClock
from workbench.base.errors import CatalogError, Unsupported

LOCAL_FILE = "local-file"
_POLL_SECONDS = 0.02


class CatalogLock(Protocol):
    """Lock that allows one writer at a time to publish to a table (format §4.2)."""

    def lock(self, database: str, table: str) -> AbstractContextManager[None]:
        """Hold the table's lock for the duration of a ``with`` block. Not reentrant."""
        ...


class NoLock:
    """No lock: the storage decides which writer was first."""

    @contextmanager
    def lock(self, database: str, table: str) -> Iterator[None]:  # noqa: ARG002
        """Return immediately."""
        yield


class UnsupportedLock:
    """A lock that other writers of the catalog use and this library does not support."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def lock(self, database: str, table: str) -> AbstractContextManager[None]:
        """Raise Unsupported: a commit without the lock might overwrite commits of other writers."""
        raise Unsupported(
            f"{database}.{table} cannot be written: option 'lock.type' = '{self._kind}' is not supported.",
            f"Use '{LOCAL_FILE}' with 'lock.directory', or remove 'lock.enabled' if there are no other writers.",
        )


class LocalFileLock:
    """One lock file per table in ``directory``, held with ``flock``: the kernel releases it when its holder terminates.

    ``timeout`` is in seconds. Unix only.
    """

    def __init__(self, directory: str, timeout: float = 60.0, clock: Clock | None = None) -> None:
        self._directory = directory
        self._timeout = timeout
        self._clock = clock or SystemClock()

    @contextmanager
    def lock(self, database: str, table: str) -> Iterator[None]:
        """Hold the lock of a table, against other threads and processes.

        Raises:
            CatalogError: The lock was not free within the timeout.
        """
        import fcntl

        os.makedirs(self._directory, exist_ok=True)
        # Quoted names contain no '@', so two tables never share a file. The file is kept: if it were deleted, a third
        # writer could lock a new file of the same name while the second still waits for the old one.
        path = os.path.join(self._directory, f"{quote(database, safe='')}@{quote(table, safe='')}.lock")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            deadline = self._clock.monotonic() + self._timeout
            while not _try_lock(fcntl.flock, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB):
                if self._clock.monotonic() >= deadline:
                    raise CatalogError(
                        f"The lock of {database}.{table} was not free within {self._timeout:g} s.",
                        f"Another writer holds {path}; try again when it has finished.",
                    )
                self._clock.sleep(_POLL_SECONDS)
            yield
        finally:
            os.close(descriptor)


def lock_for(options: Mapping[str, str]) -> CatalogLock:
    """Return the lock that the options of a catalog configure."""
    if options.get("lock.enabled", "false").strip().lower() != "true":
        return NoLock()
    kind, directory = options.get("lock.type", ""), options.get("lock.directory")
    return LocalFileLock(directory) if kind == LOCAL_FILE and directory else UnsupportedLock(kind)


def _try_lock(flock: object, descriptor: int, flags: int) -> bool:
    try:
        flock(descriptor, flags)  # type: ignore[operator]
    except BlockingIOError:
        return False
    return True
