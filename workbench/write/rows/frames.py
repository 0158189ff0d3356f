"""Conversion of pandas frames. NaN, NaT and NA are nulls, as in Arrow's own conversion."""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa

from workbench.base.errors import SchemaMismatch
from workbench.format.spec.schema import TableSchema
from workbench.format.types import to_arrow
from workbench.write.rows.names import spelled
from workbench.write.rows.python_values import column_of_values

_PLAIN = {"string": pa.string(), "bytes": pa.binary(), "boolean": pa.bool_()}
"""What pandas calls columns of Python objects of one type, and the Arrow type that stores them as they are."""


def is_pandas_frame(data: Any) -> bool:
    """Return whether rows are a pandas frame; pandas is not imported."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def columns_of_frame(frame: Any, schema: TableSchema, row_kind: str | None, *, extends: bool) -> dict[str, Any]:
    """Return the columns of a frame by name, those with Python objects in the types of the table's columns.

    A named level of the index is a column, unless a column repeats it; other levels are left out. With ``extends``,
    columns of the table are found regardless of case.

    Raises:
        SchemaMismatch: Columns have the same name or several levels of names, or a value does not fit its column.
    """
    series = _named_series(frame)
    spelling = spelled([name for name in series if name != row_kind], schema.field_names) if extends else {}
    columns: dict[str, Any] = {}
    for name, values in series.items():
        known = spelling.get(name, name)
        columns[known] = _values(values, known, None if name == row_kind else schema, extends=extends)
    return columns


def _named_series(frame: Any) -> dict[str, Any]:
    if frame.columns.nlevels > 1:
        raise SchemaMismatch("The columns of the frame have names of several levels.", "Join the levels to one name.")
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise SchemaMismatch(
            f"Duplicate column names: '{twice[0]}' occurs twice in the frame.", "Rename one of the columns."
        )
    series = {str(name): frame.iloc[:, at] for at, name in enumerate(frame.columns)}
    levels: dict[str, Any] = {}
    for at, name in enumerate(frame.index.names):
        if name is None:
            continue
        level = frame.index.get_level_values(at).to_series(index=frame.index)
        if str(name) in levels:
            raise SchemaMismatch(f"'{name}' occurs twice in the index of the frame.", "Rename one of the levels.")
        levels[str(name)] = level
        if str(name) in series and not level.equals(series[str(name)]):
            raise SchemaMismatch(
                f"'{name}' is a column and a level of the index, with other values.",
                "Rename one of them, or remove the index with reset_index(drop=True).",
            )
    return {**levels, **series} if levels.keys() - series.keys() else series


def _values(series: Any, name: str, schema: TableSchema | None, *, extends: bool) -> Any:
    if series.dtype != object:
        return pa.array(series, from_pandas=True)
    declared = None if schema is None or name not in schema.field_names else schema.field(name).type
    pandas = sys.modules["pandas"]
    if declared is not None and to_arrow(declared) == _PLAIN.get(pandas.api.types.infer_dtype(series, skipna=True)):
        return pa.array(series, to_arrow(declared), from_pandas=True)
    missing = series.isna().to_numpy()
    values = [None if absent else value for value, absent in zip(series.tolist(), missing, strict=True)]
    return column_of_values(values, name, declared, extends=extends)
