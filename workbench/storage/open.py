"""Open the storage of a location."""

from __future__ import annotations

import os
from collections.abc import Mapping

from workbench.storage.file_io import SANDBOX_OPTION, FileIO, qualify, scheme
from workbench.storage.read_only import guarded


def file_io_for(location: str | os.PathLike[str], options: Mapping[str, str] | None = None) -> FileIO:
    """Return the storage of ``location``, based on the standard library for local paths and on fsspec for other URLs.

    ``options`` are Paimon's own options (``s3.endpoint``, ``s3.access-key`` …; see `workbench.storage.stores`),
    `SANDBOX_OPTION` and `READ_ONLY_OPTION`.

    Raises:
        CatalogError: There is no file system for this URL, or its package is not installed.
        WorkbenchError: The sandbox no longer exists.
    """
    if options and SANDBOX_OPTION in options:
        from workbench.storage.overlay import open_overlay

        rest = {key: value for key, value in options.items() if key != SANDBOX_OPTION}
        return open_overlay(file_io_for(location, rest), options[SANDBOX_OPTION])
    qualified = qualify(location)
    return guarded(_opened(qualified, options or {}), qualified, options or {})


def _opened(qualified: str, options: Mapping[str, str]) -> FileIO:
    if scheme(qualified) == "file":
        from workbench.storage.local import LocalFileIO

        return LocalFileIO()
    from workbench.storage.stores.registry import open_store

    return open_store(qualified, options)
