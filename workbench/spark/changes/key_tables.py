"""Row changes in primary-key tables: rows of the kinds +I, +U and -D are written to the buckets of their keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame, functions
from pyspark.sql import types as spark

from workbench.base.errors import Unsupported
from workbench.format.spec.data_file import CommitMessage
from workbench.format.spec.schema import TableSchema
from workbench.format.spec.snapshot import Operation
from workbench.format.types import DataField, char_length
from workbench.lsm.merge_function import RowKind
from workbench.spark.bucket import quoted
from workbench.spark.changes.tasks import DELETE, OLD, OPERATION, UPDATE, CheckTask, KindsTask, counts_of
from workbench.spark.reading.metadata_columns import ROW
from workbench.spark.session import map_in_arrow
from workbench.spark.writing import placement
from workbench.spark.writing.file_writers import Writing
from workbench.spark.writing.tasks import WriteTask
from workbench.spark.writing.writer import task_of_plan
from workbench.table.dml.result import RowChanges, row_changes
from workbench.table.dml.rules import check_no_postponed_rows, check_supports_deletes, fixed_columns

if TYPE_CHECKING:
    from workbench.base.progress import Progress
    from workbench.table.commits.commit import Commit
    from workbench.table.table import Table

_ROW_KIND = "__workbench_row_kind"


def change_rows(
    table: Table, rows: DataFrame, operation: Operation, progress: Progress, properties: Mapping[str, str]
) -> RowChanges:
    """Write the changed rows that Spark computed; each comes together with its old row.

    Raises:
        SchemaMismatch: The key or the partition of a row would change; nothing is visible.
        Unsupported: The merge engine would leave rows unchanged; nothing is visible.
        CommitConflict: Another writer changed the same files first; nothing is visible.
    """
    store = table.store
    check_no_postponed_rows(store, table.scan().snapshot, operation)
    started = store.clock.monotonic()
    plan = table.new_write_plan(False)
    written = placement.project_to_table(_with_kinds(rows, table.schema), table.schema, _ROW_KIND)
    task = _counting(task_of_plan(plan, overwrite=False, row_kind=_ROW_KIND))
    counted: dict[int, int] = {}

    def commit(messages: Sequence[bytes | CommitMessage]) -> Commit:
        left, counts = counts_of(messages)
        counted.update(counts)
        return table.commit(left, properties=properties, operation=operation)

    published = Writing(written, task, plan.buckets, "arrow", progress).run(commit)
    return row_changes(
        published,
        store.clock.monotonic() - started,
        deleted=counted.get(RowKind.DELETE, 0),
        updated=counted.get(RowKind.UPDATE_AFTER, 0),
        inserted=counted.get(RowKind.INSERT, 0),
    )


def has_values(rows: DataFrame, schema: TableSchema) -> bool:
    """Return whether changed rows have new values, which the rows of a DELETE lack."""
    return set(schema.field_names) <= set(rows.columns)


def _counting(task: WriteTask) -> KindsTask:
    return KindsTask(**{name: getattr(task, name) for name in WriteTask.__dataclass_fields__})


def _with_kinds(rows: DataFrame, schema: TableSchema) -> DataFrame:
    """Return the rows to write with their kinds; for a deletion, the old row is written."""
    operation = functions.col(OPERATION)
    is_deleted = operation == DELETE
    kind = (
        functions.when(is_deleted, RowKind.DELETE.short)
        .when(operation == UPDATE, RowKind.UPDATE_AFTER.short)
        .otherwise(RowKind.INSERT.short)
    )
    if has_values(rows, schema):
        new = {each.name: _new(each) for each in schema.fields}
        columns = [functions.when(is_deleted, _old(name)).otherwise(new[name]).alias(name) for name in new]
        kept = [_refused(kind, schema).alias(_ROW_KIND)]
    else:
        # A DELETE has no new values.
        columns = [_old(name).alias(name) for name in schema.field_names]
        kept = [kind.alias(_ROW_KIND)]
    if not _may_keep_old_values(schema):
        return rows.select(*columns, *kept)
    checked = rows.select(*columns, *kept, functions.col(ROW).alias(OLD))
    fields = [spark.StructField(each.name, each.dataType) for each in checked.schema.fields if each.name != OLD]
    return map_in_arrow(checked, CheckTask(schema, _ROW_KIND).run, spark.StructType(fields))


def _new(field: DataField) -> Column:
    """Return the new value of a column: the stored one if only the blanks at the end of CHAR differ."""
    value, length = functions.col(quoted(field.name)), char_length(field.type)
    if length is None:
        return value
    old = _old(field.name)
    return functions.when(functions.rpad(old, length, " ").eqNullSafe(value), old).otherwise(value)


def _old(name: str) -> Column:
    return functions.col(ROW).getField(name)


def _may_keep_old_values(schema: TableSchema) -> bool:
    """Return whether the merge engine keeps the old values of some rows, which has to be checked."""
    return schema.core.engine.updates_partially or bool(schema.core.sequence_field)


def _refused(kind: Column, schema: TableSchema) -> Column:
    """Return the row kinds, with an error in place of the kind of each row that must not be changed in this way."""
    for name in fixed_columns(schema):
        moves = ~_new(schema.field(name)).eqNullSafe(_old(name))
        part = "primary key" if name in schema.primary_keys else "partition"
        text = f"Cannot update {part} column '{name}'. Delete the row and write a new one."
        is_update = functions.col(OPERATION) == UPDATE
        kind = functions.when(is_update & moves, functions.raise_error(text).cast("string")).otherwise(kind)
    try:
        check_supports_deletes(schema)
    except Unsupported as error:
        is_deleted = functions.col(OPERATION) == DELETE
        kind = functions.when(is_deleted, functions.raise_error(str(error)).cast("string")).otherwise(kind)
    return kind
