"""Conversion of Arrow tables to pandas, Polars and DuckDB, which are imported only when used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import Unsupported, WorkbenchError

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Return the rows as a pandas frame.

    Integer and boolean columns with nulls get pandas' nullable types: otherwise pandas would convert them to floats,
    which cannot represent large integers. Lists are NumPy arrays, unless these would lose values.
    """
    pandas = _library("pandas")
    nullable = {
        pa.int8(): pandas.Int8Dtype(),
        pa.int16(): pandas.Int16Dtype(),
        pa.int32(): pandas.Int32Dtype(),
        pa.int64(): pandas.Int64Dtype(),
        pa.bool_(): pandas.BooleanDtype(),
    }
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True)
    for field, column in zip(table.schema, table.columns, strict=True):
        if column.null_count and field.type in nullable:
            frame[field.name] = column.to_pandas(types_mapper=nullable.get)
        elif any(map(_loses_in_arrays, column.chunks)):
            frame[field.name] = pandas.Series(column.to_pylist(), index=frame.index, dtype=object)
    return frame


def _loses_in_arrays(values: Any) -> bool:
    """Return whether lists, at any depth, lose values as NumPy arrays: nulls among floats become NaN, and timestamps
    lose their zone."""
    types = pa.types
    if types.is_struct(values.type):
        return any(map(_loses_in_arrays, values.flatten()))
    if types.is_map(values.type):
        return _loses_in_arrays(values.keys) or _loses_in_arrays(values.items)
    if not types.is_list(values.type) and not types.is_fixed_size_list(values.type):
        return False
    elements = values.flatten()
    if types.is_floating(elements.type):
        return bool(elements.null_count)
    return (types.is_timestamp(elements.type) and elements.type.tz is not None) or _loses_in_arrays(elements)


def to_polars(table: pa.Table) -> pl.DataFrame:
    """Return the rows as a Polars frame with the same types."""
    frame: pl.DataFrame = _library("polars").from_arrow(table)
    return frame


def to_duckdb(table: pa.Table, connection: duckdb.DuckDBPyConnection | None = None) -> duckdb.DuckDBPyRelation:
    """Return the rows as a DuckDB relation; see `ReadableTable.to_duckdb`.

    Raises:
        Unsupported: There are no columns, or a column has zoned timestamps with more than microsecond precision.
    """
    library = _library("duckdb")
    if not table.num_columns:
        raise Unsupported("A DuckDB relation must have at least one column.", "Select the columns to read.")
    for position, field in enumerate(table.schema):
        arrow_type = _in_microseconds(field.type)
        if arrow_type != field.type:
            try:
                column = table.column(position).cast(arrow_type)
            except pa.ArrowInvalid as error:
                raise Unsupported(
                    f"Column '{field.name}' has zoned timestamps beyond microseconds, which DuckDB does not support.",
                    "Omit the column.",
                ) from error
            table = table.set_column(position, field.with_type(arrow_type), column)
    relation: duckdb.DuckDBPyRelation = library.from_arrow(table, connection=connection or _default_connection(library))
    return relation


def _default_connection(library: Any) -> Any:
    """Return DuckDB's default connection. In notebooks, DuckDB's progress bar would stay above each result."""
    connection = library.default_connection()
    connection.execute("SET enable_progress_bar = false")
    return connection


def _in_microseconds(arrow_type: pa.DataType) -> pa.DataType:
    """Return the type with zoned nanoseconds replaced by microseconds, at any depth."""
    if pa.types.is_timestamp(arrow_type) and arrow_type.tz and arrow_type.unit == "ns":
        return pa.timestamp("us", arrow_type.tz)
    if pa.types.is_struct(arrow_type):
        return pa.struct([field.with_type(_in_microseconds(field.type)) for field in arrow_type])
    if pa.types.is_list(arrow_type):
        return pa.list_(arrow_type.value_field.with_type(_in_microseconds(arrow_type.value_type)))
    if pa.types.is_map(arrow_type):
        key, item = _in_microseconds(arrow_type.key_type), _in_microseconds(arrow_type.item_type)
        return pa.map_(arrow_type.key_field.with_type(key), arrow_type.item_field.with_type(item))
    return arrow_type


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise WorkbenchError(f"{name} is not installed.", "Run: pip install 'paimon-workbench[outlets]'.") from error
