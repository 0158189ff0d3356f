"""How changed rows are written, which the kind of the table and the statement decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.progress import Progress
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Operation, Snapshot
from workbench.format.spec.table_kind import AppendOnlyKind, KeyValueKind, TableKind
from workbench.spark.changes import append_tables, key_files, key_tables
from workbench.spark.reading.metadata_columns import BUCKET, FILE_PATH, ROW, ROW_INDEX
from workbench.table.dml.rules import deletes_from_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.table.dml.result import RowChanges
    from workbench.table.table import Table


@dataclass(frozen=True)
class ChangeWriter:
    """Writer of changed rows that Spark computed from a version.

    ``identity`` are the metadata columns of the old rows by which ``write`` finds them.
    """

    identity: tuple[str, ...]
    write: Callable[[Table, Snapshot | None, DataFrame, Operation, Progress, Mapping[str, str]], RowChanges]


_DELETES_FROM_FILES = ChangeWriter(
    (ROW, BUCKET), lambda table, snapshot, rows, _, *notes: key_files.delete_rows(table, snapshot, rows, *notes)
)
_BY_KIND: Mapping[type[TableKind], ChangeWriter] = {
    KeyValueKind: ChangeWriter((ROW,), lambda table, _, *change: key_tables.change_rows(table, *change)),
    AppendOnlyKind: ChangeWriter((FILE_PATH, ROW_INDEX), append_tables.change_rows),
}


def change_writer(schema: TableSchema, operation: Operation) -> ChangeWriter:
    """Return the writer for the kind of a table; a DELETE may have to remove rows from their files."""
    if operation is Operation.DELETE and deletes_from_files(schema):
        return _DELETES_FROM_FILES
    return schema.kind.choose(_BY_KIND)
