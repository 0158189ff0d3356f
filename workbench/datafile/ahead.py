"""Small data files of a remote storage, which are requested at the same time before they are read one after another."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

from workbench.base.errors import CatalogError
from workbench.base.parallel import parallel_map
from workbench.datafile.data_input import reads_whole
from workbench.format.spec import paths
from workbench.format.spec.data_file import DataFileMeta
from workbench.metadata.store import TableStore
from workbench.storage.file_io import FileIO
from workbench.storage.wrappers import DelegatingFileIO

REQUESTS = 16
"""How many files of a remote storage are requested at the same time."""

# What may be in memory before it is read.
_MOST_FILES = 256
_MOST_BYTES = 128 << 20


def reading_ahead(store: TableStore, files: Iterable[tuple[str, DataFileMeta]]) -> TableStore:
    """Return the table with its small files in memory, each until it is read for the first time.

    Args:
        store: The table.
        files: The paths and the metadata of the files that will be read, those that are read first at the beginning.
    """
    if store.is_local:
        return store
    chosen: list[str] = []
    size = 0
    for path, file in files:
        if reads_whole(store.file_io, file.file_size) and not paths.is_packed(path):
            size += file.file_size
            if len(chosen) >= _MOST_FILES or size > _MOST_BYTES:
                break
            chosen.append(path)
    if len(chosen) < 2:
        return store
    return store.with_file_io(_FilesAhead(store.file_io, chosen))


class _FilesAhead(DelegatingFileIO):
    """Storage that has some files in memory."""

    def __init__(self, inner: FileIO, paths: Sequence[str]) -> None:
        super().__init__(inner)
        self._lock = threading.Lock()
        self._files: dict[str, bytes] = {}
        parallel_map(self._fetch, paths, REQUESTS)

    def _fetch(self, path: str) -> None:
        try:
            self._files[path] = self.inner.read_bytes(path)
        except CatalogError:
            # A storage that does not answer is not waited for once for each file.
            raise
        except OSError:
            # The reader of the file reports why it cannot be read.
            return

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file."""
        with self._lock:
            known = self._files.pop(path, None)
        return self.inner.read_bytes(path) if known is None else known
