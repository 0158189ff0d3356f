"""Local files with the standard library and pyarrow only, so that Spark tasks need no other package."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.ids import IdSource, RandomIds
from workbench.base.modules import shutil
from workbench.storage.file_io import FileStatus, InputFile, OutputFile, join, local_path

Result = TypeVar("Result")

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
_NO_RENAME_FLAGS = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
_WORKING_DIRECTORY = -100
_RENAME_NOREPLACE = 1


class LocalFileIO:
    """Files of this machine, or of file systems that it mounts. ``ids`` names temporary files.

    `put_if_absent` is reliable between processes too: the bytes are written and synced under a temporary name, which is
    then linked to the final name; the kernel refuses the link if the final name exists.
    """

    is_local = True
    supports_put_if_absent = True

    def __init__(self, ids: IdSource | None = None) -> None:
        self._ids = ids or RandomIds()

    def check_writable(self) -> None:
        """Do nothing: changes are possible."""

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file."""
        with open(local_path(path), "rb") as file:
            return file.read()

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Read ``length`` bytes from ``offset``, or fewer if the file ends earlier."""
        with open(local_path(path), "rb", buffering=0) as file:
            parts = []
            while length > 0 and (part := os.pread(file.fileno(), length, offset)):
                parts.append(part)
                offset += len(part)
                length -= len(part)
            return b"".join(parts)

    def open_input(self, path: str) -> InputFile:
        """Open the file, memory mapped."""
        opened: InputFile = pa.memory_map(local_path(path), "r")
        return opened

    def open_output(self, path: str) -> OutputFile:
        """Open a new file under its final name; Arrow writes to it without holding the interpreter lock."""
        target = local_path(path)
        opened: OutputFile = _with_parents(target, lambda: pa.OSFile(target, "wb"))
        return opened

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write or replace a whole file."""
        target = local_path(path)
        with _with_parents(target, lambda: open(target, "wb")) as file:
            file.write(data)

    def overwrite_atomic(self, path: str, data: bytes) -> None:
        """Replace a file atomically, without syncing it to disk: an empty hint after a power failure is harmless."""
        target = local_path(path)
        with self._temporary(target, data, sync=False) as temporary:
            os.replace(temporary, target)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """Create a complete file if there is none (format §4.2).

        Raises:
            Unsupported: The file system has neither hard links nor a rename that refuses to replace.
        """
        target = local_path(path)
        if os.path.lexists(target):
            return False
        with self._temporary(target, data, sync=True) as temporary:
            return _publish(temporary, target)

    def exists(self, path: str) -> bool:
        """Return whether a file or directory exists."""
        return self.status(path) is not None

    def status(self, path: str) -> FileStatus | None:
        """Return the size, time and type of a file or directory, or None if the path does not exist."""
        return _status(path, local_path(path))

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        """Return the files and directories directly in the directory, sorted by name. Files that are deleted
        concurrently are left out."""
        directory = local_path(path)
        try:
            names = sorted(name for name in os.listdir(directory) if name.startswith(prefix))
        except (FileNotFoundError, NotADirectoryError):
            return []
        statuses = (_status(join(path, name), os.path.join(directory, name)) for name in names)
        return [status for status in statuses if status is not None]

    def list_few(self, path: str, prefix: str = "") -> list[FileStatus] | None:
        """Return what `list_files` does."""
        return self.list_files(path, prefix)

    def delete(self, path: str, missing_ok: bool = True) -> None:
        """Delete one file."""
        try:
            os.unlink(local_path(path))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def delete_directory(self, path: str) -> None:
        """Delete a directory with its content, even if others delete in it concurrently."""
        directory = local_path(path)
        while os.path.lexists(directory):
            with suppress(FileNotFoundError):
                shutil.rmtree(directory)

    def delete_empty_directory(self, path: str) -> bool:
        """Delete an empty directory."""
        try:
            os.rmdir(local_path(path))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            return False
        return True

    def make_directory(self, path: str) -> None:
        """Create a directory and its parents."""
        os.makedirs(local_path(path), exist_ok=True)

    def rename(self, source: str, target: str) -> None:
        """Move a file or directory to an unused name."""
        old, new = local_path(source), local_path(target)
        if not os.path.lexists(old):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source)
        try:
            free = _with_parents(new, lambda: _rename_no_replace(old, new))
        except Unsupported:
            free = not os.path.lexists(new)
            if free:
                os.rename(old, new)
        if not free:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)

    @contextmanager
    def _temporary(self, target: str, data: bytes, sync: bool) -> Iterator[str]:
        """Write ``data`` to a temporary file in the directory of ``target``, named as in Java (format §4.2). It is
        deleted at the end."""
        directory, file_name = os.path.split(target)
        temporary = os.path.join(directory, f".{file_name}.{self._ids.uuid()}.tmp")
        try:
            with _with_parents(temporary, lambda: open(temporary, "xb")) as file:
                file.write(data)
                if sync:
                    file.flush()
                    os.fsync(file.fileno())
            yield temporary
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


def _with_parents(path: str, create: Callable[[], Result]) -> Result:
    """Run ``create``; if the directory of ``path`` is missing, make it and try again. This is free if it exists."""
    try:
        return create()
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return create()


def _status(path: str, local: str) -> FileStatus | None:
    try:
        result = os.stat(local)
    except (FileNotFoundError, NotADirectoryError):
        try:
            # A dangling symbolic link is still an entry, which code that cleans up has to see.
            result = os.lstat(local)
        except (FileNotFoundError, NotADirectoryError):
            return None
    is_directory = stat.S_ISDIR(result.st_mode)
    return FileStatus(path, 0 if is_directory else result.st_size, result.st_mtime_ns // 1_000_000, is_directory)


def _publish(temporary: str, target: str) -> bool:
    """Give the file its final name unless that name exists, and return whether this succeeded. The temporary name may
    remain."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        # Over NFS, the response to a successful link can be lost and the repeated request refused: then both names
        # refer to the same file.
        try:
            return os.path.samefile(temporary, target)
        except FileNotFoundError:
            return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return _rename_no_replace(temporary, target)
    return True


def _rename_no_replace(source: str, target: str) -> bool:
    """Rename with Linux's ``renameat2(RENAME_NOREPLACE)``; return False if ``target`` exists."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    code = errno.ENOSYS
    if rename is not None:
        if (
            rename(_WORKING_DIRECTORY, os.fsencode(source), _WORKING_DIRECTORY, os.fsencode(target), _RENAME_NOREPLACE)
            == 0
        ):
            return True
        code = ctypes.get_errno()
    if code == errno.EEXIST:
        return False
    if code in _NO_RENAME_FLAGS:
        raise Unsupported(
            f"The file system of {target} has neither hard links nor a rename that refuses to replace.",
            "Use a catalog lock, or move the warehouse to another file system.",
        )
    raise OSError(code, os.strerror(code), target)
