"""Tables for tests of DELETE, UPDATE and MERGE."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.catalog.filesystem import FileSystemCatalog
from workbench.metadata.manifests import ManifestFiles
from workbench.table.table import Table

COLUMNS = {"id": "BIGINT NOT NULL", "v": "INT", "s": "STRING"}
VECTORS = {"deletion-vectors.enabled": "true"}
IN_BUCKETS = {"bucket": "1", "bucket-key": "id"}


def rows(*ids: int) -> list[dict[str, Any]]:
    return [{"id": each, "v": each * 10, "s": f"s{each}"} for each in ids]


def append_table(catalog: FileSystemCatalog, options: dict[str, str] | None = None, files: int = 3) -> Table:
    """Files with the ids 0 to 9, 10 to 19, …"""
    table = catalog.create_table("db.t", COLUMNS, options=options or {})
    for number in range(files):
        table.write(rows(*range(number * 10, number * 10 + 10)))
    return table


def key_table(catalog: FileSystemCatalog, options: dict[str, str] | None = None, partition: str | None = None) -> Table:
    keys = ["id"] if partition is None else ["id", partition]
    columns = COLUMNS if partition is None else {**COLUMNS, partition: "STRING NOT NULL"}
    partitions = [] if partition is None else [partition]
    return catalog.create_table("db.k", columns, keys, partitions, {"bucket": "1", **(options or {})})


def ids(table: Table) -> list[int]:
    return sorted(table.to_arrow(["id"]).column(0).to_pylist())


def data_files(table: Table) -> set[str]:
    return {path.name for path in Path(table.location).rglob("data-*")}


def live_files(table: Table) -> set[str]:
    return {entry.file.file_name for entry in ManifestFiles(table.store).live_files(table.snapshot())}
