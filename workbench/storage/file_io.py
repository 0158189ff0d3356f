"""What the other rooms know of a store: the `FileIO` protocol, path helpers, and the choice of an implementation.

Paths are text: absolute local paths (``/data/wh``), ``file:`` URLs or URLs of other stores (``s3://lake/wh``), with
``/`` between names. Nothing in a path is decoded: ``%3A`` in a partition directory is part of its name (format §1.1).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from workbench.base.errors import CatalogError

SANDBOX_OPTION = "workbench.sandbox"
"""The folder of an `OverlayFileIO`, by which other processes open the store that a sandbox changes."""

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):(?=/)")
_ROOT = re.compile(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:)?/{0,3}")


@dataclass(frozen=True, slots=True)
class FileStatus:
    """One file or directory: ``size`` in bytes (directory: 0), ``modified_millis`` since the epoch (unknown: 0)."""

    path: str
    size: int
    modified_millis: int
    is_directory: bool

    @property
    def name(self) -> str:
        """The last part of the path."""
        return name(self.path)


class InputFile(Protocol):
    """An open file with random access, as Arrow's Parquet reader takes it."""

    def read(self, size: int = -1, /) -> bytes:
        """Up to ``size`` bytes from the current position; all that follow if negative."""
        ...

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move the current position."""
        ...

    def tell(self) -> int:
        """The current position."""
        ...

    def close(self) -> None:
        """Release the file."""
        ...

    @property
    def closed(self) -> bool:
        """True once closed."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class OutputFile(Protocol):
    """An open file being written, as Arrow's Parquet writer takes it."""

    def write(self, data: bytes, /) -> int:
        """Append ``data``."""
        ...

    def tell(self) -> int:
        """Bytes written so far."""
        ...

    def flush(self) -> None:
        """Hand what was written to the store, where the store can take parts."""
        ...

    def close(self) -> None:
        """Finish the file; only now is it sure to be whole."""
        ...

    @property
    def closed(self) -> bool:
        """True once closed."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class FileIO(Protocol):
    """The operations of a store.

    A missing file is a `FileNotFoundError`; other failures are the `OSError` of the store. Every implementation may be
    used from several threads.
    """

    @property
    def is_local(self) -> bool:
        """True where paths name files of this machine."""
        ...

    @property
    def supports_put_if_absent(self) -> bool:
        """False where `put_if_absent` only checks and then writes: two writers may both win, so a lock is needed."""
        ...

    def read_bytes(self, path: str) -> bytes:
        """The whole file."""
        ...

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """``length`` bytes from ``offset``; fewer where the file ends before."""
        ...

    def open_input(self, path: str) -> InputFile:
        """Open for random access; memory mapped where local."""
        ...

    def open_output(self, path: str) -> OutputFile:
        """Open a new file, or replace one, creating its directories. It may be seen unfinished until it is closed."""
        ...

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write or replace a whole file, creating its directories. It may be seen unfinished."""
        ...

    def overwrite_atomic(self, path: str, data: bytes) -> None:
        """Write or replace a whole file; readers see the old one or the new one, never half (hints, format §4.1)."""
        ...

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """Create the file whole if there is none: True if this call made it, False if it was there (format §4.2).

        Over a network False may also mean that our own first try arrived and its answer was lost: a caller that must
        know compares the content.
        """
        ...

    def exists(self, path: str) -> bool:
        """True for a file or directory that is there."""
        ...

    def status(self, path: str) -> FileStatus | None:
        """Size, time and kind; None where nothing is there."""
        ...

    def list_files(self, path: str) -> list[FileStatus]:
        """Files and directories right inside ``path``, hidden ones too, by name; empty if there is none."""
        ...

    def delete(self, path: str, missing_ok: bool = True) -> None:
        """Delete one file."""
        ...

    def delete_directory(self, path: str) -> None:
        """Delete a directory with all that is in it; nothing happens where there is none."""
        ...

    def delete_empty_directory(self, path: str) -> bool:
        """Delete a directory that holds nothing: True if this call did it, False where it holds something, is not
        there, or the store has no directories of their own."""
        ...

    def make_directory(self, path: str) -> None:
        """Create a directory and its parents; one that is there is fine."""
        ...

    def rename(self, source: str, target: str) -> None:
        """Move a file or directory, creating the parents of ``target``. `FileExistsError` if ``target`` is there."""
        ...


def join(base: str, *names: str) -> str:
    """``base/name/name…``."""
    for part in names:
        base = f"{base}{part}" if base.endswith("/") else f"{base}/{part}"
    return base


def parent(path: str) -> str:
    """The path without its last part; a root (``/``, ``s3://``) is its own parent."""
    root, parts = split(path)
    return root + "/".join(parts[:-1])


def name(path: str) -> str:
    """The last part of the path; empty for a root."""
    parts = split(path)[1]
    return parts[-1] if parts else ""


def split(path: str) -> tuple[str, list[str]]:
    """The root of a path (``/``, ``s3://``) and its names; ``root + "/".join(names)`` is the path again."""
    found = _ROOT.match(path)
    root = found.group() if found else ""
    return root, [part for part in path[len(root) :].split("/") if part]


def scheme(location: str) -> str:
    """``s3`` of ``s3://lake/wh``, in lower case; ``file`` for a path without one."""
    found = _SCHEME.match(location)
    return found.group(1).lower() if found else "file"


def local_path(path: str) -> str:
    """The plain path of ``/a/b``, ``file:/a/b`` and ``file:///a/b``.

    Raises:
        CatalogError: a URL of another store or machine.
    """
    if path.startswith("/"):
        return path
    if scheme(path) != "file":
        raise CatalogError(f"'{path}' is not a local path.")
    rest = path[len("file:") :] if path[:5].lower() == "file:" else path
    if rest.startswith("//"):
        rest = rest[2:]
    if not rest.startswith("/"):
        raise CatalogError(f"'{path}' is not an absolute local path.", "Write file:///directory or /directory.")
    return rest


def qualify(location: str | os.PathLike[str]) -> str:
    """The one form of a location: an absolute local path, or a URL with its scheme in lower case; no slash at the end.

    Raises:
        CatalogError: an empty location, or a chain of file systems (``a::b``), which could reach out of the warehouse.
    """
    text = os.fspath(location)
    if not text:
        raise CatalogError("The location is empty.", "Give a directory or a URL such as s3://bucket/warehouse.")
    found = _SCHEME.match(text)
    remote = found is not None and found.group(1).lower() != "file"
    if "::" in (text if remote else text.split("/", 1)[0]):
        raise CatalogError(f"'{text}' chains file systems.", "Give the URL of the store itself.")
    if remote:
        root, parts = split(text)
        return root.lower() + "/".join(parts)
    plain = local_path(text) if found else os.path.expanduser(text)
    return "/" + os.path.abspath(plain).lstrip("/")


def file_io_for(location: str | os.PathLike[str], options: Mapping[str, str] | None = None) -> FileIO:
    """The store of ``location``: the standard library for local paths, fsspec for every other URL.

    ``options`` are Paimon's own (``s3.endpoint``, ``s3.access-key`` …), see `workbench.storage.store_options`, and
    `SANDBOX_OPTION`.

    Raises:
        CatalogError: no file system for this URL, or its package is not installed.
        WorkbenchError: a sandbox that is gone.
    """
    if options and SANDBOX_OPTION in options:
        from workbench.storage.overlay import open_overlay

        rest = {key: value for key, value in options.items() if key != SANDBOX_OPTION}
        return open_overlay(file_io_for(location, rest), options[SANDBOX_OPTION])
    qualified = qualify(location)
    if scheme(qualified) == "file":
        from workbench.storage.local import LocalFileIO

        return LocalFileIO()
    from workbench.storage.fsspec_io import fsspec_file_io

    return fsspec_file_io(qualified, options or {})
