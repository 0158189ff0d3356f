"""Reading small metadata files, which may be missing."""

from __future__ import annotations

from workbench.base.errors import CorruptFile
from workbench.storage.file_io import FileIO


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
