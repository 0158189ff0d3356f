"""Decodes many manifests together, column by column, for plans of 100,000 files (format §6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from typing import Any, TypeVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from workbench.format.avro.blocks import Record, blocks, read_header
from workbench.format.avro.steps import (
    Arrays,
    Block,
    Column,
    Fields,
    Integers,
    Optional,
    Spans,
    UnsupportedSchemaError,
    read_in_steps,
)
from workbench.format.spec.data_file import DataFileMeta, ManifestEntry, SimpleStats
from workbench.format.spec.lazy_fields import Later, LazyColumns, make
from workbench.format.spec.manifest import KINDS, SOURCES, VERSION
from workbench.format.spec.paths import check_file_name, check_file_names

# A record starts with a version, one of two kinds, and the length of a row, which is 4 bytes plus a number of 8-byte
# words, so the lowest 4 bits of the encoded length are fixed. The 4 bytes of the row's arity follow.
_SAME_BITS = bytes((0xFF, 0xFD, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF))

# The cost of a step does not depend on the number of blocks: for few blocks, reading record by record is as fast.
_FEWEST_BLOCKS = 32
# Constant columns are detected by comparing all values only up to this number of bytes per value.
_LONGEST_COMPARED = 64

_Value = TypeVar("_Value")


def read_manifest_columns(
    files: Sequence[tuple[bytes, str]], entry_counts: Sequence[int]
) -> list[list[ManifestEntry]] | None:
    """Return the entries of each file, given as bytes and path, in file order. ``entry_counts`` are the numbers of
    entries recorded in manifest lists.

    None if this method does not apply: different schemas or versions, few blocks, corruption. Reading the files one by
    one then returns the entries or raises the appropriate error.
    """
    try:
        blocks = [_blocks(*file) for file in files]
        schema = blocks[0][0]
        if any(other != schema for other, _ in blocks) or sum(len(each) for _, each in blocks) < _FEWEST_BLOCKS:
            return None
        counts = [sum(block.records for block in each) for _, each in blocks]
        if counts != list(entry_counts):
            return None
        data, root = read_in_steps([block for _, each in blocks for block in each], schema, _SAME_BITS)
        return _cut(_Records(data, root, sum(counts)).entries(), counts)
    except (UnsupportedSchemaError, ValueError, IndexError, KeyError, OverflowError):
        return None


def _blocks(data: bytes, path: str) -> tuple[Record, list[Block]]:
    source = BytesIO(data)
    header = read_header(source, path)
    return header.record, [Block(count, plain) for count, plain in blocks(source, header, path)]


def _cut(entries: list[ManifestEntry], counts: Sequence[int]) -> list[list[ManifestEntry]]:
    ends = np.cumsum(counts).tolist()
    return [entries[end - count : end] for end, count in zip(ends, counts, strict=True)]


class _Records:
    """Columns as Python values. Columns that plans need or that may be invalid are decoded immediately, all others on
    first access.

    Equal bytes become the same object, since files share partitions, counts and column names.
    """

    def __init__(self, data: bytes, root: Fields, records: int) -> None:
        self._data = data
        self._root = root
        self._bytes_of_data = np.frombuffer(data, np.uint8)
        self._number = records

    def entries(self) -> list[ManifestEntry]:
        top = self._root.columns
        if set(self._integers(top["_VERSION"])()) != {VERSION}:
            raise ValueError("another version")
        columns: dict[str, Iterable[Any]] = {
            "kind": map(KINDS.__getitem__, self._integers(top["_KIND"])()),
            "partition": self._shared(top["_PARTITION"], bytes)(),
            "bucket": self._integers(top["_BUCKET"])(),
            "total_buckets": self._integers(top["_TOTAL_BUCKETS"])(),
            "file": self._files(top["_FILE"]),
        }
        return make(ManifestEntry, self._number, columns)

    def _files(self, column: Column) -> list[DataFileMeta]:
        if not isinstance(column, Fields):
            raise UnsupportedSchemaError("_FILE")
        file = column.columns
        names = check_file_names(self._bytes(file["_FILE_NAME"])())
        sizes, schemas = self._integers(file["_FILE_SIZE"])(), self._integers(file["_SCHEMA_ID"])()
        paths = self._optional(file.get("_EXTERNAL_PATH"), lambda column: self._shared(column, bytes.decode))()
        planned = {"file_name": names, "file_size": sizes, "schema_id": schemas, "external_path": paths}
        sources = self._optional(file.get("_FILE_SOURCE"), self._integers)()
        checked = {
            "extra_files": self._lists(file["_EXTRA_FILES"], _file_names)(),
            "file_source": list(map(SOURCES.__getitem__, sources)),
            "value_stats_cols": self._optional(
                file.get("_VALUE_STATS_COLS"), lambda column: self._lists(column, _texts)
            )(),
            "write_cols": self._optional(file.get("_WRITE_COLS"), lambda column: self._lists(column, _texts))(),
        }
        later: dict[str, Later] = {
            "row_count": self._integers(file["_ROW_COUNT"]),
            "min_key": self._bytes(file["_MIN_KEY"]),
            "max_key": self._bytes(file["_MAX_KEY"]),
            "key_stats": self._stats(file["_KEY_STATS"]),
            "value_stats": self._stats(file["_VALUE_STATS"]),
            "min_sequence_number": self._integers(file["_MIN_SEQUENCE_NUMBER"]),
            "max_sequence_number": self._integers(file["_MAX_SEQUENCE_NUMBER"]),
            "level": self._integers(file["_LEVEL"]),
            "creation_time": self._optional(file.get("_CREATION_TIME"), self._integers),
            "delete_row_count": self._optional(file.get("_DELETE_ROW_COUNT"), self._integers),
            "embedded_index": self._optional(file.get("_EMBEDDED_FILE_INDEX"), self._bytes),
            "first_row_id": self._optional(file.get("_FIRST_ROW_ID"), self._integers),
        }
        return make(DataFileMeta, self._number, planned, LazyColumns(later, checked))

    def _stats(self, column: Column) -> Later:
        if not isinstance(column, Fields):
            raise UnsupportedSchemaError("stats")
        parts = column.columns
        counts = parts["_NULL_COUNTS"]
        nulls = counts.inner if isinstance(counts, Optional) else counts
        if not isinstance(nulls, Arrays):
            raise UnsupportedSchemaError("_NULL_COUNTS")
        decode: Callable[[bytes], Any]
        if isinstance(nulls.items, Optional) and isinstance(nulls.items.inner, Integers):
            decode = _optional_longs
        elif isinstance(nulls.items, Integers):
            decode = _longs
        else:
            raise UnsupportedSchemaError("a count")
        columns = {
            "min_values": self._shared(parts["_MIN_VALUES"], bytes),
            "max_values": self._shared(parts["_MAX_VALUES"], bytes),
            "null_counts": self._optional(counts, lambda column: self._shared(column, decode)),
        }
        return lambda: make(SimpleStats, self._number, {name: values() for name, values in columns.items()})

    def _integers(self, column: Column) -> Later:
        if not isinstance(column, Integers):
            raise UnsupportedSchemaError("a number")
        return column.values.tolist

    def _bytes(self, column: Column) -> Callable[[], list[bytes]]:
        if not isinstance(column, Spans):
            raise UnsupportedSchemaError("bytes")
        data = self._data
        return lambda: [
            data[start:end] for start, end in zip(column.starts.tolist(), column.ends.tolist(), strict=True)
        ]

    def _shared(self, column: Column, decode: Callable[[bytes], Any]) -> Later:
        """Return the decoded bytes, each distinct value decoded once."""
        if not isinstance(column, Spans):
            raise UnsupportedSchemaError("bytes")
        cut, number = self._bytes(column), self._number

        def values() -> Sequence[Any]:
            if (only := self._only_value(column)) is not None:
                return [decode(only)] * number
            raw = cut()
            decoded = {each: decode(each) for each in dict.fromkeys(raw)}
            return list(map(decoded.__getitem__, raw))

        return values

    def _only_value(self, column: Spans) -> bytes | None:
        """Return the bytes of all records if they are equal and short."""
        lengths = column.ends - column.starts
        length = int(lengths[0])
        if length > _LONGEST_COMPARED or (lengths != length).any():
            return None
        if length:
            windows = sliding_window_view(self._bytes_of_data, length)[column.starts]
            if (windows != windows[0]).any():
                return None
        return self._data[column.starts[0] : column.ends[0]]

    def _lists(self, column: Column, decode: Callable[[bytes], Any]) -> Later:
        if not isinstance(column, Arrays) or not isinstance(column.items, Spans):
            raise UnsupportedSchemaError("texts")
        return self._shared(column, decode)

    def _optional(self, column: Column | None, later: Callable[[Any], Later]) -> Later:
        """Return the values if the column exists; old files do not have every column."""
        number = self._number
        if column is None:
            return lambda: [None] * number
        if not isinstance(column, Optional):
            return later(column)
        inner, valid = later(column.inner), column.valid
        if valid.all():
            return inner
        if not valid.any():
            return lambda: [None] * number
        return lambda: [value if known else None for value, known in zip(inner(), valid.tolist(), strict=True)]


def _file_names(raw: bytes) -> tuple[str, ...]:
    return tuple(map(check_file_name, _texts(raw)))


def _texts(raw: bytes) -> tuple[str, ...]:
    def text(position: int) -> tuple[str, int]:
        size, position = _long(raw, position)
        return raw[position : position + size].decode(), position + size

    return _items(raw, text)


def _longs(raw: bytes) -> tuple[int, ...]:
    return _items(raw, lambda position: _long(raw, position))


def _optional_longs(raw: bytes) -> tuple[int | None, ...]:
    def value(position: int) -> tuple[int | None, int]:
        chosen, position = _long(raw, position)
        return _long(raw, position) if chosen else (None, position)

    return _items(raw, value)


def _items(raw: bytes, item: Callable[[int], tuple[_Value, int]]) -> tuple[_Value, ...]:
    """Return the items of an encoded array; none for the empty bytes that represent a missing array."""
    items: list[_Value] = []
    position = 0
    while position < len(raw):
        count, position = _long(raw, position)
        for _ in range(count):
            value, position = item(position)
            items.append(value)
    return tuple(items)


def _long(raw: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while raw[position] >= 0x80:
        value |= (raw[position] & 0x7F) << shift
        shift += 7
        position += 1
    value |= raw[position] << shift
    return (value >> 1) ^ -(value & 1), position + 1
