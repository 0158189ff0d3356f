"""Parses the table options that define file indexes (Java ``FileIndexOptions``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from workbench.base.errors import InvalidSchema, Unsupported, did_you_mean
from workbench.format.index.file_index.keys import KeyKind, key_kind
from workbench.format.options.values import parse_option, split_list
from workbench.format.spec.schema import TableSchema
from workbench.format.types import DataField, DataType, MapType

_PREFIX, _SUFFIX = "file-index.", ".columns"
_NUMBERS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ")
_FLOATS = ("FLOAT", "DOUBLE")
_TEXTS = ("CHAR", "VARCHAR")
_FINEST_RANGE = 6
_LONGEST_DECIMAL = 18
_WITHOUT_CHUNKS = ("BOOLEAN", "TINYINT", "SMALLINT")

Build = Callable[[pa.ChunkedArray], bytes]


@dataclass(frozen=True)
class IndexRequest:
    """One index of one column or, with ``map_key``, of the values that a MAP column has under that key."""

    kind: str
    field: DataField
    map_key: str | None
    settings: Mapping[str, str]

    @property
    def name(self) -> str:
        """The column's name in the container."""
        return self.field.name if self.map_key is None else f"{self.field.name}[{self.map_key}]"

    @property
    def type(self) -> DataType:
        """The type of the values."""
        if self.map_key is None:
            return self.field.type
        assert isinstance(self.field.type, MapType)
        return self.field.type.value

    def key_kind(self) -> KeyKind:
        """Return the conversion of values to keys of the index.

        Raises:
            Unsupported: If the index does not support their type.
        """
        keys = key_kind(self.type)
        if keys is None or not _may_index(self.kind, self.type):
            raise Unsupported(
                f"Option '{_PREFIX}{self.kind}{_SUFFIX}' names '{self.name}', but index '{self.kind}' does not support "
                f"values of type {self.type}."
            )
        return keys

    def builder(self) -> Build:
        """Return a function that builds the index of a column of the values.

        Raises:
            Unsupported: If the index does not support the type.
            InvalidSchema: If a setting is invalid.
        """
        return _BUILDERS[self.kind](self, self.key_kind())

    def setting(self, name: str, kind: str, default: str) -> int | float:
        """Return the value of a setting of the index, a number or a size."""
        value: int | float = parse_option(
            f"{_PREFIX}{self.kind}.{self.name}.{name}", kind, self.settings.get(name, default)
        )
        return value


def index_requests(schema: TableSchema) -> Iterator[IndexRequest]:
    """Yield the indexes that a table's options define for its files, column by column in the order of the options.

    Raises:
        Unsupported: If the kind of an index is unknown.
        InvalidSchema: If a list names a missing column, or a key of a column that is not a MAP with text keys.
    """
    options = schema.core.options
    for option, text in options.items():
        if not (option.startswith(_PREFIX) and option.endswith(_SUFFIX)):
            continue
        kind = option[len(_PREFIX) : -len(_SUFFIX)]
        if kind not in _BUILDERS:
            raise Unsupported(f"Option '{option}' names an unknown file index.")
        for name in map(str.strip, split_list(text)):
            if not name:
                raise InvalidSchema(f"Option '{option}' has an empty column name.")
            column, map_key = _column_and_key(name)
            if column not in schema.field_names:
                near = did_you_mean(column, schema.field_names)
                raise InvalidSchema(f"Option '{option}' names '{column}', which is not a column.", near)
            field = schema.field(column)
            if map_key is not None and not (isinstance(field.type, MapType) and field.type.key.root in _TEXTS):
                raise InvalidSchema(f"Option '{option}' names '{name}', but '{column}' has type {field.type}.")
            yield IndexRequest(kind, field, map_key, _settings(options, kind, list(dict.fromkeys([column, name]))))


def check_index_options(schema: TableSchema) -> None:
    """Check that columns support their file indexes, and that settings belong to an index of a column.

    Raises:
        Unsupported: If an index is unknown or does not support a column; the message names option and column.
        InvalidSchema: If a setting or a column is invalid; the message names option and column.
    """
    options = schema.core.options
    if _PREFIX + _SUFFIX[1:] in options:
        raise InvalidSchema(f"Option '{_PREFIX}{_SUFFIX[1:]}' lacks the kind of the index.")
    requests = list(index_requests(schema))
    for request in requests:
        request.key_kind()
        if request.map_key is not None:
            layout = schema.core.column_value(request.field.name, "map.storage-layout")
            if layout == "shared-shredding":
                raise InvalidSchema(
                    f"Column '{request.field.name}' is stored shredded, which does not support an index of a key."
                )
    known = {(request.kind, name) for request in requests for name in (request.name, request.field.name)}
    for option in options:
        parts = option.removeprefix(_PREFIX).split(".")
        is_setting = option.startswith(_PREFIX) and not option.endswith(_SUFFIX) and len(parts) == 3
        if is_setting and (parts[0], parts[1]) not in known:
            raise InvalidSchema(
                f"Option '{option}' is a setting of an index that column '{parts[1]}' does not have.",
                f"Name the column in '{_PREFIX}{parts[0]}{_SUFFIX}' first.",
            )


def _column_and_key(name: str) -> tuple[str, str | None]:
    column, bracket, key = name.partition("[")
    return (column, key[:-1]) if bracket and key.endswith("]") else (name, None)


def _settings(options: Mapping[str, str], kind: str, names: list[str]) -> dict[str, str]:
    """Return the settings of an index under ``names``: those of a MAP's key override those of the whole MAP."""
    prefixes = [f"{_PREFIX}{kind}.{name}." for name in names]
    return {
        option[len(prefix) :]: text
        for prefix in prefixes
        for option, text in options.items()
        if option.startswith(prefix)
    }


def _may_index(kind: str, data_type: DataType) -> bool:
    root, precision = data_type.root, getattr(data_type, "precision", None) or 0
    match kind:
        case "bloom-filter":
            return root in (*_NUMBERS, *_FLOATS, *_TEXTS, "BINARY", "VARBINARY")
        case "bitmap":
            return root in (*_NUMBERS, *_FLOATS, *_TEXTS, "BOOLEAN")
        case "range-bitmap" if root.startswith("TIMESTAMP"):
            return precision <= _FINEST_RANGE
    if root == "DECIMAL":
        return kind in ("range-bitmap", "bsi") and precision <= _LONGEST_DECIMAL
    return root in (_NUMBERS if kind == "bsi" else (*_NUMBERS, *_FLOATS, *_TEXTS, "BOOLEAN"))


def _bloom_filter(request: IndexRequest, keys: KeyKind) -> Build:
    from workbench.format.index.file_index.bloom_filter_writing import bloom_filter_index

    items, rate = int(request.setting("items", "int", "1000000")), request.setting("fpp", "double", "0.1")
    if items <= 0 or not 0 < rate < 1:
        raise InvalidSchema(
            f"The bloom filter of '{request.name}' cannot have {items} items and an error rate of {rate}."
        )
    return lambda column: bloom_filter_index(column, keys, items, rate)


def _bitmap(request: IndexRequest, keys: KeyKind) -> Build:
    from workbench.format.index.file_index.bitmap_writing import bitmap_index, known_version

    version = int(request.setting("version", "int", "2"))
    if not known_version(version):
        raise InvalidSchema(f"Version {version} of file index 'bitmap' of '{request.name}' does not exist.")
    size = int(request.setting("index-block-size", "memory", "16kb"))
    return lambda column: bitmap_index(column, keys, version, size)


def _range_bitmap(request: IndexRequest, keys: KeyKind) -> Build:
    from workbench.format.index.file_index.range_bitmap_writing import range_bitmap_index

    default = "0b" if request.type.root in _WITHOUT_CHUNKS else "16kb"
    size = int(request.setting("chunk-size", "memory", default))
    return lambda column: range_bitmap_index(column, keys, size)


def _bit_slices(_request: IndexRequest, keys: KeyKind) -> Build:
    from workbench.format.index.file_index.range_bitmap_writing import bit_slice_index

    return lambda column: bit_slice_index(column, keys)


_BUILDERS: dict[str, Callable[[IndexRequest, KeyKind], Build]] = {
    "bloom-filter": _bloom_filter,
    "bitmap": _bitmap,
    "range-bitmap": _range_bitmap,
    "bsi": _bit_slices,
}
