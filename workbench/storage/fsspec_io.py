"""Storages that fsspec supports; `workbench.storage.stores` has what distinguishes them."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

import pyarrow as pa

from workbench.storage.file_io import FileStatus, InputFile, OutputFile, join, name, parent

Result = TypeVar("Result")


class FsspecFileIO:
    """A storage with directories behind an fsspec file system.

    Args:
        file_system: The file system of fsspec.
    """

    is_local = False
    supports_put_if_absent = False

    def __init__(self, file_system: Any) -> None:
        self._files = file_system

    def check_writable(self) -> None:
        """Do nothing: changes are possible."""

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file."""
        return bytes(self._files.cat_file(path))

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Read ``length`` bytes from ``offset``, or fewer if the file ends earlier."""
        return bytes(self._files.cat_file(path, start=offset, end=offset + length)) if length > 0 else b""

    def open_input(self, path: str) -> InputFile:
        """Open a file for random access."""
        opened: InputFile = pa.PythonFile(self._files.open(path, "rb"), mode="r")
        return opened

    def open_output(self, path: str) -> OutputFile:
        """Open a new file."""
        opened: OutputFile = self._with_parents(path, lambda: self._files.open(path, "wb"))
        return opened

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write or replace a whole file."""
        self._with_parents(path, lambda: self._files.pipe_file(path, data))

    def overwrite_atomic(self, path: str, data: bytes) -> None:
        """Replace a whole file; it may briefly be visible in an incomplete state."""
        self.write_bytes(path, data)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """Create a complete file if there is none: here two writers may both win."""
        if self.exists(path):
            return False
        self.write_bytes(path, data)
        return True

    def exists(self, path: str) -> bool:
        """Return whether a file or directory exists. Unlike in fsspec, no response from the storage is an error."""
        return self.status(path) is not None

    def status(self, path: str) -> FileStatus | None:
        """Return the size, time and type of a file or directory, or None if the path does not exist."""
        self._files.invalidate_cache()
        try:
            return _status(path, self._files.info(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        """Return the files and directories directly in the directory, sorted by name."""
        self._files.invalidate_cache()
        try:
            entries = self._entries(path, prefix)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return self._listed(path, prefix, entries)

    def list_few(self, path: str, prefix: str = "") -> list[FileStatus] | None:
        """Return what `list_files` does."""
        return self.list_files(path, prefix)

    def _listed(self, path: str, prefix: str, entries: Sequence[Mapping[str, Any]]) -> list[FileStatus]:
        own = str(self._files._strip_protocol(path)).rstrip("/")
        inside = ((str(info["name"]).rstrip("/"), info) for info in entries)
        # Some storages list the directory itself, or the file if `path` is one.
        listed = [_status(join(path, name(full)), info) for full, info in inside if full != own]
        return sorted((each for each in listed if each.name.startswith(prefix)), key=lambda status: status.path)

    def _entries(self, path: str, prefix: str) -> Sequence[Mapping[str, Any]]:  # noqa: ARG002
        """Return what fsspec knows about the files in a directory, at least of those with the prefix."""
        entries: Sequence[Mapping[str, Any]] = self._files.ls(path, detail=True)
        return entries

    def delete(self, path: str, missing_ok: bool = True) -> None:
        """Delete one file. Some stores do not report whether it existed, so ``missing_ok=False`` checks first."""
        if not missing_ok and not self.exists(path):
            raise FileNotFoundError(errno.ENOENT, "No such file", path)
        with suppress(FileNotFoundError):
            self._files.rm_file(path)

    def delete_directory(self, path: str) -> None:
        """Delete a directory with its content."""
        self._files.invalidate_cache()
        with suppress(FileNotFoundError):
            if any(sign in path for sign in "*?["):
                # fsspec would interpret the path as a pattern and delete other files.
                for file in self._files.find(path):
                    self._files.rm_file(file)
            else:
                self._files.rm(path, recursive=True)

    def delete_empty_directory(self, path: str) -> bool:
        """Delete an empty directory."""
        self._files.invalidate_cache()
        status = self.status(path)
        if status is None or not status.is_directory:
            return False
        try:
            self._files.rmdir(path)
        except OSError:
            # Another process may have added a file to it, or deleted it.
            if self.list_files(path) or not self.exists(path):
                return False
            raise
        return True

    def make_directory(self, path: str) -> None:
        """Create a directory and its parents."""
        self._files.makedirs(path, exist_ok=True)

    def rename(self, source: str, target: str) -> None:
        """Move to an unused name."""
        status = self.status(source)
        if status is None:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", source)
        if self.exists(target):
            raise FileExistsError(errno.EEXIST, "The target already exists", target)
        self._move(status, target)

    def _move(self, source: FileStatus, target: str) -> None:
        self._with_parents(target, lambda: self._files.mv(source.path, target))

    def _with_parents(self, path: str, create: Callable[[], Result]) -> Result:
        try:
            return create()
        except FileNotFoundError:
            self._files.makedirs(parent(path), exist_ok=True)
            return create()


def _status(path: str, info: Mapping[str, Any]) -> FileStatus:
    is_directory = info.get("type") == "directory"
    size = 0 if is_directory else int(info.get("size") or 0)
    version = info.get("ETag") or info.get("etag")
    return FileStatus(path, size, _modified_millis(info), is_directory, None if version is None else str(version))


def _modified_millis(info: Mapping[str, Any]) -> int:
    """Return the modification time, which each storage provides under a different name and as a different type."""
    keys = (
        "LastModified",
        "last_modified",
        "mtime",
        "updated",
        "modificationTime",
        "modification_time",
        "modified",
        "created",
    )
    value = next((info[key] for key in keys if info.get(key) is not None), None)
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        return int(aware.timestamp() * 1000)
    if isinstance(value, int | float):
        # Hadoop counts milliseconds, POSIX seconds.
        return int(value if value > 1e11 else value * 1000)
    return 0
