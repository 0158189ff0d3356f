"""Tables of a few versions, for tests of operations on versions."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

NO_NAMES = ["", "  ", "a/b", "../x", "a\\b", "a\nb", "x" * 200]
"""Names that no tag or branch can have."""


def make(catalog: FileSystemCatalog, **options: str) -> Table:
    """Four versions; version N holds the rows 1 … N. Options have ``__`` for dots and ``_`` for dashes."""
    named = {name.replace("_", "-").replace("--", "."): text for name, text in options.items()}
    created = catalog.create_table("db.t", {"id": "INT"}, options=named)
    for number in range(1, 5):
        created.write(row(number))
    return created


def row(number: int) -> pa.Table:
    return pa.table({"id": pa.array([number], pa.int32())})


def ids(table: Table) -> list[int]:
    return sorted(table.to_arrow()["id"].to_pylist())


def expire(table: Table, *numbers: int) -> None:
    for number in numbers:
        Path(table.store.branch_path("snapshot", f"snapshot-{number}")).unlink()
