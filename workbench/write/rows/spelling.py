"""Renames columns and nested fields of Arrow data as a table spells them, where the names differ only in case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from workbench.format.types import ArrayType, DataField, DataType, MapType, RowType
from workbench.write.rows.columns import is_list, pairs_of
from workbench.write.rows.names import spelled
from workbench.write.rows.nesting import entries_of, lengths_of, lists_of, nulls_of, rows_of


def spelled_like(
    rows: pa.Table | pa.RecordBatchReader, fields: Sequence[DataField], row_kind: str | None
) -> pa.Table | pa.RecordBatchReader:
    """Return rows with the names of a table's columns; the batches of a reader are renamed when they are read.

    Raises:
        SchemaMismatch: A name is ambiguous.
    """
    schema = spelled_schema(rows.schema, fields, row_kind)
    if schema.equals(rows.schema):
        return rows
    if isinstance(rows, pa.Table):
        columns = [
            pa.chunked_array([_renamed(chunk, field.type) for chunk in column.chunks], field.type)
            for column, field in zip(rows.columns, schema, strict=True)
        ]
        return pa.Table.from_arrays(columns, schema=schema)
    batches = (
        pa.RecordBatch.from_arrays(
            [_renamed(column, field.type) for column, field in zip(batch.columns, schema, strict=True)], schema=schema
        )
        for batch in rows
    )
    return pa.RecordBatchReader.from_batches(schema, batches)


def spelled_batches(
    batches: Iterable[pa.RecordBatch], fields: Sequence[DataField], row_kind: str | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield batches with the names of a table's columns; see `spelled_like`."""
    for batch in batches:
        yield from spelled_like(pa.Table.from_batches([batch]), fields, row_kind).to_batches()


def spelled_schema(given: pa.Schema, fields: Sequence[DataField], row_kind: str | None = None) -> pa.Schema:
    """Return a schema with the names of a table's columns; ``row_kind`` is a column that is not stored.

    Raises:
        SchemaMismatch: A name is ambiguous.
    """
    stored = [field for field in given if field.name != row_kind]
    renamed = iter(_spelled_fields(stored, fields, ""))
    return pa.schema([field if field.name == row_kind else next(renamed) for field in given], given.metadata)


def _spelled_fields(given: Sequence[pa.Field], known: Sequence[DataField], path: str) -> list[pa.Field]:
    names = spelled([field.name for field in given], [field.name for field in known], path)
    types = {field.name: field.type for field in known}
    made = []
    for field in given:
        name = names.get(field.name)
        if name is None:
            made.append(field)
        else:
            inside = _spelled_type(field.type, types[name], f"{path}.{name}" if path else name)
            made.append(field.with_name(name).with_type(inside))
    return made


def _spelled_type(given: Any, known: DataType, path: str) -> pa.DataType:
    if isinstance(known, RowType) and pa.types.is_struct(given):
        return pa.struct(_spelled_fields(list(given), known.fields, path))
    if isinstance(known, ArrayType) and is_list(given):
        element = _spelled_type(given.value_type, known.element, f"{path}.element")
        return given if element == given.value_type else pa.list_(given.value_field.with_type(element))
    if isinstance(known, MapType) and pa.types.is_map(given):
        item = _spelled_type(given.item_type, known.value, f"{path}.value")
        return given if item == given.item_type else pa.map_(given.key_field, given.item_field.with_type(item))
    return given


def _renamed(values: Any, arrow_type: Any) -> Any:
    """Return an array in a type that differs from its own only in names of nested fields."""
    if values.type == arrow_type:
        return values
    if pa.types.is_struct(arrow_type):
        parts = [_renamed(part, field.type) for part, field in zip(values.flatten(), arrow_type, strict=True)]
        return rows_of(list(arrow_type), parts, nulls_of(values))
    if pa.types.is_map(arrow_type):
        entries = pairs_of(values)
        keys, items = entries.flatten().flatten()
        child = entries_of(arrow_type, keys, _renamed(items, arrow_type.item_type))
        return lists_of(arrow_type, lengths_of(entries), nulls_of(values), child)
    elements = _renamed(values.flatten(), arrow_type.value_type)
    return lists_of(arrow_type, lengths_of(values), nulls_of(values), elements)
