"""Which files COPY INTO has loaded into a table, kept beside it as Paimon's connector keeps it."""

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
    """The files that were loaded into a table: one small file for each, named by a hash of its path."""

    store: TableStore

    @property
    def _directory(self) -> str:
        return f"{self.store.location.rstrip('/')}/{_DIRECTORY}"

    @cached_property
    def _names(self) -> Mapping[str, list[str]]:
        """The paths of the records by the hash in their names."""
        found: dict[str, list[str]] = {}
        if self.store.file_io.exists(self._directory):
            for status in self.store.file_io.list_files(self._directory):
                kind, _, rest = status.name.partition("-")
                if kind == "load":
                    found.setdefault(rest.partition("-")[0], []).append(status.path)
        return found

    def has(self, file: SourceFile) -> bool:
        """Return whether a file was loaded with its size and its time of change."""
        return any(_tells(self._record(path), file) for path in self._names.get(_hash(file.path), ()))

    def _record(self, path: str) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(self.store.file_io.read_bytes(path))
        return record

    def add(self, file: SourceFile, rows: int, snapshot: int) -> None:
        """Note that a file was loaded by a snapshot."""
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


def _tells(record: Mapping[str, Any], file: SourceFile) -> bool:
    return int(record["fileSize"]) == file.size and int(record["lastModified"]) == file.modified_millis


def _hash(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()[:16]
