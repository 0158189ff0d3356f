"""Copies of files of remote storages that never change, on the disk of this machine for all processes of a user.

A copy is named by the hash of what it is a copy of, and begins with the hash of its bytes, so that one that was damaged
or written half is not used. Only the user can read the directory.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import threading
import time
import uuid
import warnings
from collections.abc import Callable
from contextlib import suppress

from workbench.base.failed_reads import FAILED_READS
from workbench.base.session import session_options
from workbench.storage.file_io import FileIO, name
from workbench.storage.wrappers import DelegatingFileIO

# The names of files that are written once contain a random identifier.
_UNIQUE = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HASH_BYTES = 32
# The names of copies, also of those that are being written. The directory may contain other files, which are not ours.
_COPY = re.compile(r"[0-9a-f]{64}(\.[0-9a-f]{32}\.tmp)?")
# A file that was used this many seconds ago is not marked as used again.
_MARK_SECONDS = 60.0
# How much of the capacity a process writes before it looks for the least recently used files.
_SHARE_UNCHECKED = 0.05
_SHARE_KEPT = 0.9
# How long nothing is written after the disk was full.
_PAUSE_SECONDS = 60.0
_FULL = {errno.ENOSPC, errno.EDQUOT}


class DiskCache:
    """A directory with copies of files, of about ``capacity`` bytes. Processes may share it.

    Example:
        >>> cache = DiskCache(directory, capacity=1 << 30)
        >>> cache.get_or_load("s3.amazonaws.com s3://lake/f", lambda: b"content")
        b'content'
    """

    def __init__(self, directory: str, capacity: int) -> None:
        self.directory = directory
        self.capacity = capacity
        self._lock = threading.Lock()
        self._unchecked = float("inf")
        self._paused_until = 0.0
        self._is_private = False

    def get_or_load(self, key: str, load: Callable[[], bytes], *, refresh: bool = False) -> bytes:
        """Return the bytes of ``key``: those of the cache, or those that ``load`` returns, which are kept.

        Args:
            key: What identifies the bytes everywhere and forever.
            load: Returns the bytes.
            refresh: Whether to load them even if the cache has them.
        """
        path = self._path(key)
        kept = None if refresh else self._read(path)
        if kept is not None:
            return kept
        data = load()
        if len(data) <= self.capacity * _SHARE_UNCHECKED and time.monotonic() >= self._paused_until:
            self._write(path, data)
        return data

    def _path(self, key: str) -> str:
        digest = hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()
        return os.path.join(self.directory, digest[:2], digest)

    def _read(self, path: str) -> bytes | None:
        try:
            with open(path, "rb") as file:
                content = file.read()
                used = os.fstat(file.fileno()).st_mtime
        except OSError:
            # A file that cannot be read is loaded again, whatever the reason.
            return None
        data = content[_HASH_BYTES:]
        if hashlib.sha256(data).digest() != content[:_HASH_BYTES]:
            with suppress(OSError):
                os.unlink(path)
            return None
        if time.time() - used > _MARK_SECONDS:
            with suppress(OSError):
                os.utime(path)
        return data

    def _write(self, path: str, data: bytes) -> None:
        temporary = f"{path}.{uuid.uuid4().hex}.tmp"
        try:
            self._make_private()
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(hashlib.sha256(data).digest())
                file.write(data)
            os.replace(temporary, path)
        except OSError as error:
            with suppress(OSError):
                os.unlink(temporary)
            self._paused_until = time.monotonic() + _PAUSE_SECONDS
            if error.errno not in _FULL:
                warnings.warn(
                    f"Files are not kept in the disk cache {self.directory}: {error.strerror}. "
                    "Set wb.options.disk_cache to another directory, or to None.",
                    stacklevel=2,
                )
            return
        self._count(len(data))

    def _make_private(self) -> None:
        """Create the directory for the user alone.

        Raises:
            PermissionError: It belongs to another user.
        """
        if self._is_private:
            return
        os.makedirs(self.directory, mode=0o700, exist_ok=True)
        found = os.stat(self.directory)
        if hasattr(os, "getuid") and found.st_uid != os.getuid():
            raise PermissionError(errno.EPERM, "it belongs to another user", self.directory)
        if stat.S_IMODE(found.st_mode) & 0o077:
            os.chmod(self.directory, 0o700)
        self._is_private = True

    def _count(self, size: int) -> None:
        with self._lock:
            self._unchecked += size
            if self._unchecked < self.capacity * _SHARE_UNCHECKED:
                return
            self._unchecked = 0
        self._remove_oldest()

    def _remove_oldest(self) -> None:
        """Remove the least recently used files if there are too many; other processes may do the same."""
        files = sorted(self._files(), reverse=True)
        size = sum(each for _, each, _ in files)
        if size <= self.capacity:
            return
        while files and size > self.capacity * _SHARE_KEPT:
            _, removed, path = files.pop()
            size -= removed
            with suppress(OSError):
                os.unlink(path)

    def _files(self) -> list[tuple[float, int, str]]:
        """Return the time of the last use, the size and the path of all copies."""
        found = []
        for shard in range(256):
            with suppress(OSError):
                for each in os.scandir(os.path.join(self.directory, f"{shard:02x}")):
                    if _COPY.fullmatch(each.name):
                        with suppress(OSError):
                            status = each.stat()
                            found.append((status.st_mtime, status.st_size, each.path))
        return found


_opened: dict[tuple[str, int], DiskCache] = {}


def disk_cache() -> DiskCache | None:
    """Return the cache that the session's options set, None if there is none."""
    directory = session_options.disk_cache
    if directory is None:
        return None
    # A directory below it, because only the user may read it, and the user may have other files there.
    key = (os.path.join(os.path.expanduser(directory), "copies"), session_options.disk_cache_bytes)
    return _opened.setdefault(key, DiskCache(*key))


class DiskCachedFileIO(DelegatingFileIO):
    """Storage whose files are kept on the disk of this machine, if their names say that they are written once.

    Args:
        inner: The storage.
        server: The name of its server: the same path elsewhere is another file.
    """

    def __init__(self, inner: FileIO, server: str) -> None:
        super().__init__(inner)
        self._server = server

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file."""
        return self._kept(path, "", lambda: self.inner.read_bytes(path))

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Read ``length`` bytes from ``offset``."""
        return self._kept(path, f" {offset}+{length}", lambda: self.inner.read_range(path, offset, length))

    def _kept(self, path: str, part: str, load: Callable[[], bytes]) -> bytes:
        cache = disk_cache() if _UNIQUE.search(name(path)) else None
        if cache is None:
            return load()
        # A file that could not be read may have been repaired.
        failed = FAILED_READS.find(path) is not None
        return cache.get_or_load(f"{self._server} {path}{part}", load, refresh=failed)
