"""The LSM tree of one bucket: the assignment of its files to sorted runs, newest first (format §18.1).

Keys in file metadata are serialized rows, which cannot be compared as bytes. A parameter ``key_of`` is a function that
converts a key to a tuple that compares like Paimon's key comparator; ``comparable_keys`` creates it for a table's key
types.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import CorruptFile, InvalidSchema
from workbench.base.lazy import cached_property
from workbench.format.rows.binary_row import decode_row
from workbench.format.spec.data_file import DataFileMeta
from workbench.format.spec.schema import TableSchema
from workbench.format.types import AtomicType, DataType

Key = tuple[Any, ...]
KeyOf = Callable[[bytes], Key]

_GREATEST_LONG = 0x7FFF_FFFF_FFFF_FFFF
# Text that is not UTF-8 is decoded and encoded without loss.
_KEEPS_BYTES = "surrogateescape"


def comparable_keys(types: Sequence[DataType]) -> KeyOf:
    """Return a function from a serialized key to a tuple that orders as Paimon orders keys of these ``types``.

    Strings compare by their UTF-8 bytes; floats as Java's ``Double.compare`` (-0.0 < 0.0, NaN is the largest). Nulls
    cannot occur in a primary key and are not handled.
    """
    converters = tuple(_comparable_value(each) for each in types)
    if all(convert is None for convert in converters):
        return lambda data: decode_row(data, types)

    def key_of(data: bytes) -> Key:
        values = decode_row(data, types, errors=_KEEPS_BYTES)
        return tuple(v if convert is None else convert(v) for v, convert in zip(values, converters, strict=True))

    return key_of


def _comparable_value(type_: DataType) -> Callable[[Any], Any] | None:
    root = type_.root if isinstance(type_, AtomicType) else ""
    if root in ("CHAR", "VARCHAR"):
        return _encoded
    if root in ("FLOAT", "DOUBLE"):
        return _total_order
    return None


def _encoded(value: str) -> bytes:
    return value.encode(errors=_KEEPS_BYTES)


def _total_order(value: float) -> int:
    """Return an integer that orders as ``Double.compare`` orders the doubles."""
    if math.isnan(value):
        return _GREATEST_LONG
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else bits ^ _GREATEST_LONG


def _by_key(files: Iterable[DataFileMeta], key_of: KeyOf) -> list[DataFileMeta]:
    return sorted(files, key=lambda file: key_of(file.min_key))


@dataclass(frozen=True)
class SortedRun:
    """Files in key order whose key ranges do not overlap: reading them one after another returns sorted rows."""

    files: tuple[DataFileMeta, ...]

    @cached_property
    def total_size(self) -> int:
        """The size of all files in bytes."""
        return sum(file.file_size for file in self.files)

    @cached_property
    def row_count(self) -> int:
        """The number of rows of all files, before any merge."""
        return sum(file.row_count for file in self.files)


@dataclass(frozen=True)
class LevelSortedRun(SortedRun):
    """A sorted run and its level. On level 0 every file is a separate run."""

    level: int


class Levels:
    """The files of one bucket, by level. Immutable: ``update`` returns new levels.

    ``num_levels`` includes level 0; files on higher levels than configured extend it, as in Java's ``Levels``. Without
    ``key_of`` the files of a run stay in the given order: rules compare only the sizes of runs. Raises InvalidSchema
    for fewer than two levels.
    """

    def __init__(self, files: Iterable[DataFileMeta], num_levels: int, key_of: KeyOf | None) -> None:
        by_level: dict[int, list[DataFileMeta]] = {}
        for file in files:
            by_level.setdefault(file.level, []).append(file)
        self.num_levels = max(num_levels, max(by_level, default=-1) + 1)
        if self.num_levels < 2:
            raise InvalidSchema(
                f"A tree needs at least 2 levels, got {self.num_levels}.", "Set option 'num-levels' to 2 or more."
            )
        self._key_of = key_of
        newest_first = sorted(by_level.pop(0, []), key=level_0_order)
        runs = [LevelSortedRun((file,), 0) for file in newest_first]
        for level in sorted(by_level):
            files = by_level[level] if key_of is None else _by_key(by_level[level], key_of)
            runs.append(LevelSortedRun(tuple(files), level))
        self._runs = tuple(runs)

    @property
    def key_of(self) -> KeyOf:
        """The function that makes the keys of files comparable. Raises ValueError if these levels have no such
        function."""
        if self._key_of is None:
            raise ValueError("These levels only compare sizes.")
        return self._key_of

    def with_keys(self, key_of: KeyOf) -> Levels:
        """Return levels with the same runs, not sorted again, whose keys ``key_of`` makes comparable."""
        levels = copy(self)
        levels._key_of = key_of
        return levels

    def runs(self) -> tuple[LevelSortedRun, ...]:
        """All non-empty runs, newest to oldest: level-0 files by sequence, then levels 1 to the highest."""
        return self._runs

    @property
    def level_0(self) -> tuple[DataFileMeta, ...]:
        """The files of level 0, newest first."""
        return tuple(run.files[0] for run in self._runs if run.level == 0)

    @property
    def files(self) -> tuple[DataFileMeta, ...]:
        """All files, in the order of ``runs``."""
        return tuple(file for run in self._runs for file in run.files)

    @property
    def max_level(self) -> int:
        """The last level of the tree, empty or not."""
        return self.num_levels - 1

    @property
    def highest_non_empty_level(self) -> int:
        """The highest level that holds files; -1 for an empty tree."""
        return self._runs[-1].level if self._runs else -1

    @property
    def num_sorted_runs(self) -> int:
        """The maximum number of runs that a reader has to merge."""
        return len(self._runs)

    @property
    def total_size(self) -> int:
        """The size of all files in bytes."""
        return sum(run.total_size for run in self._runs)

    def update(self, before: Iterable[DataFileMeta], after: Iterable[DataFileMeta]) -> Levels:
        """Return the levels without ``before`` and with ``after``. Raises ValueError if a file of ``before`` does not
        exist."""
        removed = {(file.file_name, file.level) for file in before}
        here = {(file.file_name, file.level): file for file in self.files}
        if unknown := removed - here.keys():
            name, level = min(unknown)
            raise ValueError(f"File {name} is not on level {level}.")
        kept = [file for identity, file in here.items() if identity not in removed]
        return Levels([*kept, *after], self.num_levels, self._key_of)

    def check(self) -> Levels:
        """Return these levels after checking that no two files of a level overlap, except on level 0. Raises
        CorruptFile, which names both files."""
        for run in self._runs:
            for left, right in zip(run.files, run.files[1:], strict=False):
                if self.key_of(right.min_key) <= self.key_of(left.max_key):
                    reason = f"its keys overlap those of {left.file_name} on level {run.level}"
                    raise CorruptFile(right.file_name, reason)
        return self


def level_0_order(file: DataFileMeta) -> tuple[int, int, int, str]:
    """Return the key that sorts files of level 0 from newest to oldest."""
    return (-file.max_sequence_number, file.min_sequence_number, file.creation_time or 0, file.file_name)


def key_of_schema(schema: TableSchema) -> KeyOf:
    """Return a function that makes the serialized keys of a table comparable."""
    return comparable_keys([each.type for each in schema.key_fields])
