"""Finds the stored rows of a key with Avro, Parquet and ORC readers alone, to compare biographies with."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.orc as orc
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Found:
    """A stored row: its file, position, kind and sequence number, and the commit whose delta first adds the file."""

    file: str
    position: int
    kind: str
    sequence: int
    commit: int | None


def avro(path: Path) -> list[dict[str, Any]]:
    return [cast(dict[str, Any], each) for each in fastavro.reader(io.BytesIO(path.read_bytes()))]


def snapshots(table: Path, branch: Path | None = None) -> dict[int, dict[str, Any]]:
    home = branch or table
    files = [*home.glob("snapshot/snapshot-*"), *home.glob("tag/tag-*")]
    read = [json.loads(each.read_text()) for each in files]
    return {each["id"]: each for each in sorted(read, key=lambda each: each["id"])}


def entries(table: Path, manifest_list: str) -> Iterator[dict[str, Any]]:
    for meta in avro(table / "manifest" / manifest_list):
        yield from avro(table / "manifest" / meta["_FILE_NAME"])


def retained_files(table: Path) -> dict[str, int | None]:
    """The data files of all retained commits, with the commit that added each."""
    kept = snapshots(table)
    files: dict[str, int | None] = {}
    for number, snapshot in kept.items():
        live: dict[tuple[str, int], int] = {}
        both = [*entries(table, snapshot["baseManifestList"]), *entries(table, snapshot["deltaManifestList"])]
        for entry in both:
            key = (entry["_FILE"]["_FILE_NAME"], entry["_FILE"]["_LEVEL"])
            live[key] = live.get(key, 0) + (1 if entry["_KIND"] == 0 else -1)
        for (name, _), count in live.items():
            if count > 0:
                files.setdefault(name, None)
        # A file that moves to another level is removed and added by one commit.
        delta = list(entries(table, snapshot["deltaManifestList"]))
        removed = {entry["_FILE"]["_FILE_NAME"] for entry in delta if entry["_KIND"] == 1}
        for entry in delta:
            name = entry["_FILE"]["_FILE_NAME"]
            if entry["_KIND"] == 0 and name in files and files[name] is None and name not in removed:
                files[name] = number
    return files


def stored_rows(path: Path) -> pa.Table:
    extension = path.suffix
    if extension == ".parquet":
        return pq.ParquetFile(path).read()
    if extension == ".orc":
        return orc.ORCFile(path).read()
    return pa.Table.from_pylist(avro(path)) if avro(path) else pa.table({})


def count(table: Path, key: Mapping[str, object]) -> set[Found]:
    """The stored rows with a key in all retained files."""
    paths = {path.name: path for path in table.rglob("data-*") if path.is_file()}
    result = set()
    for name, commit in retained_files(table).items():
        rows = stored_rows(paths[name])
        mask = pa.array([True] * rows.num_rows)
        for column, value in key.items():
            # Thin files have no _KEY_ columns, so the key is compared in its value columns.
            stored = rows.column(column)
            mask = pc.and_(mask, pc.equal(stored, pa.scalar(value, stored.type)))
        for position, hit in enumerate(mask.to_pylist()):
            if hit:
                kind = ("+I", "-U", "+U", "-D")[rows.column("_VALUE_KIND")[position].as_py()]
                result.add(Found(name, position, kind, rows.column("_SEQUENCE_NUMBER")[position].as_py(), commit))
    return result
