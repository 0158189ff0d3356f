"""This library, as the tasks use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

import workbench as wb
from tests.benchmarks.specs import TableSpec
from workbench.datafile import data_file_writer
from workbench.format.spec.data_file import CommitMessage


def create(connection: Mapping[str, str], name: str, spec: TableSpec) -> Any:
    catalog = wb.connect(connection)
    if spec.row_group_rows is not None:
        data_file_writer._ROW_GROUP_ROWS = spec.row_group_rows
    if "db" not in catalog.list_databases():
        catalog.create_database("db")
    return catalog.create_table(f"db.{name}", dict(spec.columns), primary_key=spec.keys, options=spec.options)


def open_table(connection: Mapping[str, str], name: str) -> Any:
    return wb.connect(connection).get_table(f"db.{name}")


def append(table: Any, rows: pa.Table) -> None:
    table.write(rows)


def list_files(table: Any, number: int) -> None:
    """Add the newest file to the manifests under many names, 10,000 in a commit."""
    (split,) = table.scan().plan()
    for first in range(0, number, 10_000):
        names = (f"data-{file:08}-0.parquet" for file in range(first, min(number, first + 10_000)))
        files = tuple(replace(split.files[0], file_name=name) for name in names)
        table.commit([CommitMessage(split.partition, split.bucket, split.total_buckets, files)])


def read(table: Any, columns: Sequence[str] | None, between: tuple[str, Any, Any] | None) -> pa.Table:
    return table.to_arrow(columns, _where(between))


def stream(table: Any) -> Iterator[pa.RecordBatch]:
    return iter(table.to_batches())


def files(table: Any) -> int:
    return sum(len(split.files) for split in table.scan().plan())


def newest_snapshot(table: Any) -> int:
    return int(table.snapshot().id)


def snapshots(table: Any) -> int:
    return len(table.snapshots())


def difference(table: Any, start: int, end: int) -> pa.Table:
    return table.changes(start, end, mode="diff")


def compact(table: Any) -> int:
    return int(table.compact(full=True).snapshots[0].total_record_count)


def _where(between: tuple[str, Any, Any] | None) -> Any:
    if between is None:
        return None
    name, low, high = between
    column = wb.col(name)
    return column == low if low == high else (column >= low) & (column <= high)
