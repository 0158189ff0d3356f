"""Storages that fsspec supports: object stores, HDFS, memory."""

from __future__ import annotations

import errno
import inspect
import io
import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

import pyarrow as pa

from workbench.base.errors import CatalogError
from workbench.storage.file_io import FileIO, FileStatus, InputFile, OutputFile, join, name, parent, scheme
from workbench.storage.store_options import store_arguments
from workbench.storage.wrappers import LockedFileIO

Result = TypeVar("Result")

# In these storages, directories are only prefixes of names and need not be created before a file.
_OBJECT_STORES = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oss", "memory"}
_S3 = {"s3", "s3a"}
# Storages whose fsspec package writes with a conditional request, so that the storage itself decides.
_CONDITIONAL = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "memory"}
# For a file of at most this size, one request for the whole file is faster than requests for footer and columns.
_WHOLE_FILE_BYTES = 1 << 20
_CONFLICT_TRIES = 5
_REFUSED, _UNDECIDED = 412, 409
_memory_lock = threading.RLock()


def fsspec_file_io(location: str, options: Mapping[str, str]) -> FileIO:
    """Return the storage of the URL ``location``.

    Raises:
        CatalogError: fsspec does not support this storage, or its package is not installed.
    """
    import fsspec

    kind = scheme(location)
    arguments = store_arguments(kind, options)
    if kind in _OBJECT_STORES:
        # Files of other writers must be visible immediately. Storages without a listings cache may not accept this.
        arguments["use_listings_cache"] = False
    try:
        file_system, _ = fsspec.core.url_to_fs(location, **arguments)
    except ImportError as error:
        raise CatalogError(f"'{kind}://' requires a package that is not installed.", str(error)) from error
    except ValueError as error:
        raise CatalogError(f"There is no file system for '{location}'.", str(error)) from error
    if kind == "memory":
        return LockedFileIO(MemoryFileIO(file_system, kind), _memory_lock)
    return FsspecFileIO(file_system, kind, verify_condition=kind in _S3 and "endpoint_url" in arguments)


class FsspecFileIO:
    """A storage behind an fsspec file system. ``kind`` is the scheme of its URLs.

    ``verify_condition`` is for S3-compatible storages, some of which ignore the condition of a conditional write: the
    first successful write is sent a second time, which the storage has to refuse.
    """

    is_local = False

    def __init__(self, file_system: Any, kind: str, verify_condition: bool = False) -> None:
        self._files = file_system
        self._kind = kind
        self._unverified = verify_condition
        self.supports_put_if_absent = kind in _CONDITIONAL and _takes_mode(file_system)

    def check_writable(self) -> None:
        """Do nothing: changes are possible."""

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file."""
        return bytes(self._files.cat_file(path))

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Read ``length`` bytes from ``offset``, or fewer if the file ends earlier."""
        return bytes(self._files.cat_file(path, start=offset, end=offset + length)) if length > 0 else b""

    def open_input(self, path: str) -> InputFile:
        """Open a file for random access without read-ahead: Parquet readers request exactly the bytes they need."""
        arguments = {"cache_type": "none"} if self._kind in _OBJECT_STORES else {}
        file = self._files.open(path, "rb", **arguments)
        opened: InputFile
        if getattr(file, "size", None) is not None and file.size <= _WHOLE_FILE_BYTES:
            with file:
                opened = pa.BufferReader(file.read())
        else:
            opened = pa.PythonFile(file, mode="r")
        return opened

    def open_output(self, path: str) -> OutputFile:
        """Open a new file; in object stores it becomes visible only when it is closed."""
        opened: OutputFile = self._with_parents(path, lambda: self._files.open(path, "wb"))
        return opened

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write or replace a whole file."""
        self._with_parents(path, lambda: self._files.pipe_file(path, data))

    def overwrite_atomic(self, path: str, data: bytes) -> None:
        """Replace a whole file: one request on object stores; elsewhere it may briefly be visible in an incomplete
        state."""
        self.write_bytes(path, data)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """Create a complete file if there is none. `supports_put_if_absent` says whether this is reliable."""
        if not self.supports_put_if_absent:
            if self.exists(path):
                return False
            self.write_bytes(path, data)
            return True
        created = self._create(path, data)
        if created and self._unverified:
            self._unverified = False
            if self._create(path, data):
                self.supports_put_if_absent = False
                warnings.warn(
                    f"The storage of {path} ignores conditional writes: use a catalog lock if several writers commit.",
                    stacklevel=2,
                )
        return created

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

    def list_files(self, path: str) -> list[FileStatus]:
        """Return the files and directories directly in the directory, sorted by name."""
        self._files.invalidate_cache()
        try:
            entries = self._files.ls(path, detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return []
        own = str(self._files._strip_protocol(path)).rstrip("/")
        inside = ((str(info["name"]).rstrip("/"), info) for info in entries)
        # Some storages list the directory itself, or the file if `path` is one.
        listed = [_status(join(path, name(full)), info) for full, info in inside if full != own]
        return sorted(listed, key=lambda status: status.path)

    def delete(self, path: str, missing_ok: bool = True) -> None:
        """Delete one file. Object stores do not report whether it existed, so ``missing_ok=False`` checks first."""
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
        if self._kind in _S3:
            self._marker("delete_object", path)

    def delete_empty_directory(self, path: str) -> bool:
        """Delete an empty directory. Where directories are only prefixes of names, there are no empty ones."""
        self._files.invalidate_cache()
        status = None if self._kind in _S3 else self.status(path)
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
        """Create a directory and its parents; on S3 an empty object with a trailing slash, as in Hadoop."""
        if self._kind in _S3:
            self._marker("put_object", path)
        else:
            self._files.makedirs(path, exist_ok=True)

    def rename(self, source: str, target: str) -> None:
        """Move to an unused name. In object stores a directory is moved file by file, and can be visible half moved."""
        status = self.status(source)
        if status is None:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", source)
        if self.exists(target):
            raise FileExistsError(errno.EEXIST, "The target already exists", target)
        if self._kind not in _OBJECT_STORES:
            self._with_parents(target, lambda: self._files.mv(source, target))
        elif status.is_directory:
            self.make_directory(target)
            start = len(str(self._files._strip_protocol(source)).rstrip("/"))
            for file in self._files.find(source):
                self._files.cp_file(file, join(target, file[start:].lstrip("/")))
            self.delete_directory(source)
        else:
            self._files.cp_file(source, target)
            self._files.rm_file(source)

    def _create(self, path: str, data: bytes) -> bool:
        """Write with the condition that there is no such file; return whether the file was created. S3 answers 409
        while another upload of the same name is in progress: the write is tried again."""
        for left in reversed(range(_CONFLICT_TRIES)):
            try:
                self._files.pipe_file(path, data, mode="create")
            except FileExistsError:
                return False
            except OSError as error:
                # s3fs only recognizes Amazon's own wording of a refusal; compatible storages send the plain status.
                code = _http_status(error)
                if code == _REFUSED:
                    return False
                if code != _UNDECIDED or not left:
                    raise
            else:
                return True
        raise AssertionError("unreachable")

    def _marker(self, method: str, path: str) -> None:
        bucket, key, _ = self._files.split_path(path)
        if key:
            body = {"Body": b""} if method == "put_object" else {}
            self._files.call_s3(method, Bucket=bucket, Key=f"{key}/", **body)

    def _with_parents(self, path: str, create: Callable[[], Result]) -> Result:
        try:
            return create()
        except FileNotFoundError:
            # In an object store, this means that the bucket is missing, and it must not be created here.
            if self._kind in _OBJECT_STORES:
                raise
            self._files.makedirs(parent(path), exist_ok=True)
            return create()


class MemoryFileIO(FsspecFileIO):
    """fsspec's memory storage. All of its handles of a file share one position, so readers get a copy and writers a
    buffer."""

    def open_input(self, path: str) -> InputFile:
        """Open a copy of the current content."""
        opened: InputFile = pa.BufferReader(self.read_bytes(path))
        return opened

    def open_output(self, path: str) -> OutputFile:
        """Open a buffer that becomes the file when it is closed; until then there is an empty file."""
        self.write_bytes(path, b"")
        return _MemoryOutput(lambda data: self.write_bytes(path, data))


class _MemoryOutput(io.BytesIO):
    def __init__(self, keep: Callable[[bytes], None]) -> None:
        super().__init__()
        self._keep = keep

    def close(self) -> None:
        if not self.closed:
            self._keep(self.getvalue())
        super().close()


def _takes_mode(file_system: Any) -> bool:
    """Return whether the storage's package supports the ``create`` mode; older releases ignore it and overwrite."""
    write = getattr(file_system, "_pipe_file", None) or file_system.pipe_file
    try:
        return "mode" in inspect.signature(write).parameters or '"create"' in inspect.getsource(write)
    except OSError:
        return False


def _http_status(error: OSError) -> int | None:
    """Return the HTTP status in a botocore error that s3fs has translated."""
    response = getattr(error.__cause__, "response", None) or {}
    status: int | None = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status


def _status(path: str, info: Mapping[str, Any]) -> FileStatus:
    is_directory = info.get("type") == "directory"
    return FileStatus(path, 0 if is_directory else int(info.get("size") or 0), _modified_millis(info), is_directory)


def _modified_millis(info: Mapping[str, Any]) -> int:
    """Return the modification time, which each storage provides under a different name and as a different type."""
    keys = ("LastModified", "last_modified", "mtime", "updated", "modificationTime", "modified", "created")
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
