"""The interface of a storage: the `FileIO` protocol and path helpers.

Paths are strings: absolute local paths (``/data/wh``), ``file:`` URLs or URLs of other storages (``s3://lake/wh``).
Their names are separated by ``/`` and not decoded: ``%3A`` in a partition directory is part of its name (format §1.1).
Only a ``file:`` URL that a user passes is percent-decoded, once, when `qualify` makes it a local path.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self
from urllib.parse import unquote

from workbench.base.errors import CatalogError

SANDBOX_OPTION = "workbench.sandbox"
"""The option that contains the folder of an `OverlayFileIO`. Other processes that open a storage with this option see
the changes in the sandbox."""

_MAX_BYTES = 255
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):(?=/)")
_ROOT = re.compile(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:)?/{0,3}")


@dataclass(frozen=True, slots=True)
class FileStatus:
    """One file or directory."""

    path: str

    size: int
    """In bytes; 0 for a directory."""

    modified_millis: int
    """Milliseconds since the epoch; 0 if unknown."""

    is_directory: bool

    version: str | None = None
    """Changes with every write of the file, such as the entity tag of an object store; None if there is no such
    value."""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return name(self.path)

    @property
    def content_key(self) -> object:
        """Equal for two states of the same file only if its content is the same."""
        if self.version is not None:
            return self.version
        # Several contents may have the same time if it is unknown, or known in seconds.
        return (self.size, self.modified_millis) if self.modified_millis % 1000 else object()


class InputFile(Protocol):
    """An open file with random access, as Arrow's Parquet reader expects it."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes from the current position; if ``size`` is negative, all remaining bytes."""
        ...

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move the current position."""
        ...

    def tell(self) -> int:
        """Return the current position."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...

    @property
    def closed(self) -> bool:
        """Whether the file is closed."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class OutputFile(Protocol):
    """An open file being written, as Arrow's Parquet writer expects it."""

    def write(self, data: bytes, /) -> int:
        """Append ``data``."""
        ...

    def tell(self) -> int:
        """Return the number of bytes written so far."""
        ...

    def flush(self) -> None:
        """Pass the written bytes on to the storage, if it supports partial writes."""
        ...

    def close(self) -> None:
        """Finish the file; it is certain to be complete only after this."""
        ...

    @property
    def closed(self) -> bool:
        """Whether the file is closed."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class FileIO(Protocol):
    """The operations of a storage.

    A missing file raises `FileNotFoundError`; other failures raise the `OSError` of the storage. Every implementation
    is thread-safe.
    """

    @property
    def is_local(self) -> bool:
        """Whether paths name files of this machine."""
        ...

    @property
    def supports_put_if_absent(self) -> bool:
        """False if `put_if_absent` only checks and then writes: two writers may both win, so a lock is needed."""
        ...

    def check_writable(self) -> None:
        """Raise ReadOnlyCatalogError if every change is refused, because the catalog was opened read-only."""
        ...

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file."""
        ...

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Read ``length`` bytes from ``offset``, or fewer if the file ends earlier."""
        ...

    def open_input(self, path: str) -> InputFile:
        """Open a file for random access; memory mapped if local."""
        ...

    def open_output(self, path: str) -> OutputFile:
        """Open a new file, or replace one, creating its directories. It may be visible in an incomplete state until it
        is closed."""
        ...

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write or replace a whole file, creating its directories. It may be visible in an incomplete state."""
        ...

    def overwrite_atomic(self, path: str, data: bytes) -> None:
        """Write or replace a whole file atomically; readers see either the old or the new content. Hints are written
        this way (format §4.1)."""
        ...

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """Create a complete file if there is none, and return whether this call created it (format §4.2).

        Over a network False may also mean that a first attempt succeeded, but its response was lost: a caller that must
        distinguish the two compares the content.
        """
        ...

    def exists(self, path: str) -> bool:
        """Return whether a file or directory exists."""
        ...

    def status(self, path: str) -> FileStatus | None:
        """Return the size, time and type of a file or directory, or None if the path does not exist."""
        ...

    def list_files(self, path: str, prefix: str = "") -> list[FileStatus]:
        """Return the files and directories directly in ``path``, including hidden ones, sorted by name; an empty list
        if the path does not exist. With a ``prefix``, only those whose names start with it."""
        ...

    def list_few(self, path: str, prefix: str = "") -> list[FileStatus] | None:
        """Return what `list_files` does if one request is enough for it; None if there are too many files."""
        ...

    def delete(self, path: str, missing_ok: bool = True) -> None:
        """Delete one file."""
        ...

    def delete_directory(self, path: str) -> None:
        """Delete a directory with its content; do nothing if it does not exist."""
        ...

    def delete_empty_directory(self, path: str) -> bool:
        """Delete an empty directory, and return whether this call did so; False if it is not empty, does not exist, or
        the storage has no real directories."""
        ...

    def make_directory(self, path: str) -> None:
        """Create a directory and its parents, if they do not exist."""
        ...

    def rename(self, source: str, target: str) -> None:
        """Move a file or directory, creating the parents of ``target``. Raises `FileExistsError` if ``target``
        exists."""
        ...


def join(base: str, *names: str) -> str:
    """Return ``base/name/name…``."""
    for part in names:
        base = f"{base}{part}" if base.endswith("/") else f"{base}/{part}"
    return base


def parent(path: str) -> str:
    """Return the path without its last part; a root (``/``, ``s3://``) is its own parent."""
    root, parts = split(path)
    return root + "/".join(parts[:-1])


def name(path: str) -> str:
    """Return the last part of the path; empty for a root."""
    parts = split(path)[1]
    return parts[-1] if parts else ""


def split(path: str) -> tuple[str, list[str]]:
    """Return the root of a path (``/``, ``s3://``) and its names; ``root + "/".join(names)`` is the path again."""
    match = _ROOT.match(path)
    root = match.group() if match else ""
    return root, [part for part in path[len(root) :].split("/") if part]


def scheme(location: str) -> str:
    """Return ``s3`` for ``s3://lake/wh``, in lower case; ``file`` for a path without a scheme."""
    match = _SCHEME.match(location)
    return match.group(1).lower() if match else "file"


def local_path(path: str) -> str:
    """Return ``/a/b`` for ``/a/b``, ``file:/a/b`` and ``file:///a/b``.

    Raises:
        CatalogError: The path is a URL of another storage or machine.
    """
    if path.startswith("/"):
        return path
    if scheme(path) != "file":
        raise CatalogError(f"'{path}' is not a local path.")
    rest = path[len("file:") :] if path[:5].lower() == "file:" else path
    if rest.startswith("//"):
        rest = rest[2:]
    if not rest.startswith("/"):
        raise CatalogError(f"'{path}' is not an absolute local path.", "Pass file:///directory or /directory.")
    return rest


def qualify(location: str | os.PathLike[str], *, is_stored: bool = False) -> str:
    """Return the normal form of a location, without a trailing slash: an absolute local path, or a URL with its scheme
    in lower case. A ``file:`` URL of a user is percent-decoded; one that is stored in a table is not (``is_stored``),
    because Paimon stores names as they are.

    Raises:
        CatalogError: The location is empty, is not a valid path, or is a chain of file systems (``a::b``), which could
            lead out of the warehouse.
    """
    text = os.fspath(location)
    if not text:
        raise CatalogError("The location is empty.", "Pass a directory or a URL such as s3://bucket/warehouse.")
    match = _SCHEME.match(text)
    remote = match is not None and match.group(1).lower() != "file"
    if "::" in (text if remote else text.split("/", 1)[0]):
        raise CatalogError(f"'{text}' is a chain of file systems.", "Pass the URL of the storage itself.")
    if remote:
        root, parts = split(text)
        return root.lower() + "/".join(parts)
    plain = local_path(text) if match else os.path.expanduser(text)
    if match and not is_stored:
        plain = unquote(plain, errors="surrogateescape")
    if "\0" in plain or any(len(part.encode(errors="replace")) > _MAX_BYTES for part in plain.split("/")):
        raise CatalogError(
            f"{text[:80]!r} is not a valid path.",
            f"Remove NUL characters, and shorten names of more than {_MAX_BYTES} bytes.",
        )
    return "/" + os.path.abspath(plain).lstrip("/")
