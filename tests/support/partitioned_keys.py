"""Key tables with partitions, their rows as changes, and what they contain."""

from __future__ import annotations

import pyarrow as pa

from workbench.catalog.filesystem import FileSystemCatalog
from workbench.table.table import Table

COLUMNS = {"id": "STRING NOT NULL", "p": "INT NOT NULL", "v": "INT"}


def partitioned_table(catalog: FileSystemCatalog, key: tuple[str, ...], options: dict[str, str]) -> Table:
    return catalog.create_table("db.t", COLUMNS, primary_key=key, partition_by=["p"], options=options)


def rows(numbers: list[tuple[int, int, bool]], first: int) -> pa.Table:
    return pa.table(
        {
            "id": pa.array([f"key {number}" for number, _, _ in numbers], pa.string()),
            "p": pa.array([partition for _, partition, _ in numbers], pa.int32()),
            "v": pa.array(range(first, first + len(numbers)), pa.int32()),
            "kind": pa.array(["+I" if lives else "-D" for _, _, lives in numbers], pa.string()),
        }
    )


def content(table: Table) -> dict[tuple[str, int], int]:
    actual_rows = table.to_arrow().to_pylist()
    values = {(row["id"], row["p"]): row["v"] for row in actual_rows}
    assert len(values) == len(actual_rows)
    return values
