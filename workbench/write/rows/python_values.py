"""Conversion of Python values to the type of a table's column: nested fields are matched by name.

Values are gathered by depth: the values of one field, of all elements or of all keys are converted together, so that
Arrow's own casts apply at every depth. Without them, Arrow would cut values, such as 1.5 for an INT or noon for a DATE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array
from workbench.base.checkers import is_utf8
from workbench.base.counting import counted
from workbench.base.errors import SchemaMismatch
from workbench.format.spec.schema import TableSchema
from workbench.format.types import ArrayType, DataField, DataType, MapType, MultisetType, RowType, VectorType, to_arrow
from workbench.format.types.variant_building import Variant
from workbench.write.rows.casts import FAILURES, first_line
from workbench.write.rows.columns import VARIANT_PARTS, absent, check_keys, lists_with, parts_of_map
from workbench.write.rows.names import refuse_unknown, spelled
from workbench.write.rows.nesting import entries_of, lists_of, rows_of
from workbench.write.rows.scalars import scalars, types_of, without_markers
from workbench.write.value_limits import refuse_undecodable

_NO_LIST = (str, bytes, bytearray, memoryview, Mapping)


@dataclass(frozen=True)
class PythonValues:
    """Converts values. With ``extends``, names match regardless of case, and unknown nested fields and values that do
    not fit get the type that Arrow infers, so that the schema of the table can be extended."""

    extends: bool = False

    def array(self, values: Sequence[Any], data_type: DataType, path: str) -> Any:
        """Return values as an Arrow array of a type.

        Raises:
            SchemaMismatch: A field of a row is unknown, or a value cannot be converted without loss; the message names
                the path.
        """
        if isinstance(data_type, ArrayType | VectorType):
            return self._lists(values, data_type, path)
        if isinstance(data_type, MapType | MultisetType):
            return self._maps(values, data_type, path)
        if isinstance(data_type, RowType):
            return self._rows(values, data_type, path)
        if data_type.root == "VARIANT":
            return self._variants(values, path)
        try:
            return scalars(values, data_type, path)
        except SchemaMismatch:
            if self.extends:
                return inferred(values, path)
            raise

    def _lists(self, values: Sequence[Any], data_type: ArrayType | VectorType, path: str) -> Any:
        lists = _converted(values, {list, tuple}, lambda each: _listed(each, data_type, path))
        lengths, missing = _shape(lists)
        elements = self.array(_joined(lists), data_type.element, f"{path}.element")
        if self.extends and elements.type != to_arrow(data_type.element):
            return lists_of(pa.list_(elements.type), lengths, missing, elements)
        return lists_with(elements, lengths, missing, data_type, path)

    def _maps(self, values: Sequence[Any], data_type: MapType | MultisetType, path: str) -> Any:
        maps = _converted(values, {dict}, lambda each: _mapped(each, data_type, path))
        lengths, missing = _shape(maps)
        key_type, value_type = parts_of_map(data_type)
        entries = [pair for each in maps if each is not None for pair in (each if type(each) is list else each.items())]
        keys = self.array([key for key, _ in entries], key_type, f"{path}.key")
        check_keys(keys, path)
        items = self.array([item for _, item in entries], value_type, f"{path}.value")
        target: Any = to_arrow(data_type)
        if self.extends:
            target = pa.map_(target.key_field.with_type(keys.type), target.item_field.with_type(items.type))
        return lists_of(target, lengths, missing, entries_of(target, keys, items))

    def _rows(self, values: Sequence[Any], data_type: RowType, path: str) -> Any:
        known = [field.name for field in data_type.fields]
        rows = _converted(values, {dict}, lambda each: _row(each, known, data_type, path))
        given = list(dict.fromkeys(chain.from_iterable(filter(None, rows))))
        others: list[Any] = []
        if self.extends:
            check_names(given, path)
            spelling = spelled(given, known, path)
            rows = [row if row is None else {spelling.get(key, key): row[key] for key in row} for row in rows]
            others = [name for name in given if name not in spelling]
        else:
            refuse_unknown(path, given, known)
        missing = np.array([row is None for row in rows], bool)
        children = [self._field(rows, field, path) for field in data_type.fields]
        added = [inferred([row and row.get(name) for row in rows], f"{path}.{name}") for name in others]
        target = to_arrow(data_type)
        declared = [field.with_type(child.type) for field, child in zip(target, children, strict=True)]
        new = [pa.field(name, child.type) for name, child in zip(others, added, strict=True)]
        return rows_of([*declared, *new], [*children, *added], missing)

    def _field(self, rows: Sequence[Any], field: DataField, path: str) -> Any:
        """Return the values of a field; the default of the field, or null, where a row lacks it."""
        default = None if field.default_value is None else absent(field, 1)[0].as_py()
        values = [None if row is None else row.get(field.name, default) for row in rows]
        return self.array(values, field.type, f"{path}.{field.name}")

    def _variants(self, values: Sequence[Any], path: str) -> Any:
        rows = _converted(values, set(), lambda each: _variant(each, path))
        return self._rows(rows, VARIANT_PARTS, path)


def named_rows(data: Any) -> Sequence[Mapping[Any, Any]] | None:
    """Return data that are rows with named values as mappings, see `named_values`; None if they are not."""
    if not isinstance(data, Sequence) or isinstance(data, str | bytes):
        return None
    if set(map(type, data)) <= {dict}:
        return data
    rows: list[Mapping[Any, Any]] = []
    for row in data:
        named = named_values(row)
        if named is None:
            return None
        rows.append(named)
    return rows


def columns_of_rows(
    rows: Sequence[Mapping[Any, Any]], schema: TableSchema, row_kind: str | None, *, extends: bool
) -> dict[str, Any]:
    """Return the columns of rows by name, in the types of the table's columns; see `PythonValues`.

    Raises:
        SchemaMismatch: A name is not text, or a value does not fit its column.
    """
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    check_names(names)
    spelling = spelled([name for name in names if name != row_kind], schema.field_names) if extends else {}
    columns: dict[str, Any] = {}
    for name in names:
        known = spelling.get(name, name)
        values = [row.get(name) for row in rows]
        is_declared = name != row_kind and known in schema.field_names
        declared = schema.field(known).type if is_declared else None
        columns[known] = column_of_values(values, known, declared, extends=extends)
    return columns


def column_of_values(values: Sequence[Any], name: str, data_type: DataType | None, *, extends: bool = False) -> Any:
    """Return the values of a column in its type, or in the type that Arrow infers if it is not known.

    Raises:
        SchemaMismatch: A value does not fit, or contains text that cannot be encoded in UTF-8.
    """
    try:
        return inferred(values, name) if data_type is None else PythonValues(extends).array(values, data_type, name)
    except SchemaMismatch:
        refuse_undecodable(values, name)
        raise


def inferred(values: Sequence[Any], path: str) -> Any:
    """Return values in the type that Arrow infers.

    Raises:
        SchemaMismatch: The values have no common type.
    """
    try:
        return pa.array(without_markers(values))
    except FAILURES as error:
        raise SchemaMismatch(
            f"Column '{path}' is unknown, and these values do not have one type: {first_line(error)}."
        ) from error


def check_names(names: Iterable[Any], path: str = "") -> None:
    """Raise SchemaMismatch if a name of a column or of a nested field is not text that can be encoded."""
    for name in names:
        if not isinstance(name, str) or not is_utf8(name):
            what = f"a valid name of a field of '{path}'" if path else "a valid column name"
            raise SchemaMismatch(f"{name!r:.60} is not {what}.", "Use text as the keys of rows.")


def named_values(value: Any) -> Mapping[Any, Any] | None:
    """Return the values of a row by name; None if it has no names.

    Rows are mappings, named tuples, instances of dataclasses, and rows of Spark.
    """
    if isinstance(value, Mapping):
        named: Mapping[Any, Any] = value
        return named
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None) or getattr(value, "__fields__", None)
        return None if names is None else dict(zip(names, value, strict=True))
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return None


def _converted(values: Sequence[Any], plain: set[type], convert: Callable[[Any], Any]) -> Sequence[Any]:
    """Return values converted one by one, without markers of missing values, unless all have plain types."""
    if types_of(values) <= plain:
        return values
    return [each if each is None else convert(each) for each in without_markers(values)]


def _row(value: Any, known: Sequence[str], data_type: DataType, path: str) -> Mapping[Any, Any]:
    named = named_values(value)
    if named is not None:
        return named
    if isinstance(value, tuple):
        if len(value) != len(known):
            raise SchemaMismatch(
                f"Column '{path}' is {data_type}, but a tuple has {counted(len(value), 'values')}.",
                "Pass a dict of its fields.",
            )
        return dict(zip(known, value, strict=True))
    raise _misfit(value, data_type, path, "Pass dicts of its fields.")


def _listed(value: Any, data_type: DataType, path: str) -> Any:
    if isinstance(value, np.ma.MaskedArray):
        return value.tolist()
    is_single = isinstance(value, np.ndarray) and value.ndim == 0
    if isinstance(value, Iterable) and not is_single and not isinstance(value, _NO_LIST):
        return value if isinstance(value, np.ndarray | list | tuple) else list(value)
    raise _misfit(value, data_type, path, "Pass lists.")


def _mapped(value: Any, data_type: DataType, path: str) -> Mapping[Any, Any] | list[tuple[Any, Any]]:
    """Return a map as it is, or its pairs: of pairs, or of dicts with 'key' and 'value'."""
    if isinstance(value, Mapping):
        return value
    pairs = []
    for entry in _listed(value, data_type, path):
        if isinstance(entry, Mapping) and entry.keys() == {"key", "value"}:
            pairs.append((entry["key"], entry["value"]))
        elif isinstance(entry, tuple | list | np.ndarray) and len(entry) == 2:
            pairs.append((entry[0], entry[1]))
        else:
            raise _misfit(entry, data_type, path, "Pass dicts, or lists of pairs.")
    return pairs


def _variant(value: Any, path: str) -> Mapping[str, Any]:
    if isinstance(value, Variant):
        return {"value": value.value, "metadata": value.metadata}
    if isinstance(value, Mapping) and value.keys() == {"value", "metadata"}:
        return value
    raise SchemaMismatch(
        f"Column '{path}' is VARIANT, but a value is of type {type(value).__name__}.",
        "Pass wb.variant(…) of a Python value or of JSON text, or the encoded bytes as {'value': …, 'metadata': …}.",
    )


def _misfit(value: Any, data_type: DataType, path: str, hint: str) -> SchemaMismatch:
    return SchemaMismatch(f"Column '{path}' is {data_type}, but a value is of type {type(value).__name__}.", hint)


def _shape(lists: Sequence[Any]) -> tuple[Int64Array, BoolArray]:
    """Return the length of each list, 0 for nulls, and which of them are null."""
    lengths = np.array([0 if each is None else len(each) for each in lists], np.int64)
    return lengths, np.array([each is None for each in lists], bool)


def _joined(lists: Sequence[Any]) -> Any:
    """Return the elements of all lists; as a NumPy array if all of them are arrays of numbers of one type."""
    present = [each for each in lists if each is not None]
    kinds = {each.dtype if isinstance(each, np.ndarray) and each.ndim == 1 else None for each in present}
    if len(kinds) == 1 and (dtype := kinds.pop()) is not None and dtype.kind in "iufb":
        return np.concatenate(present)
    return [each for some in present for each in some]
