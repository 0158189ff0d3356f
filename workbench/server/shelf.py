"""The catalogs that the worker has open."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping

from workbench.catalog.connect import connect
from workbench.catalog.filesystem import FileSystemCatalog
from workbench.catalog.identifier import Identifier
from workbench.catalog.named import named_catalog
from workbench.table.table import Table

_MOST_OPEN = 32

_Options = tuple[tuple[str, str], ...]


class Shelf:
    """Opens a catalog once, and again where its options changed. An open catalog keeps decoded metadata in memory, so
    that those used longest ago are let go."""

    def __init__(self) -> None:
        self._open: OrderedDict[_Options, FileSystemCatalog] = OrderedDict()
        self._changing = threading.Lock()

    def catalog(self, name: str, session_options: Mapping[str, str] | None) -> FileSystemCatalog:
        """A catalog by name; ``session_options`` are those of a catalog that only this server knows.

        Raises:
            CatalogNotFound: no catalog file has the name.
            CatalogError, Unsupported: its warehouse cannot be opened.
        """
        options = named_catalog(name).options if session_options is None else session_options
        key = tuple(sorted(options.items()))
        # Opening may have to load the code of a store: nobody else waits for that.
        opened = self._open.get(key) or connect(options)
        with self._changing:
            kept = self._open.setdefault(key, opened)
            self._open.move_to_end(key)
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        return kept

    def table(self, name: str, session_options: Mapping[str, str] | None, database: str, table: str) -> Table:
        """A table as its files are now."""
        return self.catalog(name, session_options).get_table(Identifier(database, table))
