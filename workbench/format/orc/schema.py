"""Columns of Paimon's ORC files: types and field ids (format §14, Java ``OrcTypeUtil``)."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from workbench.base.errors import Unsupported
from workbench.format.parquet.schema import FIELD_ID, parquet_schema
from workbench.format.types import DataField, DataType, holds

_ORC_ID = b"paimon.id"
_UNKNOWN = ("VARIANT", "VECTOR", "GEOMETRY", "GEOGRAPHY")


def orc_schema(fields: Sequence[DataField]) -> pa.Schema:
    """Return the Arrow schema to open an ORC writer with. Field ids are those of Parquet files, and everything is
    nullable.

    Raises:
        Unsupported: If ORC files do not support a type.
    """
    for field in fields:
        if unknown := type_not_in_orc(field.type):
            raise Unsupported(
                f"ORC files have no {unknown}, so column '{field.name}' of type {field.type} cannot be written.",
                "Set 'file.format' to 'parquet'.",
            )
    return pa.schema([_with_id(each) for each in parquet_schema(fields)])


def type_not_in_orc(data_type: DataType) -> str | None:
    """Return the root of the type, or of one nested in it, that ORC files cannot hold; None if they can hold it all."""
    return next((root for root in _UNKNOWN if holds(data_type, root)), None)


def _with_id(field: pa.Field) -> pa.Field:
    return pa.field(field.name, _stored(field.type), True, {_ORC_ID: field.metadata[FIELD_ID]})


def _stored(arrow_type: pa.DataType) -> pa.DataType:
    if pa.types.is_time(arrow_type):
        return pa.int32()
    if pa.types.is_map(arrow_type):
        return pa.map_(_with_id(arrow_type.key_field).with_nullable(False), _with_id(arrow_type.item_field))
    if pa.types.is_list(arrow_type):
        return pa.list_(_with_id(arrow_type.value_field))
    if pa.types.is_struct(arrow_type):
        return pa.struct([_with_id(each) for each in arrow_type])
    return arrow_type
