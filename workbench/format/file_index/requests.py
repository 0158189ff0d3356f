"""Which file indexes the options of a table ask for (Java ``FileIndexOptions``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from workbench.base.errors import InvalidSchema, Unsupported
from workbench.format.file_index.keys import KeyKind, key_kind
from workbench.format.option_values import parse_option
from workbench.format.schema import TableSchema
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
    """One index of one column; ``map_key``: of the values that a MAP has under that key."""

    kind: str
    field: DataField
    map_key: str | None
    settings: Mapping[str, str]

    @property
    def name(self) -> str:
        """What the column is called in the container."""
        return self.field.name if self.map_key is None else f"{self.field.name}[{self.map_key}]"

    @property
    def type(self) -> DataType:
        """The type of the values."""
        if self.map_key is None:
            return self.field.type
        assert isinstance(self.field.type, MapType)
        return self.field.type.value

    def builder(self) -> Build:
        """What makes the index of a column of the values. Raises Unsupported where there is no such index of the type,
        InvalidSchema for a setting that cannot be understood."""
        keys = key_kind(self.type)
        if keys is None or not _may_index(self.kind, self.type):
            raise Unsupported(
                f"Option '{_PREFIX}{self.kind}{_SUFFIX}' names '{self.name}', but there is no index '{self.kind}' of "
                f"values of type {self.type}."
            )
        return _BUILDERS[self.kind](self, keys)

    def setting(self, name: str, kind: str, default: str) -> int | float:
        """The number or size that a setting of the index says."""
        value: int | float = parse_option(
            f"{_PREFIX}{self.kind}.{self.name}.{name}", kind, self.settings.get(name, default)
        )
        return value


def index_requests(schema: TableSchema) -> Iterator[IndexRequest]:
    """The indexes that files of a table get, column by column as they are listed.

    Raises:
        Unsupported: an index of a kind that is not known.
        InvalidSchema: a list names no column, or a key of what is no MAP with text keys.
    """
    options = schema.core.options
    for option, text in options.items():
        if not (option.startswith(_PREFIX) and option.endswith(_SUFFIX)):
            continue
        kind = option[len(_PREFIX) : -len(_SUFFIX)]
        if kind not in _BUILDERS:
            raise Unsupported(f"Option '{option}' asks for a file index that is not known.")
        for name in text.split(","):
            column, bracket, key = name.strip().partition("[")
            field = schema.field(column)
            if bracket and not (isinstance(field.type, MapType) and field.type.key.root in _TEXTS):
                raise InvalidSchema(f"Option '{option}' names '{name.strip()}', but '{column}' is {field.type}.")
            names = [column, name.strip()] if bracket else [column]
            yield IndexRequest(kind, field, key[:-1] if bracket else None, _settings(options, kind, names))


def _settings(options: Mapping[str, str], kind: str, names: list[str]) -> dict[str, str]:
    """Those of a whole MAP, then those of its key."""
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
    from workbench.format.file_index.bloom_filter_writing import bloom_filter_index

    items, rate = int(request.setting("items", "int", "1000000")), request.setting("fpp", "double", "0.1")
    if items <= 0 or not 0 < rate < 1:
        raise InvalidSchema(
            f"A bloom filter of '{request.name}' cannot be for {items} items at an error rate of {rate}."
        )
    return lambda column: bloom_filter_index(column, keys, items, rate)


def _bitmap(request: IndexRequest, keys: KeyKind) -> Build:
    from workbench.format.file_index.bitmap_writing import bitmap_index, known_version

    version = int(request.setting("version", "int", "2"))
    if not known_version(version):
        raise InvalidSchema(f"There is no version {version} of file index 'bitmap', as is asked for '{request.name}'.")
    size = int(request.setting("index-block-size", "memory", "16kb"))
    return lambda column: bitmap_index(column, keys, version, size)


def _range_bitmap(request: IndexRequest, keys: KeyKind) -> Build:
    from workbench.format.file_index.range_bitmap_writing import range_bitmap_index

    default = "0b" if request.type.root in _WITHOUT_CHUNKS else "16kb"
    size = int(request.setting("chunk-size", "memory", default))
    return lambda column: range_bitmap_index(column, keys, size)


def _bit_slices(_request: IndexRequest, keys: KeyKind) -> Build:
    from workbench.format.file_index.range_bitmap_writing import bit_slice_index

    return lambda column: bit_slice_index(column, keys)


_BUILDERS: dict[str, Callable[[IndexRequest, KeyKind], Build]] = {
    "bloom-filter": _bloom_filter,
    "bitmap": _bitmap,
    "range-bitmap": _range_bitmap,
    "bsi": _bit_slices,
}
