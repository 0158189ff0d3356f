"""A storage that refuses every change: the guard of catalogs that were opened read-only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from workbench.base.errors import CatalogError, ReadOnlyCatalogError
from workbench.storage.file_io import FileIO, InputFile
from workbench.storage.wrappers import DelegatingFileIO, Operation

Result = TypeVar("Result")
READ_ONLY_OPTION = "read_only"
"""The catalog option that makes a catalog read-only. Tasks in other processes get it together with other options."""

CATALOG_NAME_OPTION = "workbench.catalog-name"
"""The catalog option with the name by which a read-only catalog was opened, for its error message."""

SPELLINGS = (READ_ONLY_OPTION, "read-only")
"""The names of this option. The second one is spelled like Paimon's own options: a catalog must not be left unguarded
because of a dash."""

_VALUES = {"true": True, "false": False}
_READS = frozenset({"read_bytes", "read_range", "open_input", "read", "exists", "status", "list_files"})


def check_writable(address: str, options: Mapping[str, str]) -> None:
    """Refuse a change of a catalog that was opened read-only.

    Args:
        address: Where the catalog is, for the message.
        options: The options of the catalog.

    Raises:
        ReadOnlyCatalogError: The options make the catalog read-only.
    """
    if is_read_only(options):
        raise _refused(_name_of(address, options))


def _refused(catalog: str) -> ReadOnlyCatalogError:
    return ReadOnlyCatalogError(
        f"{catalog} was opened read-only, so nothing in it can be changed.",
        f"Try the change in a sandbox (t.sandbox()), or open the catalog without {READ_ONLY_OPTION}, "
        "as an argument or in the catalog file.",
    )


def _name_of(address: str, options: Mapping[str, str]) -> str:
    name = options.get(CATALOG_NAME_OPTION)
    return f"Catalog '{name}'" if name else f"The catalog of {address}"


class ReadOnlyFileIO(DelegatingFileIO):
    """The storage ``inner``, except that it refuses changes. ``catalog`` is what messages call the catalog."""

    def __init__(self, inner: FileIO, catalog: str) -> None:
        super().__init__(inner)
        self._catalog = catalog

    def check_writable(self) -> None:
        """Raise ReadOnlyCatalogError."""
        raise _refused(self._catalog)

    def open_input(self, path: str) -> InputFile:
        """Open a file for random access, without a wrapper around its reads."""
        return self.inner.open_input(path)

    def _run(self, operation: Operation, call: Callable[[], Result]) -> Result:
        if operation.name not in _READS:
            self.check_writable()
        return call()


def is_read_only(options: Mapping[str, str]) -> bool:
    """Return whether the options of a catalog make it read-only. Raises CatalogError for any value but true or
    false."""
    for key in SPELLINGS:
        if key in options and options[key].strip().lower() not in _VALUES:
            raise CatalogError(f"'{key}' = '{options[key]}' is not valid for a catalog.", "Write true or false.")
    return any(_VALUES[options[key].strip().lower()] for key in SPELLINGS if key in options)


def guarded(file_io: FileIO, warehouse: str, options: Mapping[str, str]) -> FileIO:
    """Return the storage, made read-only if the options of its catalog require it."""
    if not is_read_only(options):
        return file_io
    return ReadOnlyFileIO(file_io, _name_of(warehouse, options))
