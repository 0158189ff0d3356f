"""A storage that can be changed while the storage below it stays unchanged: a local folder holds every change.

The folder contains the whole state, so that other processes that open it see the same files, and it remains usable if a
process is killed:

* ``sandbox.json``: the list of the directories that are copied;
* ``base``: copies of files that others may change or delete while the overlay is used, as they were when it was
  created;
* ``changes/written``: whole files, either new or in place of a file of the storage below;
* ``changes/gone``: a marker for each file and directory of the storage below that was deleted. Markers are kept: files
  written later under the same path have precedence over them.

In each of these three folders, a file has the names of its path in the storage; the root of that path (``/``,
``s3://``) becomes one quoted name.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar
from urllib.parse import quote, unquote

from workbench.base.errors import WorkbenchError
from workbench.base.parallel import parallel_map
from workbench.storage.file_io import FileIO, FileStatus, InputFile, OutputFile, join, qualify, split
from workbench.storage.local import LocalFileIO

Result = TypeVar("Result")
_LOCAL = LocalFileIO()
_COPIERS = 16
_BLOCK = 8 << 20
_MARKER = ".paimon-workbench-gone"
_MADE = "sandbox.json"
_BASE, _CHANGES = "base", "changes"


class Layer:
    """A local folder that contains files of a storage, each under its path in the storage."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.closed = False

    def location(self, path: str) -> str:
        """Return the location in this folder of a storage path. Raises WorkbenchError once ``closed`` is set."""
        if self.closed:
            raise WorkbenchError("This sandbox is closed.", "Open another one.")
        root, names = split(qualify(path))
        return os.path.join(self.directory, quote(root, safe=""), *names)

    def path(self, location: str) -> str:
        """Return the storage path of a location in this folder."""
        root, _, rest = os.path.relpath(location, self.directory).partition(os.sep)
        return unquote(root) + rest

    def files(self) -> list[str]:
        """Return the paths of all files, sorted."""
        files = (os.path.join(top, name) for top, _, names in os.walk(self.directory) for name in names)
        return sorted(map(self.path, files))

    def status(self, path: str) -> FileStatus | None:
        """Return the size, time and type of a file or directory, or None if it does not exist."""
        status = _LOCAL.status(self.location(path))
        return None if status is None else replace(status, path=path)

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        """Return the files and directories directly in the directory, sorted by name."""
        return [replace(each, path=join(path, each.name)) for each in _LOCAL.list_files(self.location(path), prefix)]


class Whiteouts(Layer):
    """The paths that were deleted."""

    def add(self, path: str) -> None:
        """Add a path."""
        _LOCAL.write_bytes(os.path.join(self.location(path), _MARKER), b"")

    def __contains__(self, path: str) -> bool:
        return _LOCAL.exists(os.path.join(self.location(path), _MARKER))

    def paths(self) -> list[str]:
        """Return all deleted paths, sorted."""
        return [path.removesuffix(f"/{_MARKER}") for path in self.files()]


class OverlayFileIO:
    """The unchanged storage ``below`` with the changes in ``directory`` on top. ``frozen`` directories are read from
    their copies.

    Safe for several threads and processes of one machine, like `LocalFileIO`.
    """

    # Paths are those of the storage below: the operating system would open them without the changes.
    is_local = False
    supports_put_if_absent = True

    def __init__(self, below: FileIO, directory: str, frozen: Sequence[str], changes: str = _CHANGES) -> None:
        self.below = below
        self.directory = directory
        self.frozen = tuple(frozen)
        self.base = Layer(os.path.join(directory, _BASE))
        self.written = Layer(os.path.join(directory, changes, "written"))
        self.gone = Whiteouts(os.path.join(directory, changes, "gone"))
        self._within = tuple(f"{qualify(each)}/" for each in frozen)

    def before(self) -> OverlayFileIO:
        """Return this overlay as it was before any change."""
        return OverlayFileIO(self.below, self.directory, self.frozen, changes="none")

    def close(self) -> None:
        """Make every later use raise WorkbenchError, so that the storage below is not used by mistake."""
        self.written.closed = True

    # --- reading --------------------------------------------------------------------------------------------------

    def check_writable(self) -> None:
        """Do nothing: changes are written to the folder, even if the storage below refuses every change."""

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file."""
        return self._reading(path, lambda store, location: store.read_bytes(location))

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Read ``length`` bytes from ``offset``."""
        return self._reading(path, lambda store, location: store.read_range(location, offset, length))

    def open_input(self, path: str) -> InputFile:
        """Open a file for random access."""
        return self._reading(path, lambda store, location: store.open_input(location))

    def exists(self, path: str) -> bool:
        """Return whether a file or directory exists."""
        return self.status(path) is not None

    def status(self, path: str) -> FileStatus | None:
        """Return the size, time and type of a file or directory, or None if the path does not exist."""
        status = self.written.status(path)
        if status is not None:
            return status
        return None if path in self.gone else self._status_below(path)

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        """Return the files and directories directly in the directory, sorted by name."""
        below = (self.base if self._is_frozen(path) else self.below).list_files(path, prefix)
        marked = {each.name for each in self.gone.list_files(path, prefix)}
        statuses = {each.name: each for each in below if each.name not in marked or each.path not in self.gone}
        statuses.update((each.name, each) for each in self.written.list_files(path, prefix))
        return [statuses[each] for each in sorted(statuses)]

    def list_few(self, path: str, prefix: str = "") -> list[FileStatus] | None:
        """Return what `list_files` does."""
        return self.list_files(path, prefix)

    # --- writing --------------------------------------------------------------------------------------------------

    def open_output(self, path: str) -> OutputFile:
        """Open a new file, or replace one."""
        return _LOCAL.open_output(self.written.location(path))

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write or replace a whole file."""
        _LOCAL.write_bytes(self.written.location(path), data)

    def overwrite_atomic(self, path: str, data: bytes) -> None:
        """Replace a whole file atomically."""
        _LOCAL.overwrite_atomic(self.written.location(path), data)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """Create a complete file if the path exists neither among the changes nor in the storage below."""
        return not self.exists(path) and _LOCAL.put_if_absent(self.written.location(path), data)

    def delete(self, path: str, missing_ok: bool = True) -> None:
        """Delete one file."""
        status = self.status(path)
        if status is None:
            if missing_ok:
                return
            raise _missing(path)
        if status.is_directory:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        # The marker is written first: the file below, which a written file replaces, must never become visible again.
        self._mark(path)
        _LOCAL.delete(self.written.location(path))

    def delete_directory(self, path: str) -> None:
        """Delete a directory with its current content, but not files that are later added to the storage below."""
        for each in self.list_files(path):
            if each.is_directory:
                self.delete_directory(each.path)
            else:
                self.delete(each.path)
        self._mark(path)
        _LOCAL.delete_directory(self.written.location(path))

    def delete_empty_directory(self, path: str) -> bool:
        """Delete an empty directory."""
        status = self.status(path)
        if status is None or not status.is_directory or self.list_files(path):
            return False
        self._mark(path)
        _LOCAL.delete_empty_directory(self.written.location(path))
        return True

    def make_directory(self, path: str) -> None:
        """Create a directory and its parents."""
        _LOCAL.make_directory(self.written.location(path))

    def rename(self, source: str, target: str) -> None:
        """Move a file or directory to an unused name. Files from below are copied."""
        status = self.status(source)
        if status is None:
            raise _missing(source)
        if self.exists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
        if not status.is_directory:
            copy_file(self, source, _LOCAL, self.written.location(target))
            self.delete(source)
            return
        self.make_directory(target)
        for each in self.list_files(source):
            self.rename(each.path, join(target, each.name))
        self.delete_directory(source)

    # --- internals ------------------------------------------------------------------------------------------------

    def _is_frozen(self, path: str) -> bool:
        return f"{qualify(path)}/".startswith(self._within)

    def _status_below(self, path: str) -> FileStatus | None:
        return self.base.status(path) if self._is_frozen(path) else self.below.status(path)

    def _mark(self, path: str) -> None:
        if self._status_below(path) is not None:
            self.gone.add(path)

    def _reading(self, path: str, read: Callable[[FileIO, str], Result]) -> Result:
        try:
            return read(_LOCAL, self.written.location(path))
        except (FileNotFoundError, NotADirectoryError):
            if path in self.gone:
                raise _missing(path) from None
        if self._is_frozen(path):
            return read(_LOCAL, self.base.location(path))
        return read(self.below, path)


def freeze(below: FileIO, directory: str, frozen: Sequence[str], first: Sequence[str]) -> None:
    """Make ``directory`` the folder of an overlay: copy the ``frozen`` directories of ``below``, one after the other.

    Files with the names ``first`` are copied before all others, so that the files that they refer to are among those
    copied later. Files that are deleted concurrently are left out. If this call is interrupted, the directory is not
    yet the folder of an overlay, and the call can be repeated.
    """
    marker = os.path.join(directory, _MADE)
    _LOCAL.overwrite_atomic(marker, json.dumps({"frozen": []}).encode())
    base = Layer(os.path.join(directory, _BASE))
    for old in (base.directory, os.path.join(directory, _CHANGES)):
        _LOCAL.delete_directory(old)

    def copy(status: FileStatus) -> None:
        location = base.location(status.path)
        try:
            _LOCAL.write_bytes(location, below.read_bytes(status.path))
        except FileNotFoundError:
            return
        os.utime(location, ns=(status.modified_millis * 1_000_000,) * 2)

    for early in (True, False):
        for each in frozen:
            parallel_map(copy, (file for file in walk(below, each) if (file.name in first) == early), _COPIERS)
    _LOCAL.overwrite_atomic(marker, json.dumps({"frozen": list(frozen)}).encode())


def frozen_in(directory: str) -> list[str] | None:
    """Return the directories whose copies are in the folder of an overlay: none if `freeze` was interrupted. Return
    None if ``directory`` is missing or empty.

    Raises:
        WorkbenchError: The directory contains other files.
    """
    try:
        frozen: list[str] = json.loads(_LOCAL.read_bytes(os.path.join(directory, _MADE)))["frozen"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        if not os.path.lexists(directory) or (os.path.isdir(directory) and not os.listdir(directory)):
            return None
        raise WorkbenchError(
            f"{directory} contains files that are not part of a sandbox.",
            "Pass an empty directory, or one that does not exist.",
        ) from error
    return frozen


def open_overlay(below: FileIO, directory: str) -> OverlayFileIO:
    """Open an existing overlay, whose folder `freeze` created, possibly in another process.

    Raises:
        WorkbenchError: The overlay no longer exists.
    """
    frozen = frozen_in(directory)
    if not frozen:
        raise WorkbenchError(f"There is no sandbox in {directory}; it may have been closed.")
    return OverlayFileIO(below, directory, frozen)


def walk(store: FileIO, directory: str) -> Iterator[FileStatus]:
    """Yield all files in a directory and its subdirectories."""
    for each in store.list_files(directory):
        if each.is_directory:
            yield from walk(store, each.path)
        else:
            yield each


def copy_file(source: FileIO, path: str, target: FileIO, destination: str) -> None:
    """Copy a file from one storage to another, a part at a time."""
    with source.open_input(path) as file, target.open_output(destination) as copy:
        while block := file.read(_BLOCK):
            copy.write(block)


def _missing(path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
