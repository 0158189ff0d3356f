"""pypaimon, as the tasks use it. Runs in a separate environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.schema.data_types import DataField, DataTypeParser, PyarrowFieldParser

from tests.benchmarks.specs import TableSpec


def create(connection: Mapping[str, str], name: str, spec: TableSpec) -> Any:
    fields = [
        DataField(n, column, DataTypeParser.parse_data_type(kind)) for n, (column, kind) in enumerate(spec.columns)
    ]
    catalog = CatalogFactory.create(dict(connection))
    catalog.create_database("db", True)
    catalog.create_table(f"db.{name}", Schema(fields, [], list(spec.keys), spec.options), False)
    return catalog.get_table(f"db.{name}")


def open_table(connection: Mapping[str, str], name: str) -> Any:
    return CatalogFactory.create(dict(connection)).get_table(f"db.{name}")


def append(table: Any, rows: pa.Table) -> None:
    builder = table.new_batch_write_builder()
    writer, committer = builder.new_write(), builder.new_commit()
    writer.write_arrow(rows.cast(PyarrowFieldParser.from_paimon_schema(table.fields)))
    committer.commit(writer.prepare_commit())
    writer.close()
    committer.close()


def read(table: Any, columns: Sequence[str] | None, between: tuple[str, Any, Any] | None) -> pa.Table:
    assert between is None
    builder = table.new_read_builder()
    if columns:
        builder = builder.with_projection(list(columns))
    return builder.new_read().to_arrow(builder.new_scan().plan().splits())


def files(table: Any) -> int:
    return sum(len(split.files) for split in table.new_read_builder().new_scan().plan().splits())


def newest_snapshot(table: Any) -> int:
    return int(table.snapshot_manager().get_latest_snapshot().id)


def snapshots(table: Any) -> int:
    return len(table.snapshot_manager().list_snapshots())
