"""Conversion of Arrow columns of any type to the type of a table's column: nested fields are matched by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from workbench.base.errors import SchemaMismatch
from workbench.base.modules import pc
from workbench.format.types import (
    ArrayType,
    AtomicType,
    DataField,
    DataType,
    MapType,
    MultisetType,
    RowType,
    VectorType,
)
from workbench.format.types.arrow_types import to_arrow
from workbench.format.types.nested_arrays import fixed_lists
from workbench.write.rows.casts import cast_leaf
from workbench.write.rows.names import refuse_unknown
from workbench.write.rows.nesting import entries_of, lengths_of, lists_of, nulls_of, rows_of

VARIANT_PARTS = RowType(
    (
        DataField(0, "value", AtomicType("VARBINARY", nullable=False)),
        DataField(1, "metadata", AtomicType("VARBINARY", nullable=False)),
    )
)
"""The fields of a VARIANT, as rows hold them."""
_COUNT = AtomicType("INT", nullable=False)
_PAIR = ["key", "value"]


def fitted_column(column: pa.ChunkedArray, field: DataField) -> pa.ChunkedArray:
    """Return a column in the type of a table's column.

    Raises:
        SchemaMismatch: A field of a row is unknown, or values cannot be converted without loss; the message names the
            path.
    """
    target = to_arrow(field.type)
    if column.type == target:
        return column
    return pa.chunked_array([fitted(chunk, field.type, field.name) for chunk in column.chunks], target)


def fitted(values: Any, data_type: DataType, path: str) -> Any:
    """Return an array in a type; see `fitted_column`."""
    target = to_arrow(data_type)
    values = decoded(values)
    if values.type == target:
        return values
    if pa.types.is_null(values.type):
        return pa.nulls(len(values), target)
    if data_type.root == "VARIANT":
        data_type = VARIANT_PARTS
    if isinstance(data_type, RowType) and pa.types.is_struct(values.type):
        return _fitted_rows(values, data_type, target, path)
    if isinstance(data_type, ArrayType | VectorType) and is_list(values.type):
        return _fitted_lists(values, data_type, path)
    if isinstance(data_type, MapType | MultisetType) and (entries := _entries(values)) is not None:
        return _fitted_maps(entries, data_type, target, path)
    if pa.types.is_nested(target) or pa.types.is_nested(values.type):
        raise SchemaMismatch(f"Column '{path}' is {data_type}, but the values are {values.type}.", "Cast them first.")
    return cast_leaf(values, data_type, path)


def _fitted_rows(values: Any, data_type: RowType, target: pa.DataType, path: str) -> Any:
    names = values.type.names
    refuse_unknown(path, names, [field.name for field in data_type.fields])
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise SchemaMismatch(f"'{path}.{twice[0]}' occurs twice.", "Rename one of them.")
    given = dict(zip(names, values.flatten(), strict=True))
    children = [
        fitted(given[field.name], field.type, f"{path}.{field.name}")
        if field.name in given
        else absent(field, len(values))
        for field in data_type.fields
    ]
    return rows_of(list(target), children, nulls_of(values))


def absent(field: DataField, rows: int) -> pa.Array:
    """Return the values of a field that the rows lack: its default, or nulls."""
    if field.default_value is None:
        return pa.nulls(rows, to_arrow(field.type))
    # Loaded here, because few tables have defaults and need the casts.
    from workbench.write.defaults import default_value

    return pa.repeat(default_value(field), rows)


def _fitted_lists(values: Any, data_type: ArrayType | VectorType, path: str) -> Any:
    # The values of null lists are left out.
    elements = fitted(values.flatten(), data_type.element, f"{path}.element")
    return lists_with(elements, lengths_of(values), nulls_of(values), data_type, path)


def lists_with(elements: pa.Array, lengths: Any, missing: Any, data_type: ArrayType | VectorType, path: str) -> Any:
    """Return an array of lists of the given lengths with these elements; see `lists_of`."""
    if isinstance(data_type, ArrayType):
        return lists_of(to_arrow(data_type), lengths, missing, elements)
    lists = lists_of(to_arrow(ArrayType(data_type.element)), lengths, missing, elements)
    try:
        return fixed_lists(lists, to_arrow(data_type))
    except ValueError as error:
        raise SchemaMismatch(f"Column '{path}' is {data_type}, but {error}.") from error


def _entries(values: Any) -> Any:
    """Return maps, or lists of rows with a key and a value, as lists of such rows; None if they are neither."""
    if is_list(values.type):
        element = values.type.value_type
        return values if pa.types.is_struct(element) and element.names == _PAIR else None
    return pairs_of(values) if pa.types.is_map(values.type) else None


def pairs_of(values: Any) -> Any:
    """Return maps as lists of rows with a key and a value."""
    pairs = pa.StructArray.from_arrays([values.keys, values.items], names=_PAIR)
    offsets = pa.array(values.offsets.to_numpy())
    return pa.ListArray.from_arrays(offsets, pairs, mask=pa.array(nulls_of(values)))


def _fitted_maps(entries: Any, data_type: MapType | MultisetType, target: Any, path: str) -> Any:
    key_type, value_type = parts_of_map(data_type)
    pairs = entries.flatten()
    if pairs.null_count:
        raise SchemaMismatch(f"Column '{path}' is {data_type}, but contains a null instead of a key and a value.")
    keys, items = pairs.flatten()
    keys = fitted(keys, key_type, f"{path}.key")
    check_keys(keys, path)
    items = fitted(items, value_type, f"{path}.value")
    return lists_of(target, lengths_of(entries), nulls_of(entries), entries_of(target, keys, items))


def parts_of_map(data_type: MapType | MultisetType) -> tuple[DataType, DataType]:
    """Return the types of the keys and the values of a MAP or a MULTISET."""
    return (data_type.key, data_type.value) if isinstance(data_type, MapType) else (data_type.element, _COUNT)


def check_keys(keys: pa.Array, path: str) -> None:
    """Raise SchemaMismatch if a key of a map is null."""
    if keys.null_count:
        raise SchemaMismatch(f"'{path}.key' is null in some of the maps.", "Remove the entries without a key.")


def decoded(values: Any) -> Any:
    """Return an array without dictionaries and runs, at any depth.

    Arrow can neither look up values in dictionaries of views, as Polars makes them, nor cast nested dictionaries.
    """
    arrow_type = values.type
    if not is_encoded(arrow_type):
        return values
    if pa.types.is_run_end_encoded(arrow_type):
        return decoded(pc.run_end_decode(values))
    if pa.types.is_dictionary(arrow_type):
        known = decoded(values.dictionary)
        plain = _WITHOUT_VIEWS.get(known.type)
        return (known if plain is None else known.cast(plain)).take(values.indices)
    if pa.types.is_struct(arrow_type):
        parts = [decoded(part) for part in values.flatten()]
        fields = [field.with_type(part.type) for field, part in zip(arrow_type, parts, strict=True)]
        return rows_of(fields, parts, nulls_of(values))
    if pa.types.is_map(arrow_type):
        entries = pairs_of(values)
        keys, items = map(decoded, entries.flatten().flatten())
        made = pa.map_(arrow_type.key_field.with_type(keys.type), arrow_type.item_field.with_type(items.type))
        return lists_of(made, lengths_of(entries), nulls_of(values), entries_of(made, keys, items))
    elements = decoded(values.flatten())
    made = pa.list_(arrow_type.value_field.with_type(elements.type))
    return lists_of(made, lengths_of(values), nulls_of(values), elements)


_WITHOUT_VIEWS = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}


def is_encoded(arrow_type: pa.DataType) -> bool:
    """Return whether `decoded` changes arrays of a type."""
    if pa.types.is_dictionary(arrow_type) or pa.types.is_run_end_encoded(arrow_type):
        return True
    if pa.types.is_struct(arrow_type):
        return any(is_encoded(field.type) for field in arrow_type)
    if pa.types.is_map(arrow_type):
        return is_encoded(arrow_type.key_type) or is_encoded(arrow_type.item_type)
    return is_list(arrow_type) and is_encoded(arrow_type.value_type)


def decoded_table(table: pa.Table) -> pa.Table:
    """Return a table whose columns are `decoded`."""
    for position, field in enumerate(table.schema):
        if is_encoded(field.type):
            chunks = [decoded(chunk) for chunk in table.column(position).chunks]
            column = pa.chunked_array(chunks) if chunks else decoded(pa.array([], field.type))
            table = table.set_column(position, field.name, column)
    return table


def is_list(arrow_type: pa.DataType) -> bool:
    """Return whether a type is one of lists; not of list views, whose values Arrow 26 loses."""
    tests: Sequence[Any] = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(test(arrow_type) for test in tests)
