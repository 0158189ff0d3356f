"""Object stores: directories are prefixes of names, and conditional requests decide which writer is first."""

from __future__ import annotations

import inspect
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from workbench.base.parallel import parallel_map
from workbench.storage.file_io import FileStatus, InputFile, OutputFile, join
from workbench.storage.fsspec_io import FsspecFileIO
from workbench.storage.stores.upload import Upload

# For a file of at most this size, one request for the whole file is faster than requests for footer and columns.
_WHOLE_FILE_BYTES = 1 << 20
_CONFLICT_TRIES = 5
# Requests that are sent at the same time.
_REQUESTS = 16
_REFUSED, _UNDECIDED = 412, 409
# How often how many writers race to find out whether a storage decides atomically which of them is first.
_RACES, _RACERS = 6, 4
# Whether a server obeys the conditions of writes.
_obeying: dict[str, bool] = {}


Page = tuple[Sequence[Mapping[str, Any]], bool]
"""Entries of a directory, and whether there are no others."""


class ObjectStoreFileIO(FsspecFileIO):
    """An object store behind an fsspec file system.

    Args:
        file_system: The file system of fsspec.
        verify_condition: Whether the storage may ignore the condition of a write, or check it and then write in a
            second step. Before the first conditional write, several writers try to create the same files.
    """

    def __init__(self, file_system: Any, verify_condition: bool = False) -> None:
        super().__init__(file_system)
        self._verifies = verify_condition
        self.supports_put_if_absent = _takes_mode(file_system)

    def open_input(self, path: str) -> InputFile:
        """Open a file for random access without read-ahead: Parquet readers request exactly the bytes they need."""
        file = self._files.open(path, "rb", cache_type="none")
        opened: InputFile
        if getattr(file, "size", None) is not None and file.size <= _WHOLE_FILE_BYTES:
            with file:
                opened = pa.BufferReader(file.read())
        else:
            opened = pa.PythonFile(file, mode="r")
        return opened

    def open_output(self, path: str) -> OutputFile:
        """Open a new file; it becomes visible when it is closed."""
        # An error about a missing file means a missing bucket, which must not be created here.
        opened: OutputFile = Upload(lambda data: self.write_bytes(path, data), lambda: self._files.open(path, "wb"))
        return opened

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write or replace a whole file in one request."""
        self._files.pipe_file(path, data)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """Create a complete file if there is none. `supports_put_if_absent` says whether this is reliable."""
        if not self.supports_put_if_absent:
            return super().put_if_absent(path, data)
        if self._verifies and not self._obeys_conditions(path):
            return super().put_if_absent(path, data)
        return self._create(path, data)

    def _obeys_conditions(self, path: str) -> bool:
        """Return whether the storage accepts only one of several conditional writes; each server is tried once."""
        self._verifies = False
        server = getattr(self._files, "host", "")
        obeys = _obeying.get(server)
        if obeys is None:
            obeys = self._one_wins_each(path)
            if server:
                _obeying[server] = obeys
        self.supports_put_if_absent = obeys
        if not obeys:
            warnings.warn(
                f"The storage of {path} ignores conditional writes, or does not check them atomically: use a catalog "
                "lock if several writers commit.",
                stacklevel=3,
            )
        return obeys

    def _one_wins_each(self, path: str) -> bool:
        """Let several writers race for files next to ``path``; return whether no file was created twice."""
        names = [f"{path}.{uuid.uuid4().hex}.probe" for _ in range(_RACES)]

        def winners(name: str) -> int:
            return sum(parallel_map(lambda _: self._create(name, b"probe"), range(_RACERS), workers=_RACERS))

        try:
            # Each race ends before the next one begins, so that its writers are close together.
            return all(winners(name) < 2 for name in names)
        finally:
            parallel_map(self.delete, names, workers=_RACES)

    def delete_directory(self, path: str) -> None:
        """Delete all files below a prefix."""
        super().delete_directory(path)
        self._delete_marker(path)

    def delete_empty_directory(self, path: str) -> bool:  # noqa: ARG002
        """Do nothing: where directories are prefixes of names, there are no empty ones."""
        return False

    def make_directory(self, path: str) -> None:
        """Create an empty object that marks a directory, as Hadoop does."""
        self._put_marker(path)

    def _move(self, source: FileStatus, target: str) -> None:
        """Copy and delete. A directory is visible under both names at first; if a copy fails, it keeps its name."""
        if not source.is_directory:
            self._files.cp_file(source.path, target)
            self._files.rm_file(source.path)
            return
        files, directories = self._below(source.path)
        copies = [(file, join(target, *_names_below(source.path, file))) for file in files]
        try:
            for directory in directories:
                self._put_marker(join(target, *_names_below(source.path, directory)))
            parallel_map(lambda pair: self._files.cp_file(*pair), copies, workers=_REQUESTS)
        except BaseException:
            self.delete_directory(target)
            raise
        self.delete_directory(source.path)

    def _below(self, path: str) -> tuple[Sequence[str], Sequence[str]]:
        """Return all files below a prefix, and the directories with a marker; as URLs."""
        self._files.invalidate_cache()
        root = str(self._files._strip_protocol(path)).rstrip("/")
        below = [f"{path}{found[len(root) :]}" for found in self._files.find(path)]
        files = [each for each in below if not each.endswith("/")]
        return files, [each.rstrip("/") for each in below if each.endswith("/")]

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

    def list_few(self, path: str, prefix: str = "") -> list[FileStatus] | None:
        """Return what `list_files` does if one request is enough for it."""
        try:
            entries, is_last = next(self._pages(path, prefix))
        except FileNotFoundError:
            entries, is_last = (), True
        # An empty answer may have another reason, which `list_files` finds out.
        if not entries:
            return self.list_files(path, prefix)
        return self._listed(path, prefix, entries) if is_last else None

    def _entries(self, path: str, prefix: str) -> Sequence[Mapping[str, Any]]:
        return [entry for entries, _ in self._pages(path, prefix) for entry in entries]

    def _pages(self, path: str, prefix: str) -> Iterator[Page]:
        """Yield what a storage knows about the files in a directory, and whether that is all, for each request."""
        yield self._all_entries(path, prefix), True

    def _all_entries(self, path: str, prefix: str) -> Sequence[Mapping[str, Any]]:
        if not prefix:
            return super()._entries(path, prefix)
        root = str(self._files._strip_protocol(path)).rstrip("/")
        entries: dict[str, Mapping[str, Any]] = {}
        for full, info in self._files.find(path, prefix=prefix, detail=True).items():
            first, *deeper = full[len(root) :].strip("/").split("/")
            name = f"{root}/{first}"
            entries[name] = {"name": name, "type": "directory"} if deeper else info
        return list(entries.values())

    def _put_marker(self, path: str) -> None:
        self._files.pipe_file(f"{path}/", b"")

    def _delete_marker(self, path: str) -> None:
        """Delete the marker of a directory that the deletion of its files has left."""


def _takes_mode(file_system: Any) -> bool:
    """Return whether the storage's package supports the ``create`` mode; older releases ignore it and overwrite."""
    inner = getattr(file_system, "inner", file_system)
    write = getattr(inner, "_pipe_file", None) or inner.pipe_file
    try:
        return "mode" in inspect.signature(write).parameters or '"create"' in inspect.getsource(write)
    except OSError:
        return False


def _http_status(error: OSError) -> int | None:
    """Return the HTTP status in a botocore error that s3fs has translated."""
    response = getattr(error.__cause__, "response", None) or {}
    status: int | None = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status


def _names_below(directory: str, path: str) -> Sequence[str]:
    return [part for part in path[len(directory) :].split("/") if part]
