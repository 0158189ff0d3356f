"""The storages of the tables of one catalog. Each is opened once, whatever the number of tables in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType

from workbench.catalog.shown_waits import shown_file_io
from workbench.storage.file_io import FileIO

_NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


class Storages:
    """Opens the storages of a catalog with its options.

    Args:
        options: The options of the catalog.
        only: The storage of all tables; None to open one for each service, such as a bucket, and its credentials.
    """

    def __init__(self, options: Mapping[str, str], only: FileIO | None = None) -> None:
        self._options = options
        self._only = only
        self._lock = threading.Lock()
        self._opened: dict[object, FileIO] = {}
        self._wrapper: Callable[[FileIO], FileIO] | None = None

    def at(
        self,
        location: str,
        options: Mapping[str, str] = _NO_OPTIONS,
        opener: Callable[[], FileIO] | None = None,
    ) -> FileIO:
        """Return the storage of a location.

        Args:
            location: A directory or URL.
            options: Options that replace those of the catalog, such as credentials for this location.
            opener: How it is opened, if not with these options; they only distinguish it from others.

        Raises:
            CatalogError: There is no file system for the location, or its package is not installed.
        """
        service = tuple(location.split("/")[:3]) if "://" in location else ""
        key = "" if self._only is not None else (service, frozenset(options.items()))
        with self._lock:
            if key not in self._opened:
                opened = self._only or (
                    shown_file_io(location, {**self._options, **options}) if opener is None else opener()
                )
                self._opened[key] = opened if self._wrapper is None else self._wrapper(opened)
            return self._opened[key]

    def wrap(self, wrapper: Callable[[FileIO], FileIO]) -> None:
        """Let ``wrapper`` wrap each storage that is opened, and those that are open."""
        with self._lock:
            self._wrapper = wrapper
            self._opened = {key: wrapper(each) for key, each in self._opened.items()}
