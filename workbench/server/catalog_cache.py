"""The catalogs that the worker has open."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from typing import Any, Protocol, cast

from workbench.base.progress import Progress
from workbench.catalog.connect import connect
from workbench.catalog.identifier import Identifier
from workbench.catalog.named import named_catalog
from workbench.catalog.protocol import Catalog
from workbench.server.requests import VersionRequest
from workbench.table.table import Table

_MAX_OPEN = 32
_MAX_BEGUN = 8

_Options = tuple[tuple[str, str], ...]


class TableName(Protocol):
    """The full name of a table, as requests contain it."""

    @property
    def catalog(self) -> str:
        """The catalog."""
        ...

    @property
    def database(self) -> str:
        """The database."""
        ...

    @property
    def table(self) -> str:
        """The table."""
        ...


class CatalogCache:
    """An LRU cache of open catalogs, keyed by their options; an open catalog keeps decoded metadata in memory."""

    def __init__(self) -> None:
        self._open: OrderedDict[_Options, Catalog] = OrderedDict()
        self._lock = threading.Lock()
        self.begun = BegunReads()

    def open(self, options: Mapping[str, str]) -> Catalog:
        """Return the open catalog of these options.

        Raises:
            CatalogError, Unsupported: its warehouse cannot be opened.
        """
        key = tuple(sorted(options.items()))
        # Opened outside the lock: loading the code of a store is slow.
        opened = self._open.get(key) or connect(options)
        with self._lock:
            kept = self._open.setdefault(key, opened)
            self._open.move_to_end(key)
            if len(self._open) > _MAX_OPEN:
                self._open.popitem(last=False)
        return kept


class BegunReads:
    """Reads that were begun for one request and are continued for another; the oldest ones are forgotten."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: Hashable) -> Any:
        """Return what was kept, None if it was forgotten or taken by another request."""
        with self._lock:
            return self._kept.pop(key, None)

    def keep(self, key: Hashable, begun: Any) -> None:
        """Keep what a request has read for the request that continues it."""
        with self._lock:
            self._kept[key] = begun
            if len(self._kept) > _MAX_BEGUN:
                self._kept.popitem(last=False)


class OpenCatalogs:
    """The catalogs that a request may read: those of the catalog files, and those added to the server (``session``).

    ``progress`` belongs to the request: long reads report to it, so that they stop when the request is cancelled.
    """

    def __init__(
        self, cache: CatalogCache, session: Mapping[str, Mapping[str, str]], progress: Progress | None = None
    ) -> None:
        self._cache = cache
        self.session = session
        self.begun = cache.begun
        self.progress = Progress() if progress is None else progress

    def catalog(self, name: str) -> Catalog:
        """Return a catalog by name.

        Raises:
            CatalogNotFound: neither the server nor a catalog file knows the name.
            CatalogError, Unsupported: its warehouse cannot be opened.
        """
        added = self.session.get(name)
        return self._cache.open(named_catalog(name).options if added is None else added)

    def table(self, name: TableName) -> Table:
        """Return a table with its current schema."""
        return self.catalog(name.catalog).get_table(Identifier(name.database, name.table))

    def version(self, request: VersionRequest) -> Table:
        """Return the table at the requested version."""
        # Reading once does not change the kind of a table.
        table = cast(Table, self.table(request).reading_once())
        if request.snapshot is None and request.tag is None:
            return table
        return table.at(snapshot=request.snapshot, tag=request.tag)
