"""The catalogs that the worker has open."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from contextlib import suppress
from typing import Any, Protocol, cast

from workbench.base.errors import TableNotFound
from workbench.base.progress import Progress
from workbench.catalog.catalog import Catalog
from workbench.catalog.connect import connect
from workbench.catalog.identifier import Identifier
from workbench.catalog.named import named_catalog
from workbench.catalog.owners import know_catalogs
from workbench.catalog.shared_reads import with_shared_reads
from workbench.server.requests import VersionRequest
from workbench.table.table import Table

_MAX_OPEN = 32
_MAX_BEGUN = 8
_MAX_WATCHED = 1000

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
        self.watched = WatchedTables()

    def open(self, options: Mapping[str, str]) -> Catalog:
        """Return the open catalog of these options.

        Raises:
            CatalogError, Unsupported: its warehouse cannot be opened.
        """
        key = tuple(sorted(options.items()))
        # Opened outside the lock: loading the code of a store is slow.
        opened = self._open.get(key) or with_shared_reads(connect(options))
        with self._lock:
            kept = self._open.setdefault(key, opened)
            self._open.move_to_end(key)
            if len(self._open) > _MAX_OPEN:
                self._open.popitem(last=False)
        return kept


class WatchedTables:
    """The open tables that the server polls: only the newest snapshot of an open table is read, not its schema."""

    def __init__(self) -> None:
        self._open: OrderedDict[Hashable, tuple[Catalog, Table]] = OrderedDict()
        self._lock = threading.Lock()

    def newest_id(self, name: TableName, catalog: Catalog) -> int | None:
        """Return the id of the newest snapshot of a table; None if it was never written.

        Raises any error of opening or reading the table, which is then opened again at the next poll.
        """
        key = (name.catalog, name.database, name.table)
        with self._lock:
            opened_in, table = self._open.pop(key, (None, None))
        if table is not None and opened_in is catalog:
            # It may have been dropped, and another one created in its place.
            with suppress(TableNotFound):
                return self._read(key, catalog, table)
        return self._read(key, catalog, catalog.get_table(Identifier(name.database, name.table)))

    def _read(self, key: Hashable, catalog: Catalog, table: Table) -> int | None:
        newest = table.version
        # What a table reads may be fixed when it is opened.
        if not table.is_pinned:
            with self._lock:
                self._open[key] = catalog, table
                if len(self._open) > _MAX_WATCHED:
                    self._open.popitem(last=False)
        return None if newest is None else newest.id


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
        know_catalogs(session)
        self.begun = cache.begun
        self._watched = cache.watched
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

    def newest_id(self, name: TableName) -> int | None:
        """Return the id of the newest snapshot of a table that is polled; None if it was never written."""
        return self._watched.newest_id(name, self.catalog(name.catalog))

    def version(self, request: VersionRequest) -> Table:
        """Return the table at the requested version."""
        # Reading once does not change the kind of a table.
        table = cast(Table, self.table(request).reading_once())
        if request.snapshot is None and request.tag is None:
            return table
        return table.at(snapshot=request.snapshot, tag=request.tag)
