"""Record of the files that COPY INTO has loaded into a table, kept beside the table's data as in Paimon's connector."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench.metadata.store import TableStore

_DIRECTORY = "copy-into/history"


@dataclass(frozen=True)
class SourceFile:
    """A file to load."""

    path: str
    size: int
    modified_millis: int

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class LoadHistory:
    """The files that were loaded into a table, each recorded in a small file that is named after a hash of its path."""

    store: TableStore

    @property
    def _directory(self) -> str:
        return f"{self.store.location.rstrip('/')}/{_DIRECTORY}"

    @cached_property
    def _names(self) -> Mapping[str, list[str]]:
        """The paths of the record files, by the hash in their names."""
        found: dict[str, list[str]] = {}
        if self.store.file_io.exists(self._directory):
            for status in self.store.file_io.list_files(self._directory):
                kind, _, rest = status.name.partition("-")
                if kind == "load":
                    found.setdefault(rest.partition("-")[0], []).append(status.path)
        return found

    def has(self, file: SourceFile) -> bool:
        """Return whether a file was already loaded with its current size and modification time."""
        return any(_matches(self._record(path), file) for path in self._names.get(_hash(file.path), ()))

    def _record(self, path: str) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(self.store.file_io.read_bytes(path))
        return record

    def add(self, file: SourceFile, rows: int, snapshot: int) -> None:
        """Record that a file was loaded by a snapshot."""
        now = self.store.clock.now_millis()
        record = {
            "filePath": file.path,
            "fileSize": file.size,
            "lastModified": file.modified_millis,
            "loadedAt": now,
            "snapshotId": snapshot,
            "rowsLoaded": rows,
        }
        path = f"{self._directory}/load-{_hash(file.path)}-{now}"
        self.store.file_io.write_bytes(path, json.dumps(record).encode())


def _matches(record: Mapping[str, Any], file: SourceFile) -> bool:
    return int(record["fileSize"]) == file.size and int(record["lastModified"]) == file.modified_millis


def _hash(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()[:16]
