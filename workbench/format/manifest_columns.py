"""Many manifests decoded together, column by column (format §6): what a plan of 100,000 files spends its time on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from typing import Any, TypeVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from workbench.format.avro_blocks import Record, blocks, read_header
from workbench.format.avro_steps import (
    Arrays,
    Block,
    Column,
    Fields,
    Integers,
    NotInStepsError,
    Optional,
    Spans,
    read_in_steps,
)
from workbench.format.data_file import DataFileMeta, ManifestEntry, SimpleStats
from workbench.format.late_fields import LateColumns, Later, make
from workbench.format.manifest import KINDS, SOURCES, VERSION
from workbench.format.paths import check_file_name, check_file_names

# Records begin with a version, a kind of two, and the length of a row, which is 4 and some words of 8 bytes, its last 4
# bits at this place. The 4 bytes of its arity follow.
_SAME_BITS = bytes((0xFF, 0xFD, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF))

# Steps cost the same however many blocks take part: with fewer, record by record is as fast.
_FEWEST_BLOCKS = 32
# Beyond, columns of one value are found by comparing all of them.
_LONGEST_COMPARED = 64

_Value = TypeVar("_Value")


def read_manifest_columns(
    files: Sequence[tuple[bytes, str]], entry_counts: Sequence[int]
) -> list[list[ManifestEntry]] | None:
    """The entries of each file, given as bytes and path, in file order. ``entry_counts``: what manifest lists say.

    None where that is not the way to read them: other schemas or versions, few blocks, damage. Reading them one by one
    then tells what is wrong, and where.
    """
    try:
        found = [_blocks(*file) for file in files]
        schema = found[0][0]
        if any(other != schema for other, _ in found) or sum(len(each) for _, each in found) < _FEWEST_BLOCKS:
            return None
        counts = [sum(block.records for block in each) for _, each in found]
        if counts != list(entry_counts):
            return None
        data, root = read_in_steps([block for _, each in found for block in each], schema, _SAME_BITS)
        return _cut(_Records(data, root, sum(counts)).entries(), counts)
    except (NotInStepsError, ValueError, IndexError, KeyError, OverflowError):
        return None


def _blocks(data: bytes, path: str) -> tuple[Record, list[Block]]:
    source = BytesIO(data)
    header = read_header(source, path)
    return header.record, [Block(count, plain) for count, plain in blocks(source, header, path)]


def _cut(entries: list[ManifestEntry], counts: Sequence[int]) -> list[list[ManifestEntry]]:
    ends = np.cumsum(counts).tolist()
    return [entries[end - count : end] for end, count in zip(ends, counts, strict=True)]


class _Records:
    """Columns as Python values. Those of plans are decoded at once, and what can be wrong in itself; others later.

    Equal bytes become one object, for files share partitions, counts, names of columns.
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
            raise NotInStepsError("_FILE")
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
        return make(DataFileMeta, self._number, planned, LateColumns(later, checked))

    def _stats(self, column: Column) -> Later:
        if not isinstance(column, Fields):
            raise NotInStepsError("stats")
        found = column.columns
        counts = found["_NULL_COUNTS"]
        nulls = counts.inner if isinstance(counts, Optional) else counts
        if not isinstance(nulls, Arrays):
            raise NotInStepsError("_NULL_COUNTS")
        decode: Callable[[bytes], Any]
        if isinstance(nulls.items, Optional) and isinstance(nulls.items.inner, Integers):
            decode = _optional_longs
        elif isinstance(nulls.items, Integers):
            decode = _longs
        else:
            raise NotInStepsError("a count")
        columns = {
            "min_values": self._shared(found["_MIN_VALUES"], bytes),
            "max_values": self._shared(found["_MAX_VALUES"], bytes),
            "null_counts": self._optional(counts, lambda column: self._shared(column, decode)),
        }
        return lambda: make(SimpleStats, self._number, {name: values() for name, values in columns.items()})

    def _integers(self, column: Column) -> Later:
        if not isinstance(column, Integers):
            raise NotInStepsError("a number")
        return column.values.tolist

    def _bytes(self, column: Column) -> Callable[[], list[bytes]]:
        if not isinstance(column, Spans):
            raise NotInStepsError("bytes")
        data = self._data
        return lambda: [
            data[start:end] for start, end in zip(column.starts.tolist(), column.ends.tolist(), strict=True)
        ]

    def _shared(self, column: Column, decode: Callable[[bytes], Any]) -> Later:
        """What ``decode`` makes of the bytes, done once for equal ones."""
        if not isinstance(column, Spans):
            raise NotInStepsError("bytes")
        cut, number = self._bytes(column), self._number

        def values() -> Sequence[Any]:
            if (only := self._only_value(column)) is not None:
                return [decode(only)] * number
            raw = cut()
            made = {each: decode(each) for each in dict.fromkeys(raw)}
            return list(map(made.__getitem__, raw))

        return values

    def _only_value(self, column: Spans) -> bytes | None:
        """The bytes of all records, where they are the same and short."""
        lengths = column.ends - column.starts
        length = int(lengths[0])
        if length > _LONGEST_COMPARED or (lengths != length).any():
            return None
        if length:
            found = sliding_window_view(self._bytes_of_data, length)[column.starts]
            if (found != found[0]).any():
                return None
        return self._data[column.starts[0] : column.ends[0]]

    def _lists(self, column: Column, decode: Callable[[bytes], Any]) -> Later:
        if not isinstance(column, Arrays) or not isinstance(column.items, Spans):
            raise NotInStepsError("texts")
        return self._shared(column, decode)

    def _optional(self, column: Column | None, later: Callable[[Any], Later]) -> Later:
        """The values where there are any. Old files do not have every column."""
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
    def text(place: int) -> tuple[str, int]:
        size, place = _long(raw, place)
        return raw[place : place + size].decode(), place + size

    return _items(raw, text)


def _longs(raw: bytes) -> tuple[int, ...]:
    return _items(raw, lambda place: _long(raw, place))


def _optional_longs(raw: bytes) -> tuple[int | None, ...]:
    def value(place: int) -> tuple[int | None, int]:
        chosen, place = _long(raw, place)
        return _long(raw, place) if chosen else (None, place)

    return _items(raw, value)


def _items(raw: bytes, item: Callable[[int], tuple[_Value, int]]) -> tuple[_Value, ...]:
    """The items of an encoded array; none of the empty bytes that stand where there is no array."""
    found: list[_Value] = []
    place = 0
    while place < len(raw):
        count, place = _long(raw, place)
        for _ in range(count):
            value, place = item(place)
            found.append(value)
    return tuple(found)


def _long(raw: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while raw[place] >= 0x80:
        value |= (raw[place] & 0x7F) << shift
        shift += 7
        place += 1
    value |= raw[place] << shift
    return (value >> 1) ^ -(value & 1), place + 1
