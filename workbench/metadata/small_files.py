"""Small metadata files: reading those that may be missing, and writing those that another writer may write first."""

from __future__ import annotations

import warnings

from workbench.base.errors import CorruptFile
from workbench.metadata.protocol import TableBranch
from workbench.storage.file_io import FileIO
from workbench.storage.lock import NoLock


def read_small(file_io: FileIO, path: str) -> bytes:
    """Return a metadata file, which may be missing.

    Raises:
        FileNotFoundError: There is no such file.
        CorruptFile: The path is a directory, or is not a valid file name.
    """
    try:
        return file_io.read_bytes(path)
    except IsADirectoryError as error:
        raise CorruptFile(path, "it is a directory") from error
    except ValueError as error:
        raise CorruptFile(repr(path), "it is not a valid file name") from error


def read_hint(file_io: FileIO, path: str) -> int | None:
    """Return the number in a hint file; None if the file is missing or does not contain a number."""
    try:
        return int(read_small(file_io, path))
    except (FileNotFoundError, CorruptFile, ValueError):
        return None


def put_version(branch: TableBranch, path: str, data: bytes) -> bool:
    """Write the snapshot or schema at ``path``: True if it was written, False if another writer took its id first.

    Warn if two concurrent writers could both conclude that they were first.
    """
    warn_without_put_if_absent(branch, "two writers at once may lose a commit.", stacklevel=4)
    with branch.lock.lock(*branch.identifier):
        if branch.file_io.put_if_absent(path, data):
            return True
    # An earlier attempt may have succeeded although its response was lost.
    try:
        return read_small(branch.file_io, path) == data
    except (FileNotFoundError, CorruptFile):
        return False


def warn_without_put_if_absent(branch: TableBranch, consequence: str, stacklevel: int) -> None:
    """Warn if neither the storage nor a lock ensures that only one of two concurrent writers succeeds."""
    if not branch.file_io.supports_put_if_absent and isinstance(branch.lock, NoLock):
        warnings.warn(
            f"{branch.location} is on a store without put-if-absent and has no lock: {consequence}",
            stacklevel=stacklevel,
        )
