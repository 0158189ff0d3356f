"""Altering a table to accept the columns and types of the rows that are written to it (option `write.merge-schema`)."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from workbench.base.errors import AlreadyExists, InvalidSchema, SchemaMismatch
from workbench.format.types import RowType, from_arrow
from workbench.metadata.schemas import load_latest_schema
from workbench.metadata.store import TableStore
from workbench.table.schema_changes.changes import SchemaChange
from workbench.table.schema_changes.commit import alter_table
from workbench.table.schema_changes.merging import SchemaMerging
from workbench.write.input import arrow_form
from workbench.write.rows.spelling import spelled_like, spelled_schema


def merged_for(
    store: TableStore, data: Any, row_kind: str | None
) -> tuple[TableStore, pa.Table | pa.RecordBatchReader]:
    """Return the table with a schema that accepts the rows, and the rows; the table is altered if necessary.

    ``row_kind`` is a column that is not stored. Names match regardless of case; the rows get those of the table.

    Raises:
        SchemaMismatch: A new column has no type, or a type cannot be merged with that of the table.
        InvalidSchema: The table does not allow a change, such as a new type for a key column.
    """
    newest = load_latest_schema(store)
    rows = spelled_like(arrow_form(data, newest, row_kind, extends=True), newest.fields, row_kind)
    given = pa.schema([field for field in rows.schema if field.name != row_kind])
    return merged_store(store, given), rows


def merged_store(store: TableStore, given: pa.Schema, *, case_sensitive: bool = False) -> TableStore:
    """Return the table with a schema that accepts rows of the ``given`` schema; the table is altered if necessary.
    Raises what `merged_for` raises."""
    core = store.schema.core
    widens = bool(core.value("write.merge-schema.type-widening"))
    merging = SchemaMerging(widens, widens and bool(core.value("write.merge-schema.explicit-cast")))
    while True:
        newest = load_latest_schema(store)
        named = given if case_sensitive else spelled_schema(given, newest.fields)
        changes = _changes(merging, RowType(newest.fields), named)
        if not changes:
            return store.with_schema(newest)
        try:
            return store.with_schema(alter_table(store, changes).schema)
        except (AlreadyExists, InvalidSchema):
            if load_latest_schema(store).id == newest.id:
                raise
            # Another writer merged its rows' schema first, maybe the same one.


def _changes(merging: SchemaMerging, old: RowType, given: pa.Schema) -> list[SchemaChange]:
    known = {field.name for field in old.fields}
    for field in given:
        if pa.types.is_null(field.type) and field.name not in known:
            raise SchemaMismatch(
                f"The new column '{field.name}' has only nulls, so its type is unknown.", "Cast the column first."
            )
    typed = pa.struct([field for field in given if not pa.types.is_null(field.type)])
    rows = from_arrow(typed)
    assert isinstance(rows, RowType)
    return list(merging.changes(old, rows))
