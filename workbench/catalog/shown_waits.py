"""A storage that shows how long its answers take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from workbench.catalog.wait_lines import line_here
from workbench.catalog.waits import waits
from workbench.storage.file_io import FileIO, InputFile, scheme
from workbench.storage.open import file_io_for
from workbench.storage.wrappers import DelegatingFileIO, Operation

Result = TypeVar("Result")


class ShownFileIO(DelegatingFileIO):
    """The storage ``inner``, except that it shows how long answers take. ``host`` is its name."""

    def __init__(self, inner: FileIO, host: str) -> None:
        super().__init__(inner)
        self._what = f"Waiting for {host}"

    def open_input(self, path: str) -> InputFile:
        """Open a file for random access, without a wrapper around its reads."""
        with waits.waiting(self._what):
            return self.inner.open_input(path)

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:  # noqa: ARG002
        with waits.waiting(self._what):
            return call()


def shown_file_io(warehouse: str, options: Mapping[str, str]) -> FileIO:
    """Return the storage of a warehouse. Unless it is local, it shows long waits, including that for its package.

    Raises:
        CatalogError: There is no file system for this URL, or its package is not installed.
    """
    if scheme(warehouse) == "file":
        return file_io_for(warehouse, options)
    if waits.line is None:
        waits.line = line_here()
    with waits.waiting(f"Opening {warehouse}"):
        opened = file_io_for(warehouse, options)
    return ShownFileIO(opened, "/".join(warehouse.split("/")[:3]))
