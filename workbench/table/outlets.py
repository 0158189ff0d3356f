"""Rows as frames and relations of other libraries, none of which is needed for anything else."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.base.errors import Unsupported, WorkbenchError
from workbench.base.progress import Progress
from workbench.expr.expressions import Expr

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl


class Outlets(ABC):
    """Rows for other libraries. A table says how they are read."""

    @abstractmethod
    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> pa.Table:
        """The rows as one Arrow table."""

    @abstractmethod
    def to_batches(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> pa.RecordBatchReader:
        """The rows as a stream."""

    def to_pandas(
        self, columns: Sequence[str] | None = None, where: str | Expr | None = None, limit: int | None = None
    ) -> pd.DataFrame:
        """The rows as a pandas frame; integers of columns with nulls are of pandas' nullable types."""
        return to_pandas(self.to_arrow(columns, where, limit))

    def to_polars(
        self, columns: Sequence[str] | None = None, where: str | Expr | None = None, limit: int | None = None
    ) -> pl.DataFrame:
        """The rows as a Polars frame."""
        return to_polars(self.to_arrow(columns, where, limit))

    def to_duckdb(
        self,
        columns: Sequence[str] | None = None,
        where: str | Expr | None = None,
        limit: int | None = None,
        connection: duckdb.DuckDBPyConnection | None = None,
    ) -> duckdb.DuckDBPyRelation:
        """The rows, held in memory, as a relation of ``connection`` or of DuckDB's own default one.

        Raises:
            Unsupported: zoned timestamps with digits behind the microseconds, for which DuckDB has no type.
        """
        return to_duckdb(self.to_arrow(columns, where, limit), connection)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Lets every Arrow reader take the table as it is."""
        return self.to_batches().__arrow_c_stream__(requested_schema)


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """A frame in pandas' usual types. Integers and booleans of columns with nulls are of its nullable types: without
    them pandas would make floats of them, which hold no large integers."""
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
    return frame


def to_polars(table: pa.Table) -> pl.DataFrame:
    """A frame of the same types."""
    frame: pl.DataFrame = _library("polars").from_arrow(table)
    return frame


def to_duckdb(table: pa.Table, connection: duckdb.DuckDBPyConnection | None = None) -> duckdb.DuckDBPyRelation:
    """A relation over the rows; see `Outlets.to_duckdb`."""
    library = _library("duckdb")
    for place, field in enumerate(table.schema):
        kind = _in_microseconds(field.type)
        if kind != field.type:
            try:
                column = table.column(place).cast(kind)
            except pa.ArrowInvalid as error:
                raise Unsupported(
                    f"Column '{field.name}' has zoned timestamps of more than 6 digits, for which DuckDB has no type.",
                    "Leave the column out.",
                ) from error
            table = table.set_column(place, field.with_type(kind), column)
    relation: duckdb.DuckDBPyRelation = library.from_arrow(table, connection=connection or library.default_connection())
    return relation


def _in_microseconds(kind: pa.DataType) -> pa.DataType:
    """The type with microseconds instead of zoned nanoseconds, at any depth."""
    if pa.types.is_timestamp(kind) and kind.tz and kind.unit == "ns":
        return pa.timestamp("us", kind.tz)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_in_microseconds(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_in_microseconds(kind.value_type)))
    if pa.types.is_map(kind):
        key, item = _in_microseconds(kind.key_type), _in_microseconds(kind.item_type)
        return pa.map_(kind.key_field.with_type(key), kind.item_field.with_type(item))
    return kind


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise WorkbenchError(f"{name} is not installed.", "Run: pip install 'paimon-workbench[outlets]'.") from error
