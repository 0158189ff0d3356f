"""Many manifests decoded together, column by column (format §6): what a plan of 100,000 files spends its time on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from itertools import repeat
from typing import Any, TypeVar

import numpy as np

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
from workbench.format.manifest import KINDS, SOURCES, VERSION
from workbench.format.paths import check_file_name

# Steps cost the same however many blocks take part: with fewer, record by record is as fast.
_FEWEST_BLOCKS = 32

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
        data, root = read_in_steps([block for _, each in found for block in each], schema)
        return _cut(_Records(data, root).entries(), counts)
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
    """Columns as Python values. Equal bytes become one object, for files share partitions, counts, names of columns."""

    def __init__(self, data: bytes, root: Fields) -> None:
        self._data = data
        self._root = root
        self._file = root.columns["_FILE"]

    def entries(self) -> list[ManifestEntry]:
        top = self._root.columns
        if any(version != VERSION for version in self._integers(top["_VERSION"])):
            raise ValueError("another version")
        return list(
            map(
                ManifestEntry,
                [KINDS[kind] for kind in self._integers(top["_KIND"])],
                self._shared(top["_PARTITION"], bytes),
                self._integers(top["_BUCKET"]),
                self._integers(top["_TOTAL_BUCKETS"]),
                self._files(),
            )
        )

    def _files(self) -> Iterator[DataFileMeta]:
        if not isinstance(self._file, Fields):
            raise NotInStepsError("_FILE")
        file = self._file.columns
        sources = self._optional(file.get("_FILE_SOURCE"), self._integers)
        return map(
            DataFileMeta,
            [check_file_name(name.decode()) for name in self._bytes(file["_FILE_NAME"])],
            self._integers(file["_FILE_SIZE"]),
            self._integers(file["_ROW_COUNT"]),
            self._bytes(file["_MIN_KEY"]),
            self._bytes(file["_MAX_KEY"]),
            self._stats(file["_KEY_STATS"]),
            self._stats(file["_VALUE_STATS"]),
            self._integers(file["_MIN_SEQUENCE_NUMBER"]),
            self._integers(file["_MAX_SEQUENCE_NUMBER"]),
            self._integers(file["_SCHEMA_ID"]),
            self._integers(file["_LEVEL"]),
            self._shared(file["_EXTRA_FILES"], lambda raw: tuple(map(check_file_name, _texts(raw)))),
            self._optional(file.get("_CREATION_TIME"), self._integers),
            self._optional(file.get("_DELETE_ROW_COUNT"), self._integers),
            self._optional(file.get("_EMBEDDED_FILE_INDEX"), self._bytes),
            map(SOURCES.__getitem__, sources),
            self._optional(file.get("_VALUE_STATS_COLS"), lambda column: self._shared(column, _texts)),
            self._optional(file.get("_EXTERNAL_PATH"), lambda column: self._shared(column, bytes.decode)),
            self._optional(file.get("_FIRST_ROW_ID"), self._integers),
            self._optional(file.get("_WRITE_COLS"), lambda column: self._shared(column, _texts)),
        )

    def _stats(self, column: Column) -> Iterator[SimpleStats]:
        if not isinstance(column, Fields):
            raise NotInStepsError("stats")
        found = column.columns
        counts = found["_NULL_COUNTS"]
        nulls = counts.inner if isinstance(counts, Optional) else counts
        if not isinstance(nulls, Arrays):
            raise NotInStepsError("_NULL_COUNTS")
        decode = _optional_longs if nulls.has_optional_items else _longs
        return map(
            SimpleStats,
            self._shared(found["_MIN_VALUES"], bytes),
            self._shared(found["_MAX_VALUES"], bytes),
            self._optional(counts, lambda column: self._shared(column, decode)),
        )

    def _integers(self, column: Column) -> list[int]:
        if not isinstance(column, Integers):
            raise NotInStepsError("a number")
        values: list[int] = column.values.tolist()
        return values

    def _bytes(self, column: Column) -> list[bytes]:
        if not isinstance(column, Spans):
            raise NotInStepsError("bytes")
        data = self._data
        return [data[start:end] for start, end in zip(column.starts.tolist(), column.ends.tolist(), strict=True)]

    def _shared(self, column: Column, decode: Callable[[bytes], _Value]) -> list[_Value]:
        """What ``decode`` makes of the bytes, done once for equal ones."""
        made: dict[bytes, _Value] = {}
        raw = self._bytes(column)
        for each in dict.fromkeys(raw):
            made[each] = decode(each)
        return list(map(made.__getitem__, raw))

    def _optional(self, column: Column | None, values: Callable[[Any], list[_Value]]) -> Iterable[_Value | None]:
        """The values where there are any. Old files do not have every column."""
        if column is None:
            return repeat(None)
        if not isinstance(column, Optional):
            return values(column)
        if not column.valid.any():
            return repeat(None)
        found = values(column.inner)
        if column.valid.all():
            return found
        return [value if valid else None for value, valid in zip(found, column.valid.tolist(), strict=True)]


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
