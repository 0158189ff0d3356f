"""Counts the files of a table independently of the package: with fastavro on manifests and pyarrow on data files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Stored:
    """A live data file of a snapshot."""

    name: str
    bucket: int
    total_buckets: int
    partition: bytes
    level: int
    rows: int
    size: int
    path: Path


def stored_files(location: str, snapshot: int) -> dict[str, Stored]:
    """Return the live files of a snapshot by name."""
    table = Path(location)
    written = json.loads((table / "snapshot" / f"snapshot-{snapshot}").read_text())
    live: dict[tuple[bytes, int, int, str], Stored] = {}
    for list_name in (written["baseManifestList"], written["deltaManifestList"]):
        for manifest in _records(table / "manifest" / list_name):
            for entry in _records(table / "manifest" / manifest["_FILE_NAME"]):
                file = entry["_FILE"]
                key = (entry["_PARTITION"], entry["_BUCKET"], file["_LEVEL"], file["_FILE_NAME"])
                if entry["_KIND"] == 0:
                    live[key] = _stored(table, entry)
                else:
                    live.pop(key, None)
    return {each.name: each for each in live.values()}


def _stored(table: Path, entry: dict[str, Any]) -> Stored:
    file = entry["_FILE"]
    path = next(iter(table.rglob(file["_FILE_NAME"])), table / file["_FILE_NAME"])
    return Stored(
        file["_FILE_NAME"],
        entry["_BUCKET"],
        entry["_TOTAL_BUCKETS"],
        entry["_PARTITION"],
        file["_LEVEL"],
        file["_ROW_COUNT"],
        file["_FILE_SIZE"],
        path,
    )


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as stream:
        yield from fastavro.reader(stream)  # type: ignore[misc]


def chunk_bytes(path: Path, groups: list[int] | None = None) -> dict[str, int]:
    """Return the compressed bytes of each column of a Parquet file, in some row groups."""
    metadata = pq.ParquetFile(path).metadata
    found: dict[str, int] = {}
    for group in range(metadata.num_row_groups) if groups is None else groups:
        for leaf in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(leaf)
            name = chunk.path_in_schema.split(".")[0]
            found[name] = found.get(name, 0) + chunk.total_compressed_size
    return found
