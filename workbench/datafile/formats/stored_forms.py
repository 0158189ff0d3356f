"""Columns of a file whose stored form differs from Arrow's: VARIANTs and MAPs in several parts, VECTORs, INT96 (format
§13)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pyarrow as pa

from workbench.base.errors import CorruptFile
from workbench.base.modules import pc
from workbench.datafile.protocol import beyond_nanoseconds
from workbench.format.parquet.int96 import int96_times
from workbench.format.types import TIMES, AtomicType, DataType, MapType, holds, to_arrow
from workbench.format.types.map_shredding import is_shared_map, reassemble_maps
from workbench.format.types.nested_arrays import with_leaves
from workbench.format.types.variant_shredding import is_shredded, reassemble_variants

FieldMetadata = Callable[[str], Mapping[bytes, bytes] | None]
"""A function from the name of a column in the file to the metadata that its writer recorded."""


def with_plain_columns(table: pa.Table, types: Mapping[str, DataType], metadata: FieldMetadata, path: str) -> pa.Table:
    """Return the table with all columns in Arrow's form. ``types``: the written types of the columns to convert.

    Raises CorruptFile naming ``path`` if they are corrupt, Unsupported if they cannot be read.
    """
    for position, name in enumerate(table.column_names):
        if name in types:
            try:
                column = _plain(table.column(position), types[name], partial(metadata, name))
            except OverflowError as error:
                raise beyond_nanoseconds(path, [name]) from error
            except ValueError as error:
                raise CorruptFile(path, f"its column '{name}' is corrupt ({error})") from error
            table = table.set_column(position, name, column)
    return table


def _plain(column: Any, written: DataType, metadata: Callable[[], Mapping[bytes, bytes] | None]) -> Any:
    if isinstance(written, MapType) and is_shared_map(column.type):
        column = reassemble_maps(column, metadata())
    if holds(written, "VARIANT", "VECTOR", *TIMES) and not column.type.equals(to_arrow(written)):
        column = with_leaves(column, written, _leaf)
    return column


def _leaf(array: pa.Array, data_type: AtomicType) -> pa.Array:
    target = to_arrow(data_type)
    if data_type.root in TIMES and pa.types.is_fixed_size_binary(array.type):
        return int96_times(array, data_type)
    if data_type.root != "VARIANT":
        return pc.cast(array, options=pc.CastOptions(target_type=target, allow_time_truncate=True))
    if is_shredded(array.type):
        return reassemble_variants(array, target)
    parts = [array.field(field.name) for field in target]
    return pa.StructArray.from_arrays(parts, fields=list(target), mask=array.is_null())
