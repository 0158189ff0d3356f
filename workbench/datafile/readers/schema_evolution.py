"""Conversion of stored columns of an older schema to those of the read schema (Java's ``SchemaEvolutionUtil``)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.base.zones import as_stored
from workbench.datafile.casts.rules import cast_values
from workbench.format.types import ArrayType, DataType, MapType, RowType, to_arrow


def evolved(column: pa.ChunkedArray, written: DataType, declared: DataType) -> pa.ChunkedArray:
    """Convert a column in the Arrow type of ``written`` to ``declared``: fields of rows are matched by id, also inside
    lists and maps; new fields are null, and values are cast.

    Raises:
        Unsupported: A column cannot be altered like this.
        CastError: A value does not fit.
    """
    kind = to_arrow(declared)
    if not _shares(written, declared):
        return pa.chunked_array([pa.nulls(len(column), kind)])
    return pa.chunked_array([_evolved(chunk, written, declared) for chunk in column.chunks], kind)


def _shares(written: DataType, declared: DataType) -> bool:
    """Return whether any stored field is still requested. A row all of whose fields were dropped reads as null, and so
    does a list or map of such rows (Java's ``FormatReaderMapping``)."""
    if isinstance(written, RowType) and isinstance(declared, RowType):
        stored = {field.id: field.type for field in written.fields}
        return any(field.id in stored and _shares(stored[field.id], field.type) for field in declared.fields)
    if type(written) is type(declared) and isinstance(written, ArrayType | MapType):
        return all(map(_shares, written.children(), declared.children()))
    return True


def _evolved(values: Any, written: DataType, declared: DataType) -> Any:
    if written.as_nullable() == declared.as_nullable():
        return values
    if isinstance(written, RowType) and isinstance(declared, RowType):
        return _rows(values, written, declared)
    if isinstance(written, ArrayType) and isinstance(declared, ArrayType):
        offsets, (elements,) = _contents(values, values.values)
        elements = _evolved(elements, written.element, declared.element)
        return pa.ListArray.from_arrays(offsets, elements, to_arrow(declared), mask=values.is_null())
    if isinstance(written, MapType) and isinstance(declared, MapType):
        if written.key != declared.key:
            raise Unsupported(f"Maps with keys of type {written.key} cannot be read with keys of type {declared.key}.")
        offsets, (keys, items) = _contents(values, values.keys, values.items)
        items = _evolved(items, written.value, declared.value)
        return pa.MapArray.from_arrays(offsets, keys, items, to_arrow(declared), mask=values.is_null())
    with as_stored():
        return cast_values(values, written, declared)


def _rows(values: pa.StructArray, written: RowType, declared: RowType) -> pa.StructArray:
    # Unlike the stored fields, flattened fields are null where their row is null.
    stored = {field.id: (field.type, part) for field, part in zip(written.fields, values.flatten(), strict=True)}
    parts = []
    for field in declared.fields:
        kind, part = stored.get(field.id, (field.type, None))
        known = part is not None and _shares(kind, field.type)
        parts.append(_evolved(part, kind, field.type) if known else pa.nulls(len(values), to_arrow(field.type)))
    return pa.StructArray.from_arrays(parts, fields=list(to_arrow(declared)), mask=values.is_null())


def _contents(values: Any, *parts: pa.Array) -> tuple[pa.Array, list[pa.Array]]:
    """Return offsets of lists or maps starting from zero, and the parts that they refer to."""
    offsets = values.offsets.to_numpy()
    first, last = int(offsets[0]), int(offsets[-1])
    return pa.array((offsets - first).astype(np.int32)), [part.slice(first, last - first) for part in parts]
