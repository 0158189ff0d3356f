"""Compactions counted from the metadata files of a table, without using this library."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fastavro

Record = dict[str, Any]
BucketName = tuple[str, int]
FileName = tuple[str, int]


@dataclass
class CountedBucket:
    """The files that a commit removed from a bucket and added to it, by name and level."""

    removed: dict[FileName, Record] = field(default_factory=dict)
    added: dict[FileName, Record] = field(default_factory=dict)

    @property
    def moved(self) -> set[str]:
        return {name for name, _ in self.removed} & {name for name, _ in self.added}

    def read(self, column: str) -> list[int]:
        return [file[column] for (name, _), file in self.removed.items() if name not in self.moved]

    def written(self, column: str) -> list[int]:
        return [file[column] for (name, _), file in self.added.items() if name not in self.moved]


def records(path: Path) -> list[Record]:
    with path.open("rb") as file:
        return [record for record in fastavro.reader(file) if isinstance(record, dict)]


def stored_snapshots(location: str) -> dict[int, Record]:
    """The snapshot files by id, the oldest first."""
    read = (json.loads(path.read_text()) for path in Path(location, "snapshot").glob("snapshot-*"))
    return dict(sorted((snapshot["id"], snapshot) for snapshot in read))


def commit_of(location: str, snapshot: Record) -> dict[BucketName, CountedBucket]:
    """What a commit did to each bucket, by the hex of its partition and its number."""
    directory, buckets = Path(location, "manifest"), defaultdict[BucketName, CountedBucket](CountedBucket)
    for manifest in records(directory / snapshot["deltaManifestList"]):
        for entry in records(directory / manifest["_FILE_NAME"]):
            bucket = buckets[entry["_PARTITION"].hex(), entry["_BUCKET"]]
            side = bucket.added if entry["_KIND"] == 0 else bucket.removed
            side[entry["_FILE"]["_FILE_NAME"], entry["_FILE"]["_LEVEL"]] = entry["_FILE"]
    return dict(buckets)


def files_of(location: str, snapshot: Record) -> dict[BucketName, dict[FileName, Record]]:
    """The files of each bucket at a snapshot."""
    directory, buckets = Path(location, "manifest"), defaultdict[BucketName, dict[FileName, Record]](dict)
    for name in (snapshot["baseManifestList"], snapshot["deltaManifestList"]):
        for manifest in records(directory / name):
            for entry in records(directory / manifest["_FILE_NAME"]):
                files = buckets[entry["_PARTITION"].hex(), entry["_BUCKET"]]
                file = entry["_FILE"]
                if entry["_KIND"] == 0:
                    files[file["_FILE_NAME"], file["_LEVEL"]] = file
                else:
                    del files[file["_FILE_NAME"], file["_LEVEL"]]
    return {key: files for key, files in buckets.items() if files}


def runs_of(files: dict[FileName, Record]) -> list[list[Record]]:
    """The sorted runs of a bucket, the newest first."""
    above = defaultdict[int, list[Record]](list)
    newest = []
    for file in files.values():
        if file["_LEVEL"]:
            above[file["_LEVEL"]].append(file)
        else:
            newest.append(file)
    newest.sort(
        key=lambda file: (
            -file["_MAX_SEQUENCE_NUMBER"],
            file["_MIN_SEQUENCE_NUMBER"],
            _millis(file["_CREATION_TIME"]),
            file["_FILE_NAME"],
        )
    )
    return [*([file] for file in newest), *(above[level] for level in sorted(above))]


def size_of(files: list[Record]) -> int:
    return sum(file["_FILE_SIZE"] for file in files)


def _millis(time: Any) -> float:
    return time.timestamp() if time is not None else 0
