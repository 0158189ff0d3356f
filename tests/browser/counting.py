"""A table's numbers, counted from its files alone, without the library under test.

The manifests say which files a version has; rows are counted from the Parquet files themselves.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import fastavro
import pyarrow.parquet as pq

_ADD = 0
_DELETED_KINDS = (1, 3)


@dataclass(frozen=True)
class CountedFile:
    """A data file. ``partition`` is its directory: ``dt=2026-11-01``, '' without partitions."""

    name: str
    partition: str
    bucket: int
    level: int
    rows: int
    deletes: int
    size: int
    keys: tuple[Any, Any] | None


@dataclass(frozen=True)
class CountedBucket:
    """The files of one bucket."""

    partition: str
    bucket: int
    files: tuple[CountedFile, ...]
    keyed: bool

    @cached_property
    def by_level(self) -> Mapping[int, Sequence[CountedFile]]:
        """Files by level, level 0 first."""
        result: dict[int, list[CountedFile]] = defaultdict(list)
        for file in sorted(self.files, key=lambda file: file.level):
            result[file.level].append(file)
        return result

    @property
    def runs(self) -> int:
        """Each level-0 file and each higher level is a sorted run; files without keys, never merged, are one run."""
        if not self.keyed:
            return 1
        return len(self.by_level.get(0, ())) + sum(1 for level in self.by_level if level > 0)

    @property
    def rows(self) -> int:
        """Rows as stored, before any merge."""
        return sum(file.rows for file in self.files)

    @property
    def deletes(self) -> int:
        """The number of rows that delete a key."""
        return sum(file.deletes for file in self.files)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.size for file in self.files)


class CountedTable:
    """A table's directory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        schemas = sorted((path / "schema").iterdir(), key=lambda file: int(file.name.removeprefix("schema-")))
        schema = json.loads(schemas[-1].read_text())
        self.keys = [name for name in schema["primaryKeys"] if name not in schema["partitionKeys"]]
        self._contents: dict[str, CountedFile] = {}

    @property
    def snapshots(self) -> dict[int, dict[str, Any]]:
        """The snapshot files by id, oldest first."""
        read = [json.loads(file.read_text()) for file in (self.path / "snapshot").glob("snapshot-*")]
        return {snapshot["id"]: snapshot for snapshot in sorted(read, key=lambda snapshot: snapshot["id"])}

    @property
    def tags(self) -> dict[str, int]:
        """The snapshot of each tag, by name."""
        files = (self.path / "tag").glob("tag-*")
        return {file.name.removeprefix("tag-"): json.loads(file.read_text())["id"] for file in files}

    def changed_files(self, snapshot: int) -> tuple[list[CountedFile], list[CountedFile]]:
        """The files that a snapshot added, and those that it removed, without those that it only moved."""
        entries = list(self._entries(self.snapshots[snapshot]["deltaManifestList"]))
        names = [
            {each["_FILE"]["_FILE_NAME"] for each in entries if (each["_KIND"] == _ADD) == adds} for adds in (1, 0)
        ]
        moved = names[0] & names[1]
        changed = [entry for entry in entries if entry["_FILE"]["_FILE_NAME"] not in moved]
        added = [self._file(entry) for entry in changed if entry["_KIND"] == _ADD]
        return added, [self._file(entry) for entry in changed if entry["_KIND"] != _ADD]

    def rows_total(self, snapshot: int) -> int:
        """Rows of all files of a snapshot."""
        return sum(bucket.rows for bucket in self.buckets(snapshot))

    def buckets(self, snapshot: int) -> list[CountedBucket]:
        """The buckets of a snapshot, by partition and number."""
        result: dict[tuple[str, int], list[CountedFile]] = defaultdict(list)
        for entry in self._live(snapshot):
            file = self._file(entry)
            result[file.partition, file.bucket].append(file)
        return [CountedBucket(*key, tuple(result[key]), bool(self.keys)) for key in sorted(result)]

    def _live(self, snapshot: int) -> list[dict[str, Any]]:
        snapshots = self.snapshots[snapshot]
        live: dict[tuple[str, int], dict[str, Any]] = {}
        for listed in (snapshots["baseManifestList"], snapshots["deltaManifestList"]):
            for entry in self._entries(listed):
                identity = (entry["_FILE"]["_FILE_NAME"], entry["_FILE"]["_LEVEL"])
                if entry["_KIND"] == _ADD:
                    live[identity] = entry
                else:
                    del live[identity]
        return list(live.values())

    def _entries(self, manifest_list: str) -> Iterator[dict[str, Any]]:
        for manifest in self._avro(manifest_list):
            yield from self._avro(manifest["_FILE_NAME"])

    def _avro(self, name: str) -> list[Any]:
        with (self.path / "manifest" / name).open("rb") as file:
            return list(fastavro.reader(file))

    def _file(self, entry: dict[str, Any]) -> CountedFile:
        name = entry["_FILE"]["_FILE_NAME"]
        if name not in self._contents:
            self._contents[name] = self._counted(name)
        counted = self._contents[name]
        return CountedFile(**{**vars(counted), "level": entry["_FILE"]["_LEVEL"]})

    def _counted(self, name: str) -> CountedFile:
        """The content of a data file, from its Parquet; the level is not stored there."""
        (path,) = self.path.rglob(name)
        stored = pq.read_table(path)
        partition = path.parent.parent.relative_to(self.path).as_posix()
        kinds = stored.column("_VALUE_KIND").to_pylist() if self.keys else []
        first_key = stored.column(self.keys[0]).to_pylist() if len(self.keys) == 1 else []
        return CountedFile(
            name=name,
            partition="" if partition == "." else partition,
            bucket=int(path.parent.name.removeprefix("bucket-")),
            level=-1,
            rows=stored.num_rows,
            deletes=sum(kind in _DELETED_KINDS for kind in kinds),
            size=path.stat().st_size,
            keys=(min(first_key), max(first_key)) if first_key else None,
        )
